// Proves that the venue's decisions are unchanged. Repeats varied runs from their seeds and compares journals, replies,
// state hashes and epoch roots with recorded ones; also replays a recorded journal. UPDATE_REFERENCE=1 records the
// current results; use it only after an intended change of a decision.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { projectRoot } from "../support/tidy/tree.ts";
import { DigestSeries, differences } from "./digest-series.ts";
import { epochRoots, eventNames, eventOf, replayedHashes } from "./entry-points.ts";
import { type Checkpoint, type RunRecord, variedRun } from "./varied-run.ts";

const wholeSeed = "b";

/** Number of events in the run of each seed. The journal of `wholeSeed` is stored whole. */
const runs = { [wholeSeed]: 20_000, a: 50_000, "varied run": 50_000 } as const;
const epochMs = 60_000;

/** What is recorded of a run. */
interface Recorded {
  readonly events: number;
  readonly replies: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly eventDigests: string;
  readonly replyDigests: string;
  readonly checkpoints: readonly Checkpoint[];
  readonly epochs: number;
  readonly lastRoot: string;
}

const page = join(projectRoot, "test/vectors/varied-runs.json");
const journal = join(projectRoot, "test/vectors/varied-run.journal.br");
const isUpdate = process.env["UPDATE_REFERENCE"] === "1";

/** Offsets of an event's kind and length. The test needs no more of the format to read the journal. */
const [kindAt, lengthAt] = [20, 22];

function digestsOf(records: readonly Uint8Array[]): string {
  const series = new DigestSeries();
  for (const record of records) series.add(record);
  return series.digits;
}

function kindsOf(events: readonly Uint8Array[]): Record<string, number> {
  const counts = Object.fromEntries([...eventNames.values()].map((name) => [name, 0]));
  for (const event of events) {
    const name = eventNames.get(event[kindAt] ?? 0) ?? "?";
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function recordedOf({ events, replies, checkpoints }: RunRecord): Recorded {
  const roots = epochRoots(events, epochMs);
  return {
    events: events.length,
    replies: replies.length,
    kinds: kindsOf(events),
    eventDigests: digestsOf(events),
    replyDigests: digestsOf(replies),
    checkpoints,
    epochs: roots.length,
    lastRoot: roots.at(-1) ?? "",
  };
}

/** Returns the events of the stored journal. */
function storedEvents(): Uint8Array[] {
  const bytes = brotliDecompressSync(readFileSync(journal));
  const events: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt16LE(at + lengthAt);
    events.push(bytes.subarray(at, at + length));
    at += length;
  }
  return events;
}

function told(event: Uint8Array | undefined): string {
  if (event === undefined) return "nothing";
  const fields = eventOf(event);
  const message = Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`);
  return `${eventNames.get(Number(fields["kind"]))}: ${message.join(", ")}`;
}

/** Describes the first event that differs, with its recorded value; empty if none differs. */
function firstDifference(before: readonly Uint8Array[], now: readonly Uint8Array[]): string {
  for (let index = 0; index < Math.max(before.length, now.length); index++) {
    const [one, other] = [before[index], now[index]];
    if (one !== undefined && other !== undefined && Buffer.compare(one, other) === 0) continue;
    return `was ${told(one)}\nnow ${told(other)}`;
  }
  return "";
}

/** Keeps only the kinds of events that the run contains; newer kinds are not in it. */
function onlyKinds(kinds: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(kinds).filter(([, count]) => count > 0));
}

const known: Record<string, Recorded> = isUpdate
  ? {}
  : (JSON.parse(readFileSync(page, "utf8")) as Record<string, Recorded>);

for (const [seed, eventsOfRun] of Object.entries(runs)) {
  test(`the run of seed ${seed} gives the recorded journal, replies, hashes and roots`, () => {
    const run = variedRun(seed, eventsOfRun);
    const now = recordedOf(run);
    if (isUpdate) {
      known[seed] = now;
      if (seed === wholeSeed) writeFileSync(journal, brotliCompressSync(Buffer.concat(run.events)));
      return;
    }
    const before = known[seed];
    assert.ok(before !== undefined, "The run must have recorded vectors");
    if (seed === wholeSeed) assert.equal(firstDifference(storedEvents(), run.events), "");
    assert.equal(differences(before.eventDigests, now.eventDigests), "", "events");
    assert.deepEqual(
      onlyKinds(now.kinds),
      onlyKinds(before.kinds),
      "The number of events of each kind must be unchanged",
    );
    assert.equal(differences(before.replyDigests, now.replyDigests), "", "replies");
    assert.deepEqual(
      now.checkpoints,
      before.checkpoints,
      "The state hashes during the run must be unchanged",
    );
    assert.equal(now.epochs, before.epochs, "epochs");
    assert.equal(
      now.lastRoot,
      before.lastRoot,
      "The root of the last epoch, which depends on all earlier ones, must be unchanged",
    );
  });
}

test("a recorded journal replays to the recorded hashes and roots", () => {
  if (isUpdate) writeFileSync(page, `${JSON.stringify(known, null, 2)}\n`);
  const { checkpoints, lastRoot, events } = known[wholeSeed] as Recorded;
  const stored = storedEvents();
  assert.equal(stored.length, events);
  const hashes = replayedHashes(
    stored,
    checkpoints.map(({ seq }) => seq),
  );
  assert.deepEqual(
    hashes,
    checkpoints.map(({ stateHash }) => stateHash),
  );
  assert.equal(epochRoots(stored, epochMs).at(-1), lastRoot);
});

test("the recorded journal has every kind of event that existed when it was recorded, with both variants of rare ones", () => {
  const { kinds } = known[wholeSeed] as Recorded;
  const missing = Object.entries(kinds).filter(([, count]) => count === 0);
  assert.deepEqual(missing, []);
  const seen = new Set(storedEvents().map(eventOf).flatMap(rareWays));
  const rare = ["gate 1", "gate 2", "isPaused true", "moved 0", "moved 1", "isCompleted false"];
  assert.deepEqual(
    rare.filter((way) => !seen.has(way)),
    [],
  );
});

/** Returns the variants of an event that a run might never produce. */
function rareWays(event: Readonly<Record<string, unknown>>): string[] {
  const isMove = "counterparty" in event;
  return [
    `gate ${event["gate"]}`,
    `isPaused ${event["isPaused"]}`,
    `isCompleted ${event["isCompleted"]}`,
    ...(isMove ? [`moved ${event["cause"]}`] : []),
  ];
}
