// Reads accounts as shown to the operator. They come from projections, which are complete only after the journal has
// written all pending rows.

import { AccountFlag, AccountType, RateTier, SystemAccount } from "../../../../core/accounts.ts";
import { EventKind } from "../../../../core/generated/events.ts";
import { OrderStatus } from "../../../../core/orders.ts";
import { SwapState } from "../../../../core/swaps.ts";
import { subAccountOpenedLayout } from "../../../../wire/generated/event-layout.ts";
import { code, type Statements } from "../../sql.ts";
import { accountBytes } from "../event-bytes.ts";

// The first query finds candidates for closing: accounts whose rows show no money. Clearing decides whether a candidate
// is closed. The query avoids needless commands, and it also checks an account's deposits, which clearing does not
// know.

export interface IdleAccountsQuery {
  /** Only accounts opened before this time, in microseconds UTC. */
  readonly openedBeforeUs: number;
  readonly nowMs: number;
  /** True to include accounts with an open session. */
  readonly withSessions: boolean;
  /** Only accounts with a number above this one. */
  readonly after: number;
  readonly limit: number;
}

/**
 * Returns the numbers of standard accounts that can be closed, in ascending order: accounts that have the flags of a
 * new account, and no money, deposits, open swaps, or keys of a tier that users cannot create. If no wallet opened an
 * account, it belongs to the operator, and a key of any tier keeps it open.
 */
export async function readIdleAccounts(
  sql: Statements,
  query: IdleAccountsQuery,
): Promise<number[]> {
  const { openedBeforeUs, nowMs, withSessions, after, limit } = query;
  const rows = await sql<{ account: number }[]>`
    select a.account from accounts a
    where a.account > ${after} and a.type = ${AccountType.standard} and a.flags = ${AccountFlag.canWithdraw}
      and a.opened_us < ${openedBeforeUs}
      and (${withSessions} or not exists (
        select from wallet_sessions s where s.account = a.account and s.expires_ms > ${nowMs}))
      and not exists (select from balances b where b.account = a.account)
      and not exists (select from deposits d where d.account = a.account)
      and not exists (
        select from swaps w where w.account = a.account and w.state < ${SwapState.settled})
      and not exists (
        select from api_keys k
        where k.account = a.account and k.is_registered and k.revoked_us is null
          and k.session_id is null
          and (k.tier <> ${RateTier.standard}
               or not exists (select from wallet_users u where u.account = a.account)))
    order by a.account
    limit ${limit}`;
  return rows.map(({ account }) => account);
}

/** Returns the numbers of an owner's sub-accounts, in the order in which they were opened; none for other accounts. */
export async function readSubAccounts(sql: Statements, owner: number): Promise<number[]> {
  const at = code(subAccountOpenedLayout.owner + 1);
  const rows = await sql<{ account: number }[]>`
    select account from journal
    where kind = ${code(EventKind.subAccountOpened)}
      and substring(body from ${at} for 4) = decode(${accountBytes(owner)}, 'hex')
    order by seq`;
  return rows.map(({ account }) => account);
}

/** Returns the number of open accounts. */
export async function countOpenAccounts(sql: Statements): Promise<number> {
  const [row] = await sql<{ open: string }[]>`
    select count(*) as open from accounts where type <> ${AccountType.closed}`;
  return Number(row?.open ?? 0);
}

/** Removes the users of closed accounts. */
export async function forgetClosedUsers(sql: Statements): Promise<void> {
  await sql`
    delete from wallet_users u using accounts a
    where a.account = u.account and a.type = ${AccountType.closed}`;
}

export interface AccountListing {
  readonly account: number;
  readonly type: number;
  readonly flags: number;
  /** Time of opening in microseconds; null for an account that every venue starts with. */
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

/**
 * Returns, for a system account, the values that other accounts have in `accounts`; undefined for every other account.
 * System accounts are never opened, so they have rows only in `balances`.
 */
function systemHead(account: number): HeadRow | undefined {
  const isOne = Object.values<number>(SystemAccount).includes(account);
  const systemAccount = { type: AccountType.system, flags: 0, opened_us: null, open_orders: "0" };
  return isOne ? { account, ...systemAccount } : undefined;
}

/** Returns the account with its non-zero balances; null if there is no such account. */
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
