-- What the venue's submissions were charged on the ledger, by lane, as its completions say; and when the
-- wallet mirrors were last compared with it.

-- Bytes of ten seconds of the ledger's time and one lane (src/core/traffic.ts); the last window is kept.
create table traffic_charges (
  start_ms bigint not null,
  lane smallint not null,
  bytes bigint not null,
  submissions integer not null,
  primary key (start_ms, lane)
);

create table traffic_lanes (
  lane smallint primary key,
  last_bytes bigint not null
);

-- One row: how far completions have been read (null before the first time), and what is left of the free
-- base as of a time: modelled from the charges, or as the network said.
create table traffic_state (
  only_row boolean primary key default true check (only_row),
  ledger_offset bigint,
  base_remaining double precision not null,
  base_ms bigint not null,
  is_measured boolean not null,
  extra_purchased bigint,
  extra_consumed bigint,
  read_ms bigint not null
);
insert into traffic_state (base_remaining, base_ms, is_measured, read_ms) values (0, 0, false, 0);

alter table settlement_cursor add column mirrored_ms bigint;

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select on traffic_charges, traffic_lanes, traffic_state, settlement_cursor to rialto_venue;
    grant select on settlement_fills to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
