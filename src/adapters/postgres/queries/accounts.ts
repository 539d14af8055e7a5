// One account as the operator sees it: projections, complete once the journal has settled them.

import type { Sql } from "../connection.ts";

export interface AccountListing {
  readonly account: number;
  readonly type: number;
  readonly flags: number;
  readonly openedUs: number;
  readonly openOrders: number;
  readonly balances: readonly {
    readonly wallet: number;
    readonly asset: number;
    readonly total: bigint;
    readonly reserved: bigint;
  }[];
}

interface HeadRow {
  readonly account: number;
  readonly type: number;
  readonly flags: number;
  readonly opened_us: string;
  readonly open_orders: string;
}

interface BalanceRow {
  readonly wallet: number;
  readonly asset: number;
  readonly total: string;
  readonly reserved: string;
}

/** The account with its balances that are not zero, or null if it was never opened. */
export async function readAccount(sql: Sql, account: number): Promise<AccountListing | null> {
  const [head] = await sql<HeadRow[]>`
    select account, type, flags, opened_us,
           (select count(*) from orders o where o.account = a.account and o.status = 0)
             as open_orders
    from accounts a where account = ${account}`;
  if (head === undefined) return null;
  const balances = await sql<BalanceRow[]>`
    select wallet, asset, total, reserved from balances
    where account = ${account} and (total <> 0 or reserved <> 0) order by wallet, asset`;
  return {
    account: head.account,
    type: head.type,
    flags: head.flags,
    openedUs: Number(head.opened_us),
    openOrders: Number(head.open_orders),
    balances: balances.map((row) => ({
      wallet: row.wallet,
      asset: row.asset,
      total: BigInt(row.total),
      reserved: BigInt(row.reserved),
    })),
  };
}
