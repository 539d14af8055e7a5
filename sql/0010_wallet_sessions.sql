-- Wallet users and their logins. Challenges and tokens rest as hashes: who reads these tables can
-- neither answer a challenge nor use a session. Which sessions are open is decided by events; rows
-- that have ended are removed as new ones come.

create table wallet_users (
  -- Hexadecimal digits of the fingerprint of the wallet's key: who the user is.
  fingerprint text primary key,
  account integer not null unique,
  party_hint text not null,
  -- Standard base64 of the wallet's key.
  public_key text not null,
  created_us bigint not null
);

create table wallet_challenges (
  nonce_hash text primary key,
  public_key text not null,
  party_hint text not null,
  message text not null,
  expires_ms bigint not null
);

create index wallet_challenges_expiry on wallet_challenges (expires_ms);

-- Sessions are numbered with the keys.
create table wallet_sessions (
  session_id integer primary key,
  token_hash text not null unique,
  account integer not null,
  expires_ms bigint not null
);

create index wallet_sessions_expiry on wallet_sessions (expires_ms);

-- The session a key lives with; null for a key of its own.
alter table api_keys add column session_id integer;

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select, insert on wallet_users to rialto_venue;
    grant select, insert, delete on wallet_challenges, wallet_sessions to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
