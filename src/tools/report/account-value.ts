// What an account is worth in the margin asset of perpetuals: the perp wallet with its positions at the marks, and the other
// wallets with each coin at the middle of its book, or at its last trade.

import { Wallet } from "../../core/accounts.ts";
import { bigintOf } from "../../core/money/amounts.ts";
import type { Asset } from "../../core/money/assets.ts";
import { MarginStatuses } from "../../engine/risk/margin-status.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import type { MarketWatch } from "./market-watch.ts";

export class AccountValues {
  readonly asset: Asset;
  /** Codes of coins that an account held and that have had no price yet: they count as nothing. */
  readonly unpriced = new Set<string>();
  readonly #state: VenueState;
  readonly #margins: MarginStatuses;
  /** By asset: the spot market that prices it. */
  readonly #pricing: readonly (MarketWatch | null)[];

  constructor(state: VenueState, watches: readonly MarketWatch[]) {
    this.#state = state;
    this.#margins = new MarginStatuses(state);
    const { table } = state;
    this.asset = table.asset(this.#margins.asset);
    this.#pricing = table.assets.map(({ id }) => {
      const isPricing = ({ market }: MarketWatch) =>
        market.base?.id === id && market.quote.id === this.asset.id;
      return watches.find(isPricing) ?? null;
    });
  }

  /** The account's equity in minor units of `asset`. */
  of(account: number): bigint {
    const { balances, table } = this.#state;
    let sum = this.#margins.of(account).equity;
    for (const { id } of table.assets) {
      const held =
        balances.total(account, Wallet.funding, id) + balances.total(account, Wallet.spot, id);
      if (held !== 0n) sum += this.priced(id, held);
    }
    return sum;
  }

  /** The value of an amount of an asset, rounded down. */
  priced(asset: number, amount: bigint): bigint {
    if (asset === this.asset.id) return amount;
    const watch = this.#pricing[asset];
    const both =
      watch == null ? 0 : watch.both || 2 * (this.#state.lastPrice[watch.market.id] ?? 0);
    if (watch == null || both === 0) {
      this.unpriced.add(this.#state.table.asset(asset).code);
      return 0n;
    }
    const { tickLot, baseUnitsPerLot } = watch.market;
    const scaled = amount * bigintOf(both) * BigInt(tickLot.units);
    return scaled / (2n * BigInt(tickLot.parts) * baseUnitsPerLot);
  }
}
