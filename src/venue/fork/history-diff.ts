// What two venues have done since an event that both have: their fills, market by market, and the entries of their journals.
// Both are read in parts, so that memory does not grow with what happened.

import type { Market } from "../../core/markets.ts";
import { formatScaled } from "../../core/money/amounts.ts";
import type { StoredVenue } from "./stored-venue.ts";

/** Rows, or entries, that are read at once. */
const rowsPerRead = 10_000;

/** Fills of a market since two venues parted: how many and how much, and the first that differs. */
export interface FillsDifference {
  readonly market: string;
  readonly a: string;
  readonly b: string;
  readonly first_different_trade: number;
}

interface FillRow {
  readonly trade_id: string;
  /** Everything of the fill but its time, as text. */
  readonly fill: string;
}

/** The fills of a venue in a span of event times, in microseconds. */
export interface FillSpan {
  readonly sql: StoredVenue["sql"];
  readonly afterUs: number;
  readonly untilUs: number;
}

/** Returns the markets whose fills in these spans differ; the time of a fill does not count. */
export async function fillsDifference(
  a: FillSpan,
  b: FillSpan,
  markets: readonly Market[],
): Promise<FillsDifference[]> {
  const differences: FillsDifference[] = [];
  for (const market of markets) {
    const first = await firstDifferentFill(a, b, market.id);
    if (first === null) continue;
    const [sumA, sumB] = await Promise.all([sumText(a, market), sumText(b, market)]);
    differences.push({ market: market.symbol, a: sumA, b: sumB, first_different_trade: first });
  }
  return differences;
}

/** Compares the fills one by one in their order; null if all are equal. */
async function firstDifferentFill(
  a: FillSpan,
  b: FillSpan,
  market: number,
): Promise<number | null> {
  for (let [afterA, afterB] = [0, 0]; ; ) {
    const [ofA, ofB] = await Promise.all([
      fillsAfter(a, market, afterA),
      fillsAfter(b, market, afterB),
    ]);
    for (let at = 0; at < Math.max(ofA.length, ofB.length); at++) {
      const [one, other] = [ofA[at], ofB[at]];
      if (one?.trade_id === other?.trade_id && one?.fill === other?.fill) continue;
      return Number((one ?? other)?.trade_id);
    }
    const [lastA, lastB] = [ofA.at(-1), ofB.at(-1)];
    if (lastA === undefined || lastB === undefined) return null;
    [afterA, afterB] = [Number(lastA.trade_id), Number(lastB.trade_id)];
  }
}

async function fillsAfter(
  { sql, afterUs, untilUs }: FillSpan,
  market: number,
  after: number,
): Promise<FillRow[]> {
  return sql<FillRow[]>`
    select trade_id::text, concat_ws(' ', price, qty, taker_side, taker_account, maker_account,
             taker_order_id, maker_order_id, taker_fee, maker_fee, taker_pnl, maker_pnl) as fill
    from fills
    where market = ${market} and trade_id > ${after} and ts_us <= ${untilUs}
      and trade_id >= first_fill_since(${market}::smallint, ${afterUs + 1})
    order by fills.trade_id limit ${rowsPerRead}`;
}

async function sumText({ sql, afterUs, untilUs }: FillSpan, market: Market): Promise<string> {
  const [row] = await sql<{ count: string; qty: string }[]>`
    select count(*)::text as count, coalesce(sum(qty), 0)::text as qty
    from fills where market = ${market.id} and ts_us <= ${untilUs}
      and trade_id >= first_fill_since(${market.id}::smallint, ${afterUs + 1})`;
  return `${row?.count ?? 0} fills, ${formatScaled(BigInt(row?.qty ?? 0), market.lotDecimals)}`;
}

/** The time of an event of the journal, or of that after which a fork begins, in microseconds; null without it. */
export async function timeOfEvent({ sql }: StoredVenue, seq: number): Promise<number | null> {
  const [row] = await sql<{ us: string | null }[]>`
    select coalesce((select ts_us from journal where seq = ${seq}),
                    (select ts_us from fork_origin where seq = ${seq}))::text as us`;
  return row?.us == null ? null : Number(row.us);
}

/** The number of the first entry after `sinceSeq` that differs, or that one journal lacks; null if both are equal. */
export async function firstDifferentEntry(
  a: StoredVenue,
  b: StoredVenue,
  sinceSeq: number,
): Promise<number | null> {
  const [endA, endB] = [a.span.lastSeq, b.span.lastSeq];
  const end = Math.min(endA, endB);
  for (let after = sinceSeq; after < end; after += rowsPerRead) {
    const until = Math.min(after + rowsPerRead, end);
    const [ofA, ofB] = [await entriesOf(a, after, until), await entriesOf(b, after, until)];
    const at = ofA.findIndex((bytes, index) => !bytes.equals(ofB[index] ?? Buffer.alloc(0)));
    if (at >= 0) return after + at + 1;
  }
  return endA === endB ? null : end + 1;
}

async function entriesOf({ store }: StoredVenue, after: number, until: number): Promise<Buffer[]> {
  const entries: Buffer[] = [];
  await store.readEvents(after, until, ({ count, bytes, offsets, lengths }) => {
    for (let index = 0; index < count; index++) {
      const start = offsets[index] ?? 0;
      entries.push(Buffer.from(bytes.subarray(start, start + (lengths[index] ?? 0))));
    }
  });
  return entries;
}
