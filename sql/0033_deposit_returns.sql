-- The operator's word on deposits that nobody's reference names: credited to an account, or sent back. And
-- what custody pays, withdrawals and returns alike, as its payer sees it.

-- deposits.state: 5 is being sent back, 6 was sent back.
create table deposit_returns (
  deposit_id bigint primary key references deposits,
  asset smallint not null references assets,
  -- All of the coin, in units of 10^-10.
  units numeric(38, 0) not null,
  destination text not null,
  created_ms bigint not null,
  -- As of withdrawals: 1 requested, 2 processing, 3 completed, 4 failed, 5 paid and 6 given up but not told.
  state smallint not null default 1,
  round integer not null default 1,
  attempts integer not null default 0,
  dedup_offset bigint,
  deadline_ms bigint,
  submission_id text,
  inputs text,
  is_unknown boolean not null default false,
  due_ms bigint not null default 0,
  update_id text unique,
  ledger_offset bigint,
  reason text
);
create index deposit_returns_due on deposit_returns (due_ms) where state in (1, 2, 5, 6);

create view withdrawal_payments as
select w.withdrawal_id as payment_id, w.asset,
       (w.amount - w.fee) * power(10::numeric, 10 - a.decimals) as units, w.destination, w.created_ms,
       w.state, w.round, w.attempts, w.dedup_offset, w.deadline_ms, w.submission_id, w.inputs,
       w.is_unknown, w.due_ms
from withdrawals w join assets a on a.asset = w.asset
-- Only what the journal was read for: its hash of the destination has been compared.
where w.seq <= (select journal_seq from custody_cursor);

create view return_payments as
select deposit_id as payment_id, asset, units, destination, created_ms, state, round, attempts,
       dedup_offset, deadline_ms, submission_id, inputs, is_unknown, due_ms
from deposit_returns;

-- What the operator changed of money that comes and goes.
create table custody_audit (
  audit_id bigint generated always as identity primary key,
  at_ms bigint not null,
  -- credit, return, terms
  action text not null,
  -- The deposit's number, or the asset's code.
  subject text not null,
  detail text not null
);

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select on deposit_returns to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
