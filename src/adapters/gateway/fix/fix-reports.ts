// ExecutionReport and ListStatus from the updates of an account's user data, as FIX fields. Spec FIX-16 to FIX-18.

import { type Market, orderValue } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../core/money/amounts.ts";
import type { Asset } from "../../../core/money/assets.ts";
import { OrderListType } from "../../../core/order-lists.ts";
import { isConditional, OrderStatus, OrderType, Side, tradedType } from "../../../core/orders.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";
import type { Execution } from "../orders/execution.ts";
import {
  expiryReason,
  placesOf,
  type ShownMarket,
  shownIn,
  statusName,
  stpModeNames,
  timeInForceName,
  workingUs,
} from "../orders/order-format.ts";
import { typeNames } from "../spot/render.ts";
import type { ListChange, OrderUpdate } from "../streams/user/user-update.ts";
import { FieldWriter, type SharedText, utcTime } from "./field-writer.ts";
import { type FixMessage, field, maybe, sharedText } from "./fix-codec.ts";
import { codesByName, expiryReasons, stpModes, Tag, timesInForce } from "./fix-fields.ts";

const execTypes: Readonly<Record<Execution, string>> = {
  NEW: "0",
  TRADE: "F",
  CANCELED: "4",
  REPLACED: "5",
  EXPIRED: "C",
  TRADE_PREVENTION: "C",
  CALCULATED: "F",
};

const ordStatuses: Readonly<Record<string, string>> = {
  NEW: "0",
  PARTIALLY_FILLED: "1",
  FILLED: "2",
  CANCELED: "4",
  PENDING_NEW: "A",
  EXPIRED: "C",
  EXPIRED_IN_MATCH: "C",
};

const ordTypes: Readonly<Record<string, string>> = {
  MARKET: "1",
  LIMIT: "2",
  LIMIT_MAKER: "2",
  STOP_LOSS: "3",
  TAKE_PROFIT: "3",
  STOP_LOSS_LIMIT: "4",
  TAKE_PROFIT_LIMIT: "4",
};

const timeInForceCodes = codesByName(timesInForce);
const stpCodes = codesByName(stpModes);
const expiryCodes = codesByName(expiryReasons);

/** Writes reports, one after the other; each figure with the decimals of its market. */
class ReportWriter extends FieldWriter {
  price(tag: number, market: ShownMarket, ticks: number): void {
    const { tickDecimals } = market;
    this.scaled(tag, ticks, tickDecimals, placesOf(market, tickDecimals));
  }

  qty(tag: number, market: ShownMarket, lots: number): void {
    const { lotDecimals } = market;
    this.scaled(tag, lots, lotDecimals, placesOf(market, lotDecimals));
  }

  /** An amount of one of the market's assets. */
  amount(tag: number, market: ShownMarket, units: bigint, { decimals }: Asset): void {
    this.scaled(tag, units, decimals, placesOf(market, decimals));
  }

  /** A code that an order may lack. */
  maybe(tag: number, code: string | undefined): void {
    if (code !== undefined) this.text(tag, code);
  }
}

const writer = new ReportWriter();

/** Fields of an order's terms. */
function writeTerms(to: ReportWriter, order: OrderRecord, market: ShownMarket): void {
  const { type, side, qty, price, icebergQty, quoteQty, listId, stpMode } = order;
  const traded = tradedType(type);
  if (quoteQty === 0n) to.qty(Tag.orderQty, market, qty);
  to.text(Tag.ordType, ordTypes[typeNames[type]] ?? "2");
  to.text(Tag.side, side === Side.buy ? "1" : "2");
  to.text(Tag.symbol, market.symbol);
  if (type === OrderType.limitMaker) to.text(Tag.execInst, "6");
  if (traded !== OrderType.market) to.price(Tag.price, market, price);
  if (isConditional(type)) writeTrigger(to, order, market);
  if (traded === OrderType.limit)
    to.maybe(Tag.timeInForce, timeInForceCodes[timeInForceName(order)]);
  if (icebergQty !== 0) to.qty(Tag.maxFloor, market, icebergQty);
  if (listId !== 0) to.whole(Tag.listId, listId);
  if (quoteQty > 0n) to.amount(Tag.cashOrderQty, market, quoteQty, market.quote);
  to.maybe(Tag.selfTradePreventionMode, stpCodes[stpModeNames[stpMode]]);
}

