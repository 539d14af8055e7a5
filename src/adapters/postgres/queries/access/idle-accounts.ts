// Accounts that may never have held money, by what rows say. Whether one may be closed is clearing's to decide:
// rows only spare it the question, and know what it does not, such as a deposit that is kept for somebody.

import { AccountFlag, AccountType, RateTier } from "../../../../core/accounts.ts";
import { SwapState } from "../../../../core/swaps.ts";
import type { Statements } from "../../sql.ts";

export interface IdleAccountsQuery {
  /** Microseconds: only those that opened before. */
  readonly openedBeforeUs: number;
  readonly nowMs: number;
  /** Also those with an open session. */
  readonly withSessions: boolean;
  /** Only accounts with a higher number. */
  readonly after: number;
  readonly limit: number;
}

/**
 * Standing accounts without a row of money, deposits, swaps under way, or a key of another tier than
 * users make, by number. One that no wallet opened is the operator's, and any key of it counts.
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

/** How many accounts are open. */
export async function countOpenAccounts(sql: Statements): Promise<number> {
  const [row] = await sql<{ open: string }[]>`
    select count(*) as open from accounts where type <> ${AccountType.closed}`;
  return Number(row?.open ?? 0);
}

/** Forgets the users of accounts that have closed. */
export async function forgetClosedUsers(sql: Statements): Promise<void> {
  await sql`
    delete from wallet_users u using accounts a
    where a.account = u.account and a.type = ${AccountType.closed}`;
}
