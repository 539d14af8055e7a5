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
  -- 0 trading, 1 halted, 2 delisted. The journal's events start from the initial status;
  -- `status` is their projection.
  initial_status smallint not null check (initial_status between 0 and 2),
  status smallint not null check (status between 0 and 2),
  check (base_asset is not null or kind = 1 or initial_status = 2),
  check ((kind = 1) = (funding_hours is not null)),
  check ((kind = 1) = (funding_interest_ppm is not null)),
  check ((kind = 1) = (funding_clamp_ppm is not null))
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
  tick_decimals, lot_decimals, units_per_tick_lot, base_units_per_lot,
  price_ticks_max, qty_lots_max, min_notional, maker_fee_bps, taker_fee_bps, leverage_max,
  funding_hours, funding_interest_ppm, funding_clamp_ppm, index_market, initial_status, status
) values
  (0, 'CC-USDC',   'CCUSDC',   0, 'CC',   'USDC', 1,    0, 4, 1, 10, 10000000, 1000000000, 100000000, 10000000, 4, 10, 1,   null, null, null, null, 0, 0),
  (1, 'CBTC-USDC', 'CBTCUSDC', 0, 'CBTC', 'USDC', 2,    0, 2, 4, 1,  10000,    1000000000, 100000000, 10000000, 4, 10, 1,   null, null, null, null, 0, 0),
  (2, 'CETH-USDC', 'CETHUSDC', 0, 'CETH', 'USDC', 3,    0, 2, 3, 10, 100000,   1000000000, 100000000, 10000000, 4, 10, 1,   null, null, null, null, 0, 0),
  (3, 'CUSD-USDC', 'CUSDUSDC', 0, 'CUSD', 'USDC', null, 0, 4, 1, 10, 0,        1000000000, 100000000, 10000000, 0, 0,  1,   null, null, null, null, 2, 2),
  (4, 'BTC-PERP',  'BTCUSDT',  1, 'BTC',  'USDT', null, 0, 2, 3, 10, 0,        1000000000, 100000000, 0,        2, 5,  100, 8,    100,  7500, 1,    0, 0),
  (5, 'ETH-PERP',  'ETHUSDT',  1, 'ETH',  'USDT', null, 0, 2, 3, 10, 0,        1000000000, 100000000, 0,        2, 5,  100, 8,    100,  7500, 2,    0, 0),
  (6, 'CC-PERP',   'CCUSDT',   1, 'CC',   'USDT', null, 0, 2, 3, 10, 0,        1000000000, 100000000, 0,        2, 5,  100, 8,    100,  7500, 0,    0, 0);

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
