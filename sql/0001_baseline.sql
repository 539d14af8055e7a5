-- The schema of version 0.2.0, in one file: what came before it stood in forty-eight. From here on a change is a file
-- of its own behind this one; this one does not change any more (test/contract/event-store-schema.test.ts).
-- Numbers of states and kinds are those of the tables of names in src; test/contract/sql-codes.test.ts says of each
-- condition which they are.

-- What the venue trades: assets, markets, margin tiers. Seeded with the figures of the venue's
-- specification (decided.md 10); afterwards the operator's commands change them.
-- Codes of kind and status are those of src/core/markets.ts.
create table assets (
  asset smallint primary key check (asset between 0 and 7),
  code text not null unique check (code ~ '^[A-Z0-9]{2,10}$'),
  decimals smallint not null check (decimals between 0 and 8)
);

create table markets (
  market smallint primary key check (market between 0 and 15),
  symbol text not null unique,
  -- Perpetuals: the FAPI name. Spot: the symbol without its hyphen.
  alias text not null unique,
  -- 0 spot, 1 perpetual
  kind smallint not null check (kind in (0, 1)),
  base_code text not null,
  quote_code text not null,
  -- The asset delivered. Perpetuals deliver nothing; a delisted market may have lost its asset.
  base_asset smallint references assets,
  quote_asset smallint not null references assets,
  tick_decimals smallint not null check (tick_decimals between 0 and 8),
  lot_decimals smallint not null check (lot_decimals between 0 and 8),
  -- Quote minor units of one tick × one lot, base minor units of one lot: both exact.
  units_per_tick_lot integer not null check (units_per_tick_lot > 0),
  base_units_per_lot bigint not null check (base_units_per_lot >= 0),
  price_ticks_max bigint not null check (price_ticks_max > 0),
  qty_lots_max bigint not null check (qty_lots_max > 0),
  min_notional bigint not null check (min_notional >= 0),
  maker_fee_bps smallint not null check (maker_fee_bps between 0 and 1000),
  taker_fee_bps smallint not null check (taker_fee_bps between 0 and 1000),
  leverage_max smallint not null check (leverage_max between 1 and 100),
  -- A MARKET order stops at the best price ± this; a limit is refused outside mark × and ÷ the factor.
  market_band_bps smallint not null default 500,
  limit_band_factor smallint not null default 5,
  -- Perpetuals only: hours between fundings, interest and clamp in parts per million.
  funding_hours smallint,
  funding_interest_ppm integer,
  funding_clamp_ppm integer,
  -- The spot market whose mid is the index of a perpetual.
  index_market smallint references markets,
  -- 0 trading, 1 halted, 2 delisted, 3 proposed: its row is written before the journal has its event, and no
  -- reader takes it for a market. The journal's events start from the initial status;
  -- `status` is their projection.
  initial_status smallint not null check (initial_status between 0 and 2),
  status smallint not null check (status between 0 and 3),
  -- Whether the journal has an event that added it.
  was_added boolean not null default false,
  -- A tick and a lot of a perpetual may together be worth less than the quote's last place: then so many of them
  -- make one minor unit (src/core/money/tick-lot.ts). One of the two figures is 1.
  tick_lots_per_unit integer not null default 1,
  check (base_asset is not null or kind = 1 or initial_status = 2),
  check ((kind = 1) = (funding_hours is not null)),
  check ((kind = 1) = (funding_interest_ppm is not null)),
  check ((kind = 1) = (funding_clamp_ppm is not null)),
  constraint markets_check4
    check (tick_lots_per_unit > 0 and (tick_lots_per_unit = 1 or units_per_tick_lot = 1)),
  constraint markets_check5 check (kind = 1 or tick_lots_per_unit = 1)
);

create table margin_tiers (
  market smallint not null references markets,
  tier smallint not null,
  -- Upper bound of the position's value in minor units of the quote; null for the last tier.
  notional_max bigint,
  maintenance_ppm integer not null,
  leverage_max smallint not null,
  primary key (market, tier)
);

insert into assets (asset, code, decimals) values
  (0, 'USDC', 6),
  (1, 'CC', 8),
  (2, 'CBTC', 8),
  (3, 'CETH', 8);

insert into markets (
  market, symbol, alias, kind, base_code, quote_code, base_asset, quote_asset,
  tick_decimals, lot_decimals, units_per_tick_lot, tick_lots_per_unit, base_units_per_lot,
  price_ticks_max, qty_lots_max, min_notional, maker_fee_bps, taker_fee_bps, leverage_max,
  funding_hours, funding_interest_ppm, funding_clamp_ppm, index_market, initial_status, status
) values
  (0, 'CC-USDC',   'CCUSDC',   0, 'CC',   'USDC', 1,    0, 4, 1, 10, 1,  10000000, 1000000000, 100000000, 10000000, 4, 10, 1,   null, null, null, null, 0, 0),
  (1, 'CBTC-USDC', 'CBTCUSDC', 0, 'CBTC', 'USDC', 2,    0, 2, 4, 1,  1,  10000,    1000000000, 100000000, 10000000, 4, 10, 1,   null, null, null, null, 0, 0),
  (2, 'CETH-USDC', 'CETHUSDC', 0, 'CETH', 'USDC', 3,    0, 2, 3, 10, 1,  100000,   1000000000, 100000000, 10000000, 4, 10, 1,   null, null, null, null, 0, 0),
  (3, 'CUSD-USDC', 'CUSDUSDC', 0, 'CUSD', 'USDC', null, 0, 4, 1, 10, 1,  0,        1000000000, 100000000, 10000000, 0, 0,  1,   null, null, null, null, 2, 2),
  (4, 'BTC-PERP',  'BTCUSDT',  1, 'BTC',  'USDT', null, 0, 2, 3, 10, 1,  0,        1000000000, 100000000, 5000000,  2, 5,  100, 8,    100,  7500, 1,    0, 0),
  (5, 'ETH-PERP',  'ETHUSDT',  1, 'ETH',  'USDT', null, 0, 2, 3, 10, 1,  0,        1000000000, 100000000, 5000000,  2, 5,  100, 8,    100,  7500, 2,    0, 0),
  (6, 'CC-PERP',   'CCUSDT',   1, 'CC',   'USDT', null, 0, 4, 3, 1,  10, 0,        1000000000, 100000000, 5000000,  2, 5,  100, 8,    100,  7500, 0,    0, 0);

