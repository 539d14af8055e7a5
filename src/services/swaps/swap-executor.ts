// Advances one swap as far as possible: checks what its state waits for and takes the next step. Only the calls to
// providers are kept in memory; everything else is in the database and on the ledger, so a restart continues where the
// last run stopped.

import { assert, present, unreachable } from "../../core/assert.ts";
import type { MarketTable } from "../../core/markets.ts";
import { isSwapOver, SwapReason, SwapState } from "../../core/swaps.ts";
import type { SwapEvent, SwapTimes } from "../../engine/swaps/swap-machine.ts";
import type { ContractId, Holding, Instrument } from "../../ports/ledger/ledger.ts";
import type { Log } from "../../ports/log.ts";
import type { AcceptOutcome, LiquidityProviders } from "../../ports/swaps/liquidity-providers.ts";
import type { SwapLedger, SwapPayment, SwapTerms } from "../../ports/swaps/swap-ledger.ts";
import { SwapPhase, type SwapRow, type SwapStore } from "../../ports/swaps/swap-store.ts";
import { type LockedLegs, lockedLegs } from "./locked-legs.ts";
import type { QuoteRounds } from "./quote-rounds.ts";
import { commandIdOf, SwapAttempts } from "./swap-attempts.ts";
import type { SwapFollower } from "./swap-follower.ts";
import { markProvider, type SwapSteps } from "./swap-steps.ts";
import { acceptRequestOf, paidAsset, termsOf } from "./swap-terms.ts";

export interface SwapExecutorParts {
  readonly store: SwapStore;
  readonly ledger: SwapLedger;
  readonly providers: LiquidityProviders;
  readonly follower: SwapFollower;
  readonly rounds: QuoteRounds;
  readonly steps: SwapSteps;
  readonly times: SwapTimes;
  readonly table: MarketTable;
  readonly instruments: ReadonlyMap<number, Instrument>;
  /** Lets the trader's party sign on a ledger that hosts wallets; does nothing elsewhere. */
  readonly hostSigner: (party: string, publicKey: string) => Promise<void>;
  readonly now: () => number;
  /** Chooses coins that pay `units` from `ascending`, which has the smallest first; null if they do not suffice. */
  readonly chooseCoins: (ascending: readonly Holding[], units: bigint) => ContractId[] | null;
  /** Delay before a settlement is sent again after `refusals` refusals. */
  readonly retryDelayMs: (refusals: number) => number;
  readonly newId: () => string;
  /** Called when something happened that a swap may wait for. */
  readonly wake: () => void;
  /** Called when coins of a wallet-funded account were locked, so that the account's mirror is outdated. */
  readonly onMemberLocked: () => void;
  readonly log: Log;
}

/** Delay before checking again for coins that another lock is about to return as change. */
const coinsLookMs = 250;

export class SwapExecutor {
  readonly #parts: SwapExecutorParts;
  readonly #attempts: SwapAttempts;
  /** The call to each swap's provider, by swap number: in progress, or its outcome. */
  readonly #calls = new Map<number, AcceptOutcome | "calling">();

  constructor(parts: SwapExecutorParts) {
    this.#parts = parts;
    const { lapseMs, marginMs } = parts.times;
    this.#attempts = new SwapAttempts({ ...parts, lapseMs, marginMs });
  }

