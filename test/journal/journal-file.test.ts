// Proves that a file of exported events is correct: the guide's program in TypeScript reads all balances from it,
// and the checker finds every changed or missing byte.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { EventKind } from "../../src/core/generated/events.ts";
import { checkJournalFile, JournalFileFault } from "../../src/services/journal/journal-file.ts";
import { eventSchema } from "../../src/wire/generated/event-schema.ts";
import { type GuideReader, typescriptReader } from "./guide-readers.ts";
import { type VariedJournal, variedJournal } from "./varied-journal.ts";

let folder: string;
let reader: GuideReader;
let varied: VariedJournal;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-journal-file-"));
  reader = await typescriptReader(eventSchema);
  varied = variedJournal();
});
after(async () => {
  await reader.close();
  await rm(folder, { recursive: true, force: true });
});

async function* inParts(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const check = (bytes: Buffer, size = 65_536) =>
  checkJournalFile(inParts(bytes, size), () => undefined);

/** The event kinds that change balances, according to the guide. */
const moving = [
  EventKind.credited,
  EventKind.transferred,
  EventKind.traded,
  EventKind.fundingPaid,
  EventKind.insuranceSettled,
  EventKind.positionMoved,
  EventKind.rewarded,
  EventKind.rewardClaimed,
  EventKind.withdrawalRequested,
  EventKind.withdrawalEnded,
];

test("JRN-19 code that flatc generates for TypeScript gives every balance of a varied run", async () => {
  const file = join(folder, "varied.rialto");
  await writeFile(file, varied.file);
  const unseen = moving.filter((kind) => !varied.kinds.has(kind));
  assert.deepEqual(unseen, [], "the run must have every kind of event that changes balances");
  assert.deepEqual((await reader.balances(file)).sort(), varied.balances);
});

test("JRN-18 a file is accepted in chunks of any size, and any changed or missing byte is found", async () => {
  const facts = await check(varied.file);
  assert.equal(facts.bytes, varied.file.length);
  const events = 12;
  const { file: short, headBytes } = variedJournal(events);
  for (const size of [1, 7, 24, short.length]) {
    assert.equal((await check(short, size)).header.count, events);
  }
  // The header contains the long schema. To save time only every 31st of its bytes is tried.
  const isLooked = (index: number) => index < 400 || index > headBytes - 100 || index % 31 === 0;
  for (let index = 0; index < short.length; index++) {
    if (!isLooked(index)) continue;
    const changed = Buffer.from(short);
    changed[index] = (changed[index] ?? 0) ^ 0x01;
    await assert.rejects(
      check(changed),
      JournalFileFault,
      `the check missed the change of byte ${index}`,
    );
    await assert.rejects(
      check(short.subarray(0, index)),
      /truncated in/,
      `the check missed the end after ${index} bytes`,
    );
  }
  await assert.rejects(check(Buffer.concat([short, Buffer.alloc(1)])), /more bytes follow the end/);
});
