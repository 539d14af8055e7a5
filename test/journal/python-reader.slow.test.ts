// Proves that the guide's program in Python reads correct balances from exported events alone, once from a varied run
// and once from a whole venue's history. It uses the package flatbuffers and code that flatc generates.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventSchema } from "../../src/wire/generated/event-schema.ts";
import { pythonEnvironment } from "../clients/python-environment.ts";
import { type GuideReader, pythonReader } from "./guide-readers.ts";
import { TradedVenue } from "./traded-venue.ts";
import { variedJournal } from "./varied-journal.ts";

let folder: string;
let reader: GuideReader;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-journal-python-"));
  const python = await pythonEnvironment("flatbuffers", "test/journal/python/requirements.txt");
  reader = await pythonReader(eventSchema, python);
});
after(async () => {
  await reader.close();
  await rm(folder, { recursive: true, force: true });
});

test("JRN-19 code that flatc generates for Python gives every balance of a varied run", async () => {
  const { file, balances } = variedJournal();
  const path = join(folder, "varied.rialto");
  await writeFile(path, file);
  assert.deepEqual((await reader.balances(path)).sort(), balances);
});

test("JRN-19 the program gives the balances that a venue shows, for each account whose balance changed", async () => {
  const traded = await TradedVenue.start();
  try {
    const path = join(folder, "lived.rialto");
    const { code, complained } = await traded.venue.run(["journal", "export", "--out", path]);
    assert.equal(code, 0, complained);
    for (const account of traded.accounts) {
      const read = (await reader.balances(path, account)).sort();
      assert.deepEqual(read, await traded.shown(account), `account ${account}`);
    }
  } finally {
    await traded.close();
  }
});
