// Tests that the journal wakes clearing only if it released room in a ring that was too full for clearing to continue.

import assert from "node:assert/strict";
import { test } from "node:test";
import { journalRingBytes } from "../../core/limits.ts";
import { Doorbell } from "../../wire/doorbell.ts";
import { JournalAgent } from "./journal-agent.ts";
import { transactionRoomBytes } from "./venue-memory.ts";

/**
 * Returns how often one cycle of the journal wakes a sleeping clearing thread. The cycle releases room in the journal
 * ring, which had `releasedFromBytes` bytes in use before.
 */
function wakeUps(releasedFromBytes: number): number | undefined {
  const memory = Doorbell.allocate();
  const bell = new Doorbell(memory);
  const writer = { doWork: () => 1, hasWork: () => false, releasedFromBytes };
  bell.arm(() => false);
  new JournalAgent(writer, bell).doWork();
  // Each wake-up increments the first word of the doorbell.
  return new Int32Array(memory)[0];
}

test("clearing is woken only if the ring had been too full for a transaction", () => {
  assert.equal(wakeUps(journalRingBytes - transactionRoomBytes + 1), 1);
  assert.equal(wakeUps(journalRingBytes - transactionRoomBytes), 0);
  assert.equal(wakeUps(0), 0);
});
