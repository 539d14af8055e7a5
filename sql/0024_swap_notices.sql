-- What providers of liquidity are to be told of their swaps: written with the move it tells of, read and
-- delivered at least once by whoever speaks to providers.

create table swap_notices (
  notice_id bigint generated always as identity primary key,
  provider text not null,
  swap_id uuid not null,
  -- 1 result, 2 cancel.
  kind smallint not null check (kind in (1, 2)),
  -- As it is sent.
  body text not null,
  created_ms bigint not null,
  due_ms bigint not null default 0,
  attempts integer not null default 0,
  -- Null while it waits; the reason is that of the last try.
  delivered_ms bigint,
  given_up_ms bigint,
  reason text
);
create index swap_notices_due on swap_notices (due_ms, notice_id)
  where delivered_ms is null and given_up_ms is null;
create index swap_notices_swap on swap_notices (swap_id);

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select, insert, update, delete on swap_notices to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
