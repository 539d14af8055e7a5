// Proves that the auditor's kit agrees with the records of whole venues: one that lived through deposits, trades,
// funding, transfers and withdrawals, and one of the simulation, which died again and again.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { VenueEvent } from "../../src/core/generated/events.ts";
import { foldChunk } from "../../src/wire/records/event-bytes.ts";
import { until } from "../epochs/epoch-waits.ts";
import { TradedVenue } from "../journal/traded-venue.ts";
import { simulatedTerms } from "../simulation/epochs/simulated-epochs.ts";
import { Simulation } from "../simulation/simulation.ts";
import { audited, auditedVenue } from "./audit-kit.ts";
import { exportOf, opened, statementOf, written } from "./evidence.ts";
import { statedAfter } from "./liability-evidence.ts";

/** Statements about the simulated venue; each is about an epoch with all kinds of accounts. */
const simulatedStatements = 5;

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-audit-venues-"));
});
after(() => rm(folder, { recursive: true, force: true }));

test("AUD-5 AUD-6 AUD-11 the kit agrees with the books, epochs and statements of liabilities that a venue with every kind of money exports", async () => {
  const traded = await TradedVenue.start({ LIABILITIES_EPOCHS: "1" });
  try {
    const { venue } = traded;
    const result = await until("an epoch with all entries but the newest", async () => {
      const found = await auditedVenue((args) => venue.run(args), venue.dataDir);
      assert.equal(found.result, "agrees", JSON.stringify(found));
      const hasBoth = (found.epochs ?? 0) > 1 && (found.liabilities_statements ?? 0) > 1;
      return hasBoth ? found : null;
    });
    assert.equal(result.leaves_recomputed, true);
    await assertDisclosure(venue.dataDir);
    assert.ok(result.balances >= 10 && result.positions >= 2, JSON.stringify(result));
    // The statement is what the venue's own command line shows.
    const { balances } = JSON.parse(await readFile(join(venue.dataDir, "audit.balances"), "utf8"));
    for (const account of traded.accounts) {
      const own = balances.filter((row: { account: number }) => row.account === account);
      assert.equal(own.length, (await traded.shown(account)).length, `account ${account}`);
    }
  } finally {
    await traded.close();
  }
});

/** The exported statements come with the fingerprints of wallet keys and the keys of their own epochs. */
async function assertDisclosure(dataDir: string): Promise<void> {
  const text = await readFile(join(dataDir, "audit.statements"), "utf8");
  const [members, ...statements] = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const prints = Object.values<string>(members.fingerprints);
  assert.ok(prints.length > 0 && prints.every((print) => /^[0-9a-f]{64}$/.test(print)), text);
  const keys = statements.map((line) => line.epoch_key);
  assert.ok(
    keys.every((key) => /^[0-9a-f]{64}$/.test(key)),
    text,
  );
  assert.equal(new Set(keys).size, keys.length, "every epoch must have a key of its own");
}

test("AUD-6 AUD-9 the kit agrees with the journal, the sealed epochs and the liabilities of a simulation", async () => {
  const simulation = new Simulation({ seed: 11, steps: 30_000 });
  await simulation.run();
  const { journal, epochs } = simulation.records;
  const events: VenueEvent[] = [];
  await journal.readEvents(0, null, (chunk) => {
    foldChunk(chunk, (event) => events.push(event));
  });
  const lines = await Promise.all(epochs.map((record) => opened(record, events, simulatedTerms)));
  const told = statedAfter(events, epochs.slice(-simulatedStatements));
  const whole = {
    ...{ journal: exportOf(told.events), epochs: lines },
    ...{ balances: statementOf(events), statements: told.statements },
  };
  const result = await audited(await written(whole, folder, "simulated"));
  assert.equal(result.result, "agrees", JSON.stringify(result));
  assert.equal(result.entries, told.events.length);
  assert.equal(result.liabilities_statements, simulatedStatements);
  assert.equal(result.epochs, epochs.length);
  assert.equal(result.leaves_recomputed, true);
});
