// One account as the operator sees it: projections, complete once the journal has settled them.

import { AccountType, SystemAccount } from "../../../../core/accounts.ts";
import { OrderStatus } from "../../../../core/orders.ts";
import { code, type Statements } from "../../sql.ts";

export interface AccountListing {
  readonly account: number;
  readonly type: number;
  readonly flags: number;
  /** Null for an account that the venue has from its beginning. */
  readonly openedUs: number | null;
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
  readonly opened_us: string | null;
  readonly open_orders: string;
}

interface BalanceRow {
  readonly wallet: number;
  readonly asset: number;
  readonly total: string;
  readonly reserved: string;
}

/** Nobody opened these; they have no row but in `balances`. */
function systemHead(account: number): HeadRow | undefined {
  const isOne = Object.values<number>(SystemAccount).includes(account);
  const standing = { type: AccountType.system, flags: 0, opened_us: null, open_orders: "0" };
  return isOne ? { account, ...standing } : undefined;
}

/** The account with its balances that are not zero, or null if it was never opened. */
export async function readAccount(
  sql: Statements,
  account: number,
): Promise<AccountListing | null> {
  const [opened] = await sql<HeadRow[]>`
    select account, type, flags, opened_us,
           (select count(*) from orders o where o.account = a.account and o.status = ${code(OrderStatus.open)})
             as open_orders
    from accounts a where account = ${account}`;
  const head = opened ?? systemHead(account);
  if (head === undefined) return null;
  const balances = await sql<BalanceRow[]>`
    select wallet, asset, total, reserved from balances
    where account = ${account} and (total <> 0 or reserved <> 0) order by wallet, asset`;
  return {
    account: head.account,
    type: head.type,
    flags: head.flags,
    openedUs: head.opened_us === null ? null : Number(head.opened_us),
    openOrders: Number(head.open_orders),
    balances: balances.map((row) => ({
      wallet: row.wallet,
      asset: row.asset,
      total: BigInt(row.total),
      reserved: BigInt(row.reserved),
    })),
  };
}
