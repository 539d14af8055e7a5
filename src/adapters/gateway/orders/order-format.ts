// Order formats: the names of both Binance-style surfaces (side, type, time in force, status), and conversion of a
// market's figures from and to text.
//
// Client input is converted to ticks and lots of its market. Output depends on the view. The documented paths use the
// market's decimals. Spot under /compat writes every price, quantity and amount with eight decimals, as Binance does:
// python-binance removes a level of its book only if the quantity reads "0.00000000". Perpetuals have their market's
// decimals in both views, like Binance's futures. Spec CMP-20.

import { type Market, MarketKind } from "../../../core/markets.ts";
import { DecimalFault, formatScaled, parseScaled } from "../../../core/money/amounts.ts";
import type { Asset } from "../../../core/money/assets.ts";
import {
  isConditional,
  OrderStatus,
  OrderType,
  Side,
  StpMode,
  TimeInForce,
  timesInForce,
  tradedType,
} from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";
import type { SurfaceView } from "../requests/surface-view.ts";

export const sideNames: Readonly<Record<Side, string>> = {
  [Side.buy]: "BUY",
  [Side.sell]: "SELL",
};

export const sidesByName = { BUY: Side.buy, SELL: Side.sell } as const;

/** Names of the times in force by code. */
const timeInForceNames: string[] = [];
for (const [name, { code }] of Object.entries(timesInForce)) timeInForceNames[code] = name;

export const stpModesByName = {
  NONE: StpMode.skip,
  EXPIRE_TAKER: StpMode.expireTaker,
  EXPIRE_MAKER: StpMode.expireMaker,
  EXPIRE_BOTH: StpMode.expireBoth,
  DECREMENT: StpMode.decrement,
} as const;

export const stpModeNames: Readonly<Record<StpMode, string>> = {
  [StpMode.skip]: "NONE",
  [StpMode.expireTaker]: "EXPIRE_TAKER",
  [StpMode.expireMaker]: "EXPIRE_MAKER",
  [StpMode.expireBoth]: "EXPIRE_BOTH",
  [StpMode.decrement]: "DECREMENT",
};

/** Name of an order's time in force. For types without one it is GTC, as on Binance. */
export function timeInForceName(order: OrderRecord): string {
  const { type, timeInForce } = order;
  if (timeInForce === TimeInForce.gte) return "GTE_GTC";
  return (tradedType(type) === OrderType.limit && timeInForceNames[timeInForce]) || "GTC";
}

/** Whether the order waits for its trigger or its list's working order, or ended while it did. */
export function isWaiting({ type, triggeredUs, isPending }: OrderRecord): boolean {
  return (isPending || isConditional(type)) && triggeredUs === 0;
}

/** Microseconds at which the order entered its book; undefined while it waits, and if it ended while it did. */
export function workingUs(order: OrderRecord): number | undefined {
  return isWaiting(order) ? undefined : order.triggeredUs || order.acceptedUs;
}

/** Name of an order's status. NEW and PARTIALLY_FILLED are both the internal state `open`. */
export function statusName({ status, filledQty, isPending }: OrderRecord): string {
  switch (status) {
    case OrderStatus.open:
      if (isPending) return "PENDING_NEW";
      return filledQty > 0 ? "PARTIALLY_FILLED" : "NEW";
    case OrderStatus.filled:
      return "FILLED";
    case OrderStatus.cancelled:
      return "CANCELED";
    case OrderStatus.expired:
      return "EXPIRED";
    case OrderStatus.expiredInMatch:
      return "EXPIRED_IN_MATCH";
  }
}

/**
 * Binance's name for why an order expired; undefined if it did not. A market order whose remainder expired found no more
 * orders up to its protection price. A pending order of a list expires with the working order, or is refused when its turn comes.
 */
