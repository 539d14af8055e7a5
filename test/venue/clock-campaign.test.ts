// Proves in a short clock campaign that a step of the host's clock loses no scheduled action;
// clock-campaign.slow.test.ts is the long campaign.

import { test } from "node:test";
import { runClockCampaign } from "./clock-campaign.ts";

test("CLK-1 CLK-2 a clock that is set 30 days ahead for three seconds loses no scheduled action", async (t) => {
  const episode = { offsetMs: 30 * 86_400_000, forMs: 3_000 };
  const result = await runClockCampaign([episode], (message) => t.diagnostic(message));
  t.diagnostic(JSON.stringify(result));
});
