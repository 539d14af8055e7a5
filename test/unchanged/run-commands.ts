// Commands of a varied run, drawn one after the other: orders of every type in every market, changes of orders, money,
// account flags, sessions, swaps, index prices. Codes are literals, so that the commands depend only on the seed and on
// earlier events.

import type { Draw } from "./drawn-values.ts";
import type { Fields, RunModel } from "./run-model.ts";

const [buy, sell] = [0, 1];
const type = { limit: 0, market: 1, limitMaker: 2, stop: 3, trailing: 7 } as const;
const gtd = 4;
const perpetuals = [4, 5, 6] as const;

/** Middle price in ticks and usual quantity in lots of each market. */
const anchors: readonly { readonly price: number; readonly qty: number }[] = [
  { price: 1_500, qty: 2_000 },
  { price: 6_000_000, qty: 20 },
  { price: 300_000, qty: 50 },
  { price: 10_000, qty: 100 },
  { price: 6_000_000, qty: 40 },
  { price: 300_000, qty: 100 },
  { price: 1_500, qty: 90_000 },
];

/** Price levels in percent of the anchors. A run passes through them in order, each for `eventsOfWeather` events. */
const weathers = [100, 101, 97, 100, 140, 95, 60, 100, 103, 200, 100, 75, 98, 102] as const;
const eventsOfWeather = 600;

/** Returns the current prices of a market. */
export function anchorOf(model: RunModel, market: number): { price: number; qty: number } {
  const { price, qty } = anchors[market] ?? { price: 100, qty: 10 };
  const percent = weathers[Math.floor(model.seq / eventsOfWeather) % weathers.length] ?? 100;
  return { price: Math.max(1, Math.floor((price * percent) / 100)), qty };
}

/** Draws a market: half of all orders are in two markets, and some are in the delisted market or an unknown one. */
function marketOf(draw: Draw): number {
  return draw.of([0, 0, 0, 0, 4, 4, 4, 4, 1, 1, 2, 5, 5, 6, 6, draw.below(8)]);
}

const noOptions = {
  isReduceOnly: false,
  stpMode: 0,
  quoteQty: 0n,
  goodTillUs: 0,
  triggerPrice: 0,
  workingPrice: 0,
  trailingBps: 0,
  activationPrice: 0,
  closesPosition: false,
  reusesClientId: false,
  icebergQty: 0,
  peg: 0,
  pegOffset: 0,
  attached: null,
};

type Maker = (draw: Draw, model: RunModel) => Fields;

function clientId(draw: Draw): string {
  return draw.below(3) > 0 ? "" : `c-${draw.below(300)}`;
}

/** Makes a limit order near the middle; sometimes far from it, too large or with quantity zero. */
const limitOrder: Maker = (draw, model) => {
  const market = marketOf(draw);
  const { price, qty } = anchorOf(model, market);
  const step = Math.ceil(price / 2000);
  const isLarge = market > 3 && draw.below(4) === 0;
  return {
    kind: 1,
    account: model.account(draw),
    market,
    side: draw.of([buy, sell]),
    type: draw.of([type.limit, type.limit, type.limit, type.limitMaker]),
    timeInForce: draw.of([0, 0, 0, 0, 1, 2, 3]),
    price: draw.below(60) === 0 ? price * 7 : price + (draw.below(21) - 10) * step,
    qty: draw.below(60) === 0 ? 0 : 1 + draw.below(3 * qty * (isLarge ? 40 : 1)),
    ...noOptions,
    clientId: clientId(draw),
  };
};

const marketOrder: Maker = (draw, model) => {
  const plain = { ...limitOrder(draw, model), type: type.market, timeInForce: 0, price: 0 };
  if (draw.below(4) > 0) return plain;
  return { ...plain, qty: 0, quoteQty: BigInt(1 + draw.below(60_000)) * 10_000n };
};

/** Makes an order with an unusual option: a self-trade mode, an expiry, a key, a leverage or the reduce-only flag. */
const finerOrder: Maker = (draw, model) => {
  const plain = limitOrder(draw, model);
  const stpMode = draw.below(5);
  switch (draw.below(5)) {
    case 0:
      return { ...plain, stpMode, isReduceOnly: true };
    case 1: {
      const goodTillUs = model.nowUs + draw.below(400) * 1000;
      return { ...plain, stpMode, type: type.limit, timeInForce: gtd, goodTillUs };
    }
    case 2: {
      const key = { high: 1n, low: BigInt(draw.below(400)), payload: BigInt(draw.below(2)) };
      return { ...plain, stpMode, attached: { key, leverage: draw.below(2) * draw.below(104) } };
    }
    default:
      return { ...plain, stpMode };
  }
};

