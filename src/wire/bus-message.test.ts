// Proves that a message arrives as it was written, and that a message of another version or a damaged one is refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { busMessageBytesMax } from "../core/bus-limits.ts";
import { emptyBusHeader } from "../core/generated/messages.ts";
import { BusMessageReader, BusMessageWriter, busProtocol } from "./bus-message.ts";
import { busHeaderBytes } from "./generated/message-codec.ts";

const header = {
  ...emptyBusHeader(),
  ...{ slot: 3, lane: 1, epoch: 7, incarnation: 2 ** 48 - 1, firstSeq: 11 },
  ...{ durableSeq: 2 ** 53 - 1, sentUs: 1_795_544_000_000_000, followedMs: 5, markets: 3 },
};

function recordsOf(reader: BusMessageReader): number[][] {
  const records: number[][] = [];
  for (let at = reader.next(); at >= 0; at = reader.next())
    records.push([...reader.views.u8.subarray(at, at + reader.length)]);
  return records;
}

test("a message carries its header and its records, of any length", () => {
  const writer = new BusMessageWriter();
  const records = [[], [1], [1, 2, 3, 4, 5, 6, 7, 8], [9, 8, 7]];
  for (const record of records) writer.add(Uint8Array.from([0, ...record]), 1, record.length);
  const reader = new BusMessageReader();
  assert.equal(reader.open(writer.take(header)), null);
  assert.deepEqual(reader.header, { ...header, protocol: busProtocol, count: 4 });
  assert.deepEqual(recordsOf(reader), records);
  assert.equal(writer.count, 0, "the writer starts the next message");
});

test("a message that was taken does not change when the next one is written", () => {
  const writer = new BusMessageWriter();
  writer.add(Uint8Array.of(1), 0, 1);
  const first = writer.take(header);
  const copy = first.slice();
  writer.add(Uint8Array.of(2), 0, 1);
  writer.take(header);
  assert.deepEqual(first, copy);
});

test("a full writer refuses records before it exceeds the longest message", () => {
  const writer = new BusMessageWriter();
  const record = new Uint8Array(160);
  while (writer.hasRoom()) writer.add(record, 0, record.length);
  const message = writer.take(header);
  assert.ok(message.length <= busMessageBytesMax);
  const reader = new BusMessageReader();
  assert.equal(reader.open(message), null);
  assert.equal(recordsOf(reader).length, reader.header.count);
});

test("a message of another version is refused in words, whatever follows its version", () => {
  const reader = new BusMessageReader();
  for (const length of [2, busHeaderBytes, 7]) {
    const message = new Uint8Array(length);
    message[0] = busProtocol + 1;
    assert.match(
      reader.open(message) ?? "",
      new RegExp(`version ${busProtocol + 1} .* version ${busProtocol}`),
    );
    assert.equal(reader.next(), -1);
  }
});

test("a damaged message is refused: too short, cut off, a wrong count, a wrong length, a broken header", () => {
  const writer = new BusMessageWriter();
  for (let record = 0; record < 3; record++) writer.add(Uint8Array.of(1, 2, 3), 0, 3);
  const sound = writer.take(header);
  const damages: ((bytes: Uint8Array) => Uint8Array)[] = [
    (bytes) => bytes.subarray(0, 1),
    (bytes) => bytes.subarray(0, 16),
    (bytes) => bytes.subarray(0, bytes.length - 8),
    (bytes) => Uint8Array.of(...bytes, 0, 0, 0, 0, 0, 0, 0, 0),
    (bytes) => change(bytes, 6, 4),
    (bytes) => change(bytes, busHeaderBytes, 200),
    (bytes) => change(bytes, busHeaderBytes + 3, 255),
    (bytes) => change(bytes, 15, 0x7f),
  ];
  const reader = new BusMessageReader();
  for (const [index, damage] of damages.entries()) {
    assert.match(reader.open(damage(sound)) ?? "", /message on the bus/, `damage ${index}`);
    assert.equal(reader.next(), -1);
  }
  assert.equal(reader.open(sound), null);
});

test("a refusal's words travel as a record", () => {
  const writer = new BusMessageWriter();
  writer.addText("all slots are taken – „voll“");
  const reader = new BusMessageReader();
  assert.equal(reader.open(writer.take(header)), null);
  assert.equal(reader.nextText(), "all slots are taken – „voll“");
  assert.equal(reader.nextText(), "");
});

function change(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const changed = bytes.slice();
  changed[at] = value;
  return changed;
}