-- CC-PERP maintains a quarter more at each step.
insert into margin_tiers (market, tier, notional_max, maintenance_ppm, leverage_max)
select market, tier, notional_max,
       case when symbol = 'CC-PERP' then ppm * 5 / 4 else ppm end,
       tiers.leverage_max
from markets
cross join (values
  (1::smallint, 50000000000::bigint, 4000, 100::smallint),
  (2::smallint, 250000000000, 5000, 100::smallint),
  (3::smallint, 1000000000000, 10000, 50::smallint),
  (4::smallint, 5000000000000, 25000, 20::smallint),
  (5::smallint, null, 50000, 10::smallint)
) as tiers (tier, notional_max, ppm, leverage_max)
where kind = 1;

-- Accounts and what they hold: projections of the journal, written by its commits and rebuilt from
-- it if ever in doubt. Keys: the secrets live only here; what a key may do is decided by events.
-- Codes are those of src/core/accounts.ts. Rows that change often leave room on their page, so that
-- a new version needs no new index entry.
create table accounts (
  account integer primary key,
  type smallint not null,
  flags integer not null,
  opened_us bigint not null
) with (fillfactor = 80);

create table balances (
  account integer not null,
  wallet smallint not null,
  asset smallint not null,
  -- Minor units of the asset; what is reserved is part of the total.
  total bigint not null,
  reserved bigint not null,
  primary key (account, wallet, asset)
) with (fillfactor = 50);

create table positions (
  account integer not null,
  market smallint not null,
  leverage smallint not null,
  -- Signed lots; the value they were entered at and the profit realised, in minor units.
  qty bigint not null,
  entry_value bigint not null,
  realised_pnl bigint not null,
  primary key (account, market)
) with (fillfactor = 50);

-- Numbers of keys are never used twice, also not that of a key whose registration never happened.
create sequence api_key_ids as integer;

create table api_keys (
  key_id integer primary key,
  account integer not null,
  api_key text not null unique,
  label text,
  -- 0 HMAC, 1 Ed25519
  key_type smallint not null check (key_type in (0, 1)),
  public_key bytea,
  -- Nonce, ciphertext and tag of AES-256-GCM, and which master key sealed them.
  sealed_secret bytea,
  seal_version smallint not null,
  -- CIDR ranges; empty for anywhere.
  allowed_ranges text[] not null default '{}',
  created_us bigint not null,
  -- The rest is the projection of events. Without a registration the key opens nothing.
  is_registered boolean not null default false,
  tier smallint not null default 0,
  permissions smallint not null default 0,
  revoked_us bigint,
  -- The session a key lives with; null for a key of its own.
  session_id integer,
  check ((key_type = 1) = (public_key is not null)),
  check ((key_type = 0) = (sealed_secret is not null))
);
create index api_keys_account on api_keys (account);

-- The journal: every event of the venue in one gapless order, append-only by trigger and by right.
-- It alone is the truth; all other tables are projections of it or bookkeeping about it.
create table journal (
  seq bigint primary key,
  ts_us bigint not null,
  account integer not null,
  kind smallint not null,
  -- The exact bytes of the event: those of the ring, and those the Merkle leaf is rendered from.
  body bytea not null
);

-- Events are short and dense: trying to compress them would only cost time.
alter table journal alter column body set storage external;

create function refuse_journal_change() returns trigger language plpgsql as $$
begin
  raise exception 'the journal is append-only: % refused', tg_op using errcode = 'RL009';
end
$$;
create trigger journal_append_only_rows before update or delete on journal
  for each row execute function refuse_journal_change();
create trigger journal_append_only_table before truncate on journal
  for each statement execute function refuse_journal_change();

-- One row: who may write, and how far the journal reaches. Each commit replaces it, so the page
-- keeps room for many versions.
create table journal_head (
  only_row boolean primary key default true check (only_row),
  -- Raised by each venue that takes the journal over; a deposed writer no longer matches it.
  writer_epoch bigint not null,
  last_seq bigint not null
) with (fillfactor = 10, autovacuum_vacuum_threshold = 5000);

insert into journal_head (writer_epoch, last_seq) values (0, 0);

-- The state after `seq`, packed. Large ones are cut into parts that fit a protocol message.
create table snapshots (
  seq bigint primary key,
  state_hash text not null,
  format_version smallint not null,
  byte_count bigint not null,
  created_at timestamptz not null default now()
);

