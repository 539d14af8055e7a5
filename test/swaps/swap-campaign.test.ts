// Proves in a short campaign that kills harm no swap; swap-campaign.slow.test.ts is the long one.

import { test } from "node:test";
import { SwapState } from "../../src/core/swaps.ts";
import { runSwapCampaign } from "./swap-campaign.ts";

test("RFQ-15 despite kills and faults, every swap ends and no leg moves alone", async (t) => {
  const states = [SwapState.traderAllocated, SwapState.executing, SwapState.releasing];
  const options = { seed: 7, traders: 6, makers: 2, states, killsPerState: 1, swaps: 24 };
  const calm = { settledPerKill: 0, settings: {} };
  const result = await runSwapCampaign({ ...options, ...calm, say: () => undefined });
  t.diagnostic(`seed ${options.seed}: ${JSON.stringify(result)}`);
});
