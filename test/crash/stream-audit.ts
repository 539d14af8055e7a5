// Compares the frames that streams sent with the journal. Every frame must match the journal, and every gap must be
// announced by a frame or by the loss of the connection.

import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { formatScaled } from "../../src/core/money/amounts.ts";
import { Side } from "../../src/core/orders.ts";
import { isAmendment } from "../../src/engine/state/apply/order-posting.ts";
import type { Frame } from "../streams/stream-client.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { JournalFacts } from "./journal-facts.ts";

type Spans = readonly (readonly Frame[])[];

const market = testMarkets.market(0);

function price(ticks: number): string {
  return formatScaled(ticks, market.tickDecimals);
}

function qty(lots: number): string {
  return formatScaled(lots, market.lotDecimals);
}

/** Writes a decimal with eight decimal places, as the compat view does. */
function padded(text: string): string {
  const [, fraction = ""] = text.split(".");
  return text + "0".repeat(8 - fraction.length);
}

/** Events after whose transaction an order may be on its book. */
const entersBook: ReadonlySet<EventKind> = new Set([
  EventKind.orderAccepted,
  EventKind.specialAccepted,
  EventKind.icebergAccepted,
  EventKind.orderTriggered,
]);

/** Quantities in lots of one side of the book, by price as text. */
type Levels = Map<string, number>;

function bookText(bids: Levels, asks: Levels): string {
  const text = (levels: Levels) =>
    [...levels]
      .filter(([, lots]) => lots !== 0)
      .sort()
      .map(([at, lots]) => `${at}:${lots.toFixed(0)}`)
      .join(" ");
  return `${text(bids)} | ${text(asks)}`;
}

/** The facts of the journal, and the book of the first market after each event. */
export class StreamFacts extends JournalFacts {
  readonly #books = new Map<number, string>();
  readonly #bids: Levels = new Map();
  readonly #asks: Levels = new Map();
  /** What the book shows of each order. */
  readonly #shown = new Map<number, { readonly at: string; readonly lots: number }>();
  /**
   * Ids of the orders that the transaction being read has accepted. The book gets them only at the end of the
   * transaction, with what remains of them.
   */
  readonly #incoming = new Set<number>();

  bookAt(seq: number): string | undefined {
    return this.#books.get(seq);
  }

  override take(event: VenueEvent): void {
    super.take(event);
    if (entersBook.has(event.kind) && "orderId" in event) this.#incoming.add(event.orderId);
    else if (event.kind === EventKind.traded) this.#show(event.makerOrderId);
    else if (
      isAmendment(event) ||
      event.kind === EventKind.orderReduced ||
      event.kind === EventKind.orderClosed
    )
      this.#show(event.orderId);
    if (event.isTransactionEnd) {
      const entering = [...this.#incoming];
      this.#incoming.clear();
      for (const orderId of entering) this.#show(orderId);
    }
    this.#books.set(event.seq, bookText(this.#bids, this.#asks));
  }

  /** Whether the order waits for its trigger or for the working order of its list. */
  #waits(orderId: number): boolean {
    const { orders } = this.state;
    const slot = orders.slotOf(orderId);
    return slot >= 0 && orders.isOffBook(slot);
  }

  /** What the book shows of an order with so many open lots: no more than the slice of an iceberg order. */
  #shownLots(orderId: number, open: number): number {
    const { orders } = this.state;
    const slot = orders.slotOf(orderId);
    return slot < 0 ? open : Math.min(open, orders.shownLots(slot));
  }

  /** Shows an order in the book as it is now, unless its transaction has not ended. */
  #show(orderId: number): void {
    const order = this.orders.get(orderId);
    if (order?.accepted.market !== market.id || this.#incoming.has(orderId)) return;
    const levels = order.accepted.side === Side.buy ? this.#bids : this.#asks;
    const add = (at: string, lots: number) => levels.set(at, (levels.get(at) ?? 0) + lots);
    const before = this.#shown.get(orderId);
    if (before !== undefined) add(before.at, -before.lots);
    const isAway = order.closed.length > 0 || this.#waits(orderId);
    const lots = isAway ? 0 : this.#shownLots(orderId, order.qty - order.filledQty);
    const now = { at: padded(price(order.price)), lots };
    add(now.at, now.lots);
    this.#shown.set(orderId, now);
  }
}

/** Checks the trade stream: each trade is in the journal, and none is missing within one connection. */
export function tradeFaults(spans: Spans, facts: StreamFacts): string[] {
  const faults: string[] = [];
  for (const frames of spans) {
    let last = 0;
    for (const { t, p, q, m } of frames) {
      const told = `trade ${t}: ${p} ${q} ${m}`;
      if (last !== 0 && missesTrade(last, t, facts))
        faults.push(`${told} comes directly after trade ${last}`);
      last = t;
      const known = facts.trades.get(t);
      const isSame =
        known !== undefined &&
        price(known.price) === p &&
        qty(known.qty) === q &&
        (known.takerSide === Side.sell) === m;
      if (!isSame) faults.push(`${told} differs from the journal`);
    }
  }
  return faults;
}

