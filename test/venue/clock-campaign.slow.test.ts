// The long campaign of clocks: steps of 3 s, an hour and 30 days to both sides, over kills too, and drift.

import { test } from "node:test";
import { everyEpisode, runClockCampaign } from "./clock-campaign.ts";

test("CLK-1 CLK-2 CLK-3 CLK-5 whatever is done to the host's clock, no duty is lost afterwards", async (t) => {
  const say = (message: string) => process.stderr.write(`${message}\n`);
  const result = await runClockCampaign(everyEpisode, say);
  t.diagnostic(JSON.stringify(result));
});
