// Proves that rings lose, reorder and repeat nothing between two real threads: 51 million messages of random sizes pass
// through rings from 1 KiB to 1 MiB, with wrap-arounds, full and empty rings, aborted claims, random batches and held
// records. Both sides draw the same sizes and contents from one seed, so the receiver checks every byte. Both sides
// sleep without a timeout, so a lost wake-up runs into the test's own timeout.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { present } from "../../src/core/assert.ts";
import { Doorbell } from "../../src/wire/doorbell.ts";
import { SpscRing } from "../../src/wire/spsc-ring.ts";
import type { TortureReport, TortureTask } from "./ring-torture.worker.ts";

const runs = [
  { capacityBytes: 1024, messages: 3_000_000, seed: 11 },
  { capacityBytes: 2 ** 16, messages: 24_000_000, seed: 12 },
  { capacityBytes: 2 ** 20, messages: 24_000_000, seed: 13 },
];

/** Runs both sides to their end; if one fails, the other is ended too. */
async function torture(shared: Omit<TortureTask, "side">): Promise<TortureReport[]> {
  const url = new URL("./ring-torture.worker.js", import.meta.url);
  const workers = (["producer", "consumer"] as const).map(
    (side) => new Worker(url, { workerData: { ...shared, side } satisfies TortureTask }),
  );
  const stalled = AbortSignal.timeout(400_000);
  try {
    const reports = workers.map((worker) => once(worker, "message", { signal: stalled }));
    return (await Promise.all(reports)).map(([report]: TortureReport[]) =>
      present(report, "report"),
    );
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

for (const { capacityBytes, messages, seed } of runs) {
  const name = `${messages} messages through a ring of ${capacityBytes} bytes`;
  test(name, async (context) => {
    const shared = {
      ring: SpscRing.allocate(capacityBytes),
      workBell: Doorbell.allocate(),
      roomBell: Doorbell.allocate(),
      messages,
      seed,
    };
    const [producer, consumer] = await torture(shared);
    assert.ok(producer && consumer);
    context.diagnostic(
      `${producer.sleeps} full, ${consumer.sleeps} empty, ${producer.aborts} aborted, ` +
        `${Math.round(producer.payloadBytes / capacityBytes)} wraps, ${consumer.ms} ms`,
    );
    assert.equal(consumer.payloadBytes, producer.payloadBytes);
    assert.equal(consumer.checksum, producer.checksum);
    assert.ok(producer.aborts > 0);
    // A consumer on an idle core may empty a large ring faster than it is filled.
    assert.ok(
      producer.sleeps > 0 || capacityBytes > 2 ** 16,
      "The ring must have been full at times",
    );
    assert.ok(new SpscRing(shared.ring).isEmpty());
    assert.equal(new SpscRing(shared.ring).usedBytes, 0);
  });
}
