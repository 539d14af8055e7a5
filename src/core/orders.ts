// Order enumerations: side, type, time in force, status, and the life cycle of an order.
//
//   (command) ──accepted──▶ open ──fills──▶ partially filled ──last fill──▶ filled
//        │                   │ ▲                   │
//        │                   │ └─ triggered        │
//        └─▶ waiting (open, on no book) ──┐        │
//                            └──cancel / expiry────┴──▶ cancelled | expired
//
// Codes are small integers because they are stored in records of fixed size; API surfaces render the names. A refused
// command never becomes an order: it has no id, no event and no status here.

import { assert, byteAt } from "./assert.ts";
import { clientIdBytesMax, quotesMax } from "./limits.ts";
import { autoclosePrefix, deleveragedClientId } from "./liquidation.ts";
import type { RequestKey } from "./request-keys.ts";

export const Side = { buy: 0, sell: 1 } as const;
export type Side = (typeof Side)[keyof typeof Side];

/**
 * The last five are conditional: they wait for a trigger and then become a limit (stop, takeProfit) or a market order.
 * Spot calls the first four of these STOP_LOSS_LIMIT, STOP_LOSS, TAKE_PROFIT_LIMIT, TAKE_PROFIT.
 */
export const OrderType = {
  limit: 0,
  market: 1,
  limitMaker: 2,
  stop: 3,
  stopMarket: 4,
  takeProfit: 5,
  takeProfitMarket: 6,
  trailingStopMarket: 7,
} as const;
export type OrderType = (typeof OrderType)[keyof typeof OrderType];

/**
 * GTX is post-only: refused if it would trade at once (Binance futures; LIMIT_MAKER on spot). GTD rests like
 * GTC until the time it names. GTE, only of conditional orders that close a position, ends with that position (Binance:
 * GTE_GTC). `timesInForce` has the meaning of each.
 */
export const TimeInForce = { gtc: 0, ioc: 1, fok: 2, gtx: 3, gtd: 4, gte: 5 } as const;
export type TimeInForce = (typeof TimeInForce)[keyof typeof TimeInForce];

/** The names clients send. */
export type TimeInForceName = Uppercase<keyof typeof TimeInForce>;

/** Where clients place orders: the two Binance-style surfaces and the native one. */
type OrderSurface = "spot" | "futures" | "native";

/** How the book must handle an order, given its type and time in force; the bits of `traitsOf`. */
export const OrderTrait = {
  /** An unfilled remainder stays in the book. */
  mayRest: 1,
  /** Refused when it would trade: GTX on futures, LIMIT_MAKER on spot. */
  postOnly: 2,
  /** Trades in full or not at all. */
  fillOrKill: 4,
  /** Set for every combination that exists. */
  exists: 8,
} as const;

const { mayRest, postOnly, fillOrKill, exists } = OrderTrait;

/** What a time in force requires of the book for a limit order, and which surfaces accept it. */
interface TimeInForceTerms {
  readonly code: TimeInForce;
  readonly traits: number;
  readonly surfaces: readonly OrderSurface[];
}

/** The only list of times in force; by name, in the order of their codes. */
export const timesInForce: Readonly<Record<TimeInForceName, TimeInForceTerms>> = {
  GTC: { code: TimeInForce.gtc, traits: mayRest, surfaces: ["spot", "futures", "native"] },
  IOC: { code: TimeInForce.ioc, traits: 0, surfaces: ["spot", "futures", "native"] },
  FOK: { code: TimeInForce.fok, traits: fillOrKill, surfaces: ["spot", "futures", "native"] },
  GTX: { code: TimeInForce.gtx, traits: mayRest | postOnly, surfaces: ["futures", "native"] },
  GTD: { code: TimeInForce.gtd, traits: mayRest, surfaces: ["futures"] },
  GTE: { code: TimeInForce.gte, traits: 0, surfaces: [] },
};

/** The names that a surface accepts, in the order of their codes. */
export function timeInForceNames(surface: OrderSurface): [TimeInForceName, ...TimeInForceName[]] {
  const names = Object.keys(timesInForce) as TimeInForceName[];
  const [first = "GTC", ...others] = names.filter((name) =>
    timesInForce[name].surfaces.includes(surface),
  );
  return [first, ...others];
}

/**
 * What happens when an incoming order meets a resting order of the same account; the incoming order's mode
 * decides. `skip`, the default, steps over it.
 */
export const StpMode = {
  skip: 0,
  expireTaker: 1,
  expireMaker: 2,
  expireBoth: 3,
  /** Both orders lose the smaller of their two quantities without trading. */
  decrement: 4,
} as const;
export type StpMode = (typeof StpMode)[keyof typeof StpMode];

