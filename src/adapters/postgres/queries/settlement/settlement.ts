// Implements SettlementStore on PostgreSQL: batches, their fills and payments, and coins that can be spent.

import { AccountType } from "../../../../core/accounts.ts";
import { present } from "../../../../core/assert.ts";
import { MarketKind, MarketStatus } from "../../../../core/markets.ts";
import { BatchState, statesEnded, statesWaiting } from "../../../../ports/ledger/batch-states.ts";
import type { SettledReceipt } from "../../../../ports/ledger/settled-coins.ts";
import type {
  AttemptRow,
  BatchLeg,
  BatchRow,
  Coin,
  CreditRow,
  LedgerProgress,
  LockedPayment,
  Member,
  MirrorRow,
  NextRound,
  Purse,
  SealedBatch,
  SettledFill,
  SettlementBacklog,
  SettlementStore,
} from "../../../../ports/ledger/settlement-store.ts";
import { partyIdOf } from "../../../../services/access/party-id.ts";
import { BatchPhase } from "../../../../services/settlement/batches/batch-phases.ts";
import type { Sql } from "../../connection.ts";
import type { Stored } from "../../rows.ts";
import { code, codes, type Statements } from "../../sql.ts";
import { textArray } from "./coin-leases.ts";
import { addReceipts, readReceipts } from "./settled-coins.ts";
import {
  addCoins,
  auditEnd,
  batchOf,
  confirmIn,
  fillColumns,
  fillOf,
  isSpentLock,
  type StoredBatch,
  type StoredFill,
  underWay,
} from "./settlement-rows.ts";
import { advanceMirror, readMirror, replaceCoins } from "./wallet-mirror.ts";

const waiting = codes(...statesWaiting.map(([, state]) => state));

async function readBacklog(sql: Statements): Promise<SettlementBacklog> {
  const rows = await sql<{ state: number; batches: number; fills: number }[]>`
    select b.state, count(*)::integer as batches, sum(b.fill_count)::integer as fills
    from settlement_batches b
    where b.state in ${waiting}
      and (b.state <> ${code(failed)} or exists (select from settlement_fills f where f.batch_id = b.batch_id))
    group by b.state`;
  const [oldest] = await sql<{ ts_us: string }[]>`
    select f.ts_us from settlement_fills s join fills f on f.trade_id = s.trade_id
    where s.batch_id = (
      select b.batch_id from settlement_batches b
      where b.state in ${waiting}
        and (b.state <> ${code(failed)} or exists (select from settlement_fills f where f.batch_id = b.batch_id))
      order by b.opened_ms limit 1)
    order by s.trade_id limit 1`;
  const count = (state: number) => rows.find((row) => row.state === state)?.batches ?? 0;
  return {
    oldestMs: oldest === undefined ? null : Math.floor(Number(oldest.ts_us) / 1000),
    fills: rows.reduce((sum, row) => sum + row.fills, 0),
    batches: Object.fromEntries(statesWaiting.map(([name, state]) => [name, count(state)])),
  };
}

async function readClosedMarkets(sql: Statements): Promise<number[]> {
  const rows = await sql<{ market: number }[]>`
    select market from markets
    where kind = ${MarketKind.spot} and status <> ${MarketStatus.trading}`;
  return rows.map(({ market }) => market);
}

const { open, ready, processing, retry, confirmed, failed, skipped } = BatchState;

