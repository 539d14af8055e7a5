// What each account owns of each asset, with positions at their value: the amounts that a statement of liabilities is
// about. Only reads the state.

import { SystemAccount, Wallet } from "../../core/accounts.ts";
import { present } from "../../core/assert.ts";
import { isPerpetual, type Market } from "../../core/markets.ts";
import { asAmount, notionalFloor } from "../../core/money/amounts.ts";
import type { VenueState } from "../state/venue-state.ts";
import { markNow } from "./mark-price.ts";

const wallets = Object.values(Wallet);

/** What each account owns of each asset. The columns have one entry per account, in the order of `accounts`. */
export interface OwnedAmounts {
  /** Numbers of the open accounts but the faucet's. */
  readonly accounts: Int32Array;
  /** By asset id: minor units, negative for an account that owes. */
  readonly byAsset: readonly BigInt64Array[];
  /** Ticks by market id at which positions are valued; 0 for a market without price. */
  readonly marks: Float64Array;
}

/**
 * The amounts of all accounts. They sum to `liabilitiesOf` exactly: positions are valued at one mark and rounded down
 * one by one, and the account of rounding differences gets what that leaves over. Spec LIA-3, LIA-4.
 */
export function ownedAmounts(state: VenueState): OwnedAmounts {
  const { table, accounts: all } = state;
  const accounts = new Int32Array(all.next);
  let count = 0;
  for (let slot = 1; slot < all.next; slot++) {
    const account = all.at(slot);
    if (account !== 0 && account !== SystemAccount.faucet) accounts[count++] = account;
  }
  const open = accounts.subarray(0, count);
  const byAsset = table.assets.map(({ id }) => walletSums(state, open, id));
  const marks = new Float64Array(table.markets.length);
  const dust = open.indexOf(SystemAccount.dust);
  for (const market of table.markets.filter(isPerpetual)) {
    const mark = markNow(state, market.id, 0);
    marks[market.id] = mark;
    const column = present(byAsset[market.quote.id], "the asset must be one of the venue's");
    const left = addPositions(state, open, { market, mark, column });
    column[dust] = asAmount((column[dust] ?? 0n) + left);
  }
  return { accounts: open, byAsset, marks };
}

function walletSums(
  { accounts, balances }: VenueState,
  open: Int32Array,
  asset: number,
): BigInt64Array {
  const column = new BigInt64Array(open.length);
  for (let index = 0; index < open.length; index++) {
    const account = open[index] as number;
    let sum = 0n;
    for (const wallet of wallets) {
      const isMirror = wallet === Wallet.spot && accounts.isWallet(account);
      if (!isMirror) sum += balances.total(account, wallet, asset);
    }
    column[index] = asAmount(sum);
  }
  return column;
}

/** Adds the results of all positions in a market to a column, and returns what rounding them down leaves over. */
function addPositions(
  { positions }: VenueState,
  open: Int32Array,
  given: { readonly market: Market; readonly mark: number; readonly column: BigInt64Array },
): bigint {
  const { market, mark, column } = given;
  let values = 0n;
  for (let index = 0; index < open.length; index++) {
    const account = open[index] as number;
    const lots = positions.qty(account, market.id);
    if (lots === 0) continue;
    const value = notionalFloor(mark, lots, market.tickLot);
    values += value;
    const result = value - positions.entryValue(account, market.id);
    column[index] = asAmount((column[index] as bigint) + result);
  }
  // Longs and shorts have the same number of lots, so that exact values would sum to zero.
  return -values;
}
