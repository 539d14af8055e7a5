// What the operator may ask of swaps: which are under way, and that one is called off.

import { PublicIdKind, parsePublicId } from "../../core/ids/public-id.ts";
import { swapReasonNames, swapStateNames } from "../../core/swaps.ts";
import type { SwapStore } from "../../ports/swaps/swap-store.ts";

const listedMax = 200;

export async function listSwaps(store: SwapStore): Promise<object> {
  const open = await store.open(listedMax);
  const swaps = open.map((swap) => ({
    swap: swap.swapId,
    account: swap.trader.account,
    status: swapStateNames[swap.state],
    reason: swapReasonNames[swap.reason],
    provider: swap.taken?.provider ?? null,
    ends_at: new Date(swap.dueMs).toISOString(),
    outcome: swap.isUnknown ? "unknown" : "known",
  }));
  return { swaps };
}

/** Refused, in words for the operator, for a swap that is over or being settled. */
export async function abortSwap(store: SwapStore, swapId: string): Promise<object> {
  const named = parsePublicId(PublicIdKind.swap, swapId);
  const swap = named === null ? null : await store.swap(named.number);
  if (swap === null || swap.swapId !== swapId.toLowerCase())
    throw new Error(`there is no swap ${swapId}`);
  if (!(await store.askAbort(swap.swapNo)))
    throw new Error(`swap ${swapId} is ${swapStateNames[swap.state]}: it cannot be called off`);
  return { swap: swap.swapId, was: swapStateNames[swap.state] };
}
