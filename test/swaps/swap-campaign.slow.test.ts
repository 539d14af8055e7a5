// Proves in a long campaign that kills harm no swap: the venue is killed ten times in each state, with a printed seed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SwapState } from "../../src/core/swaps.ts";
import { runSwapCampaign } from "./swap-campaign.ts";

/** Swap timeouts that are long enough for a killed venue to restart, and short enough that locks expire in the test. */
const roomy = {
  SWAP_TRADER_MS: "25000",
  SWAP_PROVIDER_MS: "15000",
  SWAP_ALLOCATE_MS: "30000",
  SWAP_SETTLE_MS: "12000",
};

test("RFQ-15 after ten kills in each state, every swap ends and no leg moves alone", async (t) => {
  const seed = Number(process.env["SEED"] ?? Date.now() % 100_000);
  t.diagnostic(`seed ${seed}`);
  const killsPerState = Number(process.env["KILLS"] ?? 10);
  const { none: _, expired: __, cancelled: ___, ...states } = SwapState;
  const result = await runSwapCampaign({
    ...{ seed, traders: 12, makers: 3, killsPerState },
    settledPerKill: 6,
    settings: roomy,
    states: Object.values(states),
    swaps: 500,
    say: (message) => process.stderr.write(`${message}\n`),
  });
  t.diagnostic(JSON.stringify(result));
  assert.ok((result.ends["settled"] ?? 0) > 0 && (result.ends["released"] ?? 0) > 0);
  // A shortened run need not produce every case.
  if (killsPerState < 10) return;
  assert.equal(
    Object.keys(result.conducts).length,
    9,
    "Every behaviour of providers must have occurred",
  );
  assert.ok((result.ends["settled"] ?? 0) >= 250, "Many swaps must settle nevertheless");
});
