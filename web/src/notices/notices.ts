// What happened to the account, as sentences: fills, cancels, expiries, liquidations and funding, from the frames of its
// streams. Independent of page and network.

import { autoclosePrefix } from "../../../src/core/liquidation.ts";
import { bare, grouped, shown, shownAverage, signed, textOf, unitsOf } from "../decimal-text.ts";
import { isOfVenue } from "../history/past-order.ts";

type NoticeKind =
  | "fill"
  | "change"
  | "cancel"
  | "expiry"
  | "unprotected"
  | "liquidation"
  | "funding";

export interface Notice {
  /** Equal for notices of the same order and kind: a newer one replaces the older. */
  readonly key: string;
  readonly kind: NoticeKind;
  readonly atMs: number;
  readonly text: string;
  /** The order, for an expiry whose reason must be looked up; 0 for none. */
  readonly orderNo: number;
  readonly symbol: string;
  /** Reference of the proof: a trade (`t-3`) or an order (`o-12`); empty for none. */
  readonly proof: string;
  /** Perpetuals: the profit of all fills up to this filled quantity. */
  readonly realized?: Realized;
}

interface Realized {
  readonly filled: string;
  readonly profit: string;
}

/** Frames with the fields that a notice needs. */
interface OrderFields {
  readonly s: string;
  readonly c: string;
  readonly S: "BUY" | "SELL";
  readonly o: string;
  readonly x: string;
  readonly X: string;
  readonly i: number;
  readonly q: string;
  readonly z: string;
  readonly L: string;
  readonly t: number;
  /** Limit price, and quantity of this fill. */
  readonly p?: string;
  readonly l?: string;
  /** Futures only: average price, the type before the trigger, the trigger, whether it only reduces, profit of this fill. */
  readonly ap?: string;
  readonly ot?: string;
  readonly sp?: string;
  readonly R?: boolean;
  readonly rp?: string;
  /** Spot only: trigger. */
  readonly P?: string;
  /** Spot only: value of all fills, and reason of an expiry. */
  readonly Z?: string;
  readonly eR?: string;
}

export interface AccountFrame {
  readonly e: string;
  readonly E: number;
  readonly T?: number;
  readonly o?: OrderFields | string;
  readonly a?: { readonly m: string; readonly B: readonly { readonly bc: string }[] };
  readonly seq: number;
}

/** The market of a name in frames: its native name and the decimals of its prices. */
type MarketLookup = (
  listed: string,
) => { readonly symbol: string; readonly pricePlaces: number } | undefined;

const reasons: Readonly<Record<string, string>> = {
  INSUFFICIENT_LIQUIDITY: "no more orders within the protection price",
  UNFILLED_FOK_ORDER_EXPIRED: "it could not be filled completely at once",
  UNFILLED_IOC_QUANTITY_EXPIRED: "the rest could not be filled at once",
  OCO_TRIGGER: "the other order of its list came first",
  OTO_PHASE_ONE_EXPIRED: "the order it waited for expired",
  REJECTED: "it was refused when its turn came",
  REPLACED: "replaced by you",
  CANCELED: "by you",
  MARKET_CLOSED: "the market was halted or delisted",
  COUNTDOWN: "your countdown ran out",
  DISCONNECTED: "the connection that had placed it was lost",
  MAKER_GROUP: "your maker protection ended it",
  TPSL_REPLACED: "a newer one replaced it, or the other one triggered",
  LIQUIDATION_ORDER: "liquidation",
  LIQUIDATION: "the account was being liquidated",
  POSITION_CLOSED: "no position is left that it could reduce",
  GOOD_TILL_DATE: "its time was over",
  UNDER_MARGINED: "the mark moved, and the account no longer covered it",
  TOO_MANY_MATCHES: "it met too many orders at once",
  TOO_MANY_OWN_ORDERS: "it met too many orders of the same account",
  EXCHANGE_CANCELED: "the venue ended it",
};

/** Returns the plain form of a reason why an order ended; empty for an unknown one. */
export function reasonText(reason: string | null | undefined): string {
  return reasons[reason ?? ""] ?? "";
}

const profitDecimals = 2;

/** What is known beside the frame: its market, and the profit in the earlier notice with a key, if there is one. */
export interface NoticeSources {
  readonly marketOf: MarketLookup;
  realizedOf?(key: string): Realized | undefined;
}

/** Returns the notice of a frame; null if its user need not be told. */
export function noticeOf(frame: AccountFrame, sources: NoticeSources): Notice | null {
  if (frame.e === "executionReport") return orderNotice(frame, frame as never, sources);
  if (frame.e === "ORDER_TRADE_UPDATE") return orderNotice(frame, frame.o as OrderFields, sources);
  return frame.e === "ACCOUNT_UPDATE" ? moneyNotice(frame) : null;
}