/** The market price with which a trigger is compared. */
export const WorkingPrice = { last: 0, mark: 1 } as const;
export type WorkingPrice = (typeof WorkingPrice)[keyof typeof WorkingPrice];

/**
 * The price that an order takes from its book at the moment in which it goes there: `primary` is the best price of its
 * own side, `market` that of the other side (Binance: PRIMARY_PEG, MARKET_PEG), or a level behind it. It never follows
 * the book.
 */
export const Peg = { none: 0, primary: 1, market: 2 } as const;
export type Peg = (typeof Peg)[keyof typeof Peg];

/** Largest number of levels by which a peg may lie behind the best price (Binance: `pegOffsetValue`). */
export const pegOffsetMax = 100;

/** `price`, or `limit` if that is better for the order's owner. A limit of 0 is none. Prices are ticks. */
export function withinLimit(side: Side, price: number, limit: number): number {
  if (limit === 0) return price;
  return side === Side.buy ? Math.min(price, limit) : Math.max(price, limit);
}

/** Whether an order takes its price from the book later, and has no limit until then. */
export function isPricedLater({
  peg,
  price,
}: {
  readonly peg: Peg;
  readonly price: number;
}): boolean {
  return peg !== Peg.none && price === 0;
}

/** Order options beyond price, quantity and time in force. */
export interface OrderOptions {
  /** Perpetuals: whether the order may only reduce a position. */
  isReduceOnly: boolean;
  stpMode: StpMode;
  /** Spot MARKET by amount: minor units of the quote to spend or to receive; 0n for an order by lots. */
  quoteQty: bigint;
  /** Microseconds UTC at which a GTD order expires; else 0. */
  goodTillUs: number;
  /**
   * Conditional: trigger price in ticks; 0 for trailing orders. LIMIT and MARKET on perpetuals: the price, compared
   * with the mark, of a stop loss for the position that the order opens; 0 for none.
   */
  triggerPrice: number;
  /** Conditional: the market price with which its trigger is compared. */
  workingPrice: WorkingPrice;
  /** Trailing: how far the price must turn back from its best value to trigger, in basis points; else 0. */
  trailingBps: number;
  /**
   * Trailing: price in ticks from which the order follows the market; 0 for at once. LIMIT and MARKET on perpetuals:
   * the price, compared with the mark, of a take profit for the position that the order opens; 0 for none.
   */
  activationPrice: number;
  /** Conditional: closes the whole position when it triggers; its quantity is 0. */
  closesPosition: boolean;
  /** Spot limit orders: lots that the order shows its book at a time; 0 to show the whole quantity. */
  icebergQty: number;
  /** Spot limit orders that wait: from which price of the book they take theirs when they go there. */
  peg: Peg;
  /** If it is pegged: how many levels behind the best price that price is, 0 … `pegOffsetMax`. */
  pegOffset: number;
}

/** Slices of an iceberg order when it is placed (Binance: ICEBERG_PARTS). */
export const icebergPartsMax = 10;

/** Changes that are written in the transaction of their order, or not at all if the order is refused. */
export interface OrderAttachments {
  /** The idempotency key of the request; null for none. */
  readonly key: RequestKey | null;
  /** Perpetuals: the account's leverage in the market from this order on; 0 leaves it unchanged. */
  readonly leverage: number;
  /** The order connection that cancels on disconnect and sent the order; 0 or absent for none. */
  readonly connection?: number;
}

/** The options of an order that sets none. */
export const noOptions: Readonly<OrderOptions> = {
  isReduceOnly: false,
  stpMode: StpMode.skip,
  quoteQty: 0n,
  goodTillUs: 0,
  triggerPrice: 0,
  workingPrice: WorkingPrice.last,
  trailingBps: 0,
  activationPrice: 0,
  closesPosition: false,
  icebergQty: 0,
  peg: Peg.none,
  pegOffset: 0,
};

/** `open` includes partially filled orders. `expiredInMatch`: ended by self-trade prevention. */
export const OrderStatus = {
  open: 0,
  filled: 1,
  cancelled: 2,
  expired: 3,
  expiredInMatch: 4,
} as const;
export type OrderStatus = (typeof OrderStatus)[keyof typeof OrderStatus];

