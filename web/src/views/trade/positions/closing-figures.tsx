// What closing a position is expected to do, from the book of its market: price, profit and fee.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { shown, signed, toneOf } from "../../../decimal-text.ts";
import { book } from "../../../markets/book.ts";
import { type Market, surfaceOf } from "../../../markets/market.ts";
import { market as marketInSight } from "../../../markets/markets.ts";
import { closingEstimate } from "../../../markets/positions/closing-estimate.ts";
import { closingSide } from "../../../markets/positions/guards.ts";
import type { Reach } from "../../../markets/ticket/book-fill.ts";
import { percentText } from "../../../markets/ticket/fees.ts";
import type { Position } from "../../../member/account.ts";
import { feeRatesIn, readFeeRates } from "../../../member/fees.ts";
import { request } from "../../../member/venue-api.ts";
import { reachIn } from "../ticket-sending.ts";

type Row = readonly [price: string, quantity: string];

interface Depth {
  readonly bids: readonly Row[];
  readonly asks: readonly Row[];
}

/** The book of a market that is not in sight, which no stream follows. */
const readBook = signal<{ readonly symbol: string; readonly depth: Depth } | null>(null);
const readEveryMs = 2_000;
const levelsRead = 500;

/** Keeps the levels of the market known while they are shown. */
function useBook(market: Market): void {
  useEffect(() => {
    let isShown = true;
    const read = async (): Promise<void> => {
      if (marketInSight.peek()?.symbol === market.symbol) return;
      const path = `${surfaceOf(market)}/depth?symbol=${market.listed}&limit=${levelsRead}`;
      const depth = await request<Depth>("GET", path);
      if (isShown) readBook.value = { symbol: market.symbol, depth };
    };
    // What was read last stays; it is read again soon.
    const attempt = () => void read().catch(() => undefined);
    attempt();
    void readFeeRates(market).catch(() => undefined);
    const reading = setInterval(attempt, readEveryMs);
    return () => {
      isShown = false;
      clearInterval(reading);
      readBook.value = null;
    };
  }, [market.symbol]);
}

/** What closing a position of the market would trade with; nothing until the book is read. */
export function levelsOf({ symbol }: Market, name: "bids" | "asks"): Reach["levels"] {
  if (marketInSight.value?.symbol === symbol) return book.whole.value[name];
  const { value } = readBook;
  if (value?.symbol !== symbol) return [];
  return value.depth[name].map(([price, quantity]) => ({ price, quantity }));
}

interface FiguresProps {
  readonly position: Position;
  readonly market: Market;
  /** What is closed. */
  readonly quantity: string;
  /** What the order trades, if it is more than what it closes. */
  readonly ordered?: string;
  /** Null to close at the market. */
  readonly limit: string | null;
}

export function ClosingFigures(props: FiguresProps): VNode {
  const { position, market, quantity, ordered = quantity, limit } = props;
  useBook(market);
  const rate = feeRatesIn(market)?.taker;
  const reach = reachIn(levelsOf(market, closingSide(position) === "SELL" ? "bids" : "asks"));
  const { pricePlaces, quote } = market;
  const terms = { limit, reach, feeRate: rate, pricePlaces };
  const expected = closingEstimate(position, { ...terms, quantity: ordered });
  const closed =
    ordered === quantity ? expected : closingEstimate(position, { ...terms, quantity });
  const profit = closed?.profit;
  const feeName = limit === null ? "Fee" : "Fee, at most";
  return (
    <>
      <dl class="estimate" aria-label="What closing does">
        <dt>{limit === null ? "Expected price" : "Price"}</dt>
        <dd>{shown(expected?.price, pricePlaces)}</dd>
        <dt>Expected PnL ({quote})</dt>
        <dd class={toneOf(profit)}>{signed(profit, 2)}</dd>
        <dt>
          {feeName} {rate === undefined ? "" : `(${percentText(rate)} %)`}
        </dt>
        <dd>{rate === undefined ? "–" : shown(expected?.fee, 2)}</dd>
      </dl>
      {expected?.isWhole === false && (
        <p role="alert">
          The book has only {expected.quantity} {market.base} for this order now.
        </p>
      )}
    </>
  );
}
