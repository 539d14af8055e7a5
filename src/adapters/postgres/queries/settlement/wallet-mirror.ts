// The wallet mirror in SQL: it stores the changes that ledger updates report, and reads the holdings of members'
// parties with the amounts credited for them. Holdings and the ledger offset change in one transaction, so that a read
// sees both at the same moment.

import { BatchState } from "../../../../ports/ledger/batch-states.ts";
import type { Coin, LedgerProgress, MirrorRow } from "../../../../ports/ledger/settlement-store.ts";
import { code, type Sql, type Statements } from "../../sql.ts";
import { inputsOf, markPaid } from "../custody/payments.ts";
import { textArray } from "./coin-leases.ts";
import { addCoins, areSpent, confirmIn, isSpentLock, whole } from "./settlement-rows.ts";

interface StoredCoin {
  readonly contract_id: string;
  readonly asset: number;
  readonly amount: string;
  readonly is_locked: boolean;
}

/**
 * Compares the stored coins of one party with the ledger's list at `ledgerOffset`, and corrects the stored ones.
 * Returns the number of coins that differed. If updates are stored up to another offset, returns 0 and changes nothing.
 */
export async function replaceCoins(
  sql: Sql,
  party: string,
  ledgerOffset: number,
  coins: readonly Coin[],
): Promise<number> {
  return sql.begin(async (tx) => {
    const [cursor] = await tx<{ ledger_offset: string }[]>`
      select ledger_offset from settlement_cursor for update`;
    if (Number(cursor?.ledger_offset) !== ledgerOffset) return 0;
    const rows = await tx<StoredCoin[]>`
      select contract_id, asset, amount::text as amount, is_locked
      from settlement_holdings where party = ${party}`;
    const listed = new Map(coins.map((coin) => [coin.contractId, coin]));
    const right = new Set(rows.filter((row) => isAs(row, listed)).map((row) => row.contract_id));
    const wrong = rows.map((row) => row.contract_id).filter((id) => !right.has(id));
    const lost = coins.filter(({ contractId }) => !right.has(contractId));
    const astray = new Set([...wrong, ...lost.map(({ contractId }) => contractId)]);
    if (astray.size === 0) return 0;
    // Delete by contract id only: a coin that this party lacks may be stored under another party.
    await tx`
      delete from settlement_holdings where contract_id = any (${textArray([...astray])}::text[])`;
    await addCoins(tx, lost);
    return astray.size;
  });
}

function isAs(row: StoredCoin, listed: ReadonlyMap<string, Coin>): boolean {
  const coin = listed.get(row.contract_id);
  if (coin === undefined) return false;
  const { asset, amount, isLocked } = coin;
  return asset === row.asset && amount === whole(row.amount) && isLocked === row.is_locked;
}

/** Stores a page of ledger updates; returns the parties whose coins changed. */
export async function advanceMirror(
  sql: Sql,
  progress: LedgerProgress,
): Promise<ReadonlySet<string>> {
  const { through, created, locked, archived, confirmed, paid } = progress;
  const moved = new Set(created.map(({ party }) => party));
  await sql.begin(async (tx) => {
    const step = tx;
    await addCoins(step, created);
    for (const { contractId, batchId, admin, holdings } of locked) {
      await tx`
        insert into settlement_allocations (contract_id, batch_id, admin, holdings)
        select ${contractId}, batch_id, ${admin}, ${textArray(holdings)}::text[]
        from settlement_batches where batch_id = ${batchId}
        on conflict do nothing`;
    }
    for (const party of await forget(step, archived)) moved.add(party);
    for (const { batchId, token, updateId, offset } of confirmed) {
      const [own] = await tx`
        select from settlement_batches
        where batch_id = ${batchId} and token is not distinct from ${token}`;
      if (own !== undefined) await confirmIn(step, batchId, updateId, offset);
    }
    for (const made of paid) {
      // Check the inputs: only custody can spend custody's coins, but anyone can use the same command id.
      if (areSpent(await inputsOf(step, made), archived)) await markPaid(step, made);
    }
    await tx`
      update settlement_holdings h set batch_id = null from settlement_batches b
      where h.batch_id is not null and b.batch_id = h.batch_id
        and b.state = ${code(BatchState.confirmed)} and b.confirmed_offset <= ${through}`;
    await tx`
      update settlement_cursor set ledger_offset = ${through} where ledger_offset < ${through}`;
  });
  return moved;
}

/** Deletes archived coins and allocations; returns the coins' owners. */
async function forget(sql: Statements, archived: readonly string[]): Promise<string[]> {
  if (archived.length === 0) return [];
  const gone = textArray(archived);
  const left = await sql<{ party: string }[]>`
    delete from settlement_holdings where contract_id = any (${gone}::text[]) returning party`;
  await sql`delete from settlement_allocations where contract_id = any (${gone}::text[])`;
  return left.map(({ party }) => party);
}

/**
 * Returns the holdings of the accounts' parties and the amounts credited. Locked coins count only if their allocation
 * can still execute: once one of its coins is spent, the others are unusable until their sender withdraws the
 * allocation.
 */
export async function readMirror(
  sql: Statements,
  accounts: readonly number[],
): Promise<MirrorRow[]> {
  const some = `{${accounts.join(",")}}`;
  // One statement reads everything, so that coins, confirmed batches and credits belong to the same ledger offset.
  const rows = await sql<{ account: number; asset: number; external: string; credited: string }[]>`
    with member as (
      select account, party from settlement_members where account = any (${some}::integer[])),
    held as (
      select m.account, h.asset, h.amount::numeric as units, 0::numeric as minor, 0::numeric as credited
      from member m join settlement_holdings h on h.party = m.party
      where not h.is_locked or exists (
        select from settlement_allocations a
        where h.contract_id = any (a.holdings) and not ${sql.raw(isSpentLock)})
      union all
      select m.account, l.asset, 0,
             case when l.receiver = m.party then -l.amount else l.amount end, 0
      from member m
      join settlement_batches b on b.state = ${code(BatchState.confirmed)} and (b.party_a = m.party or b.party_b = m.party)
        and b.confirmed_offset <= (select ledger_offset from settlement_cursor)
      join settlement_legs l on l.batch_id = b.batch_id
      union all
      select c.account, c.asset, 0, 0, c.amount
      from member m join settlement_credits c on c.account = m.account and c.is_done
    )
    select h.account, h.asset,
           (floor(sum(h.units) / power(10::numeric, 10 - a.decimals)) + sum(h.minor))::text as external,
           sum(h.credited)::text as credited
    from held h join assets a on a.asset = h.asset
    group by h.account, h.asset, a.decimals order by h.account, h.asset`;
  return rows.map(({ account, asset, external, credited }) => {
    return { account, asset, external: whole(external), credited: whole(credited) };
  });
}