/** Why an order ended without being filled completely; journaled with the closing event. */
export const CloseReason = {
  /** Cancelled by its owner. */
  cancelled: 0,
  /** The remainder of an IOC or MARKET order, which found no more orders to trade with. */
  unfilled: 1,
  /** FOK that could not be filled at once and in full. */
  fillOrKill: 2,
  /** The sweep affected `matchesPerOrderMax` resting orders, and a remainder was left. */
  matchesPerOrderMax: 3,
  /** The sweep skipped `ownSkipsMax` resting orders of the same account in a row. */
  ownSkipsMax: 4,
  /** The market was halted or delisted by the operator. */
  marketClosed: 5,
  /** GTD: its expiry time has passed. */
  goodTillDate: 6,
  /** The account's countdown ran out. */
  countdown: 7,
  /** Reduce-only with no position left to reduce. */
  reduceOnly: 8,
  /** Removed by the self-trade prevention mode of the incoming order. */
  selfTrade: 9,
  /** Triggered, or pending until now, and then refused by the admission checks or by its matcher. */
  triggerRefused: 10,
  /** Its account is being liquidated. */
  liquidation: 11,
  /** Under-margined: the mark moved, and the account does not cover what the order would lose at the new mark. */
  uncovered: 12,
  /** A leg of a TP/SL: the other leg triggered, or a newer leg replaced this one. */
  linked: 13,
  /** The connection that placed it was lost, and had declared that its orders are then cancelled. */
  disconnected: 14,
  /** A fill triggered the market-maker protection of its group. */
  makerGroup: 15,
  /** Of an OCO: the other order traded or triggered, or ended otherwise than by its owner's will. */
  ocoPartner: 16,
  /** A pending order of a list whose working order ended without being filled. */
  workingEnded: 17,
} as const;
export type CloseReason = (typeof CloseReason)[keyof typeof CloseReason];

/** A condition of a cancel request: the state that the order must be in. */
export const CancelCondition = {
  always: 0,
  /** Only while no lot of the order has traded. */
  untouched: 1,
  /** Only after a part of the order has traded. */
  partlyFilled: 2,
} as const;
export type CancelCondition = (typeof CancelCondition)[keyof typeof CancelCondition];

/** The other side of the book. */
export const opposite = (side: Side): Side => (1 - side) as Side;

/**
 * Status after a close (ORD-50). Cancelled: by the owner, by a countdown, by the owner's market-maker protection, because
 * its connection was lost, because the market closed, or because of a linked order. Expired in match: by self-trade
 * prevention. Expired: for every other reason.
 */
export function statusOfClose(reason: CloseReason): OrderStatus {
  if (reason === CloseReason.selfTrade) return OrderStatus.expiredInMatch;
  const isWilled =
    reason === CloseReason.cancelled ||
    reason === CloseReason.marketClosed ||
    reason === CloseReason.linked ||
    reason === CloseReason.countdown ||
    reason === CloseReason.makerGroup ||
    reason === CloseReason.disconnected;
  return isWilled ? OrderStatus.cancelled : OrderStatus.expired;
}

/** True for types that wait for a trigger. */
export function isConditional(type: OrderType): boolean {
  return type >= OrderType.stop;
}

/**
 * The time in force an order has for its matcher: a market order never rests and LIMIT_MAKER never takes, regardless
 * of the request. Clearing handles the end of GTD.
 */
export function tradedTimeInForce(type: OrderType, timeInForce: TimeInForce): TimeInForce {
  const traded = tradedType(type);
  if (traded === OrderType.market) return TimeInForce.ioc;
  if (traded === OrderType.limitMaker) return TimeInForce.gtx;
  return timeInForce === TimeInForce.gtd ? TimeInForce.gtc : timeInForce;
}

/** The type an order has for its matcher: limit, market or limitMaker. */
export function tradedType(type: OrderType): OrderType {
  if (type < OrderType.stop) return type;
  return type === OrderType.stop || type === OrderType.takeProfit
    ? OrderType.limit
    : OrderType.market;
}

/** Traits at index type × 8 + time in force, for LIMIT, MARKET and LIMIT_MAKER; 0 for an invalid combination. */
const traits = new Int32Array(24);
for (const { code, traits: own } of Object.values(timesInForce)) {
  if (code === TimeInForce.gtd || code === TimeInForce.gte) continue;
  traits[code] = exists | own;
  // A market order never rests, and a LIMIT_MAKER only rests.
  traits[8 + code] = (own & postOnly) === 0 ? exists | (own & ~mayRest) : 0;
  traits[16 + code] = (own & mayRest) === 0 ? 0 : exists | mayRest | postOnly;
}

/** The traits of an order for its matcher; asserts that its type and time in force are compatible. */
export const traitsOf = (order: { type: OrderType; timeInForce: TimeInForce }): number => {
  assert(order.timeInForce >>> 3 === 0, "the order must have a known time in force");
  const found = traits[(order.type << 3) | order.timeInForce] ?? 0;
  assert(found !== 0, "the order type and the time in force must be compatible");
  return found;
};

