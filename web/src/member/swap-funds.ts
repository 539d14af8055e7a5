// What pays for a swap: the coins of the user's own party, as far as the venue can read them.

import { balances } from "./account.ts";
import { enrollment } from "./enrollment.ts";
import type { SwapHead } from "./swaps.ts";

/** Returns the free amount of the asset that a swap pays with; null if it is not known to the page. */
export function freeForSwap({ pair, side }: Pick<SwapHead, "pair" | "side">): string | null {
  if (enrollment.value?.status !== "active") return null;
  const [base, quote] = pair.split("-");
  const asset = side === "BUY" ? quote : base;
  return balances.value.find((held) => held.wallet === "spot" && held.asset === asset)?.free ?? "0";
}
