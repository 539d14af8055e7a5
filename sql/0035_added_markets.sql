-- Markets that the operator adds. Their row is written before the journal says so, with the status `proposed`,
-- which no reader takes for a market; the commit that has the event gives it its status.

alter table markets drop constraint markets_status_check;
-- 3: proposed.
alter table markets add constraint markets_status_check check (status between 0 and 3);
-- Whether the journal has an event that added it.
alter table markets add column was_added boolean not null default false;

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant insert, delete on markets, margin_tiers to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