create table snapshot_parts (
  seq bigint not null references snapshots on delete cascade,
  part integer not null,
  bytes bytea not null,
  primary key (seq, part)
);

-- Packed already.
alter table snapshot_parts alter column bytes set storage external;

-- Orders, trades and candles as queries read them: projections written by the journal's commits.
-- Nothing reads them on the order path, so they have only the indexes their queries need.
create table orders (
  order_id bigint primary key,
  created_us bigint not null,
  updated_us bigint not null,
  price bigint not null,
  qty bigint not null,
  filled_qty bigint not null,
  -- Traded value in minor units of the quote.
  filled_quote bigint not null,
  account integer not null,
  market smallint not null,
  side smallint not null,
  type smallint not null,
  time_in_force smallint not null,
  status smallint not null,
  -- Null where it derives from the order id.
  client_id text,
  -- What an order asks beyond price and quantity. Most orders ask for nothing: their columns stay as they
  -- default, and only the others are written to, in the group of the event that changes them.
  -- 1: reduce-only; 2: closes the position.
  flags smallint not null default 0,
  stp_mode smallint not null default 0,
  quote_qty bigint not null default 0,
  good_till_us bigint not null default 0,
  trigger_price bigint not null default 0,
  working_price smallint not null default 0,
  trailing_bps integer not null default 0,
  activation_price bigint not null default 0,
  triggered_us bigint not null default 0
) with (fillfactor = 80);

-- A lookup by client id must not depend on how many orders the account ever placed. Derived ids are
-- found by their order id and cost nothing here.
create index orders_client_id on orders (account, client_id) where client_id is not null;

-- One row a trade, with both sides.
create table fills (
  trade_id bigint not null,
  ts_us bigint not null,
  price bigint not null,
  qty bigint not null,
  quote bigint not null,
  taker_order_id bigint not null,
  maker_order_id bigint not null,
  taker_fee bigint not null,
  maker_fee bigint not null,
  taker_pnl bigint not null,
  maker_pnl bigint not null,
  taker_account integer not null,
  maker_account integer not null,
  market smallint not null,
  taker_side smallint not null,
  -- The tape of one market. A trade id is unique in the venue, and so within its market.
  primary key (market, trade_id)
);

-- Rollups kept in the trade's own transaction. Buckets without a trade do not exist.
create table candles (
  market smallint not null,
  interval_ms integer not null,
  open_time_ms bigint not null,
  open bigint not null,
  high bigint not null,
  low bigint not null,
  close bigint not null,
  volume bigint not null,
  quote numeric(38, 0) not null,
  trade_count bigint not null,
  taker_buy_volume bigint not null,
  taker_buy_quote numeric(38, 0) not null,
  primary key (market, interval_ms, open_time_ms)
) with (fillfactor = 50);

-- Says why a group does not fit the head, in a code the writer can tell apart.
create function refuse_group(p_writer_epoch bigint, p_first_seq bigint) returns void
language plpgsql as $$
declare
  v_head journal_head;
begin
  select * into v_head from journal_head;
  if v_head.writer_epoch <> p_writer_epoch then
    raise exception 'writer epoch % was deposed by %', p_writer_epoch, v_head.writer_epoch
      using errcode = 'RL001';
  end if;
  raise exception 'a group from seq % does not follow the last seq %', p_first_seq, v_head.last_seq
    using errcode = 'RL002';
end
$$;
create index fills_taker on fills (taker_account, market, trade_id, taker_order_id);
create index fills_maker on fills (maker_account, market, trade_id, maker_order_id);
create index orders_account on orders (account, market, order_id);

-- The first trade of a market at or after a time; one past the newest if all are earlier, null for a
-- market without trades.
create function first_fill_since(p_market smallint, p_us bigint) returns bigint
language plpgsql stable strict parallel safe cost 1000 as $$
declare
  v_low bigint;
  v_high bigint;
  v_middle bigint;
  v_id bigint;
  v_us bigint;
begin
  select trade_id into v_low from fills where market = p_market order by trade_id limit 1;
  select trade_id + 1 into v_high from fills where market = p_market order by trade_id desc limit 1;
  -- The answer is never below v_low nor above v_high.
  while v_low < v_high loop
    v_middle := v_low + (v_high - v_low) / 2;
    select trade_id, ts_us into v_id, v_us from fills
    where market = p_market and trade_id >= v_middle order by trade_id limit 1;
    if v_us < p_us then
      v_low := v_id + 1;
    else
      v_high := v_middle;
    end if;
  end loop;
  return v_low;
end
$$;

-- The first order accepted at or after a time; one past the newest if all are earlier, null if there
-- are no orders.
create function first_order_since(p_us bigint) returns bigint
language plpgsql stable strict parallel safe cost 1000 as $$
declare
  v_low bigint;
  v_high bigint;
  v_middle bigint;
  v_id bigint;
  v_us bigint;
begin
  select order_id into v_low from orders order by order_id limit 1;
  select order_id + 1 into v_high from orders order by order_id desc limit 1;
  while v_low < v_high loop
    v_middle := v_low + (v_high - v_low) / 2;
    select order_id, created_us into v_id, v_us from orders
    where order_id >= v_middle order by order_id limit 1;
    if v_us < p_us then
      v_low := v_id + 1;
    else
      v_high := v_middle;
    end if;
  end loop;
  return v_low;
