// Measures the ring alone on one thread, and main → worker → main through two rings with 64-byte records: throughput
// with many records in flight, the round trip while both sides spin, and the round trip while both sides sleep (the
// worker blocks; main waits in its event loop, as a front does). A direct run prints the figures.

import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { mToNs, type Statistics } from "tinybench";
import { matcherRecordBytes } from "../../src/core/limits.ts";
import { Doorbell } from "../../src/wire/doorbell.ts";
import { SpscRing } from "../../src/wire/spsc-ring.ts";
import type { EchoTask } from "./ring-echo.worker.ts";
import { sampled, sampledAlone, sampledWaiting } from "./sampling.ts";

const capacityBytes = 2 ** 20;
const batch = 64;
const inFlightMax = 4096;

/**
 * Measures one thread that writes records, publishes them in batches of 64, and reads and releases them: a million
 * records per sample.
 */
async function oneThread(): Promise<Statistics> {
  const buffer = SpscRing.allocate(capacityBytes);
  const [producer, consumer] = [new SpscRing(buffer), new SpscRing(buffer)];
  const call = (index: number) => {
    send(producer, index);
    if ((index + 1) % batch > 0) return index;
    producer.publish();
    while (consumer.next() >= 0);
    consumer.release();
    return index;
  };
  const { record } = await sampled(
    { record: { call, batch: 2 ** 20 } },
    { samples: 10, warmUp: 1 },
  );
  return record;
}

function send(ring: SpscRing, value: number): void {
  const offset = ring.tryClaim(matcherRecordBytes);
  ring.i32[offset >> 2] = value;
  ring.commit();
}

/** The main thread's ends of two rings; a worker at the other ends returns every record. */
class Echo {
  readonly out: SpscRing;
  readonly back: SpscRing;
  readonly workerBell: Doorbell;
  readonly mainBell: Doorbell;
  private readonly worker: Worker;

  constructor(spins: number) {
    const task: EchoTask = {
      requests: SpscRing.allocate(capacityBytes),
      replies: SpscRing.allocate(capacityBytes),
      requestBell: Doorbell.allocate(),
      replyBell: Doorbell.allocate(),
      spins,
    };
    this.out = new SpscRing(task.requests);
    this.back = new SpscRing(task.replies);
    this.workerBell = new Doorbell(task.requestBell);
    this.mainBell = new Doorbell(task.replyBell);
    this.worker = new Worker(new URL("./ring-echo.worker.js", import.meta.url), {
      workerData: task,
    });
  }

  async ready(): Promise<void> {
    await once(this.worker, "message");
  }

  sendAll(count: number): void {
    for (let i = 0; i < count; i++) send(this.out, i);
    this.out.publish();
    this.workerBell.ring();
  }

  receiveAll(): number {
    let received = 0;
    while (this.back.next() >= 0) received++;
    this.back.release();
    return received;
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }
}

/**
 * Returns round trips a second with up to 4,096 messages in flight. The figure comes from one long run and not from
 * single round trips, because the round trips overlap.
 */
async function echoThroughput(messages: number): Promise<number> {
  const echo = new Echo(2000);
  await echo.ready();
  const began = performance.now();
  let [sent, received] = [0, 0];
  while (received < messages) {
    const room = Math.min(inFlightMax - (sent - received), messages - sent, batch);
    if (room > 0) echo.sendAll(room);
    sent += room;
    received += echo.receiveAll();
  }
  const seconds = (performance.now() - began) / 1000;
  await echo.close();
  return messages / seconds;
}

/** Measures round trips with one message in flight while both sides spin. */
async function hotTrips(): Promise<Statistics> {
  const echo = new Echo(1_000_000);
  await echo.ready();
  const trip = () => {
    echo.sendAll(1);
    while (echo.receiveAll() === 0);
  };
  const took = sampledAlone(trip, { samples: 100_000, warmUp: 0 });
  await echo.close();
  return took;
}

/** Measures round trips with one message in flight while both sides sleep until woken. */
async function sleepyTrips(): Promise<Statistics> {
  const echo = new Echo(0);
  await echo.ready();
  const trip = async () => {
    echo.sendAll(1);
    while (echo.receiveAll() === 0) {
      const wait = echo.mainBell.arm(() => !echo.back.isEmpty());
      if (wait === undefined) continue;
      await wait.value;
      echo.mainBell.disarm();
    }
  };
  const took = await sampledWaiting(trip, { samples: 20_000, warmUp: 0 });
  await echo.close();
  return took;
}

/** Runs all measurements in about three seconds. */
export async function measure(): Promise<Record<string, number>> {
  const alone = await oneThread();
  const throughput = await echoThroughput(8_000_000);
  const hot = await hotTrips();
  const asleep = await sleepyTrips();
  return {
    "one thread, ns a record": mToNs(alone.p50),
    "there and back, M messages/s": throughput / 1e6,
    "hot round trip p50, µs": hot.p50 * 1000,
    "hot round trip p99, µs": hot.p99 * 1000,
    "asleep round trip p50, µs": asleep.p50 * 1000,
    "asleep round trip p99, µs": asleep.p99 * 1000,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${JSON.stringify(await measure(), null, 2)}\n`);
}
