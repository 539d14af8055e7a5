// Derives a swap's progress from its ledger contracts alone: which legs are locked, whether a trade exists, and whether
// the provider locked terms other than those agreed.

import type { SwapContract, SwapPayment, SwapTerms } from "../../ports/swaps/swap-ledger.ts";

export type SeenContract = SwapContract & { readonly isArchived: boolean };

export interface LockedLegs {
  /** For proposal, trade and each lock: the active contract on exactly the agreed terms; null if there is none. */
  readonly proposal: SwapContract | null;
  readonly trade: SwapContract | null;
  readonly traderLock: SwapContract | null;
  readonly providerLock: SwapContract | null;
  /** True if the provider locked or accepted terms other than those agreed. */
  readonly isWrong: boolean;
  /** True if the trader's leg was locked and is not locked any more. */
  readonly wasTraderLocked: boolean;
  /** True if the provider can no longer lock, because no open proposal is left to accept. */
  readonly isProposalOver: boolean;
}

export function lockedLegs(
  terms: SwapTerms,
  operator: string,
  contracts: readonly SeenContract[],
): LockedLegs {
  const active = contracts.filter(({ isArchived }) => !isArchived);
  const { trader, provider } = terms;
  const isAgreed = (each: SwapContract) => isOnTerms(each, terms, operator);
  const find = (kind: SwapContract["kind"]) =>
    active.find((each) => each.kind === kind && isAgreed(each)) ?? null;
  const lockOf = (sender: string) => (each: SwapContract) =>
    each.kind === "allocation" && each.legs[0]?.sender === sender;
  const lock = (sender: string) =>
    active.find((each) => lockOf(sender)(each) && isAgreed(each)) ?? null;
  const ofTrader = contracts.filter(lockOf(trader)).filter(isAgreed);
  const proposals = contracts.filter((each) => each.kind === "proposal" && isAgreed(each));
  return {
    proposal: find("proposal"),
    trade: find("trade"),
    traderLock: lock(trader),
    providerLock: lock(provider),
    isWrong: active.some(
      (each) => (isTradeOf(each, terms) || lockOf(provider)(each)) && !isAgreed(each),
    ),
    wasTraderLocked: ofTrader.length > 0 && ofTrader.every(({ isArchived }) => isArchived),
    isProposalOver: proposals.length > 0 && proposals.every(({ isArchived }) => isArchived),
  };
}

/** True for a trade that both parties of the swap have signed, on whatever terms. */
function isTradeOf(each: SwapContract, { trader, provider }: SwapTerms): boolean {
  return each.kind === "trade" && each.trader === trader && each.provider === provider;
}

function isOnTerms(contract: SwapContract, terms: SwapTerms, operator: string): boolean {
  const { legs, executor, allocateBeforeMs, settleBeforeMs } = contract;
  if (executor !== operator || settleBeforeMs !== terms.settleBeforeMs) return false;
  if (allocateBeforeMs !== terms.allocateBeforeMs || contract.swapId !== terms.swapId) return false;
  const isEach = legs.every((leg) => terms.legs.some((own) => isSameLeg(leg, own)));
  if (contract.kind === "allocation") return legs.length === 1 && isEach;
  if (contract.trader !== terms.trader || contract.provider !== terms.provider) return false;
  const ids = new Set(legs.map(({ legId }) => legId));
  return isEach && legs.length === terms.legs.length && ids.size === legs.length;
}

function isSameLeg(a: SwapPayment, b: SwapPayment): boolean {
  return (
    a.legId === b.legId &&
    a.sender === b.sender &&
    a.receiver === b.receiver &&
    a.amount === b.amount &&
    a.instrument.admin === b.instrument.admin &&
    a.instrument.id === b.instrument.id
  );
}
