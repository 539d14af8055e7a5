// Proves that the threaded venue survives a market crash in real time. Two thousand leveraged accounts trade on a thin
// book in front of a hundred thousand orders at as many distant prices, and the index falls by 40 % in a minute
// (CRASH_SECONDS shortens it). Meanwhile other orders arrive at a fixed rate, far below the venue's capacity; their
// latency may rise only by a limited factor. The journal must explain every liquidation. market-crash.test.ts is the
// same crash in the simulator.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PostgresEventStore } from "../../../src/adapters/postgres/event-store.ts";
import { createLog } from "../../../src/adapters/telemetry/log.ts";
import { verifyReplay } from "../../../src/venue/verification/verification.ts";
import { foldChunk } from "../../../src/wire/records/event-bytes.ts";
import { LiquidationAudit } from "../../model/liquidation-audit.ts";
import { VenueFixture } from "../../support/venue/venue-fixture.ts";
import { CrashScene, fullCrash } from "./crash-scene.ts";

const seconds = Number(process.env["CRASH_SECONDS"] ?? fullCrash.fallSeconds);
const terms = { ...fullCrash, fallSeconds: seconds };
/**
 * Factor by which latency may rise during the fall. It is loose because the test machine may be busy; the goal is 2,
 * which bench row B6 checks.
 */
const timesLonger = 4;
const busyMs = 250;

let fixture: VenueFixture;

before(async () => {
  fixture = await VenueFixture.open();
});
after(() => fixture.close());

test("a crash of 40 % in a minute leaves the threaded venue responsive", async (t) => {
  const { still, falling, afterwards } = await new CrashScene(fixture.venue, terms).run();
  for (const [when, times] of Object.entries({ still, falling, afterwards })) {
    t.diagnostic(`acknowledgements, ${when}: ${JSON.stringify(times)}`);
  }
  const { table, database } = fixture.venue;
  await fixture.venue.close();
  const log = createLog("error", "test");
  const { connection } = database;
  const store = new PostgresEventStore({ connection, log, isStopping: () => true });
  const untilSeq = await store.lastSeq();
  const audit = new LiquidationAudit(table);
  await store.readEvents(0, untilSeq, (chunk) => foldChunk(chunk, (event) => audit.take(event)));
  const options = { untilSeq, projections: null, onProgress: () => undefined };
  const { differences } = await verifyReplay(store, table, options);
  await store.close();
  const { begun, liquidationOrders, takenOver, deleveraged, pauses } = audit;
  t.diagnostic(
    `${begun} liquidations, ${liquidationOrders} liquidation orders, ${takenOver} taken over, ` +
      `${deleveraged} deleveraged, gate set ${pauses} times, ${untilSeq} events`,
  );
  t.diagnostic(
    `99th percentile during the fall: ${(falling.p99Ms / still.p99Ms).toFixed(2)} times that before`,
  );
  for (const [{ count }, duration] of [
    [still, terms.stillSeconds],
    [falling, terms.fallSeconds],
  ] as const) {
    assert(
      count >= 0.9 * duration * terms.ordersPerSecond,
      "Orders must be sent at their fixed rate",
    );
  }
  const mostMs = Math.max(timesLonger * still.p99Ms, busyMs);
  assert(
    falling.p99Ms <= mostMs,
    `Latency rose from ${still.p99Ms} ms before the fall to ${falling.p99Ms} ms`,
  );
  assert.deepEqual(differences, []);
  assert(begun >= terms.crowd && takenOver > 0);
});
