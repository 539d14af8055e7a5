// Reads the ledger's side of the solvency check, all in one transaction snapshot: custody's coins as of the ledger
// offset that was read, and the fills and payments that are included in the coins but not in the books, or in the books
// but not in the coins. The books are the venue's balances. The seq, the next trade number and the pending withdrawals
// of a `BookMoment` determine what the books include.

import { MarketKind } from "../../../../core/markets.ts";
import { Side } from "../../../../core/orders.ts";
import {
  BatchState,
  statesEnded,
  statesLive,
  statesUnsettled,
} from "../../../../ports/ledger/batch-states.ts";
import { DepositState } from "../../../../ports/ledger/custody.ts";
import type {
  BookMoment,
  Crossing,
  CrossingFills,
  CustodyHolding,
  LedgerMoment,
  SolvencyReader,
} from "../../../../ports/ledger/solvency.ts";
import { code, codes, type Sql, type Statements } from "../../sql.ts";
import { depositOf, type StoredDeposit } from "./custody-rows.ts";
import { creditSeqOf, depositKeyOf } from "./deposit-keys.ts";

interface StoredFills {
  readonly market: number;
  readonly is_member_buyer: boolean;
  readonly sign: number;
  readonly doubtful: string | null;
  readonly lots: string;
  readonly quote: string;
  readonly member_fee: string;
}

interface StoredCrossing {
  readonly asset: number;
  readonly amount: string;
}

/** Condition for a member `m` whose payment is doubtful: the account is frozen, or the wallet has no member auth. */
const isDoubtful = "(m.is_frozen or m.auth_cid is null)";

const isMemberTaker = "f.taker_account = m.account";

/** Sums over fills `f` with their member `m`: lots, quote amounts and the member's fees in minor units. */
const sums = `
  f.market, (${isMemberTaker}) = (f.taker_side = ${Side.buy}) as is_member_buyer,
  sum(f.qty)::text as lots, sum(f.quote)::text as quote,
  sum(case when ${isMemberTaker} then f.taker_fee else f.maker_fee end)::text as member_fee`;

/** Join that selects batches `b` of a member `m` with custody, not batches between two members. */
const ofCustody = `
  join settlement_members m on m.party in (b.party_a, b.party_b)
   and not exists (select from settlement_members o
                   where o.party in (b.party_a, b.party_b) and o.party <> m.party)`;

const { confirmed } = BatchState;
const ended = codes(...statesEnded);
const live = codes(...statesLive);
/** States of unsettled batches. They must be those in the condition of the partial index, so that it applies. */
const unconfirmed = codes(...statesUnsettled);
const { pending, credited, unclaimed, tooSmall, returning, returned } = DepositState;

export class PostgresSolvency implements SolvencyReader {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async read(books: BookMoment): Promise<LedgerMoment | "unreached" | "uneven"> {
    return this.#sql.begin(async (sql) => {
      const [cursor] = await sql<{ ledger: string; deposits: string | null }[]>`
        select s.ledger_offset as ledger, c.ledger_offset as deposits
        from settlement_cursor s, custody_cursor c`;
      const holdings = await holdingsIn(sql);
      if (cursor === undefined || cursor.deposits === null || holdings.length === 0)
        return "unreached";
      // Coins are read up to a later ledger offset than deposits, so it is unknown whether the newest coins are
      // deposits.
      if (Number(cursor.deposits) < Number(cursor.ledger)) return "uneven";
      const ledgerOffset = Number(cursor.ledger);
      const fills = await fillsIn(sql, books, ledgerOffset);
      const withdrawals = await withdrawalsIn(sql, books, ledgerOffset);
      const deposits = await depositsIn(sql, books, ledgerOffset);
      return { ledgerOffset, holdings, fills, payments: [...withdrawals, ...deposits] };
    }, "isolation level repeatable read read only");
  }
}

async function holdingsIn(sql: Statements): Promise<CustodyHolding[]> {
  const rows = await sql<{ asset: number; units: string }[]>`
    select p.asset, coalesce(sum(h.amount), 0)::text as units
    from custody_places p
    left join settlement_holdings h on h.party = p.custody and h.asset = p.asset
    group by p.asset order by p.asset`;
  return rows.map(({ asset, units }) => ({ asset, units: BigInt(units) }));
}

