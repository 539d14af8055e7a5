// One side of the ring torture test on its own thread. Sizes, contents, batches and aborts come from a seeded xorshift
// generator; the consumer repeats it to know what must arrive.

import assert from "node:assert/strict";
import { parentPort, workerData } from "node:worker_threads";
import { Doorbell } from "../../src/wire/doorbell.ts";
import { recordSpan, SpscRing } from "../../src/wire/spsc-ring.ts";

export interface TortureTask {
  readonly side: "producer" | "consumer";
  readonly ring: SharedArrayBuffer;
  readonly workBell: SharedArrayBuffer;
  readonly roomBell: SharedArrayBuffer;
  readonly messages: number;
  readonly seed: number;
}

export interface TortureReport {
  readonly payloadBytes: number;
  readonly checksum: number;
  readonly sleeps: number;
  readonly aborts: number;
  readonly ms: number;
}

/** An endless sleep: a lost wake-up must run into the test's timeout instead of ending by itself. */
const forever = Number.POSITIVE_INFINITY;

class Xorshift {
  private state: number;

  constructor(seed: number) {
    this.state = seed;
  }

  next(): number {
    let x = this.state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.state = x;
    return x >>> 0;
  }
}

/** Draws a record size: mostly 4 to 35 bytes; one in 256 has up to 500, so that padding is often long. */
function sizeOf(draw: number): number {
  return (draw & 255) === 0 ? 4 + ((draw >>> 8) % 497) : 4 + ((draw >>> 8) & 31);
}

function wordOf(index: number, word: number): number {
  return (Math.imul(index, 0x9e3779b1) + word) | 0;
}

function produce(task: TortureTask): TortureReport {
  const ring = new SpscRing(task.ring);
  const workBell = new Doorbell(task.workBell);
  const roomBell = new Doorbell(task.roomBell);
  const sizes = new Xorshift(task.seed);
  const whims = new Xorshift(task.seed + 1000);
  const began = Date.now();
  let [payloadBytes, checksum, sleeps, aborts] = [0, 0, 0, 0];

  const flush = () => {
    ring.publish();
    workBell.ring();
  };
  const claim = (bytes: number): number => {
    for (;;) {
      const offset = ring.tryClaim(bytes);
      if (offset >= 0) return offset;
      flush();
      sleeps++;
      // Wait for enough room for the record and the longest padding before it. That room always comes, because the
      // consumer frees everything before it sleeps.
      const needed = Math.min(2 * recordSpan(bytes), ring.capacityBytes);
      roomBell.sleep(() => ring.freeBytes() >= needed, forever);
    }
  };
  for (let index = 0; index < task.messages; index++) {
    const bytes = sizeOf(sizes.next());
    const whim = whims.next() & 1023;
    if (whim === 0) {
      claim(300);
      ring.abort();
      aborts++;
    }
    const offset = claim(bytes);
    const first = offset >> 2;
    const message = bytes >> 2;
    for (let word = 0; word < message; word++) ring.i32[first + word] = wordOf(index, word);
    ring.u8[offset + bytes - 1] = index;
    ring.commit();
    payloadBytes += bytes;
    checksum = (Math.imul(checksum, 31) + bytes + index) | 0;
    if (whim < 32) flush();
  }
  flush();
  return { payloadBytes, checksum, sleeps, aborts, ms: Date.now() - began };
}

function consume(task: TortureTask): TortureReport {
  const ring = new SpscRing(task.ring);
  const workBell = new Doorbell(task.workBell);
  const roomBell = new Doorbell(task.roomBell);
  const sizes = new Xorshift(task.seed);
  const whims = new Xorshift(task.seed + 2000);
  const began = Date.now();
  let [payloadBytes, checksum, sleeps] = [0, 0, 0];

  const giveBack = () => {
    ring.release();
    roomBell.ring();
  };
  const nextOffset = (): number => {
    for (;;) {
      const offset = ring.next();
      if (offset >= 0) return offset;
      giveBack();
      sleeps++;
      workBell.sleep(() => !ring.isEmpty(), forever);
    }
  };
  for (let index = 0; index < task.messages; index++) {
    const bytes = sizeOf(sizes.next());
    const offset = nextOffset();
    if (ring.length !== bytes)
      assert.equal(ring.length, bytes, `message ${index} has the wrong length`);
    check(ring, { offset, bytes, index });
    payloadBytes += bytes;
    checksum = (Math.imul(checksum, 31) + ring.length + index) | 0;
    // Hold records across many reads, as the journal holds a batch.
    if ((whims.next() & 63) === 0) giveBack();
  }
  giveBack();
  return { payloadBytes, checksum, sleeps, aborts: 0, ms: Date.now() - began };
}

interface Arrival {
  readonly offset: number;
  readonly bytes: number;
  readonly index: number;
}

function check(ring: SpscRing, { offset, bytes, index }: Arrival): void {
  const first = offset >> 2;
  // Compare whole words, except one that contains the record's last byte, because the producer overwrote that byte.
  const message = (bytes & 3) === 0 ? (bytes >> 2) - 1 : bytes >> 2;
  for (let word = 0; word < message; word++) {
    if (ring.i32[first + word] !== wordOf(index, word)) assert.fail(`message ${index} differs`);
  }
  if (ring.u8[offset + bytes - 1] !== (index & 255)) assert.fail(`message ${index} is cut short`);
}

const task: TortureTask = workerData;
parentPort?.postMessage(task.side === "producer" ? produce(task) : consume(task));
