// Proves swaps from request to end on a real ledger: a swap settles once by one transaction, or everything is returned.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SwapReason, SwapState } from "../../src/core/swaps.ts";
import type { SwapContract } from "../../src/ports/swaps/swap-ledger.ts";
import { ScriptedProviders } from "../support/swaps/scripted-providers.ts";
import { patientTimes, quickTimes, SwapHarness } from "../support/swaps/swap-harness.ts";
import { noticesOf } from "../support/swaps/swap-notices.ts";

let harness: SwapHarness;

before(async () => {
  harness = await SwapHarness.open(patientTimes);
  harness.start();
});

after(() => harness.close());

/** Returns a party's amount of an asset, locked or not. */
async function held(party: string, asset: string): Promise<number> {
  const { holdings } = await harness.devnet.admin.audit();
  const own = holdings.filter(
    (each: { instrument: string; owner: string }) =>
      each.owner === party && each.instrument.startsWith(asset),
  );
  return own.reduce((sum: number, { amount }: { amount: string }) => sum + Number(amount), 0);
}

test("RFQ-11 RFQ-12 one transaction of the operator moves both legs of a swap", async () => {
  const trader = await harness.trader({ USDC: "100" });
  const swap = await trader.swap("BUY");
  const over = await harness.untilOver(swap);
  assert.deepEqual([over.state, over.reason], [SwapState.settled, SwapReason.none]);
  assert.equal(await held(trader.party, "CC"), 100);
  assert.equal(await held(trader.party, "USDC"), 85);
  assert.match(over.updateId ?? "", /^1220/);
  const steps = (await harness.store.moves(swap.swapNo)).map(({ to }) => to);
  assert.deepEqual(steps, [
    SwapState.requested,
    SwapState.quoted,
    SwapState.accepted,
    SwapState.traderAllocated,
    SwapState.allocated,
    SwapState.executing,
    SwapState.settled,
  ]);
  const notices = await noticesOf(harness.sql, swap.swapId);
  assert.deepEqual(
    notices.map(({ kind, body }) => ({ kind, ...body })),
    [{ kind: "result", status: "settled", update_id: over.updateId }],
  );
});

test("RFQ-20 a swap locks no coins that a wallet-funded account needs for its orders and fills", async (t) => {
  t.after(() => {
    harness.coinsFree = () => null;
    harness.coinsHeld = () => 0n;
  });
  const trader = await harness.trader({ USDC: "100" });
  const swap = await trader.request("BUY");
  // The swap costs 15 USDC: 100 CC at 0.15.
  harness.coinsHeld = () => null;
  harness.coinsFree = (account, asset) =>
    account === trader.account && asset === 0 ? 14_999_999n : null;
  await assert.rejects(trader.accept(swap), /^Error: only 14999999 of USDC$/);
  harness.coinsFree = () => 15_000_000n;
  const taken = await trader.accept(swap);
  // Only the amount held for the swap counts, because orders may spend other free coins.
  harness.coinsHeld = () => 14_999_999n;
  await assert.rejects(trader.sign(taken), /^Error: only 14999999 of USDC$/);
  assert.equal((await harness.store.swap(swap.swapNo))?.state, SwapState.accepted);
  harness.coinsHeld = () => 15_000_000n;
  harness.coinsFree = () => 0n;
  await trader.sign(taken);
  assert.equal((await harness.untilOver(swap)).state, SwapState.settled);
});

test("RFQ-20 execute checks the coins again, and nothing is prepared for signing before the accepted quote is journaled", async (t) => {
  t.after(() => {
    harness.coinsFree = () => null;
    harness.coinsHeld = () => 0n;
  });
  const trader = await harness.trader({ USDC: "100" });
  harness.coinsHeld = () => null;
  const swap = await trader.accept(await trader.request("BUY"));
  harness.coinsFree = () => 15_000_000n;
  let looks = 0;
  // The venue books the hold only after some checks.
  harness.coinsHeld = () => {
    looks += 1;
    return looks > 6 ? 15_000_000n : null;
  };
  const prepared = await trader.prepare(swap);
  assert(looks > 6);
  // The wallet's coins have left before it signs.
  harness.coinsFree = () => 4_000_000n;
  harness.coinsHeld = () => 14_999_999n;
  await assert.rejects(trader.execute(prepared), /^Error: only 14999999 of USDC$/);
  assert.equal((await harness.store.swap(swap.swapNo))?.signature, null);
  harness.coinsHeld = () => 15_000_000n;
  await trader.execute(prepared);
  assert.equal((await harness.untilOver(swap)).state, SwapState.settled);
});

