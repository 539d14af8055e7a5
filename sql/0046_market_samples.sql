-- What each perpetual market is like at each turn of five minutes: aggregates over accounts, in lots and ticks. Rows
-- are kept for a bounded time (MARKET_SAMPLE_DAYS).
create table market_samples (
  market smallint not null,
  at_ms bigint not null,
  open_lots bigint not null,
  mark bigint not null,
  index bigint not null,
  long_accounts integer not null,
  short_accounts integer not null,
  long_lots bigint not null,
  short_lots bigint not null,
  top_long_accounts integer not null,
  top_short_accounts integer not null,
  top_long_lots bigint not null,
  top_short_lots bigint not null,
  primary key (market, at_ms)
);

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select, insert, delete on market_samples to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
