// Random order lists of a small venue, as steps of clearing-steps.ts.

import { CommandKind, type PlaceList } from "../../src/core/generated/commands.ts";
import { joinClientIds, OrderListType } from "../../src/core/order-lists.ts";
import { OrderType, Peg, Side, type StpMode, TimeInForce } from "../../src/core/orders.ts";
import type { Draft } from "../support/machine/test-venue.ts";
import { connectionOf } from "./connection-steps.ts";
import { accountOf, anchorOf, clientIdOf, type Scene, type Step } from "./step-scene.ts";

/** The type and the prices of an OCO's other order, at `price`. */
function goalAt(price: number, choice: number) {
  const types = [OrderType.limitMaker, OrderType.takeProfit, OrderType.takeProfitMarket] as const;
  const type = types[choice % 3] ?? OrderType.limitMaker;
  const triggerPrice = type === OrderType.limitMaker ? 0 : price;
  return { type, triggerPrice, price: type === OrderType.takeProfitMarket ? 0 : price };
}

type Leg = NonNullable<PlaceList["first"]>;
type Option = "icebergQty" | "peg" | "pegOffset";

/** The order as an iceberg order or with a peg, or both; sometimes with options that it cannot have. */
function optioned(leg: Omit<Leg, Option>, roll: number, mayPeg: boolean): Leg {
  const isPegged = roll % 5 === 0 && (mayPeg || roll % 7 === 0);
  return {
    ...leg,
    timeInForce: roll % 3 === 0 ? TimeInForce.gtc : leg.timeInForce,
    price: isPegged && roll % 2 === 0 ? 0 : leg.price,
    icebergQty: roll % 3 === 0 ? Math.ceil(leg.qty / (1 + (roll % 12))) : 0,
    peg: isPegged ? ((1 + ((roll >> 2) % 2)) as Peg) : Peg.none,
    pegOffset: isPegged ? roll % 3 : 0,
  };
}

/**
 * Returns a list in a spot market, mostly of orders at prices that fit each other. Lists of one market share few client
 * ids, so that some are refused.
 */
export function listOf(venue: Scene, [, who, where, how, much, name]: Step): Draft<PlaceList> {
  const market = where % 5 === 0 ? where % 8 : (where % 2) * 6;
  const { qty } = anchorOf(venue, market);
  const price = venue.state.lastPrice[market] || anchorOf(venue, market).price;
  const away = (1 + (how % 6)) * Math.ceil(price / 2000);
  const listType = (name % 7) % 5;
  const isPaid = listType > OrderListType.otoco;
  const side = isPaid ? Side.sell : (((how >> 8) % 2) as Side);
  const up = side === Side.sell ? away : -away;
  const lots = 1 + (much % (3 * qty));
  const at = { timeInForce: ((how >> 4) % 3) as TimeInForce, qty: lots, price: 0, triggerPrice: 0 };
  const isLimit = how % 3 === 0;
  const stop = {
    ...{ ...at, side, type: isLimit ? OrderType.stop : OrderType.stopMarket },
    ...{ price: isLimit ? price - up : 0, triggerPrice: price - up },
  };
  const goal = { ...at, side, timeInForce: TimeInForce.gtc, ...goalAt(price + up, name) };
  const working = {
    ...{ ...at, side: (1 - side) as Side, type: OrderType.limit },
    ...{ price: price + (much % 5) - 2, triggerPrice: 0 },
  };
  const next = much % 3 === 0 ? stop : { ...goal, type: OrderType.limit, triggerPrice: 0, price };
  const unsized = { qty: how % 37 ? 0 : lots };
  const legs = [
    [stop, goal],
    [working, next],
    [working, stop, goal],
    [working, next],
    [working, stop, goal],
  ][listType] as Omit<Leg, Option>[];
  const [first, second, third = null] = legs.map((leg, place) => {
    const own = optioned(leg, (how >> 3) + 7 * place, place > 0 || leg === stop);
    return isPaid && place > 0 ? { ...own, ...unsized } : own;
  });
  return {
    kind: CommandKind.placeList,
    account: accountOf(venue, who),
    market,
    listType: (how % 31 === 0 ? (listType + 1) % 5 : listType) as OrderListType,
    stpMode: (much % 5) as StpMode,
    first: first ?? null,
    second: how % 29 === 0 ? null : (second ?? null),
    third,
    connection: how % 6 === 0 ? connectionOf(venue, accountOf(venue, who), how >> 4) : 0,
    clientIds: joinClientIds([
      name % 5 === 0 ? `l-${name % 40}` : "",
      clientIdOf(venue, name),
      clientIdOf(venue, much),
    ]),
  };
}
