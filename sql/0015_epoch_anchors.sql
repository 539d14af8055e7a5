-- How far the ledger network has the epochs. An attempt is written down before it is sent, so that a
-- venue that comes back knows under which id to look for what became of it.

create table epoch_anchors (
  epoch bigint primary key,
  command_id text not null,
  -- Ledger end before the first attempt: nothing earlier can be this commitment.
  dedup_offset bigint not null,
  attempts integer not null,
  network text not null,
  -- The root that was sent: what the ledger has, whatever happens to the row of the epoch.
  root bytea not null,
  -- Null until the ledger has it.
  update_id text,
  ledger_offset bigint,
  contract_id text,
  record_time timestamptz
);

-- Epochs are committed in their order: the newest confirmed one says how far.
create index epoch_anchors_confirmed on epoch_anchors (epoch) where update_id is not null;

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select, insert, update on epoch_anchors to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