function moneyNotice({ E, T, a, seq }: AccountFrame): Notice | null {
  const change = a?.B[0]?.bc ?? "0";
  const isPaid = change.startsWith("-");
  const amount = `${grouped(change.replace("-", ""))} USDC`;
  const common = { atMs: T ?? E, orderNo: 0, symbol: "", proof: "" };
  if (a?.m === "FUNDING_FEE") {
    const text = `Funding ${isPaid ? "paid" : "received"}: ${amount}`;
    return { ...common, key: `funding-${seq}`, kind: "funding", text };
  }
  if (a?.m !== "INSURANCE_CLEAR") return null;
  const text = `Liquidation ${isPaid ? "charged" : "paid"}: ${amount}`;
  return { ...common, key: `insurance-${seq}`, kind: "liquidation", text };
}

function orderNotice(
  { E, T }: AccountFrame,
  order: OrderFields,
  sources: NoticeSources,
): Notice | null {
  const market = sources.marketOf(order.s);
  const symbol = market?.symbol ?? order.s;
  const common = { atMs: T ?? E, symbol, orderNo: order.i, proof: `o-${order.i}` };
  const pricePlaces = market?.pricePlaces ?? 2;
  const left = endedText(order, symbol, pricePlaces);
  switch (order.x) {
    case "TRADE":
    case "CALCULATED":
      return fillNotice(order, common, pricePlaces, sources);
    case "CANCELED":
      return { ...common, key: `end-${order.i}`, kind: "cancel", text: `Cancelled: ${left}` };
    case "EXPIRED": {
      if (isLostTpSl(order)) {
        const text = lostTpSlText(order, symbol, pricePlaces);
        return { ...common, key: `end-${order.i}`, kind: "unprotected", text };
      }
      const why = reasonText(order.eR);
      const text = `Expired: ${left}${why === "" ? "" : `, ${why}`}`;
      return { ...common, key: `end-${order.i}`, kind: "expiry", text };
    }
    default:
      return null;
  }
}

interface OrderSpoken {
  readonly side: "BUY" | "SELL";
  readonly quantity: string;
  readonly symbol: string;
  readonly type: string;
}

/** An order in words. Without a quantity of its own (that of a position, or of what another one buys) it is named by type. */
function orderText({ side, quantity, symbol, type }: OrderSpoken): string {
  const verb = side.toLowerCase();
  if (Number(quantity) !== 0) return `${verb} ${bare(quantity)} ${symbol}`;
  return `${verb} ${symbol} (${typeText(type)})`;
}

function typeText(type: string): string {
  return type.replace(/_/g, " ").toLowerCase();
}

/** An order that ended, with its type and its price: that of its trigger, if it waited for one. */
function endedText(order: OrderFields, symbol: string, pricePlaces: number): string {
  const type = order.ot ?? order.o;
  const spoken = orderText({ side: order.S, quantity: order.q, symbol, type });
  const named = Number(order.q) === 0 ? spoken : `${spoken} (${typeText(type)})`;
  const isConditional = /STOP|TAKE_PROFIT/.test(type);
  const price = (isConditional ? (order.sp ?? order.P) : order.p) ?? "0";
  return Number(price) === 0 ? named : `${named} at ${shown(price, pricePlaces)}`;
}

/** Whether the order was to protect what another one has just bought or sold, and the venue refused it then. */
function isLostTpSl({ eR, ot, o }: OrderFields): boolean {
  return eR === "REJECTED" && /^(STOP_LOSS|TAKE_PROFIT)/.test(ot ?? o);
}

function lostTpSlText(order: OrderFields, symbol: string, pricePlaces: number): string {
  const { S: side, sp, P, ot, o } = order;
  const name = (ot ?? o).startsWith("STOP_LOSS") ? "stop loss" : "take profit";
  const [verb, done] = side === "SELL" ? ["sells", "bought"] : ["buys", "sold"];
  const price = shown(sp ?? P, pricePlaces);
  return `Not protected: the ${name} that ${verb} ${symbol} at ${price} was refused when its turn came. What you ${done} has no ${name}.`;
}

interface OrderChange extends OrderSpoken {
  readonly orderNo: number;
  /** The new price or trigger. */
  readonly price: string;
  readonly pricePlaces: number;
}

