// The ring alone on one thread, and main → worker → main through two rings with 64-byte records:
// throughput with many in flight, round trip with both sides spinning, round trip from sleep (the
// worker blocks, main waits through its event loop, as a front does). Direct run prints the figures.

import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { matcherRecordBytes } from "../../src/core/limits.ts";
import { Doorbell } from "../../src/wire/doorbell.ts";
import { SpscRing } from "../../src/wire/spsc-ring.ts";
import type { EchoTask } from "./ring-echo.worker.ts";

const capacityBytes = 2 ** 20;
const batch = 64;
const inFlightMax = 4096;

/** ns for one record written, published in batches of 64, read and released on one thread. */
function oneThreadNs(messages: number): number {
  const buffer = SpscRing.allocate(capacityBytes);
  const [producer, consumer] = [new SpscRing(buffer), new SpscRing(buffer)];
  const began = performance.now();
  for (let sent = 0; sent < messages; sent += batch) {
    for (let i = 0; i < batch; i++) send(producer, sent + i);
    producer.publish();
    while (consumer.next() >= 0);
    consumer.release();
  }
  return ((performance.now() - began) * 1e6) / messages;
}

function send(ring: SpscRing, value: number): void {
  const offset = ring.tryClaim(matcherRecordBytes);
  ring.i32[offset >> 2] = value;
  ring.commit();
}

/** Main's ends of a pair of rings whose other ends are an echoing worker's. */
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

/** Messages a second there and back with up to 4,096 in flight. */
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

/** Sorted round-trip times in µs, one message in flight; `reply` waits for the answer. */
async function roundTrips(
  echo: Echo,
  count: number,
  reply: (echo: Echo) => Promise<void> | undefined,
): Promise<number[]> {
  await echo.ready();
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const began = performance.now();
    echo.sendAll(1);
    const waiting = reply(echo);
    if (waiting !== undefined) await waiting;
    times.push((performance.now() - began) * 1000);
  }
  await echo.close();
  return times.sort((a, b) => a - b);
}

function spinForReply(echo: Echo): undefined {
  while (echo.receiveAll() === 0);
}

async function sleepForReply(echo: Echo): Promise<void> {
  while (echo.receiveAll() === 0) {
    const wait = echo.mainBell.arm(() => !echo.back.isEmpty());
    if (wait === undefined) continue;
    await wait.value;
    echo.mainBell.disarm();
  }
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Runs all parts, some three seconds in all. */
export async function measure(): Promise<Record<string, number>> {
  oneThreadNs(1_000_000);
  const oneThread = oneThreadNs(10_000_000);
  const throughput = await echoThroughput(8_000_000);
  const hot = await roundTrips(new Echo(1_000_000), 100_000, spinForReply);
  const asleep = await roundTrips(new Echo(0), 20_000, sleepForReply);
  return {
    "one thread, ns a record": oneThread,
    "there and back, M messages/s": throughput / 1e6,
    "hot round trip p50, µs": quantile(hot, 0.5),
    "hot round trip p99, µs": quantile(hot, 0.99),
    "asleep round trip p50, µs": quantile(asleep, 0.5),
    "asleep round trip p99, µs": quantile(asleep, 0.99),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${JSON.stringify(await measure(), null, 2)}\n`);
}
