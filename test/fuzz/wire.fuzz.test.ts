// Proves that damaged bytes in a message between threads, a journal row or a snapshot do no harm. Decoding them either
// fails, or gives a value that is unchanged when it is encoded and decoded again. A snapshot that can be decoded is
// exactly the stored one.

import assert from "node:assert/strict";
import fc from "fast-check";
import { Wallet } from "../../src/core/accounts.ts";
import { AssertionFailure } from "../../src/core/assert.ts";
import { emptyReply } from "../../src/core/generated/messages.ts";
import { commandBytesMax, eventBytesMax } from "../../src/core/limits.ts";
import { openSnapshot, takeSnapshot } from "../../src/services/journal/replay.ts";
import { decodeCommand, encodeCommand } from "../../src/wire/generated/command-codec.ts";
import {
  decodeControlMessage,
  encodeControlMessage,
} from "../../src/wire/generated/control-messages.ts";
import { encodeEvent } from "../../src/wire/generated/event-codec.ts";
import { decodeReply, encodeReply, replyBytes } from "../../src/wire/generated/message-codec.ts";
import { decodeEventBytes, UnknownEvent } from "../../src/wire/records/event-bytes.ts";
import { createRecordViews } from "../../src/wire/records/record-views.ts";
import { SpscRing } from "../../src/wire/spsc-ring.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { TestVenue } from "../support/machine/test-venue.ts";
import { anyCommand, anyEvent, controlMessageOfEachKind } from "../wire/record-arbitraries.ts";
import { fuzz } from "./fuzz.ts";
import { spoiltBytes } from "./spoilt-bytes.ts";

const views = createRecordViews(new ArrayBuffer(4096));

function written(write: (offset: number) => number): Uint8Array {
  views.u8.fill(0);
  return views.u8.slice(0, write(0));
}

const eventBytes = anyEvent.map((event) => written((at) => encodeEvent(views, at, event)));
const commandBytes = anyCommand.map((command) =>
  written((at) => encodeCommand(views, at, command)),
);

/** Returns the decoded value, or null if `decode` fails an assertion or meets an unknown event. Other exceptions are faults. */
function decoded<T>(decode: () => T): T | null {
  try {
    return decode();
  } catch (error) {
    if (error instanceof AssertionFailure || error instanceof UnknownEvent) return null;
    throw error;
  }
}

fuzz(
  "a damaged journal row fails an assertion, is of an unknown kind, or is an event with one encoding",
  spoiltBytes(eventBytes),
  (bytes) => {
    const event = decoded(() => decodeEventBytes(bytes, 0, bytes.length));
    if (event === null) return;
    assert.ok(bytes.length <= eventBytesMax);
    const again = written((at) => encodeEvent(views, at, event));
    assert.equal(again.length, bytes.length);
    assert.deepEqual(decodeEventBytes(again, 0, again.length), event);
  },
);

fuzz(
  "a damaged command fails an assertion, or is a command with one encoding",
  spoiltBytes(commandBytes),
  (bytes) => {
    if (bytes.length > commandBytesMax) return;
    views.u8.fill(0xa5);
    views.u8.set(bytes);
    const command = decoded(() => decodeCommand(views, 0, bytes.length));
    if (command === null) return;
    const again = written((at) => encodeCommand(views, at, command));
    assert.equal(again.length, bytes.length);
    assert.deepEqual(decodeCommand(views, 0, again.length), command);
  },
);

const replies = fc.uint8Array({ minLength: replyBytes, maxLength: replyBytes });

fuzz("any 24 bytes are read as a reply or fail an assertion", replies, (bytes) => {
  views.u8.set(bytes);
  const reply = emptyReply();
  const isReply = decoded(() => {
    decodeReply(views, 0, bytes.length, reply);
    return true;
  });
  if (isReply === null) return;
  encodeReply(views, 64, reply);
  const again = emptyReply();
  decodeReply(views, 64, replyBytes, again);
  assert.deepEqual(again, reply);
});

const parts = fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 40 });
const steps = fc.array(fc.constantFrom("write", "publish", "read", "release"), { maxLength: 200 });

/** Producer and consumer of one ring, with the records to write. */
class RingRun {
  readonly #records: readonly Uint8Array[];
  readonly #producer: SpscRing;
  readonly #consumer: SpscRing;
  #put = 0;
  #published = 0;
  #got = 0;

  constructor(records: readonly Uint8Array[]) {
    const buffer = SpscRing.allocate(1024);
    this.#records = records;
    this.#producer = new SpscRing(buffer);
    this.#consumer = new SpscRing(buffer);
  }

  write(): void {
    const record = this.#records[this.#put];
    const offset = record === undefined ? -1 : this.#producer.tryClaim(record.length);
    if (record === undefined || offset < 0) return;
    this.#producer.u8.set(record, offset);
    this.#producer.commit();
    this.#put++;
  }

  publish(): void {
    this.#producer.publish();
    this.#published = this.#put;
  }

  read(): void {
    const offset = this.#consumer.next();
    assert.equal(offset >= 0, this.#got < this.#published);
    if (offset < 0) return;
    const read = this.#consumer.u8.slice(offset, offset + this.#consumer.length);
    assert.deepEqual(read, this.#records[this.#got++]);
  }

  release(): void {
    this.#consumer.release();
  }
}

fuzz(
  "a ring returns its records in order, for any sequence of writes and reads",
  fc.tuple(parts, steps),
  ([records, turns]) => {
    const run = new RingRun(records);
    for (const turn of turns) run[turn]();
  },
);

const control = fc.oneof(...controlMessageOfEachKind).map(encodeControlMessage);

fuzz(
  "a damaged control message is an error, or is read as a message of a known kind",
  spoiltBytes(control),
  (bytes) => {
    try {
      const message = decodeControlMessage(bytes);
      const again = encodeControlMessage(message);
      assert.ok(Buffer.from(encodeControlMessage(decodeControlMessage(again))).equals(again));
    } catch (error) {
      assert.ok(error instanceof Error && !(error instanceof assert.AssertionError), String(error));
    }
  },
);

/** A venue's snapshot with several orders, positions and keys and a filled index of order ids. */
function soundSnapshot() {
  const venue = new TestVenue();
  const [one, other] = [venue.fund(10n ** 13n), venue.fund(10n ** 13n)];
  venue.credit(other, Wallet.spot, 1, 10n ** 14n);
  for (let at = 0; at < 12; at++) venue.buy(one, 0, 1000 + at, 2000, { clientId: `c-${at}` });
  venue.sell(other, 0, 1011, 3000);
  venue.registerKey(one, 1);
  return takeSnapshot(venue.state);
}

const sound = soundSnapshot();

fuzz(
  "JRN-13 a damaged snapshot is refused, or gives exactly the stored state",
  spoiltBytes(fc.constant(sound.bytes)),
  (bytes) => {
    try {
      const state = openSnapshot({ ...sound, bytes }, testMarkets);
      assert.equal(takeSnapshot(state).stateHash, sound.stateHash);
    } catch (error) {
      assert.ok(error instanceof Error && !(error instanceof assert.AssertionError), String(error));
    }
  },
);
