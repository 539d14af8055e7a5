// The parts of a change to a swap: each runs in the transaction of the change.

import { SwapReason, SwapState } from "../../../../core/swaps.ts";
import type {
  MoveRow,
  NoticeDraft,
  QuoteRow,
  SwapRecord,
  SwapRow,
  SwapStep,
  UnkeptBound,
} from "../../../../ports/swaps/swap-store.ts";
import { codes, type Statements } from "../../sql.ts";
import { moveOf, quoteOf, type StoredMove, type StoredQuote } from "./swap-rows.ts";

/** Notification channel for changed swaps; the payload is the swap's number. */
export const swapChannel = "rialto_swaps";

/** Serialises changes to the coins that an account's swaps are going to lock (RFQ-27). */
export async function holdCoins(sql: Statements, account: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(7285, ${account})`;
}

/**
 * Returns true if the account may accept another quote. Serialises acceptances, so that the limit cannot be exceeded
 * (RFQ-26).
 */
export async function mayTake(
  sql: Statements,
  account: number,
  { max, sinceMs }: UnkeptBound,
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(7284, ${account})`;
  return (await unkeptOf(sql, account, sinceMs)) < max;
}

const takenStates = codes(SwapState.accepted, SwapState.traderAllocated, SwapState.allocated);
const { traderCancelled, traderLate, traderWithdrew } = SwapReason;
const unkeptReasons = codes(traderCancelled, traderLate, traderWithdrew);

export async function unkeptOf(sql: Statements, account: number, sinceMs: number) {
  // The reasons are in the text instead of bound values, so that the index of these reasons applies.
  const [row] = await sql<{ unkept: string }[]>`
    select (select count(*) from swap_moves
            where account = ${account} and at_ms > ${sinceMs}
              and from_state in ${takenStates} and reason in ${unkeptReasons})
         + (select count(*) from swaps
            where account = ${account} and state = ${SwapState.accepted}
              and signature is null and not is_unknown and not is_lock_failed) as unkept`;
  return Number(row?.unkept);
}

export async function take(
  sql: Statements,
  swapNo: number,
  taken: NonNullable<SwapStep["taken"]>,
  atMs: number,
): Promise<void> {
  const { quote, isWallet, allocateBeforeMs, settleBeforeMs, signBeforeMs } = taken;
  await sql`
    update swaps set
      quote_no = ${quote.quoteNo}, provider = ${quote.provider},
      provider_party = ${quote.providerParty}, quote_id = ${quote.quoteId},
      price_ticks = ${quote.priceTicks}, lots = ${quote.lots}, is_wallet = ${isWallet},
      accepted_ms = ${atMs}, allocate_before_ms = ${allocateBeforeMs},
      settle_before_ms = ${settleBeforeMs}, sign_before_ms = ${signBeforeMs}
    where swap_no = ${swapNo}`;
}

interface Move {
  readonly from: SwapState;
  readonly to: SwapState;
  readonly reason: SwapReason;
  readonly details: Readonly<Record<string, string>>;
  readonly atMs: number;
}

export async function quotesOf(sql: Statements, swapNo: number): Promise<QuoteRow[]> {
  const rows = await sql<StoredQuote[]>`
    select * from swap_quotes where swap_no = ${swapNo} order by quote_no`;
  return rows.map(quoteOf);
}

export async function movesOf(sql: Statements, swapNo: number): Promise<MoveRow[]> {
  const rows = await sql<StoredMove[]>`
    select * from swap_moves where swap_no = ${swapNo} order by move_no`;
  return rows.map(moveOf);
}

/**
 * Reads the record that is returned for a change. The read happens before the commit, so a failing read undoes the
 * change.
 */
export async function recordOf(sql: Statements, swap: SwapRow): Promise<SwapRecord> {
  const { swapNo } = swap;
  return { ...swap, quotes: await quotesOf(sql, swapNo), moves: await movesOf(sql, swapNo) };
}

/**
 * Adds a step. The step's number is taken under the lock of the cursor's row, so that steps are numbered without gaps
 * or duplicates.
 */
export async function addMove(sql: Statements, swap: SwapRow, move: Move): Promise<void> {
  const { swapNo, trader, market, side, taken, askedLots } = swap;
  const [taking] = await sql<{ last_move: string }[]>`
    update swap_cursor set last_move = last_move + 1 returning last_move`;
  await sql`
    insert into swap_moves (move_no, swap_no, account, market, side, from_state, to_state, reason,
                            price_ticks, lots, details, at_ms)
    values (${Number(taking?.last_move)}, ${swapNo}, ${trader.account}, ${market}, ${side},
            ${move.from}, ${move.to}, ${move.reason}, ${taken?.priceTicks ?? 0},
            ${taken?.lots ?? askedLots ?? 0}, ${JSON.stringify(move.details)}, ${move.atMs})`;
}

export async function addNotice(
  sql: Statements,
  swapId: string,
  notice: NoticeDraft,
  atMs: number,
): Promise<void> {
  const kind = notice.kind === "result" ? 1 : 2;
  await sql`
    insert into swap_notices (provider, swap_id, kind, body, created_ms)
    values (${notice.provider}, ${swapId}, ${kind}, ${JSON.stringify(notice.body)}, ${atMs})`;
}

export async function tell(sql: Statements, swapNo: number): Promise<void> {
  await sql`select pg_notify(${swapChannel}, ${String(swapNo)})`;
}
