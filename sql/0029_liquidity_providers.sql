-- Providers of liquidity: who they are, the keys they sign with, how they behaved, and the keys that the
-- venue signs with when it asks them.

create sequence liquidity_provider_numbers;

create table liquidity_providers (
  -- The public id.
  provider text primary key,
  number bigint not null unique,
  name text not null,
  url text not null,
  party text not null,
  -- Markets it quotes, as a JSON list.
  pairs text not null,
  -- 1 pending, 2 approved, 3 suspended, 4 refused.
  state smallint not null default 1 check (state between 1 and 4),
  reason text,
  created_ms bigint not null,
  decided_ms bigint,
  -- Thousandths: 1000 behaved well.
  score integer not null default 1000 check (score between 0 and 1000),
  asked bigint not null default 0,
  quoted bigint not null default 0,
  passed bigint not null default 0,
  late bigint not null default 0,
  invalid bigint not null default 0,
  failed bigint not null default 0,
  settled bigint not null default 0,
  declined bigint not null default 0,
  unlocked bigint not null default 0,
  answer_ms bigint not null default 0,
  -- What /health last said, and when it last answered.
  health text,
  health_ms bigint
);
-- A stranger who has not been looked at blocks nobody.
create unique index liquidity_providers_party on liquidity_providers (party) where state in (2, 3);
create unique index liquidity_providers_url on liquidity_providers (url) where state in (2, 3);
create index liquidity_providers_state on liquidity_providers (state, number);

create table liquidity_provider_keys (
  key_id text primary key,
  provider text not null references liquidity_providers on delete cascade,
  public_key text not null,
  created_ms bigint not null,
  retired_ms bigint
);
create index liquidity_provider_keys_provider on liquidity_provider_keys (provider, created_ms);

-- Nonces of requests that providers signed, each taken once.
create table liquidity_provider_nonces (
  key_id text not null,
  nonce text not null,
  seen_ms bigint not null,
  primary key (key_id, nonce)
);
create index liquidity_provider_nonces_seen on liquidity_provider_nonces (seen_ms);

-- Their private halves are secrets of the venue, named after the number.
create table venue_signing_keys (
  number bigint generated always as identity primary key,
  key_id text not null unique,
  public_key text not null,
  created_ms bigint not null,
  -- From then on the venue signs with it, until a later one does.
  signs_from_ms bigint not null,
  -- From then on it is no longer published.
  retires_ms bigint
);

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select, insert, update, delete on liquidity_providers, liquidity_provider_keys,
      liquidity_provider_nonces, venue_signing_keys to rialto_venue;
    grant select, insert on venue_secrets to rialto_venue;
    grant usage on sequence liquidity_provider_numbers to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