async function fillsIn(
  sql: Statements,
  { nextTradeId }: BookMoment,
  ledgerOffset: number,
): Promise<CrossingFills[]> {
  const rows = await sql<StoredFills[]>`
    select ${sql.raw(sums)}, 1 as sign,
           case when ${sql.raw(isDoubtful)} then m.party end as doubtful
    from markets k join fills f on f.market = k.market
    join settlement_members m on m.account in (f.taker_account, f.maker_account)
    where k.kind = ${code(MarketKind.spot)} and f.trade_id > (select trade_id from settlement_cursor) and f.trade_id < ${nextTradeId}
      and not exists (select from settlement_members o
                      where o.account in (f.taker_account, f.maker_account)
                        and o.account <> m.account)
    group by f.market, is_member_buyer, doubtful
    union all
    select ${sql.raw(sums)}, 1,
           case when b.state in ${ended} or (b.state in ${live} and ${sql.raw(isDoubtful)}) then b.batch_id end as doubtful
    from settlement_batches b ${sql.raw(ofCustody)}
    join settlement_fills s on s.batch_id = b.batch_id
    cross join markets k join fills f on f.market = k.market and f.trade_id = s.trade_id
    where k.kind = ${code(MarketKind.spot)} and (b.state in ${unconfirmed} or (b.state = ${code(confirmed)} and b.confirmed_offset > ${ledgerOffset}))
      and f.trade_id < ${nextTradeId}
    group by f.market, is_member_buyer, doubtful
    union all
    select ${sql.raw(sums)}, -1, null
    from markets k join fills f on f.market = k.market
    join settlement_fills s on s.trade_id = f.trade_id
    join settlement_batches b on b.batch_id = s.batch_id ${sql.raw(ofCustody)}
    where k.kind = ${code(MarketKind.spot)} and f.trade_id >= ${nextTradeId} and b.state = ${code(confirmed)}
      and (b.confirmed_offset is null or b.confirmed_offset <= ${ledgerOffset})
    group by f.market, is_member_buyer`;
  return rows.map((row) => ({
    market: row.market,
    isMemberBuyer: row.is_member_buyer,
    sign: row.sign === 1 ? 1 : -1,
    doubtful: row.doubtful,
    lots: BigInt(row.lots),
    quote: BigInt(row.quote),
    memberFee: BigInt(row.member_fee),
  }));
}

/**
 * Sums withdrawals on which books and ledger differ: paid but not completed in the books, or completed in the books but
 * paid after the ledger offset that was read.
 */
async function withdrawalsIn(
  sql: Statements,
  { seq, pendingWithdrawals }: BookMoment,
  ledgerOffset: number,
): Promise<Crossing[]> {
  const pending = `{${pendingWithdrawals.join(",")}}`;
  const rows = await sql<StoredCrossing[]>`
    select asset, sum(amount - fee)::text as amount from withdrawals
    where ledger_offset <= ${ledgerOffset}
      and (withdrawal_id = any (${pending}::bigint[]) or seq > ${seq})
    group by asset
    union all
    select asset, (-sum(amount - fee))::text from withdrawals
    where ledger_offset > ${ledgerOffset} and seq <= ${seq}
      and not withdrawal_id = any (${pending}::bigint[])
    group by asset`;
  return rows.map(crossingOf);
}

/**
 * Sums deposits on which books and ledger differ: received but not credited, or credited but received after the ledger
 * offset that was read.
 */
async function depositsIn(
  sql: Statements,
  { seq }: BookMoment,
  ledgerOffset: number,
): Promise<Crossing[]> {
  const rows = await sql<StoredCrossing[]>`
    select asset, (-sum(amount))::text as amount from deposits
    where ledger_offset <= ${ledgerOffset} and (state in ${codes(unclaimed, tooSmall)} or (state = ${code(credited)} and seq > ${seq}))
    group by asset
    union all
    select asset, sum(amount)::text from deposits
    where ledger_offset > ${ledgerOffset} and state = ${code(credited)} and coalesce(seq, 0) <= ${seq}
    group by asset`;
  const given = await sql<StoredCrossing[]>`
    select d.asset, (-sum(d.amount))::text as amount from deposits d
    where d.ledger_offset <= ${ledgerOffset} and d.state in ${codes(returning, returned)}
      and not exists (select from deposit_returns r
                      where r.deposit_id = d.deposit_id and r.ledger_offset <= ${ledgerOffset})
    group by d.asset`;
  const uncredited = await sql<(StoredDeposit & { ledger_offset: string })[]>`
    select * from deposits where state = ${code(pending)}`;
  const unfinished = await Promise.all(
    uncredited.map(async (row) => {
      const deposit = depositOf(row);
      const creditSeq = await creditSeqOf(sql, deposit, depositKeyOf(deposit));
      const isCome = Number(row.ledger_offset) <= ledgerOffset;
      const isCredited = creditSeq !== null && creditSeq <= seq;
      const amount = isCome === isCredited ? 0n : isCredited ? deposit.amount : -deposit.amount;
      return { asset: deposit.asset, amount };
    }),
  );
  return [...rows.map(crossingOf), ...given.map(crossingOf), ...unfinished];
}

function crossingOf({ asset, amount }: StoredCrossing): Crossing {
  return { asset, amount: BigInt(amount) };
}
