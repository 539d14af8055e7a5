// Settlement at rest: batches, their fills and payments, and the coins they may spend.

import type {
  AttemptRow,
  BatchLeg,
  BatchRow,
  Coin,
  CreditRow,
  LedgerProgress,
  Member,
  MirrorRow,
  SettledFill,
  SettlementStore,
} from "../../../ports/settlement-store.ts";
import type { Sql } from "../connection.ts";

interface StoredBatch {
  readonly batch_id: string;
  readonly party_a: string;
  readonly party_b: string;
  readonly state: number;
  readonly opened_ms: string;
  readonly fill_count: number;
  readonly due_ms: string;
  readonly attempts: number;
  readonly round: number;
  readonly dedup_offset: string | null;
  readonly deadline_ms: string | null;
  readonly submission_id: string | null;
  readonly is_unknown: boolean;
  readonly update_id: string | null;
  readonly reason: string | null;
}

interface StoredFill {
  readonly trade_id: string;
  readonly ts_us: string;
  readonly market: number;
  readonly qty: string;
  readonly quote: string;
  readonly taker_account: number;
  readonly maker_account: number;
  readonly taker_fee: string;
  readonly maker_fee: string;
  readonly taker_side: number;
}

const fillColumns = `f.trade_id, f.ts_us, f.market, f.qty, f.quote, f.taker_account, f.maker_account,
  f.taker_fee, f.maker_fee, f.taker_side`;

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

  async addMember(account: number, party: string, coins: readonly Coin[]): Promise<void> {
    await this.#sql.begin(async (tx) => {
      await tx`insert into settlement_members (account, party) values (${account}, ${party})`;
      for (const coin of coins) await addCoin(tx as unknown as Sql, coin);
    });
  }

  async setAuth(account: number, authCid: string | null): Promise<void> {
    await this.#sql`update settlement_members set auth_cid = ${authCid} where account = ${account}`;
  }

  async setFrozen(account: number, isFrozen: boolean): Promise<void> {
    await this.#sql`
      update settlement_members set is_frozen = ${isFrozen} where account = ${account}`;
  }

  async cursor(): Promise<{ tradeId: number; ledgerOffset: number }> {
    const [row] = await this.#sql<{ trade_id: string; ledger_offset: string }[]>`
      select trade_id, ledger_offset from settlement_cursor`;
    return { tradeId: Number(row?.trade_id ?? 0), ledgerOffset: Number(row?.ledger_offset ?? 0) };
  }

  async nextFills(
    markets: readonly number[],
    limit: number,
  ): Promise<{ fills: SettledFill[]; through: number }> {
    const rows = await this.#sql<StoredFill[]>`
      select ${this.#sql.unsafe(fillColumns)} from fills f
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
  ): Promise<void> {
    await this.#sql.begin(async (tx) => {
      for (const { fill, a, b } of placed) {
        await tx`
          with batch as (
            insert into settlement_batches (batch_id, party_a, party_b, state, opened_ms, due_ms,
                                            fill_count)
            values (${`b-${fill.tradeId}`}, ${a}, ${b}, 1, ${nowMs}, 0, 1)
            on conflict (party_a, party_b) where state = 1
              do update set fill_count = settlement_batches.fill_count + 1
            returning batch_id)
          insert into settlement_fills (trade_id, batch_id)
          select ${fill.tradeId}, batch_id from batch`;
      }
      await tx`update settlement_cursor set trade_id = ${through} where trade_id < ${through}`;
    });
  }

  async openBatches(): Promise<BatchRow[]> {
    const rows = await this.#sql<StoredBatch[]>`
      select * from settlement_batches where state = 1 order by batch_id`;
    return rows.map(batchOf);
  }

  async fillsOf(batchId: string): Promise<SettledFill[]> {
    const rows = await this.#sql<StoredFill[]>`
      select ${this.#sql.unsafe(fillColumns)}
      from settlement_fills s join fills f on f.trade_id = s.trade_id
      where s.batch_id = ${batchId} order by f.trade_id`;
    return rows.map(fillOf);
  }

  async seal(batchId: string, legs: readonly BatchLeg[], netHash: string): Promise<void> {
    await this.#sql.begin(async (tx) => {
      const state = legs.length === 0 ? 5 : 2;
      const { count } = await tx`
        update settlement_batches set state = ${state}, net_hash = ${netHash}
        where batch_id = ${batchId} and state = 1`;
      if (count === 0) return;
      for (const { asset, sender, receiver, amount } of legs) {
        await tx`
          insert into settlement_legs (batch_id, asset, sender, receiver, amount)
          values (${batchId}, ${asset}, ${sender}, ${receiver}, ${String(amount)})`;
      }
    });
  }

  async dueBatches(nowMs: number): Promise<BatchRow[]> {
    const rows = await this.#sql<StoredBatch[]>`
      select * from settlement_batches where state in (2, 3, 4) and due_ms <= ${nowMs}
      order by due_ms, opened_ms, batch_id limit 100`;
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

  async freeCoins(party: string, asset: number, batchId: string): Promise<Coin[]> {
    const rows = await this.#sql<{ contract_id: string; amount: string }[]>`
      select contract_id, amount::text as amount from settlement_holdings
      where party = ${party} and asset = ${asset} and not is_locked
        and (batch_id is null or batch_id = ${batchId})
      order by amount, contract_id`;
    return rows.map(({ contract_id: contractId, amount }) => {
      return { contractId, party, asset, amount: BigInt(amount), isLocked: false };
    });
  }

  async begin({
    batchId,
    dedupOffset,
    deadlineMs,
    submissionId,
    inputs,
  }: AttemptRow): Promise<void> {
    await this.#sql.begin(async (tx) => {
      await tx`
        update settlement_batches
        set state = 3, attempts = attempts + 1, is_unknown = true, submission_id = ${submissionId},
            dedup_offset = coalesce(dedup_offset, ${dedupOffset}),
            deadline_ms = coalesce(deadline_ms, ${deadlineMs})
        where batch_id = ${batchId} and state in (2, 3, 4)`;
      // What an earlier attempt may have been spending stays with the batch until all is definite.
      for (const contractId of inputs) {
        await tx`
          update settlement_holdings set batch_id = ${batchId} where contract_id = ${contractId}`;
      }
    });
  }

  async retry(batchId: string, dueMs: number, reason: string): Promise<void> {
    await this.#sql.begin(async (tx) => {
      const { count } = await tx`
        update settlement_batches
        set state = 4, is_unknown = false, due_ms = ${dueMs}, reason = ${reason},
            round = round + 1, dedup_offset = null, deadline_ms = null
        where batch_id = ${batchId} and state in (2, 3, 4)`;
      if (count > 0)
        await tx`update settlement_holdings set batch_id = null where batch_id = ${batchId}`;
    });
  }

  async unknown(batchId: string, dueMs: number, reason: string): Promise<void> {
    await this.#sql`
      update settlement_batches set due_ms = ${dueMs}, reason = ${reason}
      where batch_id = ${batchId} and state = 3`;
  }

  async confirm(batchId: string, updateId: string, offset: number): Promise<boolean> {
    return this.#sql.begin(async (tx) =>
      confirmIn(tx as unknown as Sql, batchId, updateId, offset),
    );
  }

  async end(
    batchId: string,
    status: "failed" | "skipped",
    reason: string,
    nowMs: number,
  ): Promise<boolean> {
    const state = status === "failed" ? 6 : 7;
    return this.#sql.begin(async (tx) => {
      const { count } = await tx`
        update settlement_batches set state = ${state}, reason = ${reason}
        where batch_id = ${batchId} and state in (2, 3, 4) and not is_unknown`;
      if (count === 0) return false;
      await tx`update settlement_holdings set batch_id = null where batch_id = ${batchId}`;
      await tx`
        insert into settlement_audit (batch_id, at_ms, status, reason)
        values (${batchId}, ${nowMs}, ${status}, ${reason})`;
      return true;
    });
  }

  async requeue(batchId: string, newBatchId: string, nowMs: number): Promise<string | null> {
    return this.#sql.begin(async (tx) => {
      const { count } = await tx`
        insert into settlement_batches (batch_id, party_a, party_b, state, opened_ms, due_ms,
                                        fill_count, net_hash)
        select ${newBatchId}, party_a, party_b, 2, ${nowMs}, 0, fill_count, net_hash
        from settlement_batches
        where batch_id = ${batchId} and state = 6
          and exists (select from settlement_fills where batch_id = ${batchId})`;
      if (count === 0) return null;
      await tx`
        insert into settlement_legs (batch_id, asset, sender, receiver, amount)
        select ${newBatchId}, asset, sender, receiver, amount from settlement_legs
        where batch_id = ${batchId}`;
      await tx`
        update settlement_fills set batch_id = ${newBatchId} where batch_id = ${batchId}`;
      await tx`
        insert into settlement_audit (batch_id, at_ms, status, reason)
        values (${batchId}, ${nowMs}, 'requeued', ${newBatchId})`;
      return newBatchId;
    });
  }

  async advance({ through, created, archived, confirmed }: LedgerProgress): Promise<void> {
    await this.#sql.begin(async (tx) => {
      const sql = tx as unknown as Sql;
      for (const coin of created) await addCoin(sql, coin);
      for (const contractId of archived)
        await tx`delete from settlement_holdings where contract_id = ${contractId}`;
      for (const { batchId, updateId, offset } of confirmed) {
        await confirmIn(sql, batchId, updateId, offset);
      }
      await tx`
        update settlement_holdings h set batch_id = null from settlement_batches b
        where h.batch_id is not null and b.batch_id = h.batch_id
          and b.state = 5 and b.confirmed_offset <= ${through}`;
      await tx`
        update settlement_cursor set ledger_offset = ${through} where ledger_offset < ${through}`;
    });
  }

  async mirror(): Promise<MirrorRow[]> {
    // One statement sees one moment: coins, confirmed batches and credits of the same cursor.
    const rows = await this.#sql<
      { account: number; asset: number; external: string; credited: string }[]
    >`
      with held as (
        select m.account, h.asset, h.amount::numeric as units, 0::numeric as minor, 0::numeric as credited
        from settlement_members m join settlement_holdings h on h.party = m.party and not h.is_locked
        union all
        select m.account, l.asset, 0,
               case when l.receiver = m.party then -l.amount else l.amount end, 0
        from settlement_members m
        join settlement_batches b on b.state = 5 and (b.party_a = m.party or b.party_b = m.party)
          and b.confirmed_offset <= (select ledger_offset from settlement_cursor)
        join settlement_legs l on l.batch_id = b.batch_id
        union all
        select c.account, c.asset, 0, 0, c.amount from settlement_credits c where c.is_done
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

  async openCredits(): Promise<CreditRow[]> {
    const rows = await this.#sql<
      { credit_id: string; account: number; asset: number; amount: string; seq_before: string }[]
    >`select credit_id, account, asset, amount, seq_before from settlement_credits
      where not is_done order by credit_id`;
    return rows.map((row) => ({
      creditId: Number(row.credit_id),
      account: row.account,
      asset: row.asset,
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

/** Amounts are whole; the server may write them with an empty fraction. */
function whole(text: string): bigint {
  return BigInt(text.split(".")[0] ?? "0");
}

async function addCoin(sql: Sql, coin: Coin): Promise<void> {
  const { contractId, party, asset, amount, isLocked } = coin;
  await sql`
    insert into settlement_holdings (contract_id, party, asset, amount, is_locked)
    values (${contractId}, ${party}, ${asset}, ${String(amount)}, ${isLocked})
    on conflict do nothing`;
}

async function confirmIn(
  sql: Sql,
  batchId: string,
  updateId: string,
  offset: number,
): Promise<boolean> {
  const { count } = await sql`
    update settlement_batches
    set state = 5, is_unknown = false, update_id = ${updateId}, confirmed_offset = ${offset},
        reason = null
    where batch_id = ${batchId} and state in (2, 3, 4)`;
  // Its coins stay with it until the ledger's own log says which of them are spent.
  if (count > 0) return true;
  const [row] = await sql<{ update_id: string | null }[]>`
    select update_id from settlement_batches where batch_id = ${batchId}`;
  return row === undefined || row.update_id === updateId;
}

function batchOf(row: StoredBatch): BatchRow {
  return {
    batchId: row.batch_id,
    partyA: row.party_a,
    partyB: row.party_b,
    state: row.state,
    openedMs: Number(row.opened_ms),
    fillCount: row.fill_count,
    dueMs: Number(row.due_ms),
    attempts: row.attempts,
    round: row.round,
    deadlineMs: row.deadline_ms === null ? null : Number(row.deadline_ms),
    dedupOffset: row.dedup_offset === null ? null : Number(row.dedup_offset),
    submissionId: row.submission_id,
    isUnknown: row.is_unknown,
    updateId: row.update_id,
    reason: row.reason,
  };
}

const buySide = 0;

function fillOf(row: StoredFill): SettledFill {
  const isTakerBuyer = row.taker_side === buySide;
  const { taker_account: taker, maker_account: maker } = row;
  const [takerFee, makerFee] = [BigInt(row.taker_fee), BigInt(row.maker_fee)];
  return {
    tradeId: Number(row.trade_id),
    tsMs: Math.floor(Number(row.ts_us) / 1000),
    market: row.market,
    buyer: isTakerBuyer ? taker : maker,
    seller: isTakerBuyer ? maker : taker,
    qty: Number(row.qty),
    quote: BigInt(row.quote),
    buyerFee: isTakerBuyer ? takerFee : makerFee,
    sellerFee: isTakerBuyer ? makerFee : takerFee,
  };
}