  /** Takes all steps possible now. `isFresh`: the ledger was just read to its end. */
  async advance(swap: SwapRow, isFresh: boolean): Promise<void> {
    // In `accepted`, #awaitTrader stops the swap, after it has checked whether the trader's lock is on the ledger.
    if (swap.state !== SwapState.accepted && (await this.#stop(swap))) return;
    switch (swap.state) {
      case SwapState.requested:
        this.#parts.rounds.begin(swap);
        return;
      case SwapState.quoted:
        if (!(await this.#take(swap, { kind: "looked" }))) await this.#readFunds(swap);
        return;
      case SwapState.accepted:
        return this.#awaitTrader(swap, isFresh);
      case SwapState.traderAllocated:
        return this.#awaitProvider(swap);
      case SwapState.allocated:
        return this.#begin(swap);
      case SwapState.executing:
        return this.#settle(swap);
      case SwapState.releasing:
        return this.#release(swap, isFresh);
      case SwapState.none:
      case SwapState.settled:
      case SwapState.expired:
      case SwapState.cancelled:
      case SwapState.released:
        return;
      default:
        unreachable(swap.state);
    }
  }

  /** Aborts the swap if the operator requested it or the trader's account is frozen. */
  async #stop(swap: SwapRow): Promise<boolean> {
    if (swap.isAbortAsked && (await this.#take(swap, { kind: "aborted" }))) return true;
    return swap.isFrozen && this.#take(swap, { kind: "frozen" });
  }

  /** Reads what the trader has free, if that was requested. Coins of its signed locks are not free. Spec RFQ-40. */
  async #readFunds(swap: SwapRow): Promise<void> {
    if (swap.prepareFor !== SwapPhase.lock || swap.freeUnits !== null) return;
    const { store, ledger, hostSigner, table, instruments, now } = this.#parts;
    const { party, publicKey } = swap.trader;
    const paid = paidAsset(swap, table.market(swap.market));
    const instrument = present(instruments.get(paid.id), "the asset must be on the ledger");
    await hostSigner(party, publicKey);
    const coins = await ledger.freeCoins(party, instrument, now());
    const { signed } = await store.namedCoins(swap);
    const free = coins.filter(({ contractId }) => !signed.includes(contractId));
    await store.keepFunds(
      swap.swapNo,
      free.reduce((sum, { amount }) => sum + amount, 0n),
    );
  }

  async #awaitTrader(swap: SwapRow, isFresh: boolean): Promise<void> {
    const terms = this.#termsOf(swap);
    const { proposal, traderLock } = await this.#legs(swap, terms);
    if (proposal !== null && traderLock !== null) {
      const details = { proposal: proposal.contractId, allocation: traderLock.contractId };
      await this.#take(swap, { kind: "traderLocked" }, details);
      if (swap.isMember) this.#parts.onMemberLocked();
      return;
    }
    // Stop only after a fresh reading: the trader's lock may be on the ledger already.
    if (isFresh && (await this.#stop(swap))) return;
    if (swap.signature !== null || swap.phase === SwapPhase.lock) {
      await this.#execute(swap, SwapPhase.lock);
      return;
    }
    if (isFresh && (await this.#take(swap, { kind: "looked" }))) return;
    if (swap.prepareFor === SwapPhase.lock) await this.#prepareLock(swap, terms);
  }

  async #prepareLock(swap: SwapRow, terms: SwapTerms): Promise<void> {
    if (swap.prepared !== null || swap.prepareFault !== null) return;
    const { store, ledger, hostSigner, chooseCoins, now } = this.#parts;
    const { party, publicKey } = swap.trader;
    await hostSigner(party, publicKey);
    const own = this.#paymentOf(swap);
    const coins = await ledger.freeCoins(party, own.instrument, now());
    const ascending = [...coins].sort((a, b) => (a.amount < b.amount ? -1 : 1));
    const choose = (some: readonly Holding[]) => chooseCoins(some, own.amount);
    // If two locks spend the same coin, the ledger refuses the second one. So leave out the coins of signed locks and,
    // if possible, those of prepared locks.
    const { signed, prepared } = await store.namedCoins(swap);
    const open = ascending.filter(({ contractId }) => !signed.includes(contractId));
    const unnamed = open.filter(({ contractId }) => !prepared.includes(contractId));
    const inputs = choose(unnamed) ?? choose(open);
    if (inputs === null && choose(ascending) !== null) {
      // The coins would suffice without a lock that is already signed. Wait until that lock returns its change.
      await store.postpone(swap.swapNo, now() + coinsLookMs);
      return;
    }
    if (inputs === null) {
      const message = `the party has not enough free ${own.instrument.id} on the ledger`;
      await store.prepared(swap, message);
      return;
    }
    const answer = await ledger.prepareLock({
      commandId: commandIdOf(swap.swapId, SwapPhase.lock),
      terms,
      inputs,
      requestedAtMs: now(),
      commitBeforeMs: swap.dueMs,
    });
    if (answer.kind === "prepared") await store.prepared(swap, answer.prepared, inputs);
    else await store.prepared(swap, answer.message);
  }

  /**
   * Whether the trader caused the refusal of its lock, by spending the lock's coins elsewhere. Always false for a
   * member, because the operator may have moved a member's coins to settle fills. Spec RFQ-28.
   */
  async #isTradersDoing(swap: SwapRow): Promise<boolean> {
    const { ledger, now } = this.#parts;
    if (swap.isMember) return false;
    const { party } = swap.trader;
    const coins = await ledger.freeCoins(party, this.#paymentOf(swap).instrument, now());
    return !swap.inputs.every((input) => coins.some(({ contractId }) => contractId === input));
  }

  /** Submits what the trader signed. */
  async #execute(swap: SwapRow, phase: SwapPhase): Promise<void> {
    const { ledger } = this.#parts;
    const { prepared, signature } = swap;
    const { party } = swap.trader;
    if (prepared === null || signature === null) return;
    const deadlineMs = phase === SwapPhase.lock ? swap.dueMs : swap.settleBeforeMs;
    const result = await this.#attempts.run(swap, {
      ...{ phase, actAs: party, deadlineMs, isSigned: true },
      send: (change) => ledger.execute({ ...change, prepared, party, signature }),
      ...(phase === SwapPhase.lock ? { isTradersDoing: () => this.#isTradersDoing(swap) } : {}),
    });
    if (result.kind === "committed") this.#parts.wake();
  }

  async #awaitProvider(swap: SwapRow): Promise<void> {
    const terms = this.#termsOf(swap);
    const legs = await this.#legs(swap, terms);
    const { trade, traderLock, providerLock, proposal, isWrong } = legs;
    if (isWrong) {
      await this.#take(swap, { kind: "wrongTerms" });
      return;
    }
    if (traderLock === null) {
      await this.#take(swap, { kind: "withdrawn" });
      return;
    }
    if (trade !== null && providerLock !== null) {
      const details = { trade: trade.contractId, allocation: providerLock.contractId };
      await this.#take(swap, { kind: "bothLocked" }, details);
      return;
    }
    const call = this.#calls.get(swap.swapNo);
    const isDeclined = call !== undefined && call !== "calling" && call.kind === "rejected";
    if (isDeclined) {
      await this.#take(swap, { kind: "declined" }, { words: call.reason.slice(0, 200) });
      return;
    }
    if (await this.#take(swap, { kind: "looked" })) return;
    if (call === undefined && proposal !== null) this.#call(swap, terms, proposal.contractId);
  }

  /**
   * Sends the accepted quote to the provider, which then locks its leg. Only a refusal is trusted; every other answer
   * is verified on the ledger.
   */
  #call(swap: SwapRow, terms: SwapTerms, proposalCid: string): void {
    const { providers, ledger, wake } = this.#parts;
    const { swapNo, taken } = swap;
    assert(taken !== null, "a quote must have been accepted");
    const request = acceptRequestOf(swap, terms, ledger.operator, proposalCid);
    this.#calls.set(swapNo, "calling");
    const keep = (outcome: AcceptOutcome) => {
      this.#calls.set(swapNo, outcome);
      wake();
    };
    providers
      .acceptAndAllocate(taken.provider, request, swap.dueMs)
      .then(keep, (error: unknown) => keep({ kind: "unknown", message: String(error) }));
  }

  async #begin(swap: SwapRow): Promise<void> {
    const { traderLock, providerLock } = await this.#legs(swap, this.#termsOf(swap));
    if (traderLock === null || providerLock === null) {
      await this.#take(swap, { kind: "withdrawn" });
      return;
    }
    await this.#take(swap, { kind: "begun" });
  }

  async #settle(swap: SwapRow): Promise<void> {
    const { store, ledger, now, retryDelayMs } = this.#parts;
    const operation = await this.#operation(swap);
    if (operation === null && swap.phase !== SwapPhase.settle) {
      // A leg was withdrawn before anything was sent.
      await this.#take(swap, { kind: "refused", isFinal: true });
      return;
    }
    const result = await this.#attempts.run(swap, {
      phase: SwapPhase.settle,
      actAs: ledger.operator,
      deadlineMs: swap.settleBeforeMs,
      // The contracts may be missing because the settlement already sent has consumed them.
      send: operation && ((change) => ledger.settleSwap({ ...change, ...operation })),
    });
    if (result.kind === "waits") return;
    const current = present(await store.swap(swap.swapNo), "the swap must still be stored");
    if (result.kind === "committed") {
      const { updateId, offset } = result;
      const details = { update_id: updateId };
      await this.#take(current, { kind: "committed" }, details, { settled: { updateId, offset } });
      return;
    }
    const { isFinal, message } = result;
    // The stored count includes this refusal, but the state machine expects the count before it.
    const before = { ...current, refusals: Math.max(0, current.refusals - 1) };
    if (await this.#take(before, { kind: "refused", isFinal }, { words: message.slice(0, 200) }))
      return;
    const pauseMs = retryDelayMs(Math.max(1, current.refusals));
    await store.postpone(swap.swapNo, now() + pauseMs);
  }

  async #release(swap: SwapRow, isFresh: boolean): Promise<void> {
    const { ledger, follower } = this.#parts;
    const terms = this.#termsOf(swap);
    const legs = await this.#legs(swap, terms);
    const by = isFresh ? freedBy(swap, legs, follower.ledgerMs) : null;
    if (by !== null) {
      await this.#take(swap, { kind: "freed" }, { by });
      return;
    }
    const operation = await this.#operation(swap);
    if (operation !== null || swap.phase === SwapPhase.cancel) {
      const result = await this.#attempts.run(swap, {
        phase: SwapPhase.cancel,
        actAs: ledger.operator,
        deadlineMs: swap.settleBeforeMs,
        send: operation && ((change) => ledger.cancelSwap({ ...change, ...operation })),
      });
      if (result.kind === "committed") await this.#cancelled(swap.swapNo, result.updateId);
      return;
    }
    if (swap.signature !== null) await this.#execute(swap, SwapPhase.withdraw);
    else if (swap.isMember || swap.phase === SwapPhase.reclaim) await this.#reclaim(swap, legs);
    else if (swap.prepareFor === SwapPhase.withdraw) await this.#prepareWithdrawal(swap, legs);
  }

  /** Withdraws a member's leg under the authority it gave the operator. */
  async #reclaim(swap: SwapRow, { traderLock }: LockedLegs): Promise<void> {
    const { store, ledger, now } = this.#parts;
    const { swapNo, swapId, trader } = swap;
    const operation = traderLock === null ? null : await ledger.memberOperation(trader.party);
    if (operation === null && swap.phase !== SwapPhase.reclaim) return;
    const [leg] = traderLock?.legs ?? [];
    const allocation = traderLock &&
      leg && { contractId: traderLock.contractId, admin: leg.instrument.admin };
    const result = await this.#attempts.run(swap, {
      phase: SwapPhase.reclaim,
      actAs: ledger.operator,
      deadlineMs: swap.settleBeforeMs,
      send:
        operation && allocation
          ? (change) => ledger.withdrawLock({ ...change, operation, swapId, allocation })
          : null,
    });
    const ended = { isRefusal: false, isLockFailed: false, fault: null };
    if (result.kind === "committed") await store.endPhase(swapNo, { lookMs: now(), ...ended });
  }

  async #cancelled(swapNo: number, updateId: string): Promise<void> {
    const current = await this.#parts.store.swap(swapNo);
    if (current !== null)
      await this.#take(current, { kind: "freed" }, { by: "cancel", update_id: updateId });
  }

  async #prepareWithdrawal(swap: SwapRow, legs: LockedLegs): Promise<void> {
    if (swap.prepared !== null || swap.prepareFault !== null) return;
    const { store, ledger } = this.#parts;
    const { traderLock, proposal } = legs;
    const admin = traderLock?.legs[0]?.instrument.admin;
    if (traderLock === null || admin === undefined) {
      await store.prepared(swap, "the trader's payment is not locked");
      return;
    }
    const answer = await ledger.prepareWithdrawal({
      commandId: commandIdOf(swap.swapId, SwapPhase.withdraw),
      trader: swap.trader.party,
      allocation: { contractId: traderLock.contractId, admin },
      proposalCid: proposal?.contractId ?? null,
      commitBeforeMs: swap.settleBeforeMs,
    });
    await store.prepared(swap, answer.kind === "prepared" ? answer.prepared : answer.message);
  }

  /** The trade with both allocations; null unless all three exist. */
  async #operation(swap: SwapRow) {
    const { trade, traderLock, providerLock } = await this.#legs(swap, this.#termsOf(swap));
    if (trade === null || traderLock === null || providerLock === null) return null;
    const allocations = [traderLock, providerLock].map(({ contractId, legs }) => ({
      contractId,
      admin: present(legs[0], "an allocation must pay for a leg of the swap").instrument.admin,
    }));
    return { tradeCid: trade.contractId, allocations };
  }

  /** What the trader pays. */
  #paymentOf(swap: SwapRow): SwapPayment {
    const { legs } = this.#termsOf(swap);
    const own = legs.find(({ sender }) => sender === swap.trader.party);
    return present(own, "the trader must pay a leg of the swap");
  }

  #termsOf(swap: SwapRow): SwapTerms {
    const { table, instruments } = this.#parts;
    return termsOf(swap, table.market(swap.market), instruments);
  }

  async #legs(swap: SwapRow, terms: SwapTerms): Promise<LockedLegs> {
    const { store, ledger } = this.#parts;
    return lockedLegs(terms, ledger.operator, await store.contracts(swap.swapId));
  }

  /** True if a step was taken. */
  async #take(
    swap: SwapRow,
    event: SwapEvent,
    details: Readonly<Record<string, string>> = {},
    extra: { readonly settled?: { readonly updateId: string; readonly offset: number } } = {},
  ): Promise<boolean> {
    const { steps, providers, log, wake } = this.#parts;
    const taken = await steps.take(swap, event, details, extra);
    if (taken === null) return false;
    const { state: to } = taken;
    log.info({ swapId: swap.swapId, event: event.kind, to }, "a swap advanced");
    await markProvider(providers, swap, reasonOf(event, to), log);
    if (to === SwapState.releasing || isSwapOver(to)) {
      this.#calls.delete(swap.swapNo);
      providers.wakeCourier();
    }
    wake();
    return true;
  }
}

/** What ended all locks, according to ledger updates up to `ledgerMs`; null while a lock may remain. */
function freedBy(
  { allocateBeforeMs, settleBeforeMs }: SwapRow,
  { wasTraderLocked, isProposalOver, trade, providerLock }: LockedLegs,
  ledgerMs: number,
): "lapse" | "withdrawal" | null {
  if (ledgerMs > settleBeforeMs) return "lapse";
  // After the deadline no lock can be added, even if the proposal is still open.
  const isClosed = isProposalOver || ledgerMs > allocateBeforeMs;
  const hasNothing = trade === null && providerLock === null;
  return wasTraderLocked && isClosed && hasNothing ? "withdrawal" : null;
}

/** The reason by which a step counts for the provider's score; `aborted` if the provider had no part in the step. */
function reasonOf(event: SwapEvent, to: SwapState): SwapReason {
  if (to === SwapState.settled) return SwapReason.none;
  if (event.kind === "declined") return SwapReason.declined;
  if (event.kind === "wrongTerms") return SwapReason.wrongTerms;
  return event.kind === "looked" && to === SwapState.releasing
    ? SwapReason.providerLate
    : SwapReason.aborted;
}
