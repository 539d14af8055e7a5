// Proves that providers which refuse, stay silent, are slow, lie, answer twice or die do no harm: no leg moves alone,
// locked coins are released, and every swap ends.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SwapReason, SwapState } from "../../src/core/swaps.ts";
import type { SwapTimes } from "../../src/engine/swaps/swap-machine.ts";
import type { AcceptOutcome, AcceptRequest } from "../../src/ports/swaps/liquidity-providers.ts";
import type { SwapRow } from "../../src/ports/swaps/swap-store.ts";
import type { Coins } from "../support/ledger/usable-coins.ts";
import { type ProviderScript, ScriptedProviders } from "../support/swaps/scripted-providers.ts";
import {
  patientTimes,
  quickTimes,
  SwapHarness,
  type SwapTrader,
} from "../support/swaps/swap-harness.ts";

const unit = 10_000_000_000n;

let harness: SwapHarness;
let had: Coins;
let settled = 0;
let expired = 0;
const whole: Coins = { USDC: 100n * unit, CC: 0n };
const released: {
  readonly swap: SwapRow;
  readonly trader: SwapTrader;
  readonly reason: SwapReason;
}[] = [];

before(async () => {
  harness = await SwapHarness.open(quickTimes);
  had = await harness.maker.usable();
  harness.start();
});

after(() => harness.close());

function provided(change: Partial<ProviderScript>, times: SwapTimes): void {
  harness.providers = new ScriptedProviders({ maker: harness.honest(change) });
  harness.restartWith(times);
}

async function lockAndDie(request: AcceptRequest): Promise<AcceptOutcome> {
  await harness.maker.lockInTurn(request);
  throw new Error("gone after locking");
}

async function lockTwice(request: AcceptRequest): Promise<AcceptOutcome> {
  await harness.maker.lockInTurn(request);
  return harness.maker.lockInTurn(request, (units) => units, false);
}

/** Times in which a swap settles on a slow machine, and after which a lock that is left over soon expires. */
const settlingTimes = { ...patientTimes, allocateMs: 20_000, settleMs: 20_000 };

/** The lock that is left over expires while the other tests run, so its swap is the first one. */
const settling = [
  ["locks its leg twice", { accept: lockTwice }],
  ["answers twice", { answers: 2 }],
  ["dies after it locked", { accept: lockAndDie }],
] as const;

for (const [what, change] of settling) {
  test(`RFQ-2 RFQ-5 RFQ-12 a provider that ${what} settles the swap once`, async () => {
    provided(change, settlingTimes);
    const trader = await harness.trader({ USDC: "100" });
    const over = await harness.untilOver(await trader.swap("BUY"));
    settled++;
    assert.equal(over.state, SwapState.settled);
    assert.equal((await harness.store.quotes(over.swapNo)).length, 1);
    assert.deepEqual(await harness.usable(trader.party), { USDC: 85n * unit, CC: 100n * unit });
  });
}

/** Times of a swap whose provider does nothing in time. */
const lateTimes = { ...quickTimes, providerMs: 6_000 };

const lie = (request: AcceptRequest) => harness.maker.lockInTurn(request, (units) => units - 1n);

const endings = [
  ["declines", SwapReason.declined, async () => ({ kind: "rejected", reason: "no" }) as const],
  ["is silent", SwapReason.providerLate, () => new Promise<never>(() => undefined)],
  [
    "reports a lock that it did not make",
    SwapReason.providerLate,
    async () =>
      ({
        kind: "accepted",
        answer: { allocation_cid: "", trade_cid: "", update_id: "" },
      }) as const,
  ],
  ["locks another amount", SwapReason.wrongTerms, lie],
  [
    "locks too late",
    SwapReason.providerLate,
    async (request: AcceptRequest) => {
      const open = await harness.store.open(100);
      const swap = open.find(({ swapId }) => swapId === request.settlement.settlement_ref);
      if (swap !== undefined)
        await harness.until(swap, ({ state }) => state === SwapState.releasing);
      return harness.maker.accept(request);
    },
  ],
] as const;

for (const [what, reason, accept] of endings) {
  test(`RFQ-5 the swap of a provider that ${what} is released`, async () => {
    // A provider that does something has enough time for it.
    provided({ accept }, reason === SwapReason.providerLate ? lateTimes : quickTimes);
    const trader = await harness.trader({ USDC: "100" });
    const swap = await trader.swap("BUY");
    released.push({ swap, trader, reason });
    const suspended = reason === SwapReason.wrongTerms ? 1 : 0;
    const left = await harness.until(
      swap,
      // A provider is suspended just after the step is stored.
      ({ state }) => state >= SwapState.releasing && harness.providers.suspended.size >= suspended,
    );
    assert.equal(left.reason, reason);
    assert.equal(harness.providers.suspended.size, suspended);
  });
}

test("RFQ-14 a trader can release its own coins after its provider declined", async () => {
  provided({ accept: async () => ({ kind: "rejected", reason: "no" }) }, patientTimes);
  const trader = await harness.trader({ USDC: "100" });
  const swap = await trader.swap("BUY");
  released.push({ swap, trader, reason: SwapReason.declined });
  await harness.until(swap, ({ state }) => state === SwapState.releasing);
  await trader.sign(swap);
  await harness.untilOver(swap);
  const last = (await harness.store.moves(swap.swapNo)).at(-1);
  assert.equal(last?.details, '{"by":"withdrawal"}');
  assert.deepEqual(await harness.usable(trader.party), whole);
});

test("RFQ-1 RFQ-2 a quote that is late or does not match the request is dropped", async () => {
  const { party } = harness.maker;
  const quoteOf = (qty: string) => ({
    ...{ quote_id: "q", price: "0.15", qty, provider_party: party },
    valid_until_ms: Date.now() + 10_000,
  });
  for (const quote of [async () => quoteOf("99"), () => new Promise<never>(() => undefined)]) {
    provided({ quote }, { ...quickTimes, quoteWindowMs: 3_000 });
    const trader = await harness.trader({ USDC: "100" });
    const over = await harness.untilOver(await trader.request("BUY"));
    expired++;
    assert.deepEqual([over.state, over.reason], [SwapState.expired, SwapReason.noQuote]);
    assert.deepEqual(await harness.usable(trader.party), whole);
  }
});

test("RFQ-14 all swaps with faulty providers end, and no coins stay locked", async (t) => {
  for (const { swap, trader, reason } of released) {
    const over = await harness.untilOver(swap);
    assert.deepEqual([over.state, over.reason], [SwapState.released, reason]);
    assert.deepEqual(await harness.usable(trader.party), whole);
  }
  // Wait until the maker's other locks have expired.
  const units = BigInt(settled) * unit;
  await harness.untilUsable({ USDC: had.USDC + 15n * units, CC: had.CC - 100n * units });
  assert.deepEqual(await harness.store.open(1_000), []);
  assert.equal(
    (await harness.devnet.admin.audit()).isSound,
    true,
    "The ledger's supply must be unchanged",
  );
  const counts = `${settled} swaps settled, ${released.length} released, ${expired} expired`;
  t.diagnostic(`${counts}, none under way, no coin locked`);
});
