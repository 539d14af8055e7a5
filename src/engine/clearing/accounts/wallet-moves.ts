// What an account may move out of a wallet: to another of its wallets, or to an account of the same owner.

import { Wallet } from "../../../core/accounts.ts";
import { indexGapMs } from "../../../core/limits.ts";
import { isPerpetual } from "../../../core/markets.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { available } from "../../risk/margin.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MarginFloor } from "../perpetuals/margin-floor.ts";

/** Money that an account moves, in minor units. */
interface WalletMove {
  readonly account: number;
  /** Absent for a transfer between two wallets of the account. */
  readonly receiver?: number;
  readonly from: Wallet;
  readonly to: Wallet;
  readonly asset: number;
  readonly amount: bigint;
  readonly atUs: number;
}

/** Why the account must not move the money, or `none`. The account must be a customer's. */
export function refusalOfMove(
  state: VenueState,
  { account, receiver = account, from, to, asset, amount, atUs }: WalletMove,
  floor: MarginFloor,
): RejectReason {
  // An account frozen by settlement may still transfer, so that it can add margin to its open positions.
  if (state.accounts.isFrozenByOperator(account)) return RejectReason.accountFrozen;
  if (state.table.assets[asset] === undefined) return RejectReason.walletNotAllowed;
  if (amount <= 0n) return RejectReason.amountNotPositive;
  if (from === to && receiver === account) return RejectReason.walletNotAllowed;
  const touchesSpot = from === Wallet.spot || to === Wallet.spot;
  if (touchesSpot && state.accounts.isWallet(account)) return RejectReason.walletNotAllowed;
  const touchesPerp = from === Wallet.perp || to === Wallet.perp;
  if (touchesPerp && !state.table.isMargin(asset)) return RejectReason.walletNotAllowed;
  if (from === Wallet.perp && restsOnStaleIndex(state, account, atUs))
    return RejectReason.indexStale;
  const free =
    from === Wallet.perp
      ? available(state, account) - floor.extraOf(account, 0, 0)
      : state.balances.free(account, from, asset);
  return free < amount ? RejectReason.insufficientBalance : RejectReason.none;
}

/**
 * Whether the account has a position or an order in a market whose index cannot be measured. The account's losses in
 * that market are unknown: without this rule, a trader could remove the depth of the index market and withdraw the
 * collateral. Spec RSK-39.
 */
function restsOnStaleIndex(state: VenueState, account: number, atUs: number): boolean {
  const { indexes, orders, positions, riskTerms, table } = state;
  const nowUs = Math.max(state.tsUs + 1, atUs);
  return table.markets.some((market) => {
    const { id } = market;
    if (!isPerpetual(market) || riskTerms.of(id, RiskTerm.staleMs) === 0) return false;
    if (!indexes.isStale(id, indexGapMs, nowUs)) return false;
    return positions.qty(account, id) !== 0 || orders.countOf(account, id) > 0;
  });
}
