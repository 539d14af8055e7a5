// Proves in a long campaign of 2,000 batches that faults and kills never lose or repeat a settlement. It prints its
// seed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { runCampaign } from "./settlement-campaign.ts";

test("SET-7 in 2,000 batches each fill is settled once", async (t) => {
  const seed = Number(process.env["SEED"] ?? Date.now() % 100_000);
  const options = { batches: 2000, members: 50, seed, kills: 40 };
  t.diagnostic(`seed ${seed}`);
  const say = (message: string) => process.stderr.write(`${message}\n`);
  const result = await runCampaign({ ...options, say });
  t.diagnostic(`${JSON.stringify(options)}: ${JSON.stringify(result)}`);
  assert.deepEqual(result.idle, [], "Every fault must have taken effect");
});