// Client order ids: the pattern for clients and the forms reserved for the venue. If the client sends no id, it is
// derived from the order id, so no memory is needed to find the order. Clients may not use that form or the form of
// liquidation orders.

const clientIdForm = /^[.A-Z:/a-z0-9_-]{1,36}$/;
const derivedForm = /^o-\d{20}$/;

/** True for a text of 1 to 36 characters that Binance allows. */
export function isClientId(text: string): boolean {
  return clientIdForm.test(text);
}

/** True for the forms reserved for the venue. */
export function isReservedClientId(text: string): boolean {
  return (
    isDerived(text) ||
    isQuoteClientId(text) ||
    text.startsWith(autoclosePrefix) ||
    text === deleveragedClientId
  );
}

function isDerived(text: string): boolean {
  return text.length === 22 && derivedForm.test(text);
}

const derivedDigits = 20;

/** The text before the order id in a derived client id, by the number of digits of the order id. */
const derivedHeads: readonly string[] = Array.from(
  { length: derivedDigits + 1 },
  (_, digits) => `o-${"0".repeat(derivedDigits - digits)}`,
);

/** The client id of an order sent without one: `o-` and 20 digits. */
export function derivedClientId(orderId: number): string {
  const digits = String(orderId);
  return (derivedHeads[digits.length] ?? "o-") + digits;
}

/** The order id in a derived client id, or 0 for any other text. */
export function orderIdOfDerived(clientId: string): number {
  if (!isDerived(clientId)) return 0;
  const id = Number(clientId.slice(2));
  return Number.isSafeInteger(id) ? id : 0;
}

/** What the client order ids of quotes begin with. */
export const quoteIdPrefix = "quote-";

/** The form of quotes' client order ids: a regular expression that JavaScript and PostgreSQL read alike. */
export const quoteIdForm = `^${quoteIdPrefix}[A-Z0-9-]+-(0[1-9]|1[0-5])-(BUY|SELL)$`;

/** The client order id of one side of quote `number`, 1 … 15, in the market with this alias. */
export function quoteClientId(alias: string, number: number, side: Side): string {
  const digits = String(number).padStart(2, "0");
  return `${quoteIdPrefix}${alias}-${digits}-${side === Side.buy ? "BUY" : "SELL"}`;
}

const [hyphen, letterY, digit0] = [45, 89, 48];
const [buyEnd, sellEnd] = ["BUY", "SELL"];
const textCodes = new Uint8Array(clientIdBytesMax);

/**
 * The number of the side, 0 … quoteSidesMax − 1 and even for bids, whose quote has this client order id: `length` character
 * codes from `from` on. −1 if the id does not have the form of a quote's. Codes, because making a text of each order of a
 * maker would take longer than all else that is done with it.
 */
export function quoteSideOf(codes: Uint8Array, from: number, length: number): number {
  if (!haveText(codes, from, quoteIdPrefix)) return -1;
  const isBid = codes[from + length - 1] === letterY;
  const end = isBid ? buyEnd : sellEnd;
  const endAt = from + length - end.length;
  // Two hyphens and two digits precede the side, and at least one character of the market's alias those.
  const aliasEnd = endAt - 4;
  if (aliasEnd <= from + quoteIdPrefix.length || !haveText(codes, endAt, end)) return -1;
  if (codes[aliasEnd] !== hyphen || codes[endAt - 1] !== hyphen) return -1;
  for (let at = from + quoteIdPrefix.length; at < aliasEnd; at++) {
    if (!isOfAlias(byteAt(codes, at))) return -1;
  }
  const tens = byteAt(codes, aliasEnd + 1) - digit0;
  const ones = byteAt(codes, aliasEnd + 2) - digit0;
  const number = 10 * tens + ones;
  const isNumber = tens >= 0 && ones >= 0 && ones <= 9 && number >= 1 && number <= quotesMax;
  return isNumber ? 2 * (number - 1) + (isBid ? Side.buy : Side.sell) : -1;
}

/** Whether a client order id has the form of a quote's. Clients cannot choose it. */
export function isQuoteClientId(text: string): boolean {
  if (!text.startsWith(quoteIdPrefix) || text.length > clientIdBytesMax) return false;
  for (let at = 0; at < text.length; at++) {
    // A code above 255 would be cut to the code of another character.
    textCodes[at] = Math.min(text.charCodeAt(at), 255);
  }
  return quoteSideOf(textCodes, 0, text.length) >= 0;
}

function haveText(codes: Uint8Array, from: number, text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (codes[from + at] !== text.charCodeAt(at)) return false;
  }
  return true;
}

/** Whether aliases of markets may have the character: a capital letter, a digit or a hyphen. */
function isOfAlias(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= digit0 && code <= 57) || code === hyphen;
}