end
$$;

-- Listen keys of user data streams, by hash: every front must know them, and a table that leaks must
-- not let anybody listen. Rows that have ended are removed as new ones come.
create table listen_keys (
  hash text primary key,
  account integer not null,
  key_id integer not null,
  -- 0 spot, 1 perpetuals
  surface smallint not null check (surface in (0, 1)),
  created_ms bigint not null,
  expires_ms bigint not null,
  -- A listen key is told again to the API key it was made with, so it rests sealed under the master key
  -- beside its hash. Keys from before have no seal: they live out their hour and are not told again.
  sealed_key bytea,
  seal_version integer,
  constraint listen_keys_seal_check check ((sealed_key is null) = (seal_version is null))
);
create index listen_keys_account on listen_keys (account, surface, created_ms);

-- The commit of one group: journal rows and projections in one statement, so that a group costs one
-- round trip and exists whole or not at all.
--
-- Columns of integers come as one matrix each, first subscript the column, second the row; the
-- numbers of the columns stand beside the statements that read them, and the writer's table of
-- columns has the same order. A section without rows is null.
create function commit_group(
  p_writer_epoch bigint,
  p_backend integer,
  p_first_seq bigint,
  p_events bigint[],
  p_bodies bytea[],
  p_orders bigint[],
  p_client_ids text[],
  p_order_states bigint[],
  p_fills bigint[],
  p_candles bigint[],
  p_accounts bigint[],
  p_keys bigint[],
  p_markets bigint[],
  p_balances bigint[],
  p_positions bigint[],
  p_order_details bigint[]
) returns bigint language plpgsql as $$
declare
  -- A group without events is legal: projections that are due while nothing happens.
  v_last_seq bigint := p_first_seq + coalesce(array_length(p_bodies, 1), 0) - 1;
begin
  -- The venue's lock belongs to a session. A client that silently reconnected does not hold it.
  if p_backend <> pg_backend_pid() then
    raise exception 'this session does not hold the venue''s lock' using errcode = 'RL003';
  end if;

  update journal_head set last_seq = v_last_seq
  where only_row and writer_epoch = p_writer_epoch and last_seq = p_first_seq - 1;
  if not found then
    perform refuse_group(p_writer_epoch, p_first_seq);
  end if;

  insert into journal (seq, ts_us, account, kind, body)
  select p_first_seq + i - 1, p_events[1][i], p_events[2][i], p_events[3][i], body
  from unnest(p_bodies) with ordinality as e (body, i);

  if p_orders is not null then
    insert into orders (order_id, account, market, side, type, time_in_force, price, qty,
                        created_us, filled_qty, filled_quote, status, updated_us, client_id)
    select p_orders[1][i], p_orders[2][i], p_orders[3][i], p_orders[4][i], p_orders[5][i],
           p_orders[6][i], p_orders[7][i], p_orders[8][i], p_orders[9][i], p_orders[10][i],
           p_orders[11][i], p_orders[12][i], p_orders[13][i], client_id
    from unnest(p_client_ids) with ordinality as c (client_id, i);
  end if;

  if p_fills is not null then
    insert into fills (trade_id, ts_us, market, taker_side, price, qty, quote, taker_order_id,
                       maker_order_id, taker_account, maker_account, taker_fee, maker_fee,
                       taker_pnl, maker_pnl)
    select p_fills[1][i], p_fills[2][i], p_fills[3][i], p_fills[4][i], p_fills[5][i],
           p_fills[6][i], p_fills[7][i], p_fills[8][i], p_fills[9][i], p_fills[10][i],
           p_fills[11][i], p_fills[12][i], p_fills[13][i], p_fills[14][i], p_fills[15][i]
    from generate_series(1, array_length(p_fills, 2)) as i;
  end if;

  if p_candles is not null then
    insert into candles as c (market, interval_ms, open_time_ms, open, high, low, close, volume,
                              quote, trade_count, taker_buy_volume, taker_buy_quote)
    select p_candles[1][i], p_candles[2][i], p_candles[3][i], p_candles[4][i], p_candles[5][i],
           p_candles[6][i], p_candles[7][i], p_candles[8][i], p_candles[9][i], p_candles[10][i],
           p_candles[11][i], p_candles[12][i]
    from generate_series(1, array_length(p_candles, 2)) as i
    on conflict (market, interval_ms, open_time_ms) do update set
      high = greatest(c.high, excluded.high),
      low = least(c.low, excluded.low),
      close = excluded.close,
      volume = c.volume + excluded.volume,
      quote = c.quote + excluded.quote,
      trade_count = c.trade_count + excluded.trade_count,
      taker_buy_volume = c.taker_buy_volume + excluded.taker_buy_volume,
      taker_buy_quote = c.taker_buy_quote + excluded.taker_buy_quote;
  end if;

  if p_order_states is not null then
    update orders set filled_qty = p_order_states[2][i], filled_quote = p_order_states[3][i],
                      status = p_order_states[4][i], updated_us = p_order_states[5][i]
    from generate_series(1, array_length(p_order_states, 2)) as i
    where order_id = p_order_states[1][i];
  end if;

  if p_order_details is not null then
    update orders set price = p_order_details[2][i], qty = p_order_details[3][i],
                      flags = p_order_details[4][i], stp_mode = p_order_details[5][i],
                      quote_qty = p_order_details[6][i], good_till_us = p_order_details[7][i],
                      trigger_price = p_order_details[8][i],
                      working_price = p_order_details[9][i],
                      trailing_bps = p_order_details[10][i],
                      activation_price = p_order_details[11][i],
                      triggered_us = p_order_details[12][i]
    from generate_series(1, array_length(p_order_details, 2)) as i
    where order_id = p_order_details[1][i];
  end if;

  if p_balances is not null then
    insert into balances (account, wallet, asset, total, reserved)
    select p_balances[1][i], p_balances[2][i], p_balances[3][i], p_balances[4][i],
           p_balances[5][i]
    from generate_series(1, array_length(p_balances, 2)) as i
    on conflict (account, wallet, asset) do update set
      total = excluded.total, reserved = excluded.reserved;
  end if;

  if p_positions is not null then
    insert into positions (account, market, qty, entry_value, realised_pnl, leverage)
    select p_positions[1][i], p_positions[2][i], p_positions[3][i], p_positions[4][i],
           p_positions[5][i], p_positions[6][i]
    from generate_series(1, array_length(p_positions, 2)) as i
    on conflict (account, market) do update set
      qty = excluded.qty, entry_value = excluded.entry_value,
      realised_pnl = excluded.realised_pnl, leverage = excluded.leverage;
  end if;

  if p_accounts is not null then
    insert into accounts (account, type, flags, opened_us)
    select p_accounts[1][i], p_accounts[2][i], p_accounts[3][i], p_accounts[4][i]
    from generate_series(1, array_length(p_accounts, 2)) as i
    on conflict (account) do update set type = excluded.type, flags = excluded.flags;
  end if;

  if p_keys is not null then
    update api_keys set tier = p_keys[2][i], permissions = p_keys[3][i], revoked_us = p_keys[4][i],
                        is_registered = true
    from generate_series(1, array_length(p_keys, 2)) as i
    where key_id = p_keys[1][i];
  end if;

  if p_markets is not null then
    update markets set status = p_markets[2][i]
    from generate_series(1, array_length(p_markets, 2)) as i
    where market = p_markets[1][i];
  end if;

  return v_last_seq;