export function expiryReason(order: OrderRecord): string | undefined {
  if (order.status !== OrderStatus.expired) return undefined;
  if (order.isRefused) return "REJECTED";
  if (order.isPending) return "OTO_PHASE_ONE_EXPIRED";
  const isOffBook = isConditional(order.type) && order.triggeredUs === 0;
  const isGivenUp = isOffBook || order.type === OrderType.limitMaker;
  if (order.listId > 0 && isGivenUp) return "OCO_TRIGGER";
  if (isOffBook) return "EXCHANGE_CANCELED";
  if (tradedType(order.type) === OrderType.market) return "INSUFFICIENT_LIQUIDITY";
  if (order.timeInForce === TimeInForce.fok) return "UNFILLED_FOK_ORDER_EXPIRED";
  if (order.timeInForce === TimeInForce.ioc) return "UNFILLED_IOC_QUANTITY_EXPIRED";
  return "EXCHANGE_CANCELED";
}

/** Converts microseconds to milliseconds. */
export function msOf(us: number): number {
  return Math.floor(us / 1000);
}

/** Converts basis points to a rate with eight decimals. */
export function rateText(bps: number): string {
  return formatScaled(bps * 10_000, 8);
}

/**
 * Ticks of a price, or a negated RejectReason if the price is invalid. Zero is not refused here, because clearing
 * refuses it.
 */
export function priceOf(text: string, market: Market): number {
  const ticks = parseScaled(text, market.tickDecimals);
  if (ticks === DecimalFault.tooPrecise) return -RejectReason.priceOffTick;
  return ticks < 0 || ticks > market.priceTicksMax ? -RejectReason.priceTooHigh : ticks;
}

/** Lots of a quantity, or a negated RejectReason if the quantity is invalid. */
export function qtyOf(text: string, market: Market): number {
  const lots = parseScaled(text, market.lotDecimals);
  if (lots === DecimalFault.tooPrecise) return -RejectReason.qtyOffLot;
  return lots < 0 || lots > market.qtyLotsMax ? -RejectReason.qtyTooLarge : lots;
}

/** The refusal that a negative figure encodes. */
export function reasonOfFigure(figure: number): RejectReason {
  return -figure as RejectReason;
}

/** Number of decimals of every figure on Binance spot. No asset, tick or lot of this venue has more. */
const spotPlaces = 8;

/** A market with the number format of a view. */
export interface ShownMarket extends Market {
  /** True if every figure has `spotPlaces` decimals; otherwise each has the decimals of its unit. */
  readonly isPadded?: boolean;
}

const padded = new WeakMap<Market, ShownMarket>();

/** The market with the number format of `view`. */
export function shownIn(view: SurfaceView, market: Market): ShownMarket {
  if (view !== "compat" || market.kind !== MarketKind.spot) return market;
  const known = padded.get(market);
  if (known !== undefined) return known;
  const shown = { ...market, isPadded: true };
  padded.set(market, shown);
  return shown;
}

/** Decimals with which a figure that has `decimals` is written. */
export function placesOf({ isPadded }: ShownMarket, decimals: number): number {
  return isPadded === true ? spotPlaces : decimals;
}

/** The zeros to append to a figure, indexed by the number of its decimals. */
const tails = Array.from(
  { length: spotPlaces + 1 },
  (_, decimals) => (decimals === 0 ? "." : "") + "0".repeat(spotPlaces - decimals),
);

function figure(value: number | bigint, decimals: number, isPadded: boolean | undefined): string {
  const text = formatScaled(value, decimals);
  return isPadded === true ? text + tails[decimals] : text;
}

export function priceText(market: ShownMarket, ticks: number): string {
  return figure(ticks, market.tickDecimals, market.isPadded);
}

export function qtyText(market: ShownMarket, lots: number): string {
  return figure(lots, market.lotDecimals, market.isPadded);
}

/** An amount of the market's quote asset. */
export function quoteText(market: ShownMarket, units: bigint): string {
  return figure(units, market.quote.decimals, market.isPadded);
}

/** An amount of one of the market's assets. */
export function assetText({ isPadded }: ShownMarket, units: bigint, { decimals }: Asset): string {
  return figure(units, decimals, isPadded);
}

/** An amount of an asset in a spot wallet. */
export function amountText(view: SurfaceView, units: bigint, { decimals }: Asset): string {
  return figure(units, decimals, view === "compat");
}
