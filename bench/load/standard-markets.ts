// Markets of every bench run: the three spot markets of the venue's seed, quoted around realistic prices of their
// coins. The smallest orders are worth 24 USDC, a little more than twice the minimum order value.

import type { FlowMarket } from "../../src/tools/load/spot-flow.ts";

export const standardMarkets: readonly FlowMarket[] = [
  { symbol: "CC-USDC", tickDecimals: 4, lotDecimals: 1, middleTicks: 1500, qtyLotsMin: 1600 },
  { symbol: "CBTC-USDC", tickDecimals: 2, lotDecimals: 4, middleTicks: 6_000_000, qtyLotsMin: 4 },
  { symbol: "CETH-USDC", tickDecimals: 2, lotDecimals: 3, middleTicks: 300_000, qtyLotsMin: 8 },
];