/** The notice of a change that the user has made: the order's new quantity and price. */
export function changeNotice(change: OrderChange, atMs: number): Notice {
  const { orderNo, symbol, price, pricePlaces } = change;
  const text = `Changed: ${orderText(change)} to ${shown(price, pricePlaces)}`;
  return { key: `change-${orderNo}`, kind: "change", atMs, text, orderNo, symbol, proof: "" };
}

/** The notice of a take profit or stop loss that the user has set for a position. */
export function guardNotice(guard: Omit<OrderChange, "orderNo">, atMs: number): Notice {
  const { symbol, type, price, pricePlaces } = guard;
  const name = type.startsWith("STOP") ? "stop loss" : "take profit";
  const text = `Set: ${name} of ${symbol} at ${shown(price, pricePlaces)}`;
  return {
    key: `set-${symbol}-${type}`,
    kind: "change",
    atMs,
    text,
    orderNo: 0,
    symbol,
    proof: "",
  };
}

/** Whether the frame is of an order of perpetuals that closes a position, whatever its size. */
export function isOfPosition({ e, o }: AccountFrame): boolean {
  return e === "ORDER_TRADE_UPDATE" && typeof o === "object" && Number(o.q) === 0;
}

/** The notice of a cancel, if a newer order took the place of the cancelled one. */
export function replacedNotice(cancel: Notice): Notice {
  const text = cancel.text.replace(/^Cancelled: /, "Replaced by a newer one: ");
  return { ...cancel, kind: "change", text };
}

function fillNotice(
  order: OrderFields,
  common: Pick<Notice, "atMs" | "symbol" | "orderNo" | "proof">,
  pricePlaces: number,
  { realizedOf }: NoticeSources,
): Notice {
  const isForced = isOfVenue(order.c) || order.x === "CALCULATED";
  const verb = order.S === "BUY" ? "bought" : "sold";
  const cause = isForced ? "Liquidated" : triggerName(order);
  const done =
    cause === "" ? verb.replace(/^./, (first) => first.toUpperCase()) : `${cause}: ${verb}`;
  const isWhole = order.X === "FILLED" || order.z === order.q;
  const amount = isWhole ? bare(order.z) : `${bare(order.z)} of ${bare(order.q)}`;
  const average = averageOf(order, pricePlaces);
  // A position that the venue takes over has no order number; its client id names the journal entry.
  const number = order.i === 0 ? `${order.c}-${order.s}-${common.atMs}` : order.i;
  const key = `fill-${number}`;
  const realized = realizedIn(order, realizedOf?.(key));
  const profit = signed(realized?.profit ?? "0", profitDecimals);
  const tail = /[1-9]/.test(profit) ? `, realized ${profit} USDC` : "";
  const text = `${done} ${amount} ${common.symbol} at ${average}${tail}`;
  const entry = order.c.startsWith(autoclosePrefix) ? order.c.slice(autoclosePrefix.length) : "";
  const proof = order.t > 0 ? `t-${order.t}` : entry;
  const kind = isForced ? "liquidation" : "fill";
  return { ...common, key, kind, text, proof, ...(realized !== undefined && { realized }) };
}

/** What triggered the order, in words; empty for one that did not wait. */
function triggerName({ ot, o, R }: OrderFields): string {
  const type = ot ?? o;
  if (type.startsWith("TAKE_PROFIT")) return "Take profit";
  if (type.startsWith("TRAILING")) return "Trailing stop";
  if (type.startsWith("STOP_LOSS") || (type.startsWith("STOP") && R === true)) return "Stop loss";
  return type.startsWith("STOP") ? "Stop" : "";
}

/** The profit of all fills of the order; undefined on spot, and if a fill before this one was not seen. */
function realizedIn(order: OrderFields, earlier: Realized | undefined): Realized | undefined {
  const [now, last, filled] = [order.rp, order.l, order.z].map((text) => unitsOf(text ?? "", 12));
  if (now == null || last == null || filled == null) return undefined;
  const isFirst = last === filled;
  const before = isFirst ? 0n : unitsOf(earlier?.profit ?? "", 12);
  if (before === null || (!isFirst && unitsOf(earlier?.filled ?? "", 12) !== filled - last))
    return undefined;
  return { filled: order.z, profit: textOf(before + now, 12) };
}

/** Average price of all fills of the order. */
function averageOf({ ap, Z, z, L }: OrderFields, places: number): string {
  if (ap !== undefined) return shownAverage(ap, places);
  const [value, quantity] = [unitsOf(Z ?? "", 12), unitsOf(z, 12)];
  if (value === null || quantity === null || quantity === 0n) return shownAverage(L, places);
  return shownAverage(textOf((value * 10n ** 12n) / quantity, 12), places);
}
