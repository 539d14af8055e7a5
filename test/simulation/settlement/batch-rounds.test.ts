// Proves that a batch survives what is no fault of its own: a refusal that is due to the deadline, completions that can
// be read late, a ledger whose clock is ahead, and the answer to a batch between two members that is lost. It runs settlement cycles on the simulated
// ledger and tables, with clearing left out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BatchState } from "../../../src/ports/ledger/batch-states.ts";
import type { BatchCommand, Outcome } from "../../../src/ports/ledger/ledger.ts";
import { SettlementCycle } from "../../../src/services/settlement/settlement-cycle.ts";
import { testMarkets } from "../../support/machine/test-markets.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { SimulatedLedger } from "../ledger/simulated-ledger.ts";
import { instruments } from "./settlement-simulation.ts";
import { SimulatedSettlement } from "./simulated-settlement.ts";

const settings = {
  ...{ workers: 2, pollMs: 100, windowMs: 0, longWindowMs: 0, roundMs: 600_000, lapseMs: 120_000 },
  ...{ reconcileMs: 1_000, staleMs: 90_000, auditMs: 600_000 },
};
const [buyer, seller, custodyAccount] = [1001, 1002, 1003];
const members = new Map([
  [buyer, "alice::1220"],
  [seller, "bob::1220"],
]);
const stop: Outcome = {
  ...{ kind: "rejected", code: "DAML_FAILURE", category: 9, action: "stop" },
  ...{ resources: [], message: "a rule is broken" },
};
const unanswered: Outcome = { kind: "unknown", cause: "timeout", message: "no answer in time" };

/** Opens settlement of two members, who each have coins that are credited to them. */
async function openSettlement(share = 0) {
  let nowMs = 1_000_000_000_000;
  let ids = 0;
  let aheadMs = 0;
  const ledger = new SimulatedLedger({ nowMs: () => nowMs + aheadMs, instruments });
  const store = new SimulatedSettlement({
    decimals: testMarkets.assets.map(({ decimals }) => decimals),
    newToken: () => "7e57",
  });
  const credits: bigint[] = [];
  const cycle = new SettlementCycle({
    ...{ settings, store, coins: store.releases, network: ledger, table: testMarkets },
    instruments: new Map(instruments.map((instrument) => [instrument.id, instrument])),
    hostWallet: async (party) => ledger.host(party),
    clearing: {
      committedSeq: () => 0,
      credit: async (_account, _asset, amount) => {
        credits.push(amount);
        return true;
      },
      wasCredited: async () => false,
      settleCoins: async () => true,
      releasesDone: async () => new Set(),
      setMemberFlags: async () => undefined,
      cancelSpotOrders: async () => undefined,
    },
    ...{ report: () => undefined, followed: () => undefined, audited: () => undefined },
    ...{ isTrafficScarce: () => false, log: quietLog },
    ...{ now: () => nowMs, share: () => share, newId: () => `id-${++ids}` },
  });
  for (const party of [ledger.custody, ...members.values()])
    for (const { id } of instruments) ledger.tap(party, id, 10n ** 16n);
  for (const [account, party] of members) await cycle.add(account, party);
  const passMs = (ms: number) => {
    nowMs += ms;
  };
  /** Puts the ledger's clock ahead of the venue's. */
  const putAhead = (ms: number) => {
    aheadMs = ms;
  };
  const work = async (afterMs = 2_000) => {
    passMs(afterMs);
    await cycle.work();
  };
  await work();
  for (const party of members.values()) ledger.accept(party);
  await work();
  await work();
  credits.length = 0;
  /** Commits a fill in which `buyer` buys. */
  const trade = (from: number) => {
    const amounts = { qty: 10, quote: 1_500_000n, buyerFee: 0n, sellerFee: 0n };
    store.fills.push({ tradeId: 1, tsMs: nowMs, market: 0, buyer, seller: from, ...amounts });
  };
  const stateNow = () => store.batches.at(-1)?.state;
  return { ledger, store, credits, passMs, putAhead, work, trade, stateNow };
}

for (const phase of ["settleDirect", "allocate"] as const) {
  test(`SET-7 a batch that the ledger refuses for good after the deadline of ${phase} goes on in a new round`, async () => {
    const { ledger, passMs, work, trade, stateNow } = await openSettlement();
    // Without the preapproval, the coins are locked first.
    if (phase === "allocate") ledger.preapprove("alice::1220", false);
    const send = ledger[phase].bind(ledger) as (batch: BatchCommand) => Promise<Outcome>;
    let sent = 0;
    ledger[phase] = async (batch: BatchCommand) => {
      sent += 1;
      // The ledger reads the first submission when the time for it is over.
      if (sent === 1) passMs(settings.roundMs);
      return send(batch);
    };
    trade(custodyAccount);
    await work();
    assert.equal(stateNow(), BatchState.retry);
    for (let cycles = 0; cycles < 5; cycles++) await work();
    assert.deepEqual([stateNow(), sent], [BatchState.confirmed, 2]);
    assert.equal(ledger.settled.length, 1);
  });
}

