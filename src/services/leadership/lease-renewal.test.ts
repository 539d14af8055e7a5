// Tests of what a leader makes of its renewals, on a clock that the test moves.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { RenewalAnswer } from "../../ports/leadership.ts";
import { LeaseRenewal } from "./lease-renewal.ts";

const away = new Error("away");
const ignore = (): void => undefined;
let warned: string[];
const warn = (_: object, message: string) => warned.push(message);
const log = { debug: ignore, info: ignore, warn, error: ignore };
const answer: RenewalAnswer = { slowestSeq: null, nearest: null, nearestOnBus: null };

let nowMs: number;
/** What each renewal does, in order; after the last one renewing stops. */
let renewals: ((() => Promise<RenewalAnswer | null>) | "close")[];
let renewed: [sentMs: number, untilMs: number][];
let shortened: number[];
let lost: string[];

beforeEach(() => {
  [nowMs, renewals, renewed, shortened, lost, warned] = [1_000, [], [], [], [], []];
});

async function run(handedTo: string | null = null): Promise<void> {
  const renewing = new LeaseRenewal({
    store: {
      renew: async () => {
        const next = renewals.shift();
        if (next !== undefined && next !== "close") return next();
        void renewing.close();
        return answer;
      },
    },
    holder: "a",
    leaseMs: 500,
    renewMs: 100,
    claimedMs: 900,
    monotonicMs: () => nowMs,
    pause: async (ms) => {
      nowMs += ms;
    },
    isRetryable: (error) => error === away,
    log,
    renewal: () => ({ settledSeq: 0, chain: null, handedTo }),
    onRenewed: (sentMs, untilMs) => renewed.push([sentMs, untilMs]),
    onFailed: (untilMs) => shortened.push(Math.floor(untilMs)),
    onLost: (reason) => lost.push(reason),
  });
  renewing.start();
  while (renewals.length > 0 && lost.length === 0)
    await new Promise((resolve) => setImmediate(resolve));
  await renewing.close();
}

/** A renewal that takes `ms`. */
function taking(ms: number) {
  return async () => {
    nowMs += ms;
    return answer;
  };
}

test("LDR-8 a lease counts from before its renewal was sent, however long the answer took", async () => {
  renewals = [taking(0), taking(30), taking(450), "close"];
  await run();
  assert.deepEqual(renewed.slice(0, 3), [
    [1_000, 1_500],
    [1_100, 1_600],
    [1_200, 1_700],
  ]);
});

test("LDR-22 after a failed renewal, the lease ends when a follower that saw the sessions end may serve", async () => {
  const failing = async () => {
    throw away;
  };
  renewals = [failing, taking(0), failing, failing, "close"];
  await run();
  // A third of 500 ms after the claim at 900, and after the renewal at 1,100.
  assert.deepEqual(shortened, [1_066, 1_266, 1_266]);
});

test("a lease that could not be renewed for a while is renewed again if nobody took it", async () => {
  const failing = async () => {
    nowMs += 800;
    throw away;
  };
  renewals = [taking(0), failing, failing, taking(0), "close"];
  await run();
  assert.equal(warned.length, 1);
  assert.deepEqual(lost, []);
  assert.deepEqual(renewed.slice(0, 2), [
    [1_000, 1_500],
    [2_700, 3_200],
  ]);
});

test("after a handover a renewal that fails is no warning", async () => {
  const failing = async () => {
    throw away;
  };
  renewals = [taking(0), failing, async () => null];
  await run("b");
  assert.deepEqual(warned, []);
});

test("LDR-5 a lease that another venue took is lost, and so is one that fails for good", async () => {
  renewals = [async () => null, "close"];
  await run();
  assert.deepEqual(lost, ["another venue has taken the lease"]);
  lost = [];
  renewals = [async () => Promise.reject(new Error("no table")), "close"];
  await run();
  assert.match(lost[0] ?? "", /cannot be renewed: Error: no table/);
});
