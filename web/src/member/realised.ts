// What each open position has realised since it was opened. The trades of its market are read when the position has
// changed, so that its sum then follows the venue's own total.

import { signal } from "@preact/signals";
import { cutTo, exact } from "../markets/exact.ts";
import { realisedSinceOpening, type Trade } from "../markets/positions/realised-profit.ts";
import { oneAtATime } from "../one-at-a-time.ts";
import { requestOwn } from "./session.ts";

/** How often trades that do not tell are read again: right after a trade, the history may be behind the position. */
const readsMax = 3;
/** How many trades are searched for the opening of a position. */
const tradesRead = 500;
const moneyPlaces = 6;

/** What this file reads of a position. */
interface Position {
  readonly symbol: string;
  readonly side: "LONG" | "SHORT";
  readonly qty: string;
  readonly entry_price: string;
  /** What the account has realised in the market, by all its positions there. */
  readonly realized_pnl: string;
}

interface Opening {
  readonly side: Position["side"];
  /** What the account had realised in the market when the position was opened; null if the trades do not tell. */
  readonly realisedBefore: bigint | null;
  /** When the position was opened; null if the trades do not tell. */
  readonly openedAt: string | null;
  /** The state of the position for which the trades were read. */
  readonly state: string;
  readonly reads: number;
}

const openings = signal<ReadonlyMap<string, Opening>>(new Map());

function stateOf({ side, qty, entry_price: entry, realized_pnl: total }: Position): string {
  return [side, qty, entry, total].join();
}

/** Realised by the position before fees; null while or if that is not known. */
export function realisedOf(position: Position): string | null {
  const opening = openings.value.get(position.symbol);
  const total = exact(position.realized_pnl);
  if (opening?.side !== position.side || opening.realisedBefore === null || total === null) {
    return null;
  }
  return cutTo(total - opening.realisedBefore, moneyPlaces);
}

/** When the position was opened; null while or if that is not known. */
export function openedAtOf({ symbol, side }: Pick<Position, "symbol" | "side">): string | null {
  const opening = openings.value.get(symbol);
  return opening?.side === side ? opening.openedAt : null;
}

async function openingOf(position: Position, reads: number): Promise<Opening> {
  const path = `/v1/trades/me?symbol=${encodeURIComponent(position.symbol)}&limit=${tradesRead}`;
  const { items } = await requestOwn<{ items: readonly Trade[] }>("GET", path);
  const since = realisedSinceOpening(position, items);
  const [profit, total] = [exact(since?.profit), exact(position.realized_pnl)];
  const realisedBefore = profit === null || total === null ? null : total - profit;
  const openedAt = since?.openedAt ?? null;
  return { side: position.side, realisedBefore, openedAt, state: stateOf(position), reads };
}

/** Finds the openings of the positions, as far as they have changed. Two readers ask for it, which may do so at once. */
export const readOpenings = oneAtATime(async (positions: readonly Position[]): Promise<void> => {
  const known = openings.peek();
  const read = await Promise.all(
    positions.map(async (position) => {
      const before = known.get(position.symbol);
      const reads = before?.state === stateOf(position) ? before.reads : 0;
      const isCurrent = reads >= readsMax || (reads > 0 && before?.openedAt !== null);
      const opening = isCurrent && before !== undefined ? before : openingOf(position, reads + 1);
      return [position.symbol, await opening] as const;
    }),
  );
  openings.value = new Map(read);
});

export function forgetOpenings(): void {
  openings.value = new Map();
}