for (const phase of ["settleDirect", "allocate"] as const) {
  test(`SET-7 a batch sent again near the deadline of ${phase}, which has passed on a ledger ahead, goes on in a new round`, async () => {
    const { ledger, passMs, putAhead, work, trade, stateNow } = await openSettlement();
    if (phase === "allocate") ledger.preapprove("alice::1220", false);
    putAhead(30_000);
    const send = ledger[phase].bind(ledger) as (batch: BatchCommand) => Promise<Outcome>;
    const kinds: string[] = [];
    ledger[phase] = async (batch: BatchCommand) => {
      // The first submission never reaches the ledger.
      const outcome = kinds.length === 0 ? unanswered : await send(batch);
      kinds.push(outcome.kind);
      return outcome;
    };
    trade(custodyAccount);
    // The payments are locked only after the ledger has missed the preapproval.
    if (phase === "allocate") await work();
    await work();
    assert.deepEqual(kinds, ["unknown"]);
    const windowMs = phase === "allocate" ? settings.roundMs / 5 : settings.roundMs;
    passMs(windowMs - 20_000);
    await work();
    assert.deepEqual([stateNow(), kinds], [BatchState.retry, ["unknown", "rejected"]]);
    for (let cycles = 0; cycles < 5; cycles++) await work();
    assert.deepEqual(
      [stateNow(), kinds],
      [BatchState.confirmed, ["unknown", "rejected", "committed"]],
    );
    assert.equal(ledger.settled.length, 1);
  });
}

test("a batch that the ledger refuses for good before the deadline fails", async () => {
  const { ledger, work, trade, stateNow } = await openSettlement();
  ledger.settleDirect = async () => stop;
  trade(custodyAccount);
  await work();
  assert.equal(stateNow(), BatchState.failed);
});

test("SET-7 no round ends before the completions are read up to its fence", async () => {
  const { ledger, work, trade, stateNow } = await openSettlement();
  const settle = ledger.settleDirect.bind(ledger);
  const lookup = ledger.lookup.bind(ledger);
  let sent = 0;
  ledger.settleDirect = async (batch) => {
    sent += 1;
    if (sent > 1) return stop;
    await settle(batch);
    return unanswered;
  };
  // The first submission is committed, but neither its update nor its completion can be read for a while.
  const { updates } = ledger;
  ledger.updates = async (after) => ({
    updates: [],
    through: after,
    recordTime: null,
    isLast: true,
  });
  ledger.lookup = async ({ dedupOffset: searchedTo }) => {
    return { kind: "absent", searchedTo, recordTime: null };
  };
  trade(custodyAccount);
  for (let cycles = 0; cycles < 4; cycles++) await work();
  assert.ok(sent > 1, "The batch must have been sent again");
  assert.equal(stateNow(), BatchState.processing);
  ledger.lookup = lookup;
  ledger.updates = updates;
  for (let cycles = 0; cycles < 3; cycles++) await work();
  assert.equal(stateNow(), BatchState.confirmed);
  assert.equal(ledger.settled.length, 1);
});

test("a batch is sent again ever later while the completions up to its fence cannot be read", async () => {
  const { ledger, work, trade, stateNow } = await openSettlement(0.5);
  const fence = ledger.fenceMember.bind(ledger);
  let [sent, fences] = [0, 0];
  ledger.settleDirect = async () => (++sent === 1 ? unanswered : stop);
  ledger.fenceMember = async (change) => {
    fences += 1;
    return fence(change);
  };
  const { lookup } = ledger;
  ledger.lookup = async ({ dedupOffset: searchedTo }) => {
    return { kind: "absent", searchedTo, recordTime: null };
  };
  trade(custodyAccount);
  // Five minutes, half of a round.
  for (let cycles = 0; cycles < 150; cycles++) await work();
  assert.ok(fences > 5 && fences < 20, `${fences} fences`);
  assert.equal(sent, fences + 1);
  assert.equal(stateNow(), BatchState.processing);
  ledger.lookup = lookup;
  for (let cycles = 0; cycles < 16; cycles++) await work();
  assert.equal(stateNow(), BatchState.failed);
});

test("SET-2 SET-7 a batch between two members whose answer is lost changes no credit of theirs", async () => {
  const { ledger, credits, work, trade, stateNow } = await openSettlement();
  const settle = ledger.settleDirect.bind(ledger);
  ledger.settleDirect = async (batch) => {
    await settle(batch);
    return unanswered;
  };
  trade(seller);
  await work();
  assert.equal(ledger.settled.length, 1);
  // The next cycle comes before the batch is looked up, and reads only the ledger's updates.
  await work(settings.pollMs);
  assert.equal(stateNow(), BatchState.confirmed);
  await work();
  assert.deepEqual(credits, []);
});
