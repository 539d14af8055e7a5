// What the forms of the wallet share: its names, free balances, and the button that fills in all of one.

import type { VNode } from "preact";
import { grouped, placesIn } from "../../decimal-text.ts";
import { cutTo, exact } from "../../markets/exact.ts";
import { balances, positions } from "../../member/account.ts";
import { movableOf } from "../../member/risk/opening-terms.ts";
import { withSpare } from "../../member/valuation.ts";
import { route } from "../../route.ts";

export const wallets = ["funding", "spot", "perp"] as const;

/** The wallet that the address of the view names, to which funds shall go; perp without one. */
export function namedWallet(): (typeof wallets)[number] {
  return wallets.find((wallet) => wallet === route.value.subject) ?? "perp";
}

export function assetsOf(wallet: string): string[] {
  const held = balances.value.filter((balance) => balance.wallet === wallet);
  return held.map(({ asset }) => asset);
}

/** Returns the available balance of an asset in a wallet; "0" for none. */
export function freeOf(wallet: string, asset: string): string {
  const held = balances.value.find((row) => row.wallet === wallet && row.asset === asset);
  return held?.free ?? "0";
}

/** The part of an available balance that may leave the wallet: the margin floor keeps a part of the perp wallet's. */
export function movableFrom(wallet: string, asset: string): string {
  const free = freeOf(wallet, asset);
  return wallet === "perp" ? cutTo(movableOf(free), placesIn(free)) : free;
}

/**
 * The most that a transfer from the wallet is filled in with. With positions, a thousandth of the perp wallet's balance
 * stays, because the marks move until the venue has the transfer.
 */
export function mostFrom(wallet: string, asset: string): string {
  const movable = movableFrom(wallet, asset);
  if (wallet !== "perp" || positions.value.length === 0) return movable;
  return cutTo(withSpare(movable), placesIn(movable));
}

interface MaxProps {
  readonly free: string;
  onChoose(): void;
}

export function MaxButton({ free, onChoose }: MaxProps): VNode {
  const isNone = (exact(free) ?? 0n) === 0n;
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`Max: ${grouped(free)}`}
      title={isNone ? "Nothing is available" : `Available: ${grouped(free)}`}
      disabled={isNone}
      onClick={onChoose}
    >
      Max
    </button>
  );
}
