// Proves that the auditor's kit agrees with a venue on which the fleet trades: makers that requote and takers that cross
// the spread, on all markets, with funding settled and liabilities stated every few seconds. AUDIT_MINUTES says for how
// long (default 5).

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { DevVenue } from "../support/venue/dev-venue.ts";
import { auditedVenue } from "./audit-kit.ts";

const minutes = Number(process.env["AUDIT_MINUTES"] ?? 5);
const often = { EPOCH_SECONDS: "5", LIABILITIES_EPOCHS: "1", FUNDING_INTERVAL_MS: "10000" };

test("AUD-6 AUD-9 the kit agrees with the journal and the statements of a venue on which the fleet trades", async (t) => {
  const venue = await DevVenue.start({ DEV_FLEET: "1", ...often });
  try {
    let [entries, statements] = [0, 0];
    for (let minute = 1; minute <= minutes; minute++) {
      await sleep(60_000);
      const found = await auditedVenue((args) => venue.run(args), venue.dataDir);
      t.diagnostic(JSON.stringify(found));
      assert.equal(found.result, "agrees", JSON.stringify(found));
      assert.ok(found.entries > entries, "the fleet must trade on");
      const stated = found.liabilities_statements ?? 0;
      assert.ok(stated > statements, "the venue must state on");
      [entries, statements] = [found.entries, stated];
    }
  } finally {
    await venue.close();
  }
});
