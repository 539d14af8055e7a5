// What the forms of the wallet share: its names, free balances, and the button that fills in all of one.

import type { Signal } from "@preact/signals";
import type { VNode } from "preact";
import { grouped } from "../../decimal-text.ts";
import { balances } from "../../member/account.ts";

export const wallets = ["funding", "spot", "perp"] as const;

export function assetsOf(wallet: string): string[] {
  const held = balances.value.filter((balance) => balance.wallet === wallet);
  return held.map(({ asset }) => asset);
}

/** Returns the available balance of an asset in a wallet; "0" for none. */
export function freeOf(wallet: string, asset: string): string {
  const held = balances.value.find((row) => row.wallet === wallet && row.asset === asset);
  return held?.free ?? "0";
}

interface MaxProps {
  readonly free: string;
  readonly amount: Signal<string>;
}

export function MaxButton({ free, amount }: MaxProps): VNode {
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`Max: ${grouped(free)}`}
      title={`Available: ${grouped(free)}`}
      onClick={() => {
        amount.value = free;
      }}
    >
      Max
    </button>
  );
}
