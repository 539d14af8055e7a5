-- A fork is a new venue that begins with another one's state after an event (docs/decisions/0102). Its journal begins with
-- the next event. The row says where it comes from; other venues have none. `ancestors` is a JSON list, oldest first and
-- ending with the parent: the check of each one's nonce key, and the event after which the next one begins.
create table fork_origin (
  only_row boolean primary key default true check (only_row),
  parent text not null,
  seq bigint not null check (seq > 0),
  ts_us bigint not null,
  ancestors text not null,
  forked_at timestamptz not null default now()
);

-- Journals may begin after the first event.
create or replace function seq_at(p_us bigint) returns bigint
language plpgsql stable parallel safe strict cost 1000 as $function$
declare
  v_low bigint;
  v_high bigint;
  v_middle bigint;
  v_us bigint;
begin
  select coalesce((select seq from fork_origin), 0) + 1 into v_low;
  select last_seq into v_high from journal_head;
  while v_low < v_high loop
    v_middle := v_low + (v_high - v_low) / 2;
    select ts_us into v_us from journal where seq = v_middle;
    if v_us < p_us then
      v_low := v_middle + 1;
    else
      v_high := v_middle;
    end if;
  end loop;
  select ts_us into v_us from journal where seq = v_low;
  return case when v_us = p_us then v_low end;
end
$function$;

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select on fork_origin to rialto_venue;
  end if;
end
$$;
