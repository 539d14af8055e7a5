// Rows about one order that trades with many resting orders: the cost per fill must not grow with the number of fills.

import { createLoadKeys, fundLoadAccount } from "../../src/tools/load/load-accounts.ts";
import type { FlowMarket } from "../../src/tools/load/spot-flow.ts";
import { SweptMarket, type SweptMarketOptions } from "../load/swept-market.ts";
import { median } from "../report/median.ts";
import type { Bench, BenchRow, Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";

const levels = 500;
const fewLevels = 50;
const makers = 64;
const rounds = 9;
/** Number of unmeasured rounds, so that the rows measure a venue that has been running for a while. */
const warmUpRounds = 6;

const spot: FlowMarket = {
  ...{ symbol: "CBTC-USDC", tickDecimals: 2, lotDecimals: 4 },
  ...{ middleTicks: 6_000_000, qtyLotsMin: 4 },
};
const perpetual: FlowMarket = {
  ...{ symbol: "BTCUSDT", tickDecimals: 2, lotDecimals: 3 },
  ...{ middleTicks: 6_000_000, qtyLotsMin: 2 },
};

function sweepRow(market: FlowMarket, path: SweptMarketOptions["path"]) {
  return async (bench: Bench): Promise<Reading> => {
    const folder = await bench.stage.folder();
    const { endpoint, dataDir } = await bench.stage.startVenue(folder);
    const [taker, ...others] = await createLoadKeys(dataDir, makers + 1);
    if (taker === undefined) throw new Error("a sweep must have a taker");
    for (const { account } of [taker, ...others])
      await fundLoadAccount(dataDir, account, [["perp", "USDC", "1000000"]]);
    bench.say(`${market.symbol}: orders that take ${levels} others`);
    const swept = await SweptMarket.open({ endpoint, market, path, makers: others, taker });
    for (let round = 0; round < warmUpRounds; round++) await swept.sweep(levels);
    const pairs: { few: number; many: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const few = await swept.sweep(fewLevels);
      pairs.push({ few, many: await swept.sweep(levels) });
    }
    swept.close();
    const many = median(pairs.map((pair) => pair.many));
    const few = median(pairs.map((pair) => pair.few));
    return {
      measured: `${shortNumber(many)} ms, ${shortNumber((many * 1000) / levels)} µs per fill`,
      baseline: `${fewLevels} levels: ${shortNumber(few)} ms`,
      score: many,
      passed: null,
      figures: {
        [`ms for ${levels} levels`]: many,
        [`ms for ${fewLevels} levels`]: few,
        "slowest ms": Math.max(...pairs.map((pair) => pair.many)),
        "us a further fill": ((many - few) * 1000) / (levels - fewLevels),
      },
      notes: [`medians of ${rounds}, ${makers} makers`],
    };
  };
}

export const sweepRows: readonly BenchRow[] = [
  {
    id: "W1",
    measure: "spot MARKET order through 500 levels, durable",
    goal: "report",
    run: sweepRow(spot, "/api/v3/order"),
  },
  {
    id: "W2",
    measure: "perpetual MARKET order through 500 levels, durable",
    goal: "report",
    run: sweepRow(perpetual, "/fapi/v1/order"),
  },
];
