-- Money that comes from the ledger and goes to it. Fronts add withdrawals before they ask clearing for
-- them; everything else here is written by the settlement thread alone.

-- What the operator asks of deposits and withdrawals; minor units.
create table custody_terms (
  asset smallint primary key references assets,
  deposit_min bigint not null check (deposit_min > 0),
  withdrawal_min bigint not null check (withdrawal_min > withdrawal_fee),
  withdrawal_fee bigint not null check (withdrawal_fee >= 0)
);
insert into custody_terms (asset, deposit_min, withdrawal_min, withdrawal_fee)
select asset, case code when 'USDC' then 1000000 when 'CC' then 500000000
                        when 'CBTC' then 1000 when 'CETH' then 30000 end,
       case code when 'USDC' then 2000000 when 'CC' then 1000000000
                 when 'CBTC' then 3000 when 'CETH' then 80000 end,
       case code when 'USDC' then 500000 when 'CC' then 250000000
                 when 'CBTC' then 500 when 'CETH' then 20000 end
from assets where code in ('USDC', 'CC', 'CBTC', 'CETH');

-- Where an asset is on the ledger, and when the ledger last answered: a quote is as old as that.
create table custody_places (
  asset smallint primary key references assets,
  admin text not null,
  instrument text not null,
  registry text not null,
  custody text not null,
  quoted_ms bigint not null
);

-- One row: how far the ledger has been read for deposits (null before the first time), and the journal
-- for withdrawals.
create table custody_cursor (
  only_row boolean primary key default true check (only_row),
  ledger_offset bigint,
  journal_seq bigint not null
);
insert into custody_cursor (journal_seq) values (0);

-- Coins that others sent to custody. A coin is one deposit, so an update is credited once.
create table deposits (
  deposit_id bigint generated always as identity primary key,
  contract_id text not null unique,
  update_id text not null,
  ledger_offset bigint not null,
  recorded_ms bigint not null,
  sender text not null,
  asset smallint not null,
  -- As the ledger has it, in units of 10^-10, and rounded down to minor units.
  units numeric(38, 0) not null,
  amount bigint not null,
  reference text,
  -- Null while it is nobody's.
  account integer,
  -- 1 pending, 2 credited, 3 unclaimed, 4 below the minimum.
  state smallint not null,
  -- The journal's seq before clearing was asked: the credit is behind it.
  seq_before bigint
);
create index deposits_account on deposits (account, deposit_id);
create index deposits_open on deposits (deposit_id) where state = 1;

create table withdrawals (
  withdrawal_id bigint generated always as identity primary key,
  account integer not null,
  idempotency_key text not null,
  asset smallint not null,
  amount bigint not null,
  fee bigint not null,
  destination text not null,
  created_ms bigint not null,
  -- Of the journal's event; null until clearing took it.
  seq bigint,
  -- 0 asked, 1 requested, 2 processing, 3 completed, 4 failed, 5 paid and 6 given up but not ended yet.
  state smallint not null default 0,
  round integer not null default 1,
  attempts integer not null default 0,
  dedup_offset bigint,
  deadline_ms bigint,
  submission_id text,
  -- Contract ids as a JSON list.
  inputs text,
  is_unknown boolean not null default false,
  due_ms bigint not null default 0,
  update_id text unique,
  ledger_offset bigint,
  reason text
);
create index withdrawals_key on withdrawals (account, idempotency_key);
create index withdrawals_account on withdrawals (account, withdrawal_id);
create index withdrawals_due on withdrawals (due_ms) where state in (1, 2, 5, 6);

create index journal_withdrawals on journal (seq) where kind = 39;
-- Keys of deposits are looked for behind a seq.
create index journal_keys on journal (account, seq) where kind = 28;

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select on custody_terms, custody_places, deposits to rialto_venue;
    grant select, insert, update, delete on withdrawals to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
