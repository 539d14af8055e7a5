-- The second way of a batch to the ledger: first everything is locked, then what is locked is paid.

-- 1 direct, 2 alloc, 3 exec, 4 cancel (src/services/settlement/batch-phases.ts).
alter table settlement_batches add column phase smallint not null default 1;
-- Rounds that ended without what they were for; after so many the batch is given up.
alter table settlement_batches add column setbacks integer not null default 0;

-- Payments of batches that are locked on the ledger, as its updates said, and the coins they lock.
create table settlement_allocations (
  contract_id text primary key,
  batch_id text not null,
  admin text not null,
  holdings text[] not null
);
create index settlement_allocations_batch on settlement_allocations (batch_id);