/** True if the market has a trade between two reported ones. Ids are those of all markets. */
function missesTrade(last: number, next: number, { trades }: StreamFacts): boolean {
  for (let id = last + 1; id < next; id++) if (trades.get(id)?.market === market.id) return true;
  return next <= last;
}

/**
 * Checks the diff depth stream: each connection starts with the whole book, has no gap, and equals the journal's
 * book at every frame.
 */
export function depthFaults(spans: Spans, facts: StreamFacts): string[] {
  return spans.flatMap((frames) => {
    const told = { b: new Map(), a: new Map() };
    return frames.flatMap((frame, index) => [
      ...spanFaults(frame, frames[index - 1]),
      ...bookFaults(frame, told, facts),
    ]);
  });
}

function spanFaults({ U, snapshot = false }: Frame, before: Frame | undefined): string[] {
  const last = before?.u ?? 0;
  return [
    ...(snapshot === (before === undefined)
      ? []
      : [`depth ${U}: its snapshot flag is ${snapshot}`]),
    ...(U === last + 1 ? [] : [`depth ${U} comes directly after ${last}`]),
  ];
}

function bookFaults(frame: Frame, told: Record<"b" | "a", Levels>, facts: StreamFacts): string[] {
  for (const side of ["b", "a"] as const) {
    for (const [at, amount] of frame[side]) {
      told[side].set(at, Number(amount) * 10 ** market.lotDecimals);
    }
  }
  const [text, known] = [bookText(told.b, told.a), facts.bookAt(frame.u)];
  return text === known ? [] : [`depth ${frame.u}: the stream has ${text}, the journal ${known}`];
}

/**
 * Checks one account's user data stream: each report is in the journal, and every gap is announced by a snapshot.
 */
export function userFaults(spans: Spans, account: number, facts: StreamFacts): string[] {
  const frames = spans.flat();
  /** Ids of the reported trades in order; after each snapshot a new list begins. */
  const runs: number[][] = [[]];
  for (const { e, x, t } of frames) {
    if (e === "accountSnapshot") runs.push([]);
    else if (e === "executionReport" && x === "TRADE") runs.at(-1)?.push(t);
  }
  return [
    ...frames.flatMap((frame, index) => sequenceFaults(frame, frames[index - 1], facts)),
    ...frames
      .filter(({ e }) => e === "executionReport")
      .flatMap((frame) => reportFaults(frame, account, facts)),
    ...runs.flatMap((run) => missingTrades(run, account, facts)),
  ];
}

function sequenceFaults(frame: Frame, before: Frame | undefined, facts: StreamFacts): string[] {
  const { e, seq, after, orders } = frame;
  const last = before?.seq;
  if (e !== "accountSnapshot") {
    const isNext = last === undefined || seq === last || seq === last + 1;
    return isNext ? [] : [`${e} ${seq} comes directly after ${last}`];
  }
  const unknown = orders.filter(({ orderId }: Frame) => !facts.orders.has(orderId));
  return [
    ...(after === last ? [] : [`snapshot after ${after}, but the last event was ${last}`]),
    ...unknown.map(({ orderId }: Frame) => `snapshot with unknown order ${orderId}`),
  ];
}

function reportFaults(frame: Frame, account: number, facts: StreamFacts): string[] {
  const { i, c, x, t, L, l, X } = frame;
  const order = facts.orders.get(i);
  const told = `report of order ${i} ${c} ${x} ${X}`;
  if (order === undefined || order.accepted.account !== account)
    return [`${told} is not of an order of the account`];
  if (order.accepted.clientId !== c) return [`${told}, but accepted as ${order.accepted.clientId}`];
  if (x === "CANCELED" && order.closed.length === 0) return [`${told} differs from the journal`];
  if (x !== "TRADE") return [];
  const trade = facts.trades.get(t);
  const isSame =
    trade !== undefined &&
    [trade.makerOrderId, trade.takerOrderId].includes(i) &&
    padded(price(trade.price)) === L &&
    padded(qty(trade.qty)) === l;
  return isSame ? [] : [`${told} trade ${t} ${L} ${l} differs from the journal`];
}

/**
 * Returns a fault for each trade of the account that lies between the first and the last reported trade and was not
 * reported, and one fault if a trade was reported twice.
 */
function missingTrades(told: readonly number[], account: number, facts: StreamFacts): string[] {
  const [first = 0] = told;
  const last = told.at(-1) ?? -1;
  const known = new Set(told);
  const faults = [...facts.trades.values()]
    .filter(({ tradeId }) => tradeId >= first && tradeId <= last && !known.has(tradeId))
    .filter((trade) => trade.account === account || trade.makerAccount === account)
    .map(({ tradeId }) => `trade ${tradeId} was not reported`);
  if (known.size < told.length) faults.push("a trade was reported twice");
  return faults;
}
