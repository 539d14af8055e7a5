// Computes custody's holdings on the development ledger less what the venue owes to accounts that are not members.
// Trading, deposits and withdrawals leave this difference unchanged. It comes from the ledger's audit and the venue's
// tables of balances and positions. All positions of a market are valued at one mark, so their gains and losses cancel
// and only entry values remain.

import type { Sql } from "../../../src/adapters/postgres/connection.ts";
import { formatScaled } from "../../../src/core/money/amounts.ts";
import { ledgerDecimals, parseLedgerAmount } from "../../../src/core/money/ledger-amount.ts";
import type { HeldCoin } from "./devnet.ts";

export interface SurplusParts {
  /** Database of the venue; the balances table must be up to date. */
  readonly sql: Sql;
  readonly holdings: readonly HeldCoin[];
  readonly custody: string;
  readonly assets: readonly string[];
}

/** Returns the surplus by asset, in units of the ledger. */
export async function custodySurplus({
  sql,
  holdings,
  custody,
  assets,
}: SurplusParts): Promise<Record<string, bigint>> {
  const owed = await sql<{ code: string; amount: string }[]>`
    with owed as (
      select b.asset, b.total from balances b
      where not exists (select from settlement_members m where m.account = b.account)
      union all
      select k.quote_asset, -p.entry_value from positions p join markets k on k.market = p.market
    )
    select a.code, trunc(sum(o.total) * power(10::numeric, 10 - a.decimals))::text as amount
    from owed o join assets a on a.asset = o.asset
    group by a.code, a.decimals`;
  const surplus: Record<string, bigint> = {};
  for (const asset of assets) {
    const liability = owed.find(({ code }) => code === asset)?.amount ?? "0";
    surplus[asset] = heldBy(holdings, custody, asset) - BigInt(liability);
  }
  return surplus;
}

/** Returns the holdings of `party` in an asset, in units of the ledger. */
export function heldBy(holdings: readonly HeldCoin[], party: string, asset: string): bigint {
  return holdings
    .filter(({ owner, instrument }) => owner === party && instrument === asset)
    .reduce((sum, { amount }) => sum + (parseLedgerAmount(amount) ?? 0n), 0n);
}

/**
 * Returns the holdings of `party` in an asset as the number that their decimal sum is written as. A sum of numbers would
 * depend on the order of the holdings.
 */
export function heldNumber(holdings: readonly HeldCoin[], party: string, asset: string): number {
  return Number(formatScaled(heldBy(holdings, party, asset), ledgerDecimals));
}
