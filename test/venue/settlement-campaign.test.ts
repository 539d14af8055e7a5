// A short campaign of every day; the long one is in settlement-campaign.slow.test.ts.

import { test } from "node:test";
import { runCampaign } from "./settlement-campaign.ts";

test("SET-7 whatever the ledger does and whoever dies, each fill is settled once", async (t) => {
  const options = { batches: 100, members: 10, seed: 7, kills: 3 };
  const result = await runCampaign({ ...options, say: () => undefined });
  t.diagnostic(`${JSON.stringify(options)}: ${JSON.stringify(result)}`);
});
