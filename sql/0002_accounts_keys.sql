-- Accounts and what they hold: projections of the journal, written by its commits and rebuilt from
-- it if ever in doubt. Keys: the secrets live only here; what a key may do is decided by events.
-- Codes are those of src/core/accounts.ts. Rows that change often leave room on their page, so that
-- a new version needs no new index entry.

create table accounts (
  account integer primary key,
  type smallint not null,
  flags integer not null,
  opened_us bigint not null
) with (fillfactor = 80);

create table balances (
  account integer not null,
  wallet smallint not null,
  asset smallint not null,
  -- Minor units of the asset; what is reserved is part of the total.
  total bigint not null,
  reserved bigint not null,
  primary key (account, wallet, asset)
) with (fillfactor = 50);

create table positions (
  account integer not null,
  market smallint not null,
  leverage smallint not null,
  -- Signed lots; the value they were entered at and the profit realised, in minor units.
  qty bigint not null,
  entry_value bigint not null,
  realised_pnl bigint not null,
  primary key (account, market)
) with (fillfactor = 50);

-- Numbers of keys are never used twice, also not that of a key whose registration never happened.
create sequence api_key_ids as integer;

create table api_keys (
  key_id integer primary key,
  account integer not null,
  api_key text not null unique,
  label text,
  -- 0 HMAC, 1 Ed25519
  key_type smallint not null check (key_type in (0, 1)),
  public_key bytea,
  -- Nonce, ciphertext and tag of AES-256-GCM, and which master key sealed them.
  sealed_secret bytea,
  seal_version smallint not null,
  -- CIDR ranges; empty for anywhere.
  allowed_ranges text[] not null default '{}',
  created_us bigint not null,
  -- The rest is the projection of events. Without a registration the key opens nothing.
  is_registered boolean not null default false,
  tier smallint not null default 0,
  permissions smallint not null default 0,
  revoked_us bigint,
  check ((key_type = 1) = (public_key is not null)),
  check ((key_type = 0) = (sealed_secret is not null))
);

create index api_keys_account on api_keys (account);
