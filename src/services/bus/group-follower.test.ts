// Proves that a gateway's front gets every committed event once, in order and without a gap, and nothing that the
// leader did not announce.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { emptyBusHeader } from "../../core/generated/messages.ts";
import type { EventChunk } from "../../ports/journal/event-store.ts";
import { BusMessageReader, BusMessageWriter } from "../../wire/bus-message.ts";
import { GroupFollower } from "./group-follower.ts";

/** A journal whose events are one byte each, their seq. */
class ByteJournal {
  lastSeqShown = 0;
  reads: (readonly [after: number, until: number])[] = [];
  failures = 0;

  async lastSeq(): Promise<number> {
    return this.lastSeqShown;
  }

  async readEvents(
    after: number,
    until: number | null,
    take: (chunk: EventChunk) => void,
  ): Promise<void> {
    await pause(1);
    assert(until !== null);
    if (this.failures-- > 0) throw new Error("the database is away");
    this.reads.push([after, until]);
    for (let seq = after + 1; seq <= until; seq++) {
      const [offsets, lengths] = [Uint32Array.of(0), Uint32Array.of(1)];
      take({ firstSeq: seq, count: 1, bytes: Uint8Array.of(seq), offsets, lengths });
    }
  }
}

/** Resolves when the condition holds; fails if it does not for a minute. */
async function reached(isTrue: () => boolean): Promise<void> {
  const untilMs = performance.now() + 60_000;
  while (!isTrue() && performance.now() < untilMs) await pause(1);
  assert.ok(isTrue());
}

/** A follower of a test that fails would go on asking, and the file would not end. */
const followers: GroupFollower[] = [];
after(() => {
  for (const follower of followers) follower.close();
});

class Leader {
  readonly journal = new ByteJournal();
  readonly passed: number[] = [];
  readonly faults: unknown[] = [];
  readonly follower: GroupFollower;
  readonly #reader = new BusMessageReader();

  constructor(seq: number) {
    this.follower = new GroupFollower({
      seq,
      journal: this.journal,
      pass: (bytes, start) => this.passed.push(bytes[start] ?? -1),
      passed: () => undefined,
      pause: () => pause(1),
      onGap: () => undefined,
      onFault: (fault) => this.faults.push(fault),
    });
    followers.push(this.follower);
  }

  /** A message with the events `from` to `until`; none if `until` is lower. */
  send(from: number, until: number, durableSeq = until): void {
    const writer = new BusMessageWriter();
    for (let seq = from; seq <= until; seq++) writer.add(Uint8Array.of(seq), 0, 1);
    const message = writer.take({ ...emptyBusHeader(), firstSeq: from, durableSeq });
    assert.equal(this.#reader.open(message), null);
    this.follower.take(this.#reader, message);
  }

  async level(): Promise<void> {
    await reached(() => this.follower.isLevel);
  }
}

test("messages in order pass at once; repeated events pass once", () => {
  const leader = new Leader(2);
  leader.send(3, 4);
  leader.send(3, 6);
  leader.send(7, 7);
  assert.deepEqual(leader.passed, [3, 4, 5, 6, 7]);
  assert.deepEqual(leader.journal.reads, []);
});

test("a lost message is read from the journal, up to the next one, which was kept", async () => {
  const leader = new Leader(0);
  leader.journal.lastSeqShown = 100;
  leader.send(1, 2);
  leader.send(5, 6);
  leader.send(7, 7);
  assert.deepEqual(leader.passed, [1, 2], "nothing passes before what is missing");
  await leader.level();
  assert.deepEqual(leader.passed, [1, 2, 3, 4, 5, 6, 7]);
  assert.equal(leader.follower.gaps, 1);
});

test("a lost last message shows at the next sign of the leader", async () => {
  const leader = new Leader(0);
  leader.journal.lastSeqShown = 3;
  leader.send(4, 3, 3);
  await leader.level();
  assert.deepEqual(leader.passed, [1, 2, 3]);
});

test("nothing past the announced seq is read, although the database shows it", async () => {
  const leader = new Leader(0);
  leader.journal.lastSeqShown = 9;
  leader.send(6, 5, 5);
  await leader.level();
  assert.deepEqual(leader.journal.reads, [[0, 5]]);
  assert.deepEqual(leader.passed, [1, 2, 3, 4, 5]);
});

test("a database that is away or behind is asked again; nothing is guessed", async () => {
  const leader = new Leader(0);
  leader.journal.failures = 3;
  leader.journal.lastSeqShown = 2;
  leader.send(6, 6);
  await reached(() => leader.passed.length > 1);
  assert.deepEqual(leader.passed, [1, 2], "a standby that is behind gives what it has");
  assert.equal(leader.faults.length, 3);
  leader.journal.lastSeqShown = 6;
  await leader.level();
  assert.deepEqual(leader.passed, [1, 2, 3, 4, 5, 6]);
});

test("two gaps in a row are both filled", async () => {
  const leader = new Leader(0);
  leader.journal.lastSeqShown = 50;
  leader.send(3, 3);
  leader.send(6, 6);
  leader.send(9, 9);
  await leader.level();
  assert.deepEqual(leader.passed, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
