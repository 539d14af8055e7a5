// What an account did in each market: its shares as maker and taker, queues, slippage, impact, and what it paid and won.

import { isPerpetual, type Market } from "../../core/markets.ts";
import { bigintOf, formatScaled } from "../../core/money/amounts.ts";
import { Side } from "../../core/orders.ts";
import type { AccountRun } from "./account-run.ts";
import { bpsOf, percentText, spreadOf } from "./figures.ts";
import type { MarketFigures, ShareFigures } from "./report-form.ts";
import type { Sweep, TrackedFill, TrackedOrder } from "./tracked-orders.ts";

/** The figures of each market in which the account had an order, busiest first. */
export function marketFigures(run: AccountRun): MarketFigures[] {
  const markets = new Map<Market, TrackedOrder[]>();
  for (const order of run.orders.values()) {
    const orders = markets.get(order.market);
    if (orders === undefined) markets.set(order.market, [order]);
    else orders.push(order);
  }
  const figures = [...markets].map(([market, orders]) => figuresOf(run, market, orders));
  return figures.sort((one, other) => {
    return other.maker.fills + other.taker.fills - one.maker.fills - one.taker.fills;
  });
}

function figuresOf(
  run: AccountRun,
  market: Market,
  orders: readonly TrackedOrder[],
): MarketFigures {
  const { lotDecimals, quote } = market;
  const fills = run.fills.filter(({ order }) => order.market === market);
  const sweeps = run.sweeps.filter(({ order }) => order.market === market);
  const rested = orders.flatMap(({ arrival }) => (arrival === null ? [] : [arrival]));
  const waits = orders.flatMap(({ arrival, firstMadeUs }) => {
    return arrival === null || firstMadeUs === null ? [] : [firstMadeUs - arrival.atUs];
  });
  const bps = (of: (sweep: Sweep) => number | null) =>
    spreadOf(
      sweeps.flatMap((sweep) => of(sweep) ?? []),
      2,
    );
  const money = (amount: bigint) => formatScaled(amount, quote.decimals);
  const pnl = fills.reduce((sum, fill) => sum + fill.pnl, 0n);
  return {
    ...{ market: market.symbol, alias: market.alias, quote: quote.code, orders: orders.length },
    maker: shareOf(fills, true, money),
    taker: shareOf(fills, false, money),
    realized_pnl: isPerpetual(market) ? money(pnl) : null,
    funding: isPerpetual(market) ? money(run.funding.get(market) ?? 0n) : null,
    fees: money(quoteFees(fills, market)),
    position: formatScaled(run.positions.get(market)?.points.at(-1)?.last ?? 0, lotDecimals),
    queue_ahead: spreadOf(
      rested.map(({ aheadLots }) => aheadLots),
      lotDecimals,
    ),
    orders_ahead: spreadOf(
      rested.map(({ aheadOrders }) => aheadOrders),
      0,
    ),
    time_to_fill_ms: spreadOf(waits, 3),
    slippage_bps: bps(againstMid),
    against_best_bps: bps(againstBest),
    slippage_cost: money(sweeps.reduce((sum, sweep) => sum + costOf(sweep), 0n)),
    impact_1s_bps: bps((sweep) => impact(sweep, sweep.after1s)),
    impact_10s_bps: bps((sweep) => impact(sweep, sweep.after10s)),
  };
}

function shareOf(
  fills: readonly TrackedFill[],
  isMaker: boolean,
  money: (amount: bigint) => string,
): ShareFigures {
  const own = fills.filter((fill) => fill.isMaker === isMaker);
  const sum = (some: readonly TrackedFill[]) => some.reduce((all, { value }) => all + value, 0n);
  const value = sum(own);
  return {
    fills: own.length,
    notional: money(value),
    share_of_fills: percentText(bigintOf(own.length), bigintOf(fills.length)),
    share_of_notional: percentText(value, sum(fills)),
  };
}

/** Fees in the quote asset; those that a buyer on spot pays in the coin are valued at the price of their fill. */
function quoteFees(fills: readonly TrackedFill[], { base, baseUnitsPerLot }: Market): bigint {
  return fills.reduce((sum, { side, fee, value, lots }) => {
    if (base === null || side === Side.sell) return sum + fee;
    return sum + (fee * value) / (baseUnitsPerLot * bigintOf(lots));
  }, 0n);
}

/** Hundredths of a basis point by which a sweep traded worse than the middle of the book; null without a middle. */
export function againstMid({ side, bid, ask, lots, priceLots }: Sweep): number | null {
  if (bid === 0 || ask === 0) return null;
  const middle = bigintOf(bid + ask) * bigintOf(lots);
  return bpsOf(signed(side, 2n * priceLots - middle), middle);
}

/** The same against the best price of the side that it took. */
export function againstBest({ side, bid, ask, lots, priceLots }: Sweep): number | null {
  const best = bigintOf(side === Side.buy ? ask : bid) * bigintOf(lots);
  return bpsOf(signed(side, priceLots - best), best);
}

/** Hundredths of a basis point by which the middle moved in the direction of the sweep. */
export function impact({ side, bid, ask }: Sweep, after: number | null): number | null {
  if (after === null || bid === 0 || ask === 0) return null;
  const before = bigintOf(bid + ask);
  return bpsOf(signed(side, bigintOf(after) - before), before);
}

/** What a sweep paid beyond the middle, in minor units, rounded down; 0 without a middle. */
function costOf({ side, bid, ask, lots, priceLots, order }: Sweep): bigint {
  if (bid === 0 || ask === 0) return 0n;
  const { units, parts } = order.market.tickLot;
  const more = signed(side, 2n * priceLots - bigintOf(bid + ask) * bigintOf(lots));
  return (more * BigInt(units)) / (2n * BigInt(parts));
}

function signed(side: Side, amount: bigint): bigint {
  return side === Side.buy ? amount : -amount;
}
