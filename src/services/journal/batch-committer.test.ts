// Cases that the simulation cannot reach: a journal written by another process, a stopping venue, and the length of
// pauses. The simulation and, on PostgreSQL, test/contract prove that a batch is committed exactly once, whenever the
// session is lost.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { CommitBatch } from "../../ports/journal/event-store.ts";
import { BatchCommitter, type CommitSession } from "./batch-committer.ts";

const batch = { firstSeq: 11, count: 3 } as CommitBatch;
const cutOff = new Error("cut off");
const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

let pauses: number[];
let endsAt: number;
let isStopping: boolean;
/** How many of the next commits lose the session. */
let breaking: number;
let commits: number;
/** How many of the next barriers lose the session. */
let barriersBreaking: number;
let calls: string[];

beforeEach(() => {
  [pauses, endsAt, isStopping, breaking, commits] = [[], 10, false, 1, 0];
  [barriersBreaking, calls] = [0, []];
});

function writing(): BatchCommitter {
  const session: CommitSession = {
    barrier: async () => {
      calls.push("barrier");
      if (barriersBreaking-- > 0) throw cutOff;
    },
    lastSeq: async () => {
      calls.push("lastSeq");
      return endsAt;
    },
    commit: async () => {
      commits++;
      if (breaking-- > 0) throw cutOff;
    },
    close: async () => undefined,
  };
  const parts = {
    open: async () => session,
    isRetryable: (error: unknown) => error === cutOff,
    isStopping: () => isStopping,
    pause: async (ms: number) => pauses.push(ms),
    log,
  };
  return new BatchCommitter(parts, session);
}

test("JRN-7 after an interrupted commit, a journal that ends neither right before nor right after the batch has a gap", async () => {
  for (endsAt of [12, 14, 9]) {
    breaking = 1;
    await assert.rejects(writing().append(batch), { code: "gap" });
  }
  assert.equal(commits, 3);
});

test("JRN-7 a batch that is found after its commit was interrupted is not committed again", async () => {
  endsAt = 13;
  await writing().append(batch);
  assert.equal(commits, 1);
});

test("LDR-3 the journal's end is read only behind a barrier that was acknowledged", async () => {
  endsAt = 13;
  barriersBreaking = 2;
  await writing().append(batch);
  assert.deepEqual(calls, ["barrier", "barrier", "barrier", "lastSeq"]);
  assert.equal(commits, 1);
});

test("pauses between attempts double up to a second", async () => {
  breaking = 8;
  await writing().append(batch);
  assert.deepEqual(pauses, [20, 40, 80, 160, 320, 640, 1000, 1000]);
  assert.equal(commits, 9);
});

test("a stopping venue does not retry", async () => {
  isStopping = true;
  await assert.rejects(writing().append(batch), cutOff);
  assert.deepEqual(pauses, []);
});
