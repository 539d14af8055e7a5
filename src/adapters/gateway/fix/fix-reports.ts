// ExecutionReport and ListStatus from the updates of an account's user data, as FIX fields. Spec FIX-16 to FIX-18.

import { type Market, orderValue } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../core/money/amounts.ts";
import { OrderListType } from "../../../core/order-lists.ts";
import { isConditional, OrderStatus, OrderType, Side, tradedType } from "../../../core/orders.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";
import type { Execution } from "../orders/execution.ts";
import {
  assetText,
  expiryReason,
  priceText,
  qtyText,
  quoteText,
  type ShownMarket,
  shownIn,
  statusName,
  stpModeNames,
  timeInForceName,
  workingUs,
} from "../orders/order-format.ts";
import { typeNames } from "../spot/render.ts";
import type { ListChange, OrderUpdate } from "../streams/user/user-update.ts";
import {
  type FixMessage,
  field,
  maybe,
  plain,
  type SharedText,
  sharedText,
  utcTime,
} from "./fix-codec.ts";
import { codesByName, expiryReasons, stpModes, timesInForce } from "./fix-codes.ts";
import { Tag } from "./fix-fields.ts";

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

const maker = plain(Tag.execInst, "6");

/** Fields of an order's terms. */
function termsOf(order: OrderRecord, market: ShownMarket): string {
  const { type, side, qty, price, icebergQty, quoteQty, listId, stpMode } = order;
  const traded = tradedType(type);
  const isPriced = traded !== OrderType.market;
  const name = timeInForceName(order);
  return (
    (quoteQty > 0n ? "" : plain(Tag.orderQty, qtyText(market, qty))) +
    plain(Tag.ordType, ordTypes[typeNames[type]] ?? "2") +
    plain(Tag.side, side === Side.buy ? "1" : "2") +
    plain(Tag.symbol, market.symbol) +
    (type === OrderType.limitMaker ? maker : "") +
    (isPriced ? plain(Tag.price, priceText(market, price)) : "") +
    triggerOf(order, market) +
    (traded === OrderType.limit ? maybe(Tag.timeInForce, timeInForceCodes[name]) : "") +
    (icebergQty === 0 ? "" : plain(Tag.maxFloor, qtyText(market, icebergQty))) +
    (listId === 0 ? "" : plain(Tag.listId, listId)) +
    (quoteQty > 0n ? plain(Tag.cashOrderQty, quoteText(market, quoteQty)) : "") +
    maybe(Tag.selfTradePreventionMode, stpCodes[stpModeNames[stpMode]])
  );
}

function triggerOf(order: OrderRecord, market: ShownMarket): string {
  if (!isConditional(order.type)) return "";
  const isStop = typeNames[order.type].startsWith("STOP");
  const isUp = isStop === (order.side === Side.buy);
  return (
    plain(Tag.triggerType, "4") +
    plain(Tag.triggerAction, "1") +
    plain(Tag.triggerPrice, priceText(market, order.triggerPrice)) +
    plain(Tag.triggerPriceType, "2") +
    plain(Tag.triggerPriceDirection, isUp ? "U" : "D")
  );
}

/** Fields of what an order has become. */
function stateOf(order: OrderRecord, market: ShownMarket): string {
  const isOpen = order.status === OrderStatus.open;
  const leaves = isOpen && order.quoteQty === 0n ? order.qty - order.filledQty : 0;
  const sinceUs = workingUs(order);
  return (
    plain(Tag.cumQty, qtyText(market, order.filledQty)) +
    plain(Tag.leavesQty, qtyText(market, leaves)) +
    plain(Tag.cumQuoteQty, quoteText(market, order.filledQuote)) +
    plain(Tag.ordStatus, ordStatuses[statusName(order)] ?? "0") +
    plain(Tag.orderCreationTime, utcTime(order.acceptedUs)) +
    (isOpen && sinceUs !== undefined ? plain(Tag.workingIndicator, "Y") : "") +
    (sinceUs === undefined ? "" : plain(Tag.workingTime, utcTime(sinceUs)))
  );
}

function fillOf({ order, fill }: OrderUpdate, market: ShownMarket): string {
  if (fill === null) return plain(Tag.lastQty, qtyText(market, 0));
  const asset = order.side === Side.buy ? (market.base ?? market.quote) : market.quote;
  return (
    plain(Tag.aggressorIndicator, fill.isMaker ? "N" : "Y") +
    plain(Tag.tradeId, fill.tradeId) +
    plain(Tag.lastPx, priceText(market, fill.price)) +
    plain(Tag.lastQty, qtyText(market, fill.qty)) +
    plain(Tag.noMiscFees, 1) +
    plain(Tag.miscFeeAmt, assetText(market, fill.fee, asset)) +
    plain(Tag.miscFeeCurr, asset.code) +
    plain(Tag.miscFeeType, 4)
  );
}

/** What an order lost to self-trade prevention. */
function preventedOf({ order, prevented }: OrderUpdate, own: Market): string {
  if (prevented === undefined) return "";
  const market = shownIn("compat", own);
  const { seq, takerOrderId, makerOrderId, price, takerQty, makerQty } = prevented;
  const [lots, counter] =
    order.orderId === takerOrderId ? [takerQty, makerOrderId] : [makerQty, takerOrderId];
  const value = orderValue(own, asPriceTicks(price), asQtyLots(lots));
  return (
    plain(Tag.preventedMatchId, seq) +
    plain(Tag.preventedExecutionPrice, priceText(market, price)) +
    plain(Tag.preventedExecutionQty, quoteText(market, value)) +
    plain(Tag.counterSymbol, market.symbol) +
    plain(Tag.counterOrderId, counter) +
    plain(Tag.lastPreventedQty, qtyText(market, lots))
  );
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
function executionFields(update: OrderUpdate, own: Market, execId: number): string {
  const { order, execution, tsUs } = update;
  const market = shownIn("compat", own);
  const expiry = execution === "EXPIRED" ? expiryCodes[expiryReason(order) ?? ""] : undefined;
  return (
    plain(Tag.execId, execId) +
    plain(Tag.orderId, order.orderId) +
    termsOf(order, market) +
    plain(Tag.transactTime, utcTime(tsUs)) +
    plain(Tag.execType, execTypes[execution]) +
    stateOf(order, market) +
    fillOf(update, market) +
    preventedOf(update, own) +
    maybe(Tag.expiryReason, expiry)
  );
}

/** The ExecutionReport of an event for a session that did not ask for it. */
export function executionReport(update: OrderUpdate, own: Market, execId: number): string {
  return ownFields(update, undefined) + executionFields(update, own, execId);
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
      execution: sharedText(executionFields(update, own, execId)),
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
