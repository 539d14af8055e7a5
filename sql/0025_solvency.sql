-- What the solvency report asks of custody's and settlement's tables, in steps that do not grow with them.

-- The journal's seq of a deposit's credit; null while it has none, and for those of before.
alter table deposits add column seq bigint;
create index deposits_seq on deposits (seq) where seq is not null;
create index deposits_offset on deposits (ledger_offset);
create index deposits_kept on deposits (deposit_id) where state not in (1, 2);

create index withdrawals_seq on withdrawals (seq) where seq is not null;
create index withdrawals_offset on withdrawals (ledger_offset) where ledger_offset is not null;

create index settlement_batches_confirmed on settlement_batches (confirmed_offset) where state = 5;
create index settlement_batches_failed on settlement_batches (batch_id) where state = 6;

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select on settlement_cursor, settlement_holdings, custody_cursor to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