end
$$;

-- Wallet users and their logins. Challenges and tokens rest as hashes: who reads these tables can
-- neither answer a challenge nor use a session. Which sessions are open is decided by events; rows
-- that have ended are removed as new ones come.
create table wallet_users (
  -- Hexadecimal digits of the fingerprint of the wallet's key: who the user is.
  fingerprint text primary key,
  account integer not null unique,
  party_hint text not null,
  -- Standard base64 of the wallet's key.
  public_key text not null,
  created_us bigint not null
);

create table wallet_challenges (
  nonce_hash text primary key,
  public_key text not null,
  party_hint text not null,
  message text not null,
  expires_ms bigint not null
);
create index wallet_challenges_expiry on wallet_challenges (expires_ms);

-- Sessions are numbered with the keys.
create table wallet_sessions (
  session_id integer primary key,
  token_hash text not null unique,
  account integer not null,
  expires_ms bigint not null
);
create index wallet_sessions_expiry on wallet_sessions (expires_ms);

-- Funding is read from the journal itself: settlements of a market (kind fundingStarted) and payments of
-- an account (kind fundingPaid) are rare among its rows. The market stands at a fixed place of the body.
create index journal_fundings on journal ((get_byte(body, 44)), ts_us) where kind = 26;
create index journal_funding_payments on journal (account, ts_us) where kind = 27;

-- Conditional orders are asked for alone, and are few among an account's orders. An order keeps its type
-- when it triggers (3: the first conditional one), so its later versions need no new entries.
create index orders_conditional on orders (account, market, order_id) where type >= 3;

-- Epochs: what the venue commits to, minute by minute. Sealed epochs and tiles never change: refused by
-- trigger as the journal's changes are. Tiles hold 256 hashes of one level of an epoch's tree each.

-- One row, written with the first epoch: what all epochs have in common.
create table epoch_chain (
  only_row boolean primary key default true check (only_row),
  venue text not null,
  epoch_ms bigint not null,
  first_epoch bigint not null,
  -- Tells whether the nonce key at hand is the one the leaves were made with; says nothing about it.
  nonce_key_check text not null
);

create table epochs (
  epoch bigint primary key,
  start_ms bigint not null,
  end_ms bigint not null,
  -- An empty epoch has a first entry one past its last, and a first trade that is still to come.
  first_seq bigint not null,
  last_seq bigint not null,
  first_trade bigint not null,
  journal_count bigint not null,
  fill_count bigint not null,
  merkle_root bytea not null,
  prev_root bytea not null,
  root bytea not null,
  sealed_at timestamptz not null default now()
);

-- An entry or a trade is looked up among the epochs that have any.
create index epochs_entries on epochs (last_seq) where journal_count > 0;
create index epochs_trades on epochs (first_trade) where fill_count > 0;

create table epoch_tiles (
  epoch bigint not null,
  level smallint not null,
  tile integer not null,
  hashes bytea not null,
  primary key (epoch, level, tile)
);

-- Hashes do not compress.
alter table epoch_tiles alter column hashes set storage external;

-- Entries about an order besides its acceptance, which its row leads to by time, and its trades. Rare.
create table order_changes (
  order_id bigint not null,
  seq bigint not null,
  primary key (order_id, seq)
);

