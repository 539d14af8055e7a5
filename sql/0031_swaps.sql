-- Swaps by request for quote: where each stands, what providers quoted, each step it took, and what of
-- it is on the ledger. A state is left only by a guarded update, together with a step's row and what
-- providers are to be told.

create table swaps (
  swap_no bigint generated always as identity primary key,
  swap_id text not null unique,
  account integer not null,
  party text not null,
  -- Standard base64 of the key that the party is named after.
  party_key text not null,
  market smallint not null,
  -- 0 the trader buys the base asset, 1 it sells.
  side smallint not null,
  -- Exactly one of them: lots of the base asset, minor units of the quote asset.
  asked_lots bigint,
  asked_quote bigint,
  -- Codes are those of src/core/swaps.ts.
  state smallint not null,
  reason smallint not null default 0,
  created_ms bigint not null,
  window_ends_ms bigint not null,
  -- When the state ends by itself.
  due_ms bigint not null,
  -- Of the quote that was taken; null before.
  quote_no bigint,
  provider text,
  provider_party text,
  quote_id text,
  price_ticks bigint,
  lots bigint,
  is_wallet boolean not null default false,
  accepted_ms bigint,
  allocate_before_ms bigint not null default 0,
  settle_before_ms bigint not null default 0,
  -- What the trader is asked to sign, or why there is nothing to sign; JSON.
  prepare_for smallint not null default 0,
  prepared text,
  prepare_fault text,
  signature text,
  -- The submission under way: 1 the trader's lock, 2 settlement, 3 cancel, 4 the trader's withdrawal.
  phase smallint,
  dedup_offset bigint,
  submission_id text,
  is_unknown boolean not null default false,
  -- Submissions of the phase, and those of settlement that were definitely refused.
  attempts integer not null default 0,
  refusals integer not null default 0,
  -- Not looked at before.
  look_ms bigint not null default 0,
  is_abort_asked boolean not null default false,
  update_id text unique,
  ledger_offset bigint
);
create index swaps_account on swaps (account, swap_no);
create index swaps_open on swaps (swap_no) where state < 8;
create index swaps_provider on swaps (provider, swap_no) where provider is not null;

create table swap_quotes (
  quote_no bigint generated always as identity primary key,
  swap_no bigint not null references swaps,
  provider text not null,
  provider_party text not null,
  quote_id text not null,
  price_ticks bigint not null,
  lots bigint not null,
  valid_until_ms bigint not null,
  received_ms bigint not null,
  -- A provider that answers twice is heard once.
  unique (swap_no, provider)
);

-- One row: the number of the last step, and the offset up to which the ledger was read for swaps.
create table swap_cursor (
  only_row boolean primary key default true check (only_row),
  last_move bigint not null,
  ledger_offset bigint
);
insert into swap_cursor (last_move) values (0);

-- Steps, gapless; `seq` is that of the journal's event, null until it is there.
create table swap_moves (
  move_no bigint primary key,
  swap_no bigint not null references swaps,
  account integer not null,
  market smallint not null,
  side smallint not null,
  from_state smallint not null,
  to_state smallint not null,
  reason smallint not null,
  price_ticks bigint not null,
  lots bigint not null,
  -- JSON; the journal's event has its hash.
  details text not null,
  at_ms bigint not null,
  seq bigint
);
create index swap_moves_swap on swap_moves (swap_no, move_no);
create index swap_moves_open on swap_moves (move_no) where seq is null;

-- Proposals, trades and allocations of known swaps, as the ledger has them.
create table swap_contracts (
  contract_id text primary key,
  swap_id text not null,
  -- JSON of the port's SwapContract, amounts as texts.
  body text not null,
  created_offset bigint not null,
  is_archived boolean not null default false
);
create index swap_contracts_swap on swap_contracts (swap_id);

create index journal_swaps on journal (seq) where kind = 43;

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select, insert, update, delete
      on swaps, swap_quotes, swap_cursor, swap_moves, swap_contracts to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
