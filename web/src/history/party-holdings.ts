// What the user's own party holds on the ledger, as far as this page knows: the venue reads it only once the party is
// enrolled. Test funds and withdrawals have come, and settled swaps have paid and received. Independent of page and network.

import { bare, textOf, unitsOf } from "../decimal-text.ts";
import { type Movement, paymentsTo } from "../member/movements.ts";
import { exchanged, type SwapHead } from "../member/swaps.ts";
import { onLedger, type TestFunds } from "./test-funds.ts";

/** Decimal places of amounts on the ledger. */
const places = 10;

interface Known {
  readonly funds: readonly TestFunds[];
  readonly movements: readonly Movement[];
  readonly swaps: readonly SwapHead[];
}

/**
 * The amounts, such as "350.4 USDC"; null before a swap has settled. Of an asset of which more has left than the page has
 * seen coming, nothing is known, and it is left out.
 */
export function heldBy(party: string, { funds, movements, swaps }: Known): string[] | null {
  const sums = new Map<string, bigint>();
  const add = (asset: string, amount: string, sign: bigint): void => {
    const units = unitsOf(amount.replaceAll(",", ""), places) ?? 0n;
    sums.set(asset, (sums.get(asset) ?? 0n) + sign * units);
  };
  for (const { wallet, partyId, asset, amount } of funds)
    if (wallet === onLedger && partyId === party) add(asset, amount, 1n);
  for (const { asset, amount } of paymentsTo(party, movements)) add(asset, amount, 1n);
  let isTraded = false;
  for (const swap of swaps) {
    if (swap.status !== "settled" || swap.accepted === null) continue;
    isTraded = true;
    const { pay, get } = exchanged(swap, swap.accepted);
    for (const [text, sign] of [
      [pay, -1n],
      [get, 1n],
    ] as const) {
      const [amount = "", asset = ""] = text.split(" ");
      add(asset, amount, sign);
    }
  }
  if (!isTraded) return null;
  const known = [...sums].filter(([, units]) => units > 0n);
  return known.map(([asset, units]) => `${bare(textOf(units, places))} ${asset}`);
}
