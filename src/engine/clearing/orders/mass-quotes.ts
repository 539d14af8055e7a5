// Mass quotes: up to 15 two-sided quotes of one market in one command. Each side of a quote is an ordinary post-only
// order with a client order id of the venue, by which the next mass quote finds it. A side is placed, amended in place or
// cancelled.
//
// Its requests go to the matcher one after another; their answers are held until the last one has arrived, and become one
// transaction. So are the answers to cancels that overtake them: the best prices that a matcher reports include all that it
// has answered, and marks must come from orders that are in the journal. Cancels
// come first, because a side may rest where a cancelled order was in its way. Post-only orders never trade on arrival, so the
// transaction has no fills: at most one event a side, and a second one for an order that is bound to its connection.

import { numberAt, present, wordAt } from "../../../core/assert.ts";
import type { MassQuote, PlaceOrder } from "../../../core/generated/commands.ts";
import { emptyQuoteAmended } from "../../../core/generated/events.ts";
import { marketsMax, qtyLotsMax, quoteSidesMax } from "../../../core/limits.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { MatchLane, MatchOutcome } from "../../../core/match-messages.ts";
import {
  CloseReason,
  OrderType,
  quoteClientId,
  type Side,
  TimeInForce,
} from "../../../core/orders.ts";
import { QuoteOutcomes } from "../../../core/quotes.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { SlotState } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { ConnectedOrders } from "../connections/connected-orders.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import {
  emptyOrder,
  FillBuffer,
  type PendingRequest,
  type RequestBatch,
  RequestKind,
} from "../matchers/request-lane.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";
import type { Admission } from "./admission.ts";
import type { OrderAmends } from "./order-amends.ts";
import { type OrderTransaction, setTerms } from "./order-transaction.ts";
import type { PendingOrders } from "./pending-orders.ts";
import { noneBefore } from "./waiting-orders.ts";

export interface MassQuotesParts {
  readonly state: VenueState;
  readonly lanes: MatcherLanes;
  readonly pending: PendingOrders;
  readonly admission: Admission;
  readonly amends: OrderAmends;
  readonly orderTransaction: OrderTransaction;
  readonly writer: TransactionWriter;
  readonly connected: ConnectedOrders;
  /** Called for each order that begins to rest. */
  readonly onRested: (market: number, orderId: number) => void;
}

/** A mass quote whose requests are with its matcher. */
interface QuoteBatch extends RequestBatch {
  readonly command: MassQuote;
  readonly outcomes: QuoteOutcomes;
}

/** One side of a quote as its owner wants it. */
interface WantedSide {
  readonly clientId: string;
  readonly side: Side;
  readonly price: number;
  /** Open lots; 0 for no order. */
  readonly qty: number;
}

export class MassQuotes {
  readonly #parts: MassQuotesParts;
  readonly #noFills = new FillBuffer();
  readonly #amended = emptyQuoteAmended();
  /** Seq of the first side that the transaction being written amends; 0 if there is none yet. */
  #firstAmendedSeq = 0;
  /** The sides that it amends, one bit each. */
  #amendedSides = 0;
  /** The client order ids of each market's sides, made when the market is first quoted. */
  readonly #sideIds: string[][] = [];
  /** The mass quotes in flight, by account × marketsMax + market. */
  readonly #underWay = new Map<number, QuoteBatch>();

  constructor(parts: MassQuotesParts) {
    this.#parts = parts;
  }

  /** Decides each side of the command, and answers it once the matcher has answered for all. Spec QUO-1. */
  quote(command: MassQuote): void {
    const { state, lanes, writer } = this.#parts;
    const market = state.table.markets[command.market];
    const refusal = this.#refusalOf(command, market);
    if (market === undefined || refusal !== RejectReason.none) {
      writer.answer(command, refusal, 0);
      return;
    }
    const outcomes = new QuoteOutcomes();
    const batch: QuoteBatch = { command, outcomes, side: 0, waiting: 0 };
    lanes.batch = batch;
    const sideIds = this.#sideIdsOf(market);
    for (let at = 0; at < quoteSidesMax; at++) {
      if (((command.sides >>> at) & 1) === 0) continue;
      batch.side = at;
      const reason = this.#decide(command, market, wantedSide(command, sideIds, at));
      if (reason !== RejectReason.none) outcomes.refuse(at, reason);
    }
    lanes.batch = null;
    if (batch.waiting === 0) writer.answer(command, RejectReason.none, outcomes.packed);
    else this.#underWay.set(keyOf(command), batch);
  }

