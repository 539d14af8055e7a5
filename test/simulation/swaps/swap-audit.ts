// An auditor of swaps, which reads only the ledger and the recorded steps. A swap is settled exactly if one update
// moved both its legs; otherwise it has moved no coin. An amount is never free while a lock binds it. Each swap ends by
// valid successive steps, and each step is in the journal once, in order.

import assert from "node:assert/strict";
import { EventKind, type VenueEvent } from "../../../src/core/generated/events.ts";
import { isSwapOver, SwapState } from "../../../src/core/swaps.ts";
import type { Instrument, Party } from "../../../src/ports/ledger/ledger.ts";
import type { SwapPayment } from "../../../src/ports/swaps/swap-ledger.ts";
import type { SwapStep } from "../../../src/ports/swaps/swap-store.ts";
import { termsOf } from "../../../src/services/swaps/swap-terms.ts";
import { testMarkets } from "../../support/machine/test-markets.ts";
import type { SimulatedLedger } from "../ledger/simulated-ledger.ts";
import type { SimulatedSwapLedger } from "../ledger/simulated-swap-ledger.ts";
import type { SimulatedSwapRows } from "./simulated-swap-rows.ts";

export interface SwapSubjects {
  readonly rows: SimulatedSwapRows;
  readonly ledger: SimulatedLedger;
  readonly swaps: SimulatedSwapLedger;
  readonly instruments: ReadonlyMap<number, Instrument>;
  /** Initial holdings, in units of the ledger; the key is `party instrument`. */
  readonly given: ReadonlyMap<string, bigint>;
}

export class SwapAudit {
  readonly #journaled: { readonly moveNo: number; readonly swapNo: number; readonly to: number }[] =
    [];
  #fault: string | null = null;

  take(event: VenueEvent): void {
    if (event.kind === EventKind.swapMoved)
      this.#journaled.push({ moveNo: event.moveNo, swapNo: event.swapNo, to: event.to });
  }

  /** Checks a step when it is taken. */
  stepped({ swap, to }: SwapStep, ledger: SimulatedLedger): void {
    if (to !== SwapState.released) return;
    const { nowMs } = ledger.participant;
    const isBound = ledger.participant.active().some(({ lock }) => {
      return lock?.reference === swap.swapId && lock.settleBeforeMs > nowMs;
    });
    if (isBound) this.#fault ??= `swap ${swap.swapNo} is released while a lock binds its coins`;
  }

  /** Compares everything. Call it when swaps have finished. */
  judge(subjects: SwapSubjects): void {
    assert.equal(this.#fault, null, "Coins must not be free while a lock binds them");
    this.#judgeEnds(subjects);
    this.#judgeSteps(subjects);
    this.#judgeCoins(subjects);
  }

  #judgeEnds({ rows, swaps }: SwapSubjects): void {
    const updates = new Map<string, string[]>();
    for (const { swapId, updateId } of swaps.settled)
      updates.set(swapId, [...(updates.get(swapId) ?? []), updateId]);
    for (const { swapNo, swapId, state, updateId } of rows.all) {
      assert(isSwapOver(state), `swap ${swapNo} must end`);
      const isSettled = state === SwapState.settled;
      assert.deepEqual(
        updates.get(swapId) ?? [],
        isSettled ? [updateId] : [],
        `swap ${swapNo} must be settled on the ledger exactly if its state says so`,
      );
    }
  }

  #judgeSteps({ rows }: SwapSubjects): void {
    const states = new Map<number, SwapState>();
    for (const [index, { moveNo, swapNo, from, to, seq }] of rows.allMoves.entries()) {
      assert.equal(
        states.get(swapNo) ?? SwapState.none,
        from,
        "A step must follow the previous step",
      );
      states.set(swapNo, to);
      assert(seq !== null, "Every step must be in the journal");
      assert.deepEqual(
        this.#journaled[index],
        { moveNo, swapNo, to },
        "The journal must have each step once, in order",
      );
    }
    assert.equal(
      this.#journaled.length,
      rows.allMoves.length,
      "The journal must have no other steps",
    );
    for (const { swapNo, state } of rows.all)
      assert.equal(states.get(swapNo), state, "A swap must have the state of its last step");
  }

  /** Checks that traders and providers own exactly their initial coins, changed by the payments of settled swaps. */
  #judgeCoins({ rows, ledger, instruments, given }: SwapSubjects): void {
    const expected = new Map(given);
    const move = (party: Party, id: string, amount: bigint): void => {
      expected.set(`${party} ${id}`, (expected.get(`${party} ${id}`) ?? 0n) + amount);
    };
    for (const { sender, receiver, instrument, amount } of paymentsOf(rows, instruments)) {
      move(sender, instrument.id, -amount);
      move(receiver, instrument.id, amount);
    }
    for (const [name, amount] of expected) {
      // Skip members: settlement-audit.ts checks their coins.
      if (!given.has(name)) continue;
      const [party = "", id = ""] = name.split(" ");
      const own = ledger.coins(party).filter(({ instrument }) => instrument.id === id);
      const held = own.reduce((sum, coin) => sum + coin.amount, 0n);
      assert.equal(held, amount, `A swap must move both legs or none: coins of ${name}`);
    }
  }
}

/** Returns the payments of settled swaps, by the terms that were accepted. */
export function paymentsOf(
  rows: SimulatedSwapRows,
  instruments: SwapSubjects["instruments"],
): SwapPayment[] {
  return rows.all
    .filter(({ state }) => state === SwapState.settled)
    .flatMap((swap) => termsOf(swap, testMarkets.market(swap.market), instruments).legs);
}
