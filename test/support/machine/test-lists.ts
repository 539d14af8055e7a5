// Order lists for tests on one thread: OCO, OTOCO, OPO and OPOCO lists of 10,000 lots of CC-USDC, a venue with a last price, and
// what happened to the orders of a list.

import { Wallet } from "../../../src/core/accounts.ts";
import { CommandKind, type PlaceList } from "../../../src/core/generated/commands.ts";
import { EventKind } from "../../../src/core/generated/events.ts";
import { joinClientIds, type ListLeg, OrderListType } from "../../../src/core/order-lists.ts";
import {
  type CloseReason,
  OrderType,
  Peg,
  Side,
  StpMode,
  TimeInForce,
  tradedType,
} from "../../../src/core/orders.ts";
import { marketId, oneUsdc, testMarkets } from "./test-markets.ts";
import { type Draft, TestVenue } from "./test-venue.ts";

const { ccUsdc } = marketId;
/** Lots of each order of these lists. */
export const lots = 10_000;

export function leg(side: Side, type: OrderType, price: number, triggerPrice = 0): ListLeg {
  const options = { icebergQty: 0, peg: Peg.none, pegOffset: 0 };
  return { side, type, timeInForce: TimeInForce.gtc, price, qty: lots, triggerPrice, ...options };
}

export function listOf(
  account: number,
  listType: OrderListType,
  legs: readonly ListLeg[],
  clientIds: readonly string[] = [],
): Draft<PlaceList> {
  const [first = null, second = null, third = null] = legs;
  const ids = Array.from({ length: legs.length + 1 }, (_, at) => clientIds[at] ?? "");
  return {
    kind: CommandKind.placeList,
    ...{ account, market: ccUsdc, listType, stpMode: StpMode.skip },
    ...{ first, second, third, clientIds: joinClientIds(ids) },
  };
}

/** A sell of 10,000 lots: a stop loss at 1,400 and a limit at 1,600. */
export function ocoOf(account: number, clientIds: readonly string[] = []): Draft<PlaceList> {
  const stop = leg(Side.sell, OrderType.stopMarket, 0, 1400);
  const legs = [stop, leg(Side.sell, OrderType.limitMaker, 1600)];
  return listOf(account, OrderListType.oco, legs, clientIds);
}

/** A buy of 10,000 lots at 1,500 that, once filled, places the OCO of `ocoOf`. */
export function otocoOf(account: number): Draft<PlaceList> {
  const { first, second } = ocoOf(account);
  const legs = [leg(Side.buy, OrderType.limit, 1500), first, second].filter((one) => one !== null);
  return listOf(account, OrderListType.otoco, legs);
}

/** A buy of 10,000 lots at 1,500 that, once filled, sells what it has bought at 1,600. */
export function opoOf(account: number, pendingType: OrderType = OrderType.limit): Draft<PlaceList> {
  const isLimit = tradedType(pendingType) !== OrderType.market;
  const sell = leg(Side.sell, pendingType, isLimit ? 1600 : 0);
  const legs = [leg(Side.buy, OrderType.limit, 1500), { ...sell, qty: 0 }];
  return listOf(account, OrderListType.opo, legs);
}

/** A buy of 10,000 lots at 1,500 that, once filled, places the OCO of `ocoOf` with what it has bought. */
export function opocoOf(account: number): Draft<PlaceList> {
  const { first, second, third } = otocoOf(account);
  const pending = [second, third].flatMap((one) => (one === null ? [] : [{ ...one, qty: 0 }]));
  return listOf(account, OrderListType.opoco, [...(first === null ? [] : [first]), ...pending]);
}

/** An account that owns exactly what the lists sell, another one with much money, and a last price of 1,500 ticks. */
export function pricedVenue() {
  const venue = new TestVenue();
  const [own, other] = [venue.fund(1_000_000n * oneUsdc), venue.fund(1_000_000n * oneUsdc)];
  const maker = venue.fund(1_000_000n * oneUsdc);
  for (const account of [other, maker]) venue.credit(account, Wallet.spot, 1, 10n ** 15n);
  const trade = (price: number, qty = 1000) => {
    venue.sell(other, ccUsdc, price, qty);
    venue.buy(maker, ccUsdc, price, qty);
  };
  trade(1500);
  const market = testMarkets.market(ccUsdc);
  const owned = BigInt(lots) * market.baseUnitsPerLot;
  venue.credit(own, Wallet.spot, 1, owned);
  const reserved = () => venue.state.balances.reserved(own, Wallet.spot, 1);
  return { venue, own, other, maker, trade, owned, reserved };
}

export function tick(venue: TestVenue): void {
  venue.nowUs += 1_000_000;
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
}

/** How each order of the list ended since the event `from`, by id. */
export function closesSince(venue: TestVenue, from: number): [number, CloseReason][] {
  return venue.events
    .slice(from)
    .flatMap((event) =>
      event.kind === EventKind.orderClosed ? [[event.orderId, event.reason]] : [],
    );
}

/** Number of transactions since the event `from`. */
export function transactionsSince(venue: TestVenue, from: number): number {
  return venue.events.slice(from).filter(({ isTransactionEnd }) => isTransactionEnd).length;
}