/** Makes a stop, take-profit or trailing order, or an order with take profit and stop loss. */
const conditionalOrder: Maker = (draw, model) => {
  const plain = limitOrder(draw, model);
  const market = Number(plain["market"]);
  const { price } = anchorOf(model, market);
  const step = Math.ceil(price / 2000);
  const near = price + (draw.below(31) - 15) * step;
  const workingPrice = market > 3 ? draw.below(2) : 0;
  const way = draw.below(6);
  if (way === 0) {
    const isBuy = plain["side"] === buy ? 1 : -1;
    const legs = {
      activationPrice: near + 9 * step * isBuy,
      triggerPrice: near - 9 * step * isBuy,
    };
    return { ...plain, ...legs, workingPrice: 1, type: type.limit, timeInForce: 0 };
  }
  if (way === 1) {
    const trailing = { trailingBps: 5 + draw.below(60), activationPrice: draw.below(2) * near };
    return { ...plain, ...trailing, type: type.trailing, timeInForce: 0, price: 0, workingPrice };
  }
  const conditional = type.stop + draw.below(4);
  const isLimit = conditional === 3 || conditional === 5;
  const closesPosition = !isLimit && market > 3 && draw.below(3) === 0;
  return {
    ...plain,
    type: conditional,
    timeInForce: 0,
    price: isLimit ? near + draw.below(5) - 2 : 0,
    qty: closesPosition ? 0 : plain["qty"],
    triggerPrice: near,
    workingPrice,
    closesPosition,
    isReduceOnly: closesPosition || (market > 3 && draw.below(3) === 0),
  };
};

const cancel: Maker = (draw, model) => {
  const order = model.order(draw);
  const isByName = order !== null && order.clientId !== "" && draw.below(2) === 0;
  return {
    kind: 2,
    account: order?.account ?? 1001,
    market: order?.market ?? 0,
    orderId: isByName ? 0 : (order?.orderId ?? 1),
    clientId: isByName ? order.clientId : "",
    onlyIf: draw.of([0, 0, 0, 1, 2]),
  };
};

const amend: Maker = (draw, model) => {
  const order = model.order(draw);
  const price = order?.price ?? 1_500;
  return {
    kind: 14,
    account: order?.account ?? 1001,
    market: order?.market ?? 0,
    orderId: order?.orderId ?? 1,
    clientId: "",
    price: draw.below(4) === 0 ? 0 : price + (draw.below(9) - 4) * Math.ceil(price / 2000),
    qty: Math.max(0, (order?.qty ?? 100) + draw.below(41) - 20),
    side: draw.of([null, null, buy, sell]),
    growsNot: draw.below(7) === 0,
  };
};

const massCancel: Maker = (draw, model) => ({
  kind: 3,
  account: model.account(draw),
  market: marketOf(draw),
});

const countdown: Maker = (draw, model) => {
  const cancelAtUs = draw.below(5) === 0 ? 0 : model.nowUs + draw.below(300) * 1000;
  return { kind: 15, account: model.account(draw), market: marketOf(draw), cancelAtUs };
};

const leverage: Maker = (draw, model) => {
  const market = draw.of([...perpetuals, marketOf(draw)]);
  return { kind: 4, account: model.account(draw), market, leverage: draw.below(104) };
};

const reference: Maker = (draw, model) => {
  const market = draw.of(perpetuals);
  const { price } = anchorOf(model, market);
  const near = price + (draw.below(41) - 20) * Math.ceil(price / 2000);
  return {
    kind: 22,
    market,
    origin: draw.below(2),
    price: draw.below(6) === 0 ? 0 : near,
    untilUs: model.nowUs + (draw.below(9_000) - 20) * 1000,
  };
};

const tick: Maker = () => ({ kind: 13 });

/** Generators of trading commands, each with its frequency per thousand commands. */
export const tradingMakers: readonly (readonly [number, Maker])[] = [
  [330, limitOrder],
  [60, marketOrder],
  [90, finerOrder],
  [80, conditionalOrder],
  [120, cancel],
  [60, amend],
  [12, massCancel],
  [8, countdown],
  [20, leverage],
  [40, reference],
  [80, tick],
];
