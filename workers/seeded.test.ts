// Tests that a worker of a follower applies each event once and in order, whenever the events arrive: after its state,
// after a state that replaces it, and after its seed.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { captureState } from "../src/engine/state/snapshot/venue-snapshot.ts";
import { VenueState } from "../src/engine/state/venue-state.ts";
import { stateHash } from "../src/engine/state-hash.ts";
import { Projection } from "../src/services/journal/projection.ts";
import { encodeControlMessage } from "../src/wire/generated/control-messages.ts";
import { foldChunk } from "../src/wire/records/event-bytes.ts";
import { packSnapshot } from "../src/wire/snapshot-codec.ts";
import { randomEvents } from "../test/support/journal/journal-tables.ts";
import { MemoryJournal } from "../test/support/journal/memory-journal.ts";
import type { SeededReport } from "../test/support/machine/seeded-worker.ts";
import { testMarkets } from "../test/support/machine/test-markets.ts";

const events = randomEvents({ seed: 6, commands: 300 });
const journal = new MemoryJournal(events);
const last = events.length;

async function stateAt(seq: number): Promise<VenueState> {
  const projection = new Projection(new VenueState(testMarkets), 0);
  await journal.readEvents(0, seq, (chunk) =>
    foldChunk(chunk, (event) => projection.refold(event)),
  );
  return projection.state;
}

/** A worker and the messages that its main thread sends. */
class SeededWorker {
  readonly #worker = new Worker(
    new URL("../test/support/machine/seeded-worker.js", import.meta.url),
  );

  async state(seq: number): Promise<void> {
    const bytes = packSnapshot(captureState(await stateAt(seq)));
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    this.#worker.postMessage(shared);
  }

  async events(afterSeq: number, untilSeq: number): Promise<void> {
    await journal.readEvents(afterSeq, untilSeq, ({ bytes, lengths }) => {
      const packed = new Uint8Array(lengths.buffer.slice(0));
      this.#worker.postMessage(encodeControlMessage({ kind: "events", bytes, lengths: packed }));
    });
  }

  seed(seq: number): void {
    this.#worker.postMessage(encodeControlMessage({ kind: "seed", seq, part: new Uint8Array() }));
  }

  /** Resolves with the worker's report, or with the error by which it ended. */
  async report(): Promise<SeededReport | Error> {
    this.#worker.postMessage(encodeControlMessage({ kind: "stop" }));
    const failed = once(this.#worker, "error").then(([error]) => error as Error);
    const told = once(this.#worker, "message").then(([report]) => report as SeededReport);
    return Promise.race([told, failed]);
  }
}

test("LDR-6 a worker applies the events before its seed and those after it once, in order, and is built at the seed", async () => {
  const worker = new SeededWorker();
  await worker.state(50);
  await worker.events(50, 120);
  await worker.events(120, 200);
  worker.seed(200);
  await worker.events(200, last);
  const hash = stateHash(await stateAt(last));
  assert.deepEqual(await worker.report(), { seedSeq: 200, builds: 1, seq: last, hash });
});

test("LDR-6 a state that replaces another one ends what was applied to that one", async () => {
  const worker = new SeededWorker();
  // Without a state there is nothing that events could be applied to.
  await worker.events(0, 50);
  await worker.state(50);
  await worker.events(50, 90);
  await worker.state(70);
  await worker.events(70, last);
  worker.seed(last);
  const hash = stateHash(await stateAt(last));
  assert.deepEqual(await worker.report(), { seedSeq: last, builds: 1, seq: last, hash });
});

test("LDR-6 a worker that lacks events of the venue's seed ends", async () => {
  const worker = new SeededWorker();
  await worker.state(50);
  await worker.events(50, 90);
  worker.seed(91);
  const error = await worker.report();
  assert(error instanceof Error);
  assert.match(error.message, /must have the state of the venue's seed/);
});
