// Converts the fields of requests that move money into codes and minor units. Invalid input is a refusal that names the
// field; clearing decides whether the account may move the money. Also renders a balance.

import { Wallet, walletNames } from "../../../../core/accounts.ts";
import type { MarketTable } from "../../../../core/markets.ts";
import { formatScaled, parseAmount } from "../../../../core/money/amounts.ts";
import type { Asset } from "../../../../core/money/assets.ts";
import { available } from "../../../../engine/risk/margin.ts";
import type { VenueState } from "../../../../engine/state/venue-state.ts";
import type { SurfaceError } from "../../requests/surface-error.ts";
import { badAmount, nativeFaults } from "../error-map.ts";

export interface Sum {
  readonly asset: Asset;
  /** Minor units, above zero. */
  readonly amount: bigint;
}

/** The asset and amount in a request, or the fault. */
export function sumOf(
  table: MarketTable,
  params: { readonly asset: string; readonly amount: string },
): Sum | SurfaceError {
  const asset = table.findAsset(params.asset);
  if (asset === undefined) return nativeFaults.unknownAsset;
  const amount = parseAmount(params.amount, asset.decimals);
  if (amount === null || amount <= 0n) return badAmount(asset.decimals);
  return { asset, amount };
}

/** The wallet with that name; undefined if there is none. */
export function walletOf(name: string): Wallet | undefined {
  return Object.values(Wallet).find((wallet) => walletNames[wallet] === name);
}

/** Returns whether the wallet can hold the asset: the perp wallet holds only the margin asset. */
export function fitsWallet(table: MarketTable, wallet: Wallet, { id }: Asset): boolean {
  return wallet !== Wallet.perp || table.isMargin(id);
}

/** A balance of an account; the perp wallet holds only its margin asset. */
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