function writeTrigger(to: ReportWriter, order: OrderRecord, market: ShownMarket): void {
  const isStop = typeNames[order.type].startsWith("STOP");
  const isUp = isStop === (order.side === Side.buy);
  to.text(Tag.triggerType, "4");
  to.text(Tag.triggerAction, "1");
  to.price(Tag.triggerPrice, market, order.triggerPrice);
  to.text(Tag.triggerPriceType, "2");
  to.text(Tag.triggerPriceDirection, isUp ? "U" : "D");
}

/** Fields of what an order has become. */
function writeState(to: ReportWriter, order: OrderRecord, market: ShownMarket): void {
  const isOpen = order.status === OrderStatus.open;
  const leaves = isOpen && order.quoteQty === 0n ? order.qty - order.filledQty : 0;
  const sinceUs = workingUs(order);
  to.qty(Tag.cumQty, market, order.filledQty);
  to.qty(Tag.leavesQty, market, leaves);
  to.amount(Tag.cumQuoteQty, market, order.filledQuote, market.quote);
  to.text(Tag.ordStatus, ordStatuses[statusName(order)] ?? "0");
  to.time(Tag.orderCreationTime, order.acceptedUs);
  if (sinceUs === undefined) return;
  if (isOpen) to.text(Tag.workingIndicator, "Y");
  to.time(Tag.workingTime, sinceUs);
}

function writeFill(to: ReportWriter, { order, fill }: OrderUpdate, market: ShownMarket): void {
  if (fill === null) {
    to.qty(Tag.lastQty, market, 0);
    return;
  }
  const asset = order.side === Side.buy ? (market.base ?? market.quote) : market.quote;
  to.text(Tag.aggressorIndicator, fill.isMaker ? "N" : "Y");
  to.whole(Tag.tradeId, fill.tradeId);
  to.price(Tag.lastPx, market, fill.price);
  to.qty(Tag.lastQty, market, fill.qty);
  to.text(Tag.noMiscFees, "1");
  to.amount(Tag.miscFeeAmt, market, fill.fee, asset);
  to.text(Tag.miscFeeCurr, asset.code);
  to.text(Tag.miscFeeType, "4");
}

/** What an order lost to self-trade prevention. */
function writePrevented(
  to: ReportWriter,
  { order, prevented }: OrderUpdate,
  market: ShownMarket,
): void {
  if (prevented === undefined) return;
  const { seq, takerOrderId, makerOrderId, price, takerQty, makerQty } = prevented;
  const [lots, counter] =
    order.orderId === takerOrderId ? [takerQty, makerOrderId] : [makerQty, takerOrderId];
  const value = orderValue(market, asPriceTicks(price), asQtyLots(lots));
  to.whole(Tag.preventedMatchId, seq);
  to.price(Tag.preventedExecutionPrice, market, price);
  to.amount(Tag.preventedExecutionQty, market, value, market.quote);
  to.text(Tag.counterSymbol, market.symbol);
  to.whole(Tag.counterOrderId, counter);
  to.qty(Tag.lastPreventedQty, market, lots);
}

/**
 * The fields of an ExecutionReport that depend on the session. `requestId` is the ClOrdID of the request of this session that
 * caused the event, if one did.
 */
export function ownFields(
  { order, execution }: OrderUpdate,
  requestId: string | undefined,
): string {
  const isChange = execution === "CANCELED" || execution === "REPLACED";
  return (
    field(Tag.clOrdId, requestId ?? order.clientId) +
    (isChange ? field(Tag.origClOrdId, order.clientId) : "")
  );
}