  /** Writes the transaction of a mass quote whose requests are all answered, and replies. Spec QUO-5. */
  finish(requests: readonly PendingRequest[]): void {
    const { writer } = this.#parts;
    const { matchRequest } = present(requests[0], "a mass quote in flight must have a request");
    const key = keyOf(matchRequest);
    const batch = present(this.#underWay.get(key), "the mass quote must be in flight");
    const { command, outcomes } = batch;
    this.#underWay.delete(key);
    const effects = requests.filter((request) => this.#hasEffect(request, outcomes));
    if (effects.length > 0) writer.records(command.identity, outcomes.packed);
    this.#firstAmendedSeq = 0;
    this.#amendedSides = sidesAmendedBy(effects);
    for (const [at, request] of effects.entries()) {
      this.#write(request, matchRequest.market, at === effects.length - 1);
    }
    writer.answer(command, RejectReason.none, outcomes.packed);
  }

  #refusalOf(command: MassQuote, market: Market | undefined): RejectReason {
    if (market === undefined) return RejectReason.unknownMarket;
    if (!this.#parts.state.accounts.isCustomer(command.account)) return RejectReason.unknownAccount;
    const isWhole = command.sides > 0 && command.sides < 2 ** quoteSidesMax;
    if (!isWhole) return RejectReason.unsupportedCombination;
    const { account, connection = 0 } = command;
    const fenced = this.#parts.connected.check(connection, account);
    if (fenced !== RejectReason.none) return fenced;
    return this.#underWay.has(keyOf(command)) ? RejectReason.requestInFlight : RejectReason.none;
  }

  /** Sends what the side needs to its matcher, if anything; or refuses it. */
  #decide(command: MassQuote, market: Market, wanted: WantedSide): RejectReason {
    const { state, pending } = this.#parts;
    const { account } = command;
    const { clientId } = wanted;
    const slot = pending.find({ account, market: market.id, orderId: 0, clientId });
    if (slot < 0) {
      if (wanted.qty === 0) return RejectReason.none;
      return this.#place(command, market, wanted);
    }
    // An order from before quotes existed may have the client order id of one.
    const isQuote =
      state.orders.side[slot] === wanted.side && state.orders.timeInForce[slot] === TimeInForce.gtx;
    const isOpen = state.orders.state[slot] === SlotState.open;
    if (!isOpen || !isQuote) return RejectReason.notAmendable;
    if (wanted.qty > 0) return this.#amend(command, slot, wanted);
    const { lanes } = this.#parts;
    lanes.sendCancel(slot, MatchLane.orders, command, { atUs: command.atUs, mass: null });
    return RejectReason.none;
  }

  #place(command: MassQuote, market: Market, wanted: WantedSide): RejectReason {
    const { state, admission, lanes, pending } = this.#parts;
    const order = orderOf(command, market, wanted);
    const reason = admission.admit(order, lanes.terms, noneBefore, true);
    if (reason !== RejectReason.none) return reason;
    const request = lanes.prepare(RequestKind.place, state.orders.allocate(), order);
    pending.reserve(request);
    lanes.sendPlace(request);
    return RejectReason.none;
  }

