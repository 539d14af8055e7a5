-- Master keys and what they seal. No key is ever in the database: a row says that a version exists and
-- has a digest that tells keys apart. A version that seals a row cannot be deleted, so no key is retired
-- while somebody needs it: the foreign keys see to it, also against a row written at the same moment.

create table master_keys (
  version smallint primary key check (version > 0),
  -- Sixteen hexadecimal digits; null until the first start of a program that knows versions.
  key_check text unique,
  created_at timestamptz not null default now()
);

insert into master_keys (version) values (1);

alter table api_keys add constraint api_keys_seal_version_fkey
  foreign key (seal_version) references master_keys (version);
create index api_keys_seal_version on api_keys (seal_version, key_id);

-- Secrets of the venue itself, by name: nonce, ciphertext and tag.
create table venue_secrets (
  name text primary key,
  sealed bytea not null,
  seal_version smallint not null references master_keys (version)
);
