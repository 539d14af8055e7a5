// The long campaign against settlement: 2,000 batches, with a seed that is printed.

import { test } from "node:test";
import { runCampaign } from "./settlement-campaign.ts";

test("SET-7 in 2,000 batches each fill is settled once", async (t) => {
  const seed = Date.now() % 100_000;
  const options = { batches: 2000, members: 20, seed, kills: 20 };
  t.diagnostic(`seed ${seed}`);
  const result = await runCampaign(options);
  t.diagnostic(JSON.stringify(result));
});
