// Proves that a venue does not lead on a journal that lacks what it has acknowledged itself: after an old backup was
// restored, and after another venue went on from there.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { VenueProcesses } from "../support/cluster/venue-processes.ts";
import type { TestDatabase } from "../support/database/postgres.ts";
import { type CliProcess, runCli, type Settings } from "../support/venue/cli-process.ts";

let venues: VenueProcesses;
let live: TestDatabase;
let backup: TestDatabase;
/** Seq at which the backup ends, and of the newest event that was acknowledged. */
let kept: number;
let acknowledged: number;

before(async () => {
  venues = await VenueProcesses.open();
  live = await venues.database();
});
after(() => venues.close());

async function stop(venue: CliProcess): Promise<void> {
  venue.signal("SIGTERM");
  assert.equal(await venue.ended, 0, venue.complained);
}

async function doctorOn(settings: Settings) {
  const { code, printed } = await runCli(["doctor", "--json"], settings);
  const findings = JSON.parse(printed) as { check: string; verdict: string; found: string }[];
  return { code, ...findings.find(({ check }) => check === "journal") };
}

test("LDR-17 LDR-20 a killed venue and its commands refuse a restored backup that lacks what it acknowledged", async () => {
  const settings = venues.settings(live);
  const first = await venues.start(settings);
  kept = await venues.acknowledge(settings, 3);
  await stop(first);
  backup = await venues.database(live);
  const again = await venues.start(settings);
  acknowledged = await venues.acknowledge(settings, 2);
  await venues.untilMarked(acknowledged);
  again.signal("SIGKILL");
  await again.ended;

  const restored = venues.settings(backup);
  const message = await venues.refusal(restored);
  assert.match(message, new RegExp(`ends at event ${kept}, .*acknowledged event ${acknowledged}`));
  assert.match(message, new RegExp(`${acknowledged - kept} acknowledged events are missing`));
  assert.match(message, new RegExp(`rialto journal accept ${acknowledged}`));
  const command = await runCli(["accounts", "create"], restored);
  assert.deepEqual([command.code, command.complained.includes(`ends at event ${kept}`)], [5, true]);
  const { code, verdict, found = "" } = await doctorOn(restored);
  assert.deepEqual([code, verdict], [1, "fault"]);
  assert.match(found, new RegExp(`ends at event ${kept}`));
  assert.equal((await doctorOn(settings)).verdict, "ok");
});

test("LDR-18 the operator accepts a loss by the number of the newest acknowledged event, and the log says so", async () => {
  const restored = venues.settings(backup);
  const other = await runCli(["journal", "accept", String(kept)], restored);
  assert.equal(other.code, 1);
  assert.match(other.complained, new RegExp(`acknowledged event ${acknowledged}, not ${kept}`));
  const accepted = await runCli(["journal", "accept", String(acknowledged), "--json"], restored);
  assert.equal(accepted.code, 0, accepted.complained);
  assert.match(accepted.complained, /the loss of acknowledged events was accepted/);
  const lost = acknowledged - kept;
  assert.deepEqual(JSON.parse(accepted.printed), { acknowledged, journal_ends_at: kept, lost });
  const serving = await venues.start(restored);
  assert.match(serving.complained, /the operator accepted that acknowledged events are missing/);

  // What is acknowledged from now on is marked at the stop; the original journal has another event there.
  const grown = await venues.acknowledge(restored, 1);
  await stop(serving);
  assert(grown <= acknowledged);
  const message = await venues.refusal(venues.settings(live));
  assert.match(message, new RegExp(`ends at event ${acknowledged}.*other events up to ${grown} `));
});

test("LDR-19 LDR-20 another venue's database is not compared, and a damaged mark is refused in words", async () => {
  const settings = venues.settings(await venues.database());
  const other = await doctorOn(settings);
  assert.deepEqual([other.verdict, /another journal/.test(other.found ?? "")], ["warning", true]);
  const venue = await venues.start(settings);
  await venues.acknowledge(settings, 1);
  await stop(venue);
  const file = venues.markFile();
  const whole = await readFile(file, "utf8");
  await writeFile(file, whole.slice(0, 40));
  assert.match(await venues.refusal(settings), /journal-mark\.json is damaged.*remove it/);
  assert.match((await doctorOn(settings)).found ?? "", /is damaged/);
  await writeFile(file, whole);
  const nothing = await runCli(["journal", "accept", "1"], settings);
  assert.match(nothing.complained, /nothing to accept/);
});