create function refuse_epoch_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % refused', tg_table_name, tg_op using errcode = 'RL009';
end
$$;
create trigger epochs_append_only_rows before update or delete on epochs
  for each row execute function refuse_epoch_change();
create trigger epochs_append_only_table before truncate on epochs
  for each statement execute function refuse_epoch_change();
create trigger epoch_tiles_append_only_rows before update or delete on epoch_tiles
  for each row execute function refuse_epoch_change();
create trigger epoch_tiles_append_only_table before truncate on epoch_tiles
  for each statement execute function refuse_epoch_change();

-- The seq of the entry of that very time, null if there is none. Times ascend with seq, so a bisection
-- finds it and the journal needs no second index.
create function seq_at(p_us bigint) returns bigint
language plpgsql stable strict parallel safe cost 1000 as $$
declare
  v_low bigint := 1;
  v_high bigint;
  v_middle bigint;
  v_us bigint;
begin
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
$$;

-- What liquidations did to an account is read from the journal itself, where it is rare: money between it
-- and the insurance fund (kind 33) and positions that went from it to another (kind 34), or came to it: the
-- other account stands at a fixed place of the body, below 2^18.
create index journal_insurance on journal (account, ts_us) where kind in (33, 34);
create index journal_positions_taken on journal (
  (get_byte(body, 56) + get_byte(body, 57) * 256 + get_byte(body, 58) * 65536), ts_us
) where kind = 34;

-- How far the ledger network has the epochs. An attempt is written down before it is sent, so that a
-- venue that comes back knows under which id to look for what became of it.
create table epoch_anchors (
  epoch bigint primary key,
  command_id text not null,
  -- Ledger end before the first attempt: nothing earlier can be this commitment.
  dedup_offset bigint not null,
  attempts integer not null,
  network text not null,
  -- The root that was sent: what the ledger has, whatever happens to the row of the epoch.
  root bytea not null,
  -- Null until the ledger has it.
  update_id text,
  ledger_offset bigint,
  contract_id text,
  record_time timestamptz,
  -- The blob of an epoch's commitment shows the contract to a node that is no stakeholder of it. Epochs
  -- confirmed before have none.
  created_event_blob bytea
);

-- Epochs are committed in their order: the newest confirmed one says how far.
create index epoch_anchors_confirmed on epoch_anchors (epoch) where update_id is not null;

-- Settlement of spot fills on the ledger network: which accounts are parties of their own, what is
-- owed between whom, and how far each of the two logs has been read. Only the settler of the venue that
-- holds the writer's lock changes these tables; a state is left only by a guarded update.

-- Wallet-funded accounts. `auth_cid` is null until the member's contract has been seen.
create table settlement_members (
  account integer primary key,
  party text not null unique,
  auth_cid text,
  is_frozen boolean not null default false,
  -- Accounts that enroll themselves: whether a member's contract was ever seen, which tells one who has
  -- revoked it from one who has not accepted it yet.
  was_active boolean not null default false
);

-- One row: the last trade taken into a batch, and the last offset read from the ledger.
create table settlement_cursor (
  only_row boolean primary key default true check (only_row),
  trade_id bigint not null,
  ledger_offset bigint not null,
  mirrored_ms bigint
);

insert into settlement_cursor (trade_id, ledger_offset) values (0, 0);

