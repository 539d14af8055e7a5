// The long clock campaign: steps of 3 s, an hour and 30 days in both directions, also over kills, and drift.

import { test } from "node:test";
import { everyEpisode, runClockCampaign } from "./clock-campaign.ts";

test("CLK-1 CLK-2 CLK-3 CLK-5 no change of the host's clock loses a scheduled action", async (t) => {
  const say = (message: string) => process.stderr.write(`${message}\n`);
  const result = await runClockCampaign(everyEpisode, say);
  t.diagnostic(JSON.stringify(result));
});
