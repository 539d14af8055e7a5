// The venue's markets for tests, with the values of the specification and the first migration. A database test compares
// them with the migration; production code does not read this file.

import { LEVERAGE_V1, leverageMax, priceTicksMax, qtyLotsMax } from "../../../src/core/limits.ts";
import {
  isPerpetual,
  leastOfPerpetuals,
  type MarginTier,
  type Market,
  MarketKind,
  MarketStatus,
  MarketTable,
} from "../../../src/core/markets.ts";
import type { Asset } from "../../../src/core/money/assets.ts";

export const usdc: Asset = { id: 0, code: "USDC", decimals: 6 };
export const cc: Asset = { id: 1, code: "CC", decimals: 8 };
export const cbtc: Asset = { id: 2, code: "CBTC", decimals: 8 };
export const ceth: Asset = { id: 3, code: "CETH", decimals: 8 };

export const marketId = {
  ccUsdc: 0,
  cbtcUsdc: 1,
  cethUsdc: 2,
  cusdUsdc: 3,
  btcPerp: 4,
  ethPerp: 5,
  ccPerp: 6,
} as const;

/** One USDC in minor units. */
export const oneUsdc = 1_000_000n;

/** Default leverage of an account, as bigint for the arithmetic of tests. */
export const defaultLeverage = BigInt(LEVERAGE_V1);

function spot(
  figures: Pick<Market, "id" | "symbol" | "base" | "tickDecimals" | "lotDecimals"> &
    Pick<Market, "tickLot" | "baseUnitsPerLot">,
): Market {
  return {
    ...figures,
    alias: figures.symbol.replace("-", ""),
    kind: MarketKind.spot,
    baseCode: figures.symbol.replace("-USDC", ""),
    quoteCode: "USDC",
    quote: usdc,
    qtyLotsMax,
    priceTicksMax,
    minNotional: 10n * oneUsdc,
    makerFeeBps: 4,
    takerFeeBps: 10,
    leverageMax: 1,
    marginTiers: [],
    initialStatus: MarketStatus.trading,
    indexMarket: null,
    wasAdded: false,
  };
}

/** Returns maintenance tiers. `quarters` scales the rates: 4 is the normal rate, and CC-PERP uses 5. */
function tiers(quarters: number): MarginTier[] {
  const tier = (thousands: bigint | null, ppm: number, leverage: number): MarginTier => ({
    notionalMax: thousands === null ? null : thousands * 1000n * oneUsdc,
    maintenancePpm: (ppm * quarters) / 4,
    leverageMax: leverage,
  });
  return [
    tier(50n, 4000, 100),
    tier(250n, 5000, 100),
    tier(1000n, 10_000, 50),
    tier(5000n, 25_000, 20),
    tier(null, 50_000, 10),
  ];
}

function perpetual(id: number, baseCode: string, indexMarket: number, quarters = 4): Market {
  return {
    id,
    symbol: `${baseCode}-PERP`,
    alias: `${baseCode}USDT`,
    kind: MarketKind.perpetual,
    baseCode,
    quoteCode: "USDT",
    base: null,
    quote: usdc,
    tickDecimals: 2,
    lotDecimals: 3,
    tickLot: { units: 10, parts: 1 },
    baseUnitsPerLot: 0n,
    qtyLotsMax,
    priceTicksMax,
    minNotional: 0n,
    makerFeeBps: 2,
    takerFeeBps: 5,
    leverageMax,
    marginTiers: tiers(quarters),
    initialStatus: MarketStatus.trading,
    indexMarket,
    wasAdded: false,
  };
}

const markets: readonly Market[] = [
  spot({
    id: marketId.ccUsdc,
    symbol: "CC-USDC",
    base: cc,
    tickDecimals: 4,
    lotDecimals: 1,
    tickLot: { units: 10, parts: 1 },
    baseUnitsPerLot: 10_000_000n,
  }),
  spot({
    id: marketId.cbtcUsdc,
    symbol: "CBTC-USDC",
    base: cbtc,
    tickDecimals: 2,
    lotDecimals: 4,
    tickLot: { units: 1, parts: 1 },
    baseUnitsPerLot: 10_000n,
  }),
  spot({
    id: marketId.cethUsdc,
    symbol: "CETH-USDC",
    base: ceth,
    tickDecimals: 2,
    lotDecimals: 3,
    tickLot: { units: 10, parts: 1 },
    baseUnitsPerLot: 100_000n,
  }),
  {
    ...spot({
      id: marketId.cusdUsdc,
      symbol: "CUSD-USDC",
      base: null,
      tickDecimals: 4,
      lotDecimals: 1,
      tickLot: { units: 10, parts: 1 },
      baseUnitsPerLot: 0n,
    }),
    makerFeeBps: 0,
    takerFeeBps: 0,
    initialStatus: MarketStatus.delisted,
  },
  perpetual(marketId.btcPerp, "BTC", marketId.cbtcUsdc),
  perpetual(marketId.ethPerp, "ETH", marketId.cethUsdc),
  {
    ...perpetual(marketId.ccPerp, "CC", marketId.ccUsdc, 5),
    tickDecimals: 4,
    tickLot: { units: 1, parts: 10 },
  },
];

/**
 * All markets and assets. They never change, so one table serves every test. Perpetuals have no minimum order value
 * here, so that engine tests can trade single lots at small prices.
 */
export const testMarkets = new MarketTable(markets, [usdc, cc, cbtc, ceth]);

/** The same markets, but perpetuals have the minimum order values of a real venue. */
export const boundedMarkets = new MarketTable(
  markets.map((market) =>
    isPerpetual(market) ? { ...market, minNotional: leastOfPerpetuals(market.quote) } : market,
  ),
  testMarkets.assets,
);
