// Proves that a venue loses no scheduled action while its host's clock steps by 3 s, an hour or 30 days, forward or
// back, with and without kills of the venue, and while the clock drifts.

import { test } from "node:test";
import { everyEpisode, runClockCampaign } from "./clock-campaign.ts";

test("CLK-1 CLK-2 CLK-3 CLK-5 no change of the host's clock loses a scheduled action", async (t) => {
  const say = (message: string) => process.stderr.write(`${message}\n`);
  const result = await runClockCampaign(everyEpisode, say);
  t.diagnostic(JSON.stringify(result));
});
