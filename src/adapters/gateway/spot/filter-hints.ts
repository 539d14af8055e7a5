// Hints in the compat view's error bodies: the filter, the value that failed, the step and the nearest valid
// value.

import type { PlaceOrder } from "../../../core/generated/commands.ts";
import {
  conditionalPerMarketPerAccountMax,
  limitBandFactor,
  ordersPerMarketPerAccountMax,
} from "../../../core/limits.ts";
import { type Market, orderValue } from "../../../core/markets.ts";
import {
  asPriceTicks,
  asQtyLots,
  formatScaled,
  lotsFor,
  parseScaled,
} from "../../../core/money/amounts.ts";
import { opposite } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { ErrorMap } from "../orders/order-flow.ts";
import type { ReadModel } from "../read-model.ts";
import { type ErrorHint, hinted, type SurfaceError } from "../requests/surface-error.ts";
import type { SurfaceView } from "../requests/surface-view.ts";

/** Maximum number of decimals in a client's text; a text with more decimals was refused earlier. */
const places = 8;

interface Step {
  readonly decimals: number;
  readonly max: number;
}

/** The multiple of the step that is nearest to `text` and within the bounds; the higher one if two are equally near. */
function nearestText(text: string, { decimals, max }: Step): string {
  const value = parseScaled(text, places);
  // A negative value means that the number is too large for the scale, so it is above the maximum.
  const steps = value < 0 ? max : Math.round(value / 10 ** (places - decimals));
  return formatScaled(Math.min(Math.max(steps, 1), max), decimals);
}

function stepHint(filter: string, parameter: string, text: string, step: Step): ErrorHint {
  const nearest = nearestText(text, step);
  return { filter, parameter, value: text, step: formatScaled(1, step.decimals), nearest };
}

/** Hint for a price that is not a multiple of its tick or is out of range. */
export function priceHint(parameter: string, text: string, market: Market): ErrorHint {
  const step = { decimals: market.tickDecimals, max: market.priceTicksMax };
  return stepHint("PRICE_FILTER", parameter, text, step);
}

/** Hint for a quantity that is not a multiple of its step or is out of range. */
export function qtyHint(parameter: string, text: string, market: Market): ErrorHint {
  const step = { decimals: market.lotDecimals, max: market.qtyLotsMax };
  return stepHint("LOT_SIZE", parameter, text, step);
}

/** Hint for an order of too little value: the smallest quantity, or quote amount, that is enough. */
function notionalHint(order: PlaceOrder, market: Market, model: ReadModel): ErrorHint {
  const { quote, lotDecimals, minNotional, tickLot } = market;
  const least = formatScaled(minNotional, quote.decimals);
  if (order.quoteQty > 0n) {
    const value = formatScaled(order.quoteQty, quote.decimals);
    const step = formatScaled(1, quote.decimals);
    return { filter: "NOTIONAL", parameter: "quoteOrderQty", value, step, nearest: least };
  }
  const best = model.view(market).depth.best(opposite(order.side));
  const price = order.price || order.triggerPrice || best;
  const lots = Number(lotsFor(minNotional, Math.max(price, 1), tickLot));
  return {
    filter: "NOTIONAL",
    parameter: "quantity",
    value: formatScaled(
      orderValue(market, asPriceTicks(price), asQtyLots(order.qty)),
      quote.decimals,
    ),
    minNotional: least,
    step: formatScaled(1, lotDecimals),
    nearest: formatScaled(Math.min(lots, market.qtyLotsMax), lotDecimals),
  };
}

function bandHint(order: PlaceOrder, market: Market, model: ReadModel): ErrorHint {
  const mark = model.mark(market);
  const nearest = order.price > mark ? mark * limitBandFactor : Math.ceil(mark / limitBandFactor);
  const price = (ticks: number) => formatScaled(ticks, market.tickDecimals);
  const value = price(order.price);
  const hint = { filter: "PERCENT_PRICE", parameter: "price", value, step: price(1) };
  return { ...hint, nearest: price(nearest) };
}

/**
 * The hint for an order that a filter refused: the nearest value that the filter accepts, or the largest number of
 * orders that it allows. Undefined for other refusals.
 */
function filterHint(
  reason: RejectReason,
  order: PlaceOrder,
  { market, model }: { market: Market; model: ReadModel },
): ErrorHint | undefined {
  const { account, price, qty } = order;
  switch (reason) {
    case RejectReason.priceNotPositive:
      return priceHint("price", formatScaled(price, market.tickDecimals), market);
    case RejectReason.qtyNotPositive:
      return qtyHint("quantity", formatScaled(qty, market.lotDecimals), market);
    case RejectReason.notionalTooSmall:
      return notionalHint(order, market, model);
    case RejectReason.priceOutsideBand:
      return bandHint(order, market, model);
    case RejectReason.tooManyOpenOrders: {
      const value = model.state.orders.countOf(account, market.id);
      return { filter: "MAX_NUM_ORDERS", value, nearest: ordersPerMarketPerAccountMax };
    }
    case RejectReason.tooManyConditionalOrders:
      return { filter: "MAX_NUM_ALGO_ORDERS", nearest: conditionalPerMarketPerAccountMax };
    default:
      return undefined;
  }
}

/**
 * Makes a function that adds hints to the refusals of a surface's orders, if the view shows hints and the refusal has
 * one.
 */
export function explainerOf(errors: ErrorMap) {
  // Maps an error to its reason. If several reasons share an error, the map has the last one; none of these reasons has
  // a hint.
  const reasons: ReadonlyMap<SurfaceError, RejectReason> = new Map(
    Object.entries(errors).map(([reason, error]) => [error, Number(reason) as RejectReason]),
  );
  return (
    error: SurfaceError,
    order: PlaceOrder,
    { market, model, view }: { market: Market; model: ReadModel; view: SurfaceView },
  ): SurfaceError => {
    const reason = view === "root" ? undefined : reasons.get(error);
    const hint = reason === undefined ? undefined : filterHint(reason, order, { market, model });
    return hint === undefined ? error : hinted(error, hint);
  };
}
