-- Listen keys of user data streams, by hash: every front must know them, and a table that leaks must
-- not let anybody listen. Rows that have ended are removed as new ones come.

create table listen_keys (
  hash text primary key,
  account integer not null,
  key_id integer not null,
  -- 0 spot, 1 perpetuals
  surface smallint not null check (surface in (0, 1)),
  created_ms bigint not null,
  expires_ms bigint not null
);

create index listen_keys_account on listen_keys (account, surface, created_ms);

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select, insert, update, delete on listen_keys to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