create table settlement_batches (
  batch_id text primary key,
  party_a text not null,
  party_b text not null,
  -- Codes are those of src/services/settlement/batches/batch-states.ts.
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
  reason text,
  -- The second way of a batch to the ledger: first everything is locked, then what is locked is paid.
  -- 1 direct, 2 alloc, 3 exec, 4 cancel (src/services/settlement/batches/batch-phases.ts).
  phase smallint not null default 1,
  -- Rounds that ended without what they were for; after so many the batch is given up.
  setbacks integer not null default 0,
  -- What the names of a batch's changes on the ledger end with: whoever else submits through the same
  -- participant cannot know it. Null for batches of before, whose names must stay as they were.
  token text
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

-- The venue's own closing orders of an account, newest first or from a time on. They are known by the
-- beginning of their client ids, which no client may choose, and are few among all orders.
create index orders_closing on orders (account, market, order_id) where client_id like 'autoclose-%';

-- Payments of batches that are locked on the ledger, as its updates said, and the coins they lock.
create table settlement_allocations (
  contract_id text primary key,
  batch_id text not null,
  admin text not null,
  holdings text[] not null
);
create index settlement_allocations_batch on settlement_allocations (batch_id);

-- Commission that an account claimed (kind 31) is part of its income, and rare in the journal.
create index journal_claims on journal (account, ts_us) where kind = 31;

-- Money from the faucet (kind 41) is income like credits and transfers: all of them under one index.
create index journal_transfers on journal (account, ts_us) where kind in (2, 3, 41);

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
  seq_before bigint,
  -- What the solvency report asks of custody's and settlement's tables, in steps that do not grow with them.
  -- The journal's seq of a deposit's credit; null while it has none, and for those of before.
  seq bigint
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

-- What providers of liquidity are to be told of their swaps: written with the move it tells of, read and
-- delivered at least once by whoever speaks to providers.
create table swap_notices (
  notice_id bigint generated always as identity primary key,
  provider text not null,
  swap_id uuid not null,
  -- 1 result, 2 cancel.
  kind smallint not null check (kind in (1, 2)),
  -- As it is sent.
  body text not null,
  created_ms bigint not null,
  due_ms bigint not null default 0,
  attempts integer not null default 0,
  -- Null while it waits; the reason is that of the last try.
  delivered_ms bigint,
  given_up_ms bigint,
  reason text
);
create index swap_notices_due on swap_notices (due_ms, notice_id)
  where delivered_ms is null and given_up_ms is null;
create index swap_notices_swap on swap_notices (swap_id);
create index deposits_seq on deposits (seq) where seq is not null;
create index deposits_offset on deposits (ledger_offset);
create index deposits_kept on deposits (deposit_id) where state not in (1, 2);
create index withdrawals_seq on withdrawals (seq) where seq is not null;
create index withdrawals_offset on withdrawals (ledger_offset) where ledger_offset is not null;
create index settlement_batches_confirmed on settlement_batches (confirmed_offset) where state = 5;
create index settlement_batches_failed on settlement_batches (batch_id) where state = 6;

-- What the fills of a sealed batch bring to its members: held in clearing until the batch is confirmed.

-- Minor units, fees off already. A row goes when clearing has freed it.
create table settlement_receipts (
  batch_id text not null references settlement_batches,
  account integer not null,
  asset smallint not null,
  amount numeric(38, 0) not null check (amount > 0),
  -- The release it is part of; null before.
  release_id bigint,
  primary key (batch_id, account, asset)
);
create index settlement_receipts_release on settlement_receipts (release_id);

-- Asked of clearing and perhaps done: the journal behind `seq_before` says which.
create table settlement_releases (
  release_id bigint generated always as identity primary key,
  account integer not null,
  asset smallint not null,
  amount bigint not null,
  seq_before bigint not null,
  unique (account, asset)
);
create index journal_settled_coins on journal (seq) where kind = 42;

-- Master keys and what they seal. No key is ever in the database: a row says that a version exists and
-- has a digest that tells keys apart. A version that seals a row cannot be deleted, so no key is retired
-- while somebody needs it: the foreign keys see to it, also against a row written at the same moment.
create table master_keys (
  version smallint primary key check (version > 0),
  -- Sixteen hexadecimal digits; null until the first start of a program that knows versions.
  key_check text unique,
  created_at timestamptz not null default now()
);

insert into master_keys (version) values (1);
alter table api_keys add constraint api_keys_seal_version_fkey
  foreign key (seal_version) references master_keys (version);
create index api_keys_seal_version on api_keys (seal_version, key_id);

-- Secrets of the venue itself, by name: nonce, ciphertext and tag.
create table venue_secrets (
  name text primary key,
  sealed bytea not null,
  seal_version smallint not null references master_keys (version)
);

-- Providers of liquidity: who they are, the keys they sign with, how they behaved, and the keys that the
-- venue signs with when it asks them.
create sequence liquidity_provider_numbers;

create table liquidity_providers (
  -- The public id.
  provider text primary key,
  number bigint not null unique,
  name text not null,
  url text not null,
  party text not null,
  -- Markets it quotes, as a JSON list.
  pairs text not null,
  -- 1 pending, 2 approved, 3 suspended, 4 refused.
  state smallint not null default 1 check (state between 1 and 4),
  reason text,
  created_ms bigint not null,
  decided_ms bigint,
  -- Thousandths: 1000 behaved well.
  score integer not null default 1000 check (score between 0 and 1000),
  asked bigint not null default 0,
  quoted bigint not null default 0,
  passed bigint not null default 0,
  late bigint not null default 0,
  invalid bigint not null default 0,
  failed bigint not null default 0,
  settled bigint not null default 0,
  declined bigint not null default 0,
  unlocked bigint not null default 0,
  answer_ms bigint not null default 0,
  -- What /health last said, and when it last answered.
  health text,
  health_ms bigint
);

-- A stranger who has not been looked at blocks nobody.
create unique index liquidity_providers_party on liquidity_providers (party) where state in (2, 3);
create unique index liquidity_providers_url on liquidity_providers (url) where state in (2, 3);
create index liquidity_providers_state on liquidity_providers (state, number);

create table liquidity_provider_keys (
  key_id text primary key,
  provider text not null references liquidity_providers on delete cascade,
  public_key text not null,
  created_ms bigint not null,
  retired_ms bigint
);
create index liquidity_provider_keys_provider on liquidity_provider_keys (provider, created_ms);

-- Nonces of requests that providers signed, each taken once.
create table liquidity_provider_nonces (
  key_id text not null,
  nonce text not null,
  seen_ms bigint not null,
  primary key (key_id, nonce)
);
create index liquidity_provider_nonces_seen on liquidity_provider_nonces (seen_ms);

-- Their private halves are secrets of the venue, named after the number.
create table venue_signing_keys (
  number bigint generated always as identity primary key,
  key_id text not null unique,
  public_key text not null,
  created_ms bigint not null,
  -- From then on the venue signs with it, until a later one does.
  signs_from_ms bigint not null,
  -- From then on it is no longer published.
  retires_ms bigint
);

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
  ledger_offset bigint,
  -- Until when the trader of a swap that took a quote must have signed. Swaps that wait for it now keep the time
  -- they were given.
  sign_before_ms bigint not null default 0,
  -- The coins that a prepared or signed lock of a swap names, a JSON list, so that no other lock of its trader names
  -- them too, and whether a lock that was signed in time failed without the trader's doing.
  inputs text,
  is_lock_failed boolean not null default false
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

-- What the venue's submissions were charged on the ledger, by lane, as its completions say; and when the
-- wallet mirrors were last compared with it.

-- Bytes of ten seconds of the ledger's time and one lane (src/core/traffic.ts); the last window is kept.
create table traffic_charges (
  start_ms bigint not null,
  lane smallint not null,
  bytes bigint not null,
  submissions integer not null,
  primary key (start_ms, lane)
);

create table traffic_lanes (
  lane smallint primary key,
  last_bytes bigint not null
);

-- One row: how far completions have been read (null before the first time), and what is left of the free
-- base as of a time: modelled from the charges, or as the network said.
create table traffic_state (
  only_row boolean primary key default true check (only_row),
  ledger_offset bigint,
  base_remaining double precision not null,
  base_ms bigint not null,
  is_measured boolean not null,
  extra_purchased bigint,
  extra_consumed bigint,
  read_ms bigint not null
);

insert into traffic_state (base_remaining, base_ms, is_measured, read_ms) values (0, 0, false, 0);

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

-- A member is compared with the ledger whenever its coins moved: what its batches moved is found by its party.
create index settlement_batches_of_a on settlement_batches (party_a) where state = 5;
create index settlement_batches_of_b on settlement_batches (party_b) where state = 5;
create index settlement_batches_live on settlement_batches (opened_ms) where state in (1, 2, 3, 4, 6, 7);

-- What a trader took and did not carry out: called off, too late, taken back.
create index swap_moves_unkept on swap_moves (account, at_ms)
  where from_state in (3, 4, 5) and reason in (3, 4, 11);

-- What an operator reads of the terms of risk and of what the index of a market rests on: from the journal itself.
create index journal_risk_terms on journal (seq) where kind = 46;
create index journal_index_states on journal (get_byte(body, 48), seq) where kind = 47;

-- Amendments of an order are read from the journal itself: its amends (kind 21) with what else gave it new
-- terms (20 triggered, 22 reduced), by the eight bytes that hold its id, in their order.
create index journal_order_terms on journal (substring(body from 25 for 8), seq) where kind in (20, 21, 22);

-- The first event at or after a time; one past the newest if all are earlier, null for an empty journal.
create function first_event_since(p_us bigint) returns bigint
language plpgsql stable strict parallel safe cost 1000 as $$
declare
  v_low bigint;
  v_high bigint;
  v_middle bigint;
  v_us bigint;
begin
  select seq into v_low from journal order by seq limit 1;
  select seq + 1 into v_high from journal order by seq desc limit 1;
  while v_low < v_high loop
    v_middle := v_low + (v_high - v_low) / 2;
    select ts_us into v_us from journal where seq = v_middle;
    if v_us < p_us then
      v_low := v_middle + 1;
    else
      v_high := v_middle;
    end if;
  end loop;
  return v_low;
end
$$;

-- Matches that self-trade prevention kept from being trades are read from the journal itself: by the eight bytes
-- that hold the id of the order that came, and of the one that rested.
create index journal_prevented_takers on journal (substring(body from 25 for 8), seq) where kind = 48;
create index journal_prevented_makers on journal (substring(body from 33 for 8), seq) where kind = 48;

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

-- What an operator reads of the insurance fund's hour in a market: from the journal itself.
create index journal_fund_hours on journal (get_byte(body, 40), seq) where kind = 49;

-- The role the venue's sessions take on where the login may do so: it can add to the journal but
-- neither change nor empty it, and cannot remove the trigger that refuses both. On a server whose
-- login may not create roles the trigger stands alone.

do $$
begin
  begin
    create role rialto_venue nologin;
  exception
    -- Another database of this server has made it already, or the login may not.
    when duplicate_object or unique_violation or insufficient_privilege then null;
  end;
  if not exists (select from pg_roles where rolname = 'rialto_venue') then
    return;
  end if;
  begin
    execute format('grant rialto_venue to %I', session_user);
  exception
    when insufficient_privilege then null;
  end;

  grant usage on schema public to rialto_venue;
  grant select on
    assets, custody_cursor, custody_places, custody_terms, deposit_returns, deposits, schema_migrations,
    settlement_batches, settlement_cursor, settlement_fills, settlement_holdings, settlement_members,
    traffic_charges, traffic_lanes, traffic_state
    to rialto_venue;
  grant insert, select on
    epoch_chain, epoch_tiles, epochs, fills, journal, order_changes, venue_secrets
    to rialto_venue;
  grant select, update on
    journal_head
    to rialto_venue;
  grant delete, insert, select on
    margin_tiers, market_samples, wallet_challenges, wallet_sessions, wallet_users
    to rialto_venue;
  grant insert, select, update on
    accounts, api_keys, balances, candles, epoch_anchors, orders, positions
    to rialto_venue;
  grant delete, insert, select, update on
    liquidity_provider_keys, liquidity_provider_nonces, liquidity_providers, listen_keys, markets, snapshot_parts,
    snapshots, swap_contracts, swap_cursor, swap_moves, swap_notices, swap_quotes, swaps, venue_signing_keys,
    withdrawals
    to rialto_venue;
  grant usage on sequence api_key_ids, liquidity_provider_numbers to rialto_venue;
end
$$;