  /** Amends the quote's order, so that the wanted lots are open. One that is as wanted stays untouched. */
  #amend(
    { account, market, atUs, source, correlation }: MassQuote,
    slot: number,
    { price, qty: open }: WantedSide,
  ): RejectReason {
    const { state, amends } = this.#parts;
    if (price === 0) return RejectReason.priceNotPositive;
    const qty = wordAt(state.orders.filledQty, slot) + open;
    if (qty > qtyLotsMax) return RejectReason.qtyTooLarge;
    const sent = { source, correlation, identity: null, atUs, account, market, price, qty };
    const terms = { ...sent, isQuote: true };
    const reason = amends.request(slot, terms);
    return reason === RejectReason.amendsNothing ? RejectReason.none : reason;
  }

  /** Releases what the request held, and notes a refusal of the matcher. Returns whether there is something to write. */
  #hasEffect(request: PendingRequest, outcomes: QuoteOutcomes): boolean {
    const { state, pending, amends } = this.#parts;
    const { outcome, slot, batchSide } = request;
    if (request.kind === RequestKind.place) {
      if (outcome === MatchOutcome.rested) return true;
      pending.refuse(request);
      state.orders.free(slot);
      outcomes.refuse(batchSide, RejectReason.wouldTake);
      return false;
    }
    if (request.kind === RequestKind.amend) amends.release(request);
    // A cancel that overtook the requests may have closed the order after the matcher had answered.
    const isThere = state.orders.generation[slot] === request.generation;
    const isDone = outcome === MatchOutcome.rested || outcome === MatchOutcome.cancelled;
    if (isThere && isDone) return true;
    if (request.kind === RequestKind.amend) {
      const wouldTake = outcome === MatchOutcome.wouldTake;
      outcomes.refuse(batchSide, wouldTake ? RejectReason.wouldTake : RejectReason.unknownOrder);
    }
    return false;
  }

  #sideIdsOf({ id, alias }: Market): readonly string[] {
    this.#sideIds[id] ??= Array.from({ length: quoteSidesMax }, (_, at) =>
      quoteClientId(alias, (at >> 1) + 1, (at % 2) as Side),
    );
    return this.#sideIds[id];
  }

  /** Writes the new terms of an amended side. The first one of a mass quote is in an index, so others count from it. */
  #writeAmended(request: PendingRequest, isTransactionEnd: boolean): void {
    const { state, writer } = this.#parts;
    const { slot, orderId, order, terms, remaining, isRequeued } = request;
    order.qty = wordAt(state.orders.filledQty, slot) + remaining;
    if (this.#firstAmendedSeq === 0) this.#firstAmendedSeq = state.seq + 1;
    const event = this.#amended;
    setTerms(event, orderId, order, terms);
    event.isRequeued = isRequeued;
    event.sinceFirst = state.seq + 1 - this.#firstAmendedSeq;
    event.sides = event.sinceFirst === 0 ? this.#amendedSides : 0;
    writer.changed(event, order.atUs, isTransactionEnd);
  }

  #write(request: PendingRequest, market: number, isTransactionEnd: boolean): void {
    const { state, pending, orderTransaction, connected, onRested } = this.#parts;
    const { orders } = state;
    const { slot, order, terms, outcome, atUs } = request;
    if (request.kind === RequestKind.place) {
      pending.accept(request);
      const fills = this.#noFills;
      const orderId = orderTransaction.write(slot, order, terms, fills, null, isTransactionEnd);
      onRested(market, orderId);
      if (order.attached !== null) connected.rested(orderId);
    } else if (outcome === MatchOutcome.rested) {
      this.#writeAmended(request, isTransactionEnd);
    } else {
      const orderId = numberAt(orders.orderId, slot);
      const account = wordAt(orders.account, slot);
      const reason = CloseReason.cancelled;
      orderTransaction.close({ orderId, account, market, reason }, atUs, isTransactionEnd);
    }
  }
}

function sidesAmendedBy(effects: readonly PendingRequest[]): number {
  let sides = 0;
  for (const { kind, outcome, batchSide } of effects) {
    if (kind === RequestKind.amend && outcome === MatchOutcome.rested) sides |= 1 << batchSide;
  }
  return sides;
}

function keyOf({ account, market }: Pick<MassQuote, "account" | "market">): number {
  return account * marketsMax + market;
}

/** The side at index `at` of the command: even for bids, odd for asks. */
function wantedSide({ quotes }: MassQuote, sideIds: readonly string[], at: number): WantedSide {
  const side = (at % 2) as Side;
  const clientId = present(sideIds[at], "every side must have an id");
  const price = present(quotes[2 * at], "every side must have a price");
  const qty = present(quotes[2 * at + 1], "every side must have a quantity");
  return { clientId, side, price, qty };
}

/** The post-only order of a side. */
function orderOf(
  { source, correlation, atUs, account, connection = 0 }: MassQuote,
  market: Market,
  { clientId, side, price, qty }: WantedSide,
): PlaceOrder {
  const order = emptyOrder();
  order.source = source;
  order.correlation = correlation;
  order.atUs = atUs;
  order.account = account;
  order.market = market.id;
  order.side = side;
  order.type = market.kind === MarketKind.spot ? OrderType.limitMaker : OrderType.limit;
  order.timeInForce = TimeInForce.gtx;
  order.price = price;
  order.qty = qty;
  order.clientId = clientId;
  if (connection > 0) order.attached = { key: null, leverage: 0, connection };
  return order;
}