test("RFQ-40 a quote that the trader's coins cannot pay is not accepted, until the coins are there", async () => {
  const trader = await harness.trader({ USDC: "14" });
  const swap = await trader.request("BUY");
  // The swap costs 15 USDC.
  await assert.rejects(trader.accept(swap), /^Error: only 14000000 of USDC$/);
  const refused = await harness.store.swap(swap.swapNo);
  assert.deepEqual([refused?.state, refused?.taken], [SwapState.quoted, null]);
  assert.equal(await harness.store.unkept(trader.account, 0), 0);
  await harness.devnet.admin.tap(trader.party, "USDC", "1");
  await trader.sign(await trader.accept(swap));
  assert.equal((await harness.untilOver(swap)).state, SwapState.settled);
});

test("RFQ-3 RFQ-40 a quote that lapses while the coins are read is not accepted", async (t) => {
  t.after(() => {
    harness.onWait = () => undefined;
    harness.aheadMs = 0;
    harness.start();
  });
  const trader = await harness.trader({ USDC: "100" });
  const swap = await harness.until(
    await trader.request("BUY"),
    ({ state }) => state >= SwapState.quoted,
  );
  // Nobody reads the ledger now, so the acceptance waits. Meanwhile the quote's time passes.
  harness.pause();
  harness.onWait = () => {
    harness.aheadMs = 60_000;
  };
  await assert.rejects(trader.accept(swap), /^Error: quoteLapsed$/);
  assert(harness.aheadMs > 0, "The acceptance must have waited");
  assert.equal((await harness.store.swap(swap.swapNo))?.taken, null);
});

test("RFQ-13 a wallet can lock its leg without a transaction prepared by the venue", async () => {
  const trader = await harness.trader({ USDC: "100" });
  const swap = await trader.accept(await trader.request("BUY"), true);
  await trader.lockItself(swap);
  const over = await harness.untilOver(swap);
  assert.deepEqual([over.state, over.isWallet], [SwapState.settled, true]);
  assert.deepEqual([over.prepared, over.signature], [null, null]);
  assert.equal(await held(trader.party, "CC"), 100);
});

test("RFQ-14 coins whose lock has expired can pay for the next swap", async () => {
  const trader = await harness.trader({ USDC: "15" });
  harness.providers = new ScriptedProviders({
    maker: harness.honest({ accept: async () => ({ kind: "rejected", reason: "no" }) }),
  });
  harness.restartWith({ ...quickTimes, settleMs: 1_000 });
  const lapsed = await harness.untilOver(await trader.swap("BUY"));
  assert.deepEqual([lapsed.state, lapsed.reason], [SwapState.released, SwapReason.declined]);
  assert.equal((await harness.store.moves(lapsed.swapNo)).at(-1)?.details, '{"by":"lapse"}');
  harness.providers = new ScriptedProviders({ maker: harness.honest() });
  harness.restartWith(patientTimes);
  const over = await harness.untilOver(await trader.swap("BUY"));
  assert.equal(over.state, SwapState.settled);
});

test("RFQ-17 strangers' contracts with a swap's name neither hide the swap's own contracts nor count against its provider", async () => {
  const trader = await harness.trader({ USDC: "100" });
  const swap = await trader.accept(await trader.request("BUY"));
  const through = (await harness.store.cursor()) ?? 0;
  const { party: provider } = harness.maker;
  const [thief, fence] = ["thief::1220aa", "fence::1220bb"];
  const named = {
    swapId: swap.swapId,
    offset: 1,
    legs: [],
    executor: harness.devnet.ledger.endpoint.operator,
  };
  const terms = { ...named, allocateBeforeMs: null, settleBeforeMs: null };
  const sides = [
    { trader: thief, provider: fence },
    { trader: swap.trader.party, provider: fence },
    { trader: thief, provider },
  ];
  const strange = sides.flatMap((side, index) =>
    (["proposal", "trade"] as const).flatMap((kind) =>
      Array.from({ length: 40 }, (_, count): SwapContract => {
        return { ...terms, ...side, kind, contractId: `${kind}-${index}-${count}` };
      }),
    ),
  );
  await harness.store.advance(strange, [], through);
  const over = await harness.untilOver(await trader.sign(swap));
  assert.deepEqual([over.state, over.reason], [SwapState.settled, SwapReason.none]);
});
