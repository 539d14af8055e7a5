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
  client_id text
) with (fillfactor = 80);

-- An order changes without touching these columns: its later versions need no new entries.
create index orders_account on orders (account, order_id);

-- A lookup by client id must not depend on how many orders the account ever placed. Derived ids are
-- found by their order id and cost nothing here.
create index orders_client_id on orders (account, client_id) where client_id is not null;

-- One row a trade, with both sides.
create table fills (
  trade_id bigint primary key,
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
  taker_side smallint not null
);

create index fills_taker on fills (taker_account, trade_id);
create index fills_maker on fills (maker_account, trade_id);

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
