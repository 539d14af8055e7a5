// Proves what a watcher makes of a venue that does not say what it holds: here one without a ledger.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Finding } from "../../src/tools/watch/finding.ts";
import { HeadFolder } from "../../src/tools/watch/head-folder.ts";
import { Watcher } from "../../src/tools/watch/watcher.ts";
import { until } from "../epochs/epoch-waits.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

test("WCH-7 a venue whose statements leave its holdings open for too long is silent", async () => {
  const fixture = await VenueFixture.open({ EPOCH_SECONDS: "1", LIABILITIES_EPOCHS: "1" });
  const home = await mkdtemp(join(tmpdir(), "rialto-watch-"));
  try {
    const folder = await HeadFolder.open(home);
    /** What a watcher that accepts `staleMs` without holdings finds. */
    const assetsFor = async (staleMs: number): Promise<Finding | undefined> => {
      const watcher = new Watcher({
        ...{ venue: new URL(fixture.address), folder, staleMs, nowMs: Date.now },
        ...{ peers: [], key: null, roots: new Map(), staleEpochs: 1_000 },
      });
      const found = await watcher.round(new AbortController().signal);
      return found.find(({ subject }) => subject === "assets");
    };
    const silent = await until("silence", async () => {
      const found = await assetsFor(3_000);
      return found?.state === "silent" ? found : null;
    });
    const says =
      /^the venue does not state what it held of .* of epoch \d+, nor in the \d+ s before$/;
    assert.match(silent.message, says);
    assert.equal((await assetsFor(3_600_000))?.state, "unknown");
  } finally {
    await fixture.close();
    await rm(home, { recursive: true });
  }
});
