-- Conditions name the states they tell apart. A function of each table of codes gives the code of a name: it is
-- immutable, so the planner sees the number, and a statement with the number in its text is served by the index as
-- before (docs/decisions/0060-named-codes-in-sql.md). Names and codes are those of the tables in src, held together by
-- test/contract/sql-codes.test.ts; names that no condition needs are left out.

-- src/ports/ledger/batch-states.ts
create function batch_state(name text) returns integer language sql immutable strict parallel safe as $$
  select case name when 'open' then 1 when 'ready' then 2 when 'processing' then 3 when 'retry' then 4
                   when 'confirmed' then 5 when 'failed' then 6 end
$$;

-- src/ports/ledger/custody.ts
create function deposit_state(name text) returns integer language sql immutable strict parallel safe as $$
  select case name when 'pending' then 1 when 'credited' then 2 end
$$;

-- WithdrawalStage of src/ports/ledger/custody.ts, for withdrawals and for deposits that go back.
create function payment_stage(name text) returns integer language sql immutable strict parallel safe as $$
  select case name when 'requested' then 1 when 'underWay' then 2 when 'paid' then 5 when 'givenUp' then 6 end
$$;

-- src/ports/swaps/provider-registry.ts
create function provider_state(name text) returns integer language sql immutable strict parallel safe as $$
  select case name when 'pending' then 1 when 'approved' then 2 when 'suspended' then 3 when 'refused' then 4 end
$$;

-- src/core/swaps.ts
create function swap_state(name text) returns integer language sql immutable strict parallel safe as $$
  select case name when 'accepted' then 3 when 'traderAllocated' then 4 when 'allocated' then 5
                   when 'settled' then 8 end
$$;
create function swap_reason(name text) returns integer language sql immutable strict parallel safe as $$
  select case name when 'traderCancelled' then 3 when 'traderLate' then 4 when 'traderWithdrew' then 11 end
$$;

drop index settlement_batches_open, settlement_batches_due, settlement_batches_confirmed,
           settlement_batches_failed, settlement_batches_of_a, settlement_batches_of_b,
           settlement_batches_live, deposits_open, deposits_kept, withdrawals_due, deposit_returns_due,
           liquidity_providers_party, liquidity_providers_url, swaps_open, swap_moves_unkept;

create unique index settlement_batches_open on settlement_batches (party_a, party_b)
  where state = batch_state('open');
create index settlement_batches_due on settlement_batches (due_ms)
  where state in (batch_state('ready'), batch_state('processing'), batch_state('retry'));
create index settlement_batches_confirmed on settlement_batches (confirmed_offset)
  where state = batch_state('confirmed');
create index settlement_batches_failed on settlement_batches (batch_id) where state = batch_state('failed');
create index settlement_batches_of_a on settlement_batches (party_a) where state = batch_state('confirmed');
create index settlement_batches_of_b on settlement_batches (party_b) where state = batch_state('confirmed');
-- Whatever becomes of it but this: a state that is added needs no other index.
create index settlement_batches_live on settlement_batches (opened_ms) where state <> batch_state('confirmed');

create index deposits_open on deposits (deposit_id) where state = deposit_state('pending');
create index deposits_kept on deposits (deposit_id)
  where state not in (deposit_state('pending'), deposit_state('credited'));
create index withdrawals_due on withdrawals (due_ms)
  where state in (payment_stage('requested'), payment_stage('underWay'), payment_stage('paid'),
                  payment_stage('givenUp'));
create index deposit_returns_due on deposit_returns (due_ms)
  where state in (payment_stage('requested'), payment_stage('underWay'), payment_stage('paid'),
                  payment_stage('givenUp'));

create unique index liquidity_providers_party on liquidity_providers (party)
  where state in (provider_state('approved'), provider_state('suspended'));
create unique index liquidity_providers_url on liquidity_providers (url)
  where state in (provider_state('approved'), provider_state('suspended'));
alter table liquidity_providers
  drop constraint liquidity_providers_state_check,
  add constraint liquidity_providers_state_check
    check (state between provider_state('pending') and provider_state('refused'));

create index swaps_open on swaps (swap_no) where state < swap_state('settled');
create index swap_moves_unkept on swap_moves (account, at_ms)
  where from_state in (swap_state('accepted'), swap_state('traderAllocated'), swap_state('allocated'))
    and reason in (swap_reason('traderCancelled'), swap_reason('traderLate'), swap_reason('traderWithdrew'));