/** The other fields. `execId` is the number of the event in the journal, the same on every session and after a restart. */
function executionFields(update: OrderUpdate, own: Market, execId: number): SharedText {
  const { order, execution, tsUs } = update;
  const market = shownIn("compat", own);
  writer.begin();
  writer.whole(Tag.execId, execId);
  writer.whole(Tag.orderId, order.orderId);
  writeTerms(writer, order, market);
  writer.time(Tag.transactTime, tsUs);
  writer.text(Tag.execType, execTypes[execution]);
  writeState(writer, order, market);
  writeFill(writer, update, market);
  writePrevented(writer, update, market);
  if (execution === "EXPIRED")
    writer.maybe(Tag.expiryReason, expiryCodes[expiryReason(order) ?? ""]);
  return writer.take();
}

/** The ExecutionReport of an event for a session that did not ask for it. */
export function executionReport(update: OrderUpdate, own: Market, execId: number): string {
  return ownFields(update, undefined) + executionFields(update, own, execId).text;
}

/** What an event of an order is for every session of its account. */
interface ReportTexts {
  readonly execution: SharedText;
  /** The ListStatus; null if the event is none of a list. */
  readonly list: SharedText | null;
}

/** Renders each event of an order once: the sessions of its account get it one after the other. */
export class Reports {
  #last: { readonly update: OrderUpdate; readonly texts: ReportTexts } | null = null;

  of(update: OrderUpdate, own: Market, execId: number): ReportTexts {
    if (this.#last?.update === update) return this.#last.texts;
    const { list } = update;
    const texts = {
      execution: executionFields(update, own, execId),
      list: list === undefined ? null : sharedText(listStatus(update, list, own)),
    };
    this.#last = { update, texts };
    return texts;
  }
}

/** The terms of a refused order, repeated from its request. */
const repeatedTags = [
  Tag.clOrdId,
  Tag.orderQty,
  Tag.ordType,
  Tag.side,
  Tag.symbol,
  Tag.execInst,
  Tag.price,
  Tag.timeInForce,
  Tag.maxFloor,
  Tag.cashOrderQty,
] as const;

/** These fields of a message, as it has them. */
export function repeated(message: FixMessage, tags: readonly number[]): string {
  return tags.map((tag) => maybe(tag, message.get(tag))).join("");
}

/** An ExecutionReport that refuses an order. */
export function rejectedReport(message: FixMessage, code: number, text: string): string {
  return (
    repeated(message, repeatedTags) +
    field(Tag.execType, "8") +
    field(Tag.cumQty, "0") +
    field(Tag.lastQty, "0") +
    field(Tag.ordStatus, "8") +
    field(Tag.errorCode, code) +
    field(Tag.text, text)
  );
}

/** A ListStatus that refuses a list. */
export function rejectedList(message: FixMessage, code: number, text: string): string {
  const orders = message.group(Tag.noOrders);
  return (
    maybe(Tag.symbol, orders[0]?.get(Tag.symbol)) +
    repeated(message, [Tag.clListId, Tag.contingencyType]) +
    field(Tag.listStatusType, 2) +
    field(Tag.listOrderStatus, 7) +
    field(Tag.listRejectReason, 99) +
    field(Tag.errorCode, code) +
    field(Tag.text, text) +
    field(Tag.noOrders, orders.length) +
    orders
      .map(
        (order) =>
          maybe(Tag.clOrdId, order.get(Tag.clOrdId)) + maybe(Tag.symbol, order.get(Tag.symbol)),
      )
      .join("")
  );
}

/** A ListStatus: an order list was accepted, or is over. */
function listStatus({ tsUs }: OrderUpdate, list: ListChange, own: Market): string {
  const { symbol } = shownIn("compat", own);
  const { listId, type, clientId, isOver, orders } = list;
  const rows = orders.map(
    (order) =>
      field(Tag.clOrdId, order.clientId) +
      field(Tag.symbol, symbol) +
      field(Tag.orderId, order.orderId),
  );
  return (
    field(Tag.symbol, symbol) +
    field(Tag.listId, listId) +
    field(Tag.clListId, clientId) +
    field(Tag.contingencyType, type === OrderListType.oco ? 1 : 2) +
    field(Tag.listStatusType, isOver ? 5 : 4) +
    field(Tag.listOrderStatus, isOver ? 6 : 3) +
    field(Tag.transactTime, utcTime(tsUs)) +
    field(Tag.noOrders, rows.length) +
    rows.join("")
  );
}
