// Proves that kills of the swap service do no harm: killed twice in each state, no leg moves alone, locked coins are
// released, and every swap ends with each step in the journal once.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { EventKind } from "../../src/core/generated/events.ts";
import { SwapReason, SwapState } from "../../src/core/swaps.ts";
import type { AcceptRequest } from "../../src/ports/swaps/liquidity-providers.ts";
import type { SwapRow } from "../../src/ports/swaps/swap-store.ts";
import type { Coins } from "../support/ledger/usable-coins.ts";
import { ScriptedProviders } from "../support/swaps/scripted-providers.ts";
import {
  type KillPoint,
  patientTimes,
  SwapHarness,
  type SwapTrader,
} from "../support/swaps/swap-harness.ts";

const unit = 10_000_000_000n;
const { quoted, traderAllocated, allocated, executing, settled, releasing, released } = SwapState;

let harness: SwapHarness;

before(async () => {
  harness = await SwapHarness.open(patientTimes);
  harness.start();
});

after(() => harness.close());

/**
 * Runs a new trader's swap; asserts that it settles or not as `isSettled` says, and that both sides have the right
 * coins.
 */
async function ends(
  isSettled: boolean,
  run: (trader: SwapTrader) => Promise<SwapRow>,
): Promise<SwapRow> {
  const trader = await harness.trader({ USDC: "100" });
  const had = await harness.maker.usable();
  const over = await harness.untilOver(await run(trader));
  const [usdc, cc] = isSettled ? [15n * unit, 100n * unit] : [0n, 0n];
  const gave: Coins = { USDC: 100n * unit - usdc, CC: cc };
  assert.deepEqual(
    await harness.usable(trader.party),
    gave,
    "The trader must have the right coins",
  );
  const has = await harness.maker.usable();
  assert.deepEqual(
    has,
    { USDC: had.USDC + usdc, CC: had.CC - cc },
    "The provider must have the right coins",
  );
  assert.equal(
    (await harness.devnet.admin.audit()).isSound,
    true,
    "The ledger's supply must be unchanged",
  );
  assert.equal(over.state, isSettled ? settled : released);
  return over;
}

async function isStruck(point: KillPoint, ended: () => Promise<SwapRow>): Promise<void> {
  harness.kill = point;
  await ended();
  assert.equal(harness.kill, null, `The kill at ${point.to} must have happened`);
}

/** Asserts that each step follows from the previous one and is in the journal once. */
function assertJournal(): number {
  const numbers = harness.venue.events.flatMap((event) =>
    event.kind === EventKind.swapMoved ? [event.moveNo] : [],
  );
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
    "The journal must have each step once, in order",
  );
  return numbers.length;
}

test("RFQ-1 RFQ-15 after a kill between storing a quote and reporting it, the swap is quoted", async () => {
  harness.providers = new ScriptedProviders({ maker: harness.honest() });
  harness.crash();
  await isStruck({ to: "keptQuote", isAfter: true }, () =>
    ends(true, (trader) => trader.swap("BUY")),
  );
});

test("RFQ-12 RFQ-15 a swap settles once although the service is killed in each of its states", async (t) => {
  harness.providers = new ScriptedProviders({ maker: harness.honest() });
  harness.crash();
  const before = harness.kills;
  let swaps = 0;
  const settles = async (run: (trader: SwapTrader) => Promise<SwapRow>) => {
    swaps++;
    return ends(true, run);
  };
  for (const to of [quoted, traderAllocated, allocated, executing, settled]) {
    for (const isAfter of [false, true]) {
      await isStruck({ to, isAfter }, () => settles((trader) => trader.swap("BUY")));
    }
  }
  await isStruck({ to: "keptQuote", isAfter: false }, () => settles((each) => each.swap("BUY")));
  for (const crashes of [
    { isQuoted: true, isAccepted: false },
    { isQuoted: false, isAccepted: true },
  ]) {
    await settles(async (trader) => {
      const incoming = await trader.request("BUY");
      await harness.until(incoming, ({ state }) => state === quoted);
      if (crashes.isQuoted) harness.crash();
      const accepted = await trader.accept(incoming);
      if (crashes.isAccepted) harness.crash();
      return trader.sign(accepted);
    });
  }
  assert.deepEqual(await harness.store.open(1_000), [], "Every swap must have ended");
  assert.equal(harness.providers.suspended.size, 0);
  const kills = harness.kills - before;
  t.diagnostic(`${swaps} swaps settled, ${kills} kills, ${assertJournal()} steps in the journal`);
});

test("RFQ-9 RFQ-14 RFQ-15 if the service is killed while both legs are released, each is released once", async (t) => {
  // The trader cancels before the provider locks; the provider locks nevertheless.
  const accept = async (request: AcceptRequest) => {
    const open = await harness.store.open(100);
    const swap = open.find(({ swapId }) => swapId === request.settlement.settlement_ref);
    if (swap !== undefined) await harness.store.requestAbort(swap.swapNo);
    return harness.maker.accept(request);
  };
  harness.providers = new ScriptedProviders({ maker: harness.honest({ accept }) });
  harness.crash();
  const before = harness.kills;
  let swaps = 0;
  for (const to of [releasing, released]) {
    for (const isAfter of [false, true]) {
      await isStruck({ to, isAfter }, async () => {
        swaps++;
        const over = await ends(false, (trader) => trader.swap("BUY"));
        assert.equal(over.reason, SwapReason.aborted);
        return over;
      });
    }
  }
  assert.deepEqual(await harness.store.open(1_000), [], "Every swap must have ended");
  const kills = harness.kills - before;
  t.diagnostic(`${swaps} swaps released, ${kills} kills, ${assertJournal()} steps in the journal`);
});
