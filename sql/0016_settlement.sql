-- Settlement of spot fills on the ledger network: which accounts are parties of their own, what is
-- owed between whom, and how far each of the two logs has been read. Only the settler of the venue that
-- holds the writer's lock changes these tables; a state is left only by a guarded update.

-- Wallet-funded accounts. `auth_cid` is null until the member's contract has been seen.
create table settlement_members (
  account integer primary key,
  party text not null unique,
  auth_cid text,
  is_frozen boolean not null default false
);

-- One row: the last trade taken into a batch, and the last offset read from the ledger.
create table settlement_cursor (
  only_row boolean primary key default true check (only_row),
  trade_id bigint not null,
  ledger_offset bigint not null
);
insert into settlement_cursor (trade_id, ledger_offset) values (0, 0);

create table settlement_batches (
  batch_id text primary key,
  party_a text not null,
  party_b text not null,
  -- Codes are those of src/services/settlement/batch-states.ts.
  state smallint not null,
  opened_ms bigint not null,
  fill_count integer not null default 0,
  net_hash text,
  due_ms bigint not null,
  attempts integer not null default 0,
  -- Attempts of one round share a command id; a new round begins when none of them can commit any more.
  round integer not null default 1,
  -- The round's first attempt's offset, the time after which none can commit, and what the last one
  -- sent; null before the first.
  dedup_offset bigint,
  deadline_ms bigint,
  submission_id text,
  -- The outcome of the last attempt is not known yet.
  is_unknown boolean not null default false,
  update_id text unique,
  confirmed_offset bigint,
  reason text
);
create unique index settlement_batches_open on settlement_batches (party_a, party_b) where state = 1;
create index settlement_batches_due on settlement_batches (due_ms) where state in (2, 3, 4);

-- What a sealed batch pays; minor units.
create table settlement_legs (
  batch_id text not null references settlement_batches,
  asset smallint not null,
  sender text not null,
  receiver text not null,
  amount numeric(38, 0) not null,
  primary key (batch_id, asset)
);

create table settlement_fills (
  trade_id bigint primary key,
  batch_id text not null references settlement_batches
);
create index settlement_fills_batch on settlement_fills (batch_id);

-- Unspent holdings of custody and members, as the ledger's updates said; units of 10^-10.
create table settlement_holdings (
  contract_id text primary key,
  party text not null,
  asset smallint not null,
  amount numeric(38, 0) not null,
  is_locked boolean not null,
  -- The batch whose attempt may spend it; null for none.
  batch_id text
);
create index settlement_holdings_party on settlement_holdings (party, asset, amount);
create index settlement_holdings_batch on settlement_holdings (batch_id) where batch_id is not null;

-- What has been credited to the spot wallets of wallet-funded accounts; minor units. A row that is not
-- done was asked for and perhaps applied: the journal behind `seq_before` says which.
create table settlement_credits (
  credit_id bigint generated always as identity primary key,
  account integer not null,
  asset smallint not null,
  amount bigint not null,
  seq_before bigint not null,
  is_done boolean not null default false
);
create index settlement_credits_account on settlement_credits (account, asset);
create index settlement_credits_open on settlement_credits (credit_id) where not is_done;

create table settlement_audit (
  audit_id bigint generated always as identity primary key,
  batch_id text not null,
  at_ms bigint not null,
  status text not null,
  reason text not null
);

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select on settlement_batches, settlement_fills, settlement_members to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
