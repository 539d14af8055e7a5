// One balance as the native surface shows it: what may be used now, what orders, positions and losses
// hold, and both together.

import { Wallet, walletNames } from "../../../../core/accounts.ts";
import type { Asset } from "../../../../core/money/assets.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import { available } from "../../../../engine/risk/margin.ts";
import type { VenueState } from "../../../../engine/state/venue-state.ts";

/** A balance of an account; the perp wallet holds its margin asset alone. */
export function balanceRecord(state: VenueState, account: number, wallet: Wallet, asset: Asset) {
  const total = state.balances.total(account, wallet, asset.id);
  const usable =
    wallet === Wallet.perp
      ? available(state, account)
      : state.balances.free(account, wallet, asset.id);
  const free = usable < 0n ? 0n : usable;
  const text = (amount: bigint) => formatScaled(amount, asset.decimals);
  return {
    wallet: walletNames[wallet],
    asset: asset.code,
    free: text(free),
    locked: text(total - free),
    total: text(total),
  };
}