export class PostgresSettlement implements SettlementStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async members(): Promise<Member[]> {
    const rows = await this.#sql<
      { account: number; party: string; auth_cid: string | null; is_frozen: boolean }[]
    >`select account, party, auth_cid, is_frozen from settlement_members order by account`;
    return rows.map(({ account, party, auth_cid, is_frozen }) => ({
      account,
      party,
      authCid: auth_cid,
      isFrozen: is_frozen,
    }));
  }

  async unboundWallets(except: readonly number[]): Promise<{ account: number; party: string }[]> {
    // Leave out wallets with fills that the batch builder has not yet taken: if the wallet became a member now, these
    // fills would be settled with the member, but they belong to custody.
    const rows = await this.#sql<{ account: number; party_hint: string; fingerprint: string }[]>`
      select a.account, u.party_hint, u.fingerprint
      from accounts a join wallet_users u on u.account = a.account
      where a.type = ${AccountType.wallet} and a.account <> all (${`{${except.join(",")}}`}::integer[])
        and not exists (select from settlement_members m where m.account = a.account)
        and not exists (
          select from markets k join fills f on f.market = k.market
          where k.kind = ${MarketKind.spot}
            and (f.taker_account = a.account or f.maker_account = a.account)
            and f.trade_id > (select trade_id from settlement_cursor))
      order by a.account limit 100`;
    return rows.map(({ account, party_hint: hint, fingerprint }) => {
      return { account, party: partyIdOf(hint, fingerprint) };
    });
  }

  async addMember(account: number, party: string, coins: readonly Coin[]): Promise<void> {
    await this.#sql.begin(async (tx) => {
      await tx`insert into settlement_members (account, party) values (${account}, ${party})`;
      await addCoins(tx, coins);
    });
  }

  async setAuth(account: number, authCid: string | null): Promise<void> {
    await this.#sql`
      update settlement_members
      set auth_cid = ${authCid}, was_active = was_active or ${authCid !== null}
      where account = ${account}`;
  }

  async setFrozen(account: number, isFrozen: boolean): Promise<void> {
    await this.#sql`
      update settlement_members set is_frozen = ${isFrozen} where account = ${account}`;
  }

  async cursor(): Promise<{ tradeId: number; ledgerOffset: number }> {
    const [row] = await this.#sql<{ trade_id: string; ledger_offset: string }[]>`
      select trade_id, ledger_offset from settlement_cursor`;
    const cursor = present(row, "the row of the ledger cursor must exist");
    return { tradeId: Number(cursor.trade_id), ledgerOffset: Number(cursor.ledger_offset) };
  }

  async nextFills(
    markets: readonly number[],
    limit: number,
  ): Promise<{ fills: SettledFill[]; through: number }> {
    const rows = await this.#sql<StoredFill[]>`
      select ${this.#sql.raw(fillColumns)} from fills f
      where f.trade_id > (select trade_id from settlement_cursor)
      order by f.trade_id limit ${limit}`;
    const through = Number(rows.at(-1)?.trade_id ?? 0);
    const fills = rows.map(fillOf).filter(({ market }) => markets.includes(market));
    return { fills, through };
  }

  async takeFills(
    placed: readonly { fill: SettledFill; a: string; b: string }[],
    through: number,
    nowMs: number,
  ): Promise<{ a: string; b: string; batchId: string }[]> {
    const trades = `{${placed.map(({ fill }) => fill.tradeId).join(",")}}`;
    const [as, bs] = [textArray(placed.map(({ a }) => a)), textArray(placed.map(({ b }) => b))];
    return this.#sql.begin(async (tx) => {
      const taken = await tx<{ party_a: string; party_b: string; batch_id: string }[]>`
        with given as (
          select trade_id, a, b
          from unnest(${trades}::bigint[], ${as}::text[], ${bs}::text[]) as g (trade_id, a, b)),
        batch as (
          insert into settlement_batches (batch_id, party_a, party_b, state, opened_ms, due_ms,
                                          fill_count, token)
          select 'b-' || min(trade_id), a, b, ${code(open)}, ${nowMs}, 0, count(*),
                 replace(gen_random_uuid()::text, '-', '')
          from given group by a, b
          on conflict (party_a, party_b) where state = ${code(open)}
            do update set fill_count = settlement_batches.fill_count + excluded.fill_count
          returning batch_id, party_a, party_b),
        taken as (
          insert into settlement_fills (trade_id, batch_id)
          select trade_id, batch_id from given join batch on party_a = a and party_b = b)
        select batch_id, party_a, party_b from batch`;
      await tx`update settlement_cursor set trade_id = ${through} where trade_id < ${through}`;
      return taken.map(({ party_a: a, party_b: b, batch_id: batchId }) => ({ a, b, batchId }));
    });
  }

  async openBatches(): Promise<BatchRow[]> {
    const rows = await this.#sql<StoredBatch[]>`
      select * from settlement_batches where state = ${code(open)} order by batch_id`;
    return rows.map(batchOf);
  }

  async fillsOf(batchId: string): Promise<SettledFill[]> {
    const rows = await this.#sql<StoredFill[]>`
      select ${this.#sql.raw(fillColumns)}
      from settlement_fills s join fills f on f.trade_id = s.trade_id
      where s.batch_id = ${batchId} order by f.trade_id`;
    return rows.map(fillOf);
  }

  async seal(batchId: string, { legs, netHash, receipts }: SealedBatch): Promise<void> {
    await this.#sql.begin(async (tx) => {
      const state = legs.length === 0 ? confirmed : ready;
      const { count } = await tx`
        update settlement_batches set state = ${state}, net_hash = ${netHash}
        where batch_id = ${batchId} and state = ${code(open)}`;
      if (count === 0) return;
      await addReceipts(tx, batchId, receipts);
      if (legs.length === 0) return;
      const rows = legs.map((leg) => ({ batch_id: batchId, ...leg, amount: String(leg.amount) }));
      await tx`insert into settlement_legs ${tx.rows(rows)}`;
    });
  }

  async dueBatches(nowMs: number): Promise<BatchRow[]> {
    const rows = await this.#sql<StoredBatch[]>`
      select * from settlement_batches where state in ${underWay} and due_ms <= ${nowMs}
      order by state <> ${code(processing)}, opened_ms, batch_id limit 1000`;
    return rows.map(batchOf);
  }

  async batch(batchId: string): Promise<BatchRow | null> {
    const [row] = await this.#sql<StoredBatch[]>`
      select * from settlement_batches where batch_id = ${batchId}`;
    return row === undefined ? null : batchOf(row);
  }

  async recentBatches(limit: number): Promise<BatchRow[]> {
    const rows = await this.#sql<StoredBatch[]>`
      select * from settlement_batches order by opened_ms desc, batch_id desc limit ${limit}`;
    return rows.map(batchOf);
  }

  async legsOf(batchId: string): Promise<BatchLeg[]> {
    const rows = await this.#sql<
      { asset: number; sender: string; receiver: string; amount: string }[]
    >`select asset, sender, receiver, amount::text as amount from settlement_legs
      where batch_id = ${batchId} order by asset`;
    return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
  }

  receiptsOf(batchId: string): Promise<SettledReceipt[]> {
    return readReceipts(this.#sql, batchId);
  }

  async freeCoins(party: string, asset: number, batchId: string): Promise<Coin[]> {
    const rows = await this.#sql<{ contract_id: string; amount: string }[]>`
      select contract_id, amount::text as amount from settlement_holdings
      where party = ${party} and asset = ${asset} and not is_locked
        and (batch_id is null or batch_id = ${batchId})
      order by settlement_holdings.amount, contract_id`;
    return rows.map(({ contract_id: contractId, amount }) => {
      return { contractId, party, asset, amount: BigInt(amount), isLocked: false };
    });
  }

  async begin({ batchId, inputs, ...attempt }: AttemptRow): Promise<boolean> {
    const { round, attempts, dedupOffset, deadlineMs, submissionId } = attempt;
    return this.#sql.begin(async (tx) => {
      const begun = await tx`
        update settlement_batches
        set state = ${code(processing)}, attempts = attempts + 1, is_unknown = true, submission_id = ${submissionId},
            dedup_offset = coalesce(dedup_offset, ${dedupOffset}),
            deadline_ms = coalesce(deadline_ms, ${deadlineMs})
        where batch_id = ${batchId} and state in ${underWay}
          and round = ${round} and attempts = ${attempts}
        returning batch_id`;
      if (begun.length === 0) return false;
      // Coins of earlier attempts stay leased to the batch until the outcome of those attempts is definite.
      await tx`
        update settlement_holdings set batch_id = ${batchId}
        where contract_id = any (${textArray(inputs)}::text[])`;
      return true;
    });
  }

  async isCovered(party: string, asset: number, units: bigint): Promise<boolean> {
    const [row] = await this.#sql<{ is_covered: boolean }[]>`
      select coalesce(sum(amount), 0) >= ${String(units)}::numeric as is_covered
      from settlement_holdings where party = ${party} and asset = ${asset} and not is_locked`;
    return row?.is_covered ?? false;
  }

  async allocationsOf(batchId: string): Promise<LockedPayment[]> {
    const rows = await this.#sql<
      { contract_id: string; admin: string; sender: string | null; is_spent: boolean }[]
    >`
      select contract_id, admin, (
        select min(party) from settlement_holdings h where h.contract_id = any (a.holdings)) as sender,
        ${this.#sql.raw(isSpentLock)} as is_spent
      from settlement_allocations a where batch_id = ${batchId} order by contract_id`;
    return rows.map(({ contract_id: contractId, is_spent: isSpent, ...row }) => {
      return { contractId, isSpent, ...row };
    });
  }

  async purses(): Promise<{ held: Purse[]; underway: Purse[] }> {
    interface StoredPurse {
      readonly party: string;
      readonly asset: number;
      readonly amount: string;
    }
    const [held, underway] = await Promise.all([
      this.#sql<StoredPurse[]>`
        select h.party, h.asset, sum(h.amount)::text as amount
        from settlement_members m join settlement_holdings h on h.party = m.party
        where not h.is_locked group by h.party, h.asset`,
      this.#sql<StoredPurse[]>`
        select l.sender as party, l.asset, sum(l.amount)::text as amount
        from settlement_batches b join settlement_legs l on l.batch_id = b.batch_id
        where b.state in ${underWay} group by l.sender, l.asset`,
    ]);
    const purseOf = (row: StoredPurse) => ({ ...row, amount: BigInt(row.amount) });
    return { held: held.map(purseOf), underway: underway.map(purseOf) };
  }

  async nextRound(
    batchId: string,
    { phase, dueMs, reason, keepsDeadline = false, isSetback = false }: NextRound,
  ): Promise<void> {
    await this.#sql.begin(async (tx) => {
      const { count } = await tx`
        update settlement_batches
        set state = ${code(retry)}, is_unknown = false, due_ms = ${dueMs}, reason = ${reason}, phase = ${phase},
            round = round + 1, dedup_offset = null, setbacks = setbacks + ${isSetback ? 1 : 0},
            deadline_ms = case when ${keepsDeadline} then deadline_ms end
        where batch_id = ${batchId} and state in ${underWay}`;
      if (count > 0 && !keepsDeadline)
        await tx`update settlement_holdings set batch_id = null where batch_id = ${batchId}`;
    });
  }

  async postpone(batchId: string, dueMs: number, reason: string): Promise<void> {
    await this.#sql`
      update settlement_batches set due_ms = ${dueMs}, reason = ${reason}
      where batch_id = ${batchId} and state in ${underWay}`;
  }

  async unknown(batchId: string, dueMs: number, reason: string): Promise<void> {
    await this.#sql`
      update settlement_batches set due_ms = ${dueMs}, reason = ${reason}
      where batch_id = ${batchId} and state = ${code(processing)}`;
  }

  async confirm(batchId: string, updateId: string, offset: number): Promise<boolean> {
    return this.#sql.begin(async (tx) => confirmIn(tx, batchId, updateId, offset));
  }

  async end(
    batchId: string,
    status: "failed" | "skipped",
    reason: string,
    nowMs: number,
  ): Promise<boolean> {
    const state = status === "failed" ? failed : skipped;
    return this.#sql.begin(async (tx) => {
      const { count } = await tx`
        update settlement_batches set state = ${state}, reason = ${reason}
        where batch_id = ${batchId} and state in ${underWay} and not is_unknown and phase in ${codes(BatchPhase.direct, BatchPhase.alloc)}
          and not exists (
            select from settlement_allocations a
            where a.batch_id = ${batchId} and not ${tx.raw(isSpentLock)})`;
      if (count > 0) await auditEnd(tx, { batchId, nowMs, status, reason });
      return count > 0;
    });
  }

  async endLapsed(batchId: string, reason: string, nowMs: number): Promise<boolean> {
    return this.#sql.begin(async (tx) => {
      // The batch is being cancelled, so its pending attempts can only release coins: it does not matter whether they
      // commit.
      const { count } = await tx`
        update settlement_batches set state = ${code(failed)}, is_unknown = false, reason = ${reason}
        where batch_id = ${batchId} and state in ${codes(processing, retry)}
          and phase = ${code(BatchPhase.cancel)}`;
      const status = "failed";
      if (count > 0) await auditEnd(tx, { batchId, nowMs, status, reason });
      return count > 0;
    });
  }

  async requeue(batchId: string, newBatchId: string, nowMs: number): Promise<string | null> {
    return this.#sql.begin(async (tx) => {
      const { count } = await tx`
        insert into settlement_batches (batch_id, party_a, party_b, state, opened_ms, due_ms,
                                        fill_count, net_hash, token)
        select ${newBatchId}, party_a, party_b, ${code(ready)}, ${nowMs}, 0, fill_count, net_hash,
               replace(gen_random_uuid()::text, '-', '')
        from settlement_batches
        where batch_id = ${batchId} and state in ${codes(...statesEnded)}
          and exists (select from settlement_fills where batch_id = ${batchId})`;
      if (count === 0) return null;
      await tx`
        insert into settlement_legs (batch_id, asset, sender, receiver, amount)
        select ${newBatchId}, asset, sender, receiver, amount from settlement_legs
        where batch_id = ${batchId}`;
      for (const table of ["settlement_fills", "settlement_receipts"] as const) {
        await tx`
          update ${tx.identifier(table)} set batch_id = ${newBatchId} where batch_id = ${batchId}`;
      }
      await tx`
        insert into settlement_audit (batch_id, at_ms, status, reason)
        values (${batchId}, ${nowMs}, 'requeued', ${newBatchId})`;
      return newBatchId;
    });
  }

  advance(progress: LedgerProgress): Promise<ReadonlySet<string>> {
    return advanceMirror(this.#sql, progress);
  }

  replaceCoins(party: string, ledgerOffset: number, coins: readonly Coin[]): Promise<number> {
    return replaceCoins(this.#sql, party, ledgerOffset, coins);
  }

  mirror(accounts: readonly number[]): Promise<MirrorRow[]> {
    return readMirror(this.#sql, accounts);
  }

  backlog(): Promise<SettlementBacklog> {
    return readBacklog(this.#sql);
  }

  closedMarkets(): Promise<number[]> {
    return readClosedMarkets(this.#sql);
  }

  async mirrored(nowMs: number): Promise<void> {
    await this.#sql`update settlement_cursor set mirrored_ms = ${nowMs}`;
  }

  async failedAccounts(): Promise<number[]> {
    const rows = await this.#sql<{ account: number }[]>`
      select distinct m.account from settlement_batches b
      join settlement_members m on m.party = b.party_a or m.party = b.party_b
      where b.state = ${code(failed)} and exists (select from settlement_fills f where f.batch_id = b.batch_id)`;
    return rows.map(({ account }) => account);
  }

  async openCredits(): Promise<CreditRow[]> {
    const rows = await this.#sql<Stored<CreditRow>[]>`
      select credit_id, account, asset, amount, seq_before from settlement_credits
      where not is_done order by credit_id`;
    return rows.map((row) => ({
      creditId: Number(row.credit_id),
      account: Number(row.account),
      asset: Number(row.asset),
      amount: BigInt(row.amount),
      seqBefore: Number(row.seq_before),
    }));
  }

  async prepareCredit(credit: Omit<CreditRow, "creditId">): Promise<number> {
    const { account, asset, amount, seqBefore } = credit;
    const [row] = await this.#sql<{ credit_id: string }[]>`
      insert into settlement_credits (account, asset, amount, seq_before)
      values (${account}, ${asset}, ${String(amount)}, ${seqBefore}) returning credit_id`;
    return Number(row?.credit_id);
  }

  async finishCredit(creditId: number, isApplied: boolean): Promise<void> {
    if (isApplied)
      await this.#sql`update settlement_credits set is_done = true where credit_id = ${creditId}`;
    else await this.#sql`delete from settlement_credits where credit_id = ${creditId}`;
  }
}
