// Proves that the page computes what the venue locks: for each arrangement of position and open orders, the margin that an
// order adds to the account, and the balance that it takes, are what the ticket says before it is sent.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cutTo, exact } from "../../web/src/markets/exact.ts";
import { countedQuantity } from "../../web/src/member/risk/counted-orders.ts";
import { needOf, type OpeningTerms } from "../../web/src/member/risk/order-cover.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";

type Fields = Readonly<Record<string, string>>;

let front: FrontFixture;
let maker: TestKey;

before(async () => {
  front = await FrontFixture.open();
  maker = await front.newTrader();
  const offer = { symbol: "BTCUSDT", type: "LIMIT", timeInForce: "GTC", quantity: "50" };
  await send(maker, "POST", "/fapi/v1/order", { ...offer, side: "SELL", price: "60000" });
  await send(maker, "POST", "/fapi/v1/order", { ...offer, side: "BUY", price: "59900" });
});
after(() => front.close());

async function send(key: TestKey, method: "GET" | "POST", path: string, parameters: Fields = {}) {
  const answer = await front.send(method, path, parameters, { key });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

interface Listed {
  readonly side: string;
  readonly type: string;
  readonly origQty: string;
  readonly executedQty: string;
  readonly reduceOnly: boolean;
}

const symbol = "BTCUSDT";
const resting = { symbol, type: "LIMIT", timeInForce: "GTC" };
const units = (text: string) => exact(text) ?? 0n;

async function accountOf(key: TestKey) {
  const { positions, availableBalance } = await send(key, "GET", "/fapi/v2/account");
  const row = positions.find((one: { symbol: string }) => one.symbol === symbol);
  return { ...row, free: units(availableBalance), locked: units(row.openOrderInitialMargin) };
}

/** What the page knows of the account before it sends an order of `side`. */
async function termsFor(key: TestKey, side: string): Promise<OpeningTerms> {
  const { positionAmt, leverage } = await accountOf(key);
  const listed: Listed[] = await send(key, "GET", "/fapi/v1/openOrders", { symbol });
  const own = listed
    .filter((order) => order.side === side)
    .map((order) => {
      return { ...order, qty: order.origQty, filled_qty: order.executedQty };
    });
  const held = side === "BUY" ? units(positionAmt) : -units(positionAmt);
  const left = -held - countedQuantity(own, (order) => order);
  return {
    ...{ leverage: Number(leverage), floorLeverage: null, beside: 0n, mark: null, levels: [] },
    ...{ reducible: held < 0n ? -held : 0n, closable: left > 0n ? left : 0n, quantityMax: null },
  };
}

interface Arrangement {
  readonly name: string;
  readonly position: readonly [side: string, quantity: string];
  /** Other open orders of the account. */
  readonly open: readonly Fields[];
  /** A limit order that rests. */
  readonly order: Fields;
  /** The margin that is expected, so that page and venue are not wrong together. */
  readonly margin: string;
}

const stop = { type: "STOP_MARKET", stopPrice: "50000", side: "SELL", quantity: "0.2" };
const long = ["BUY", "0.2"] as const;
const sell = (quantity: string, price = "65000") => ({ side: "SELL", quantity, price });
const reducing = { ...sell("0.5"), reduceOnly: "true" };
const arrangements: readonly Arrangement[] = [
  { name: "closes", position: long, open: [], order: sell("0.2"), margin: "0.00" },
  { name: "flips", position: long, open: [], order: sell("0.5"), margin: "1950.00" },
  {
    name: "closes beside a reduce-only order",
    position: long,
    open: [reducing],
    order: sell("0.2"),
    margin: "0.00",
  },
  {
    name: "flips beside a reduce-only order",
    position: long,
    open: [reducing],
    order: sell("0.6"),
    margin: "2600.00",
  },
  {
    name: "closes beside a waiting stop",
    position: long,
    open: [stop],
    order: sell("0.2"),
    margin: "0.00",
  },
  {
    name: "closes what another order closes",
    position: long,
    open: [sell("0.15", "66000")],
    order: sell("0.2"),
    margin: "975.00",
  },
  {
    name: "closes beside orders of all three kinds",
    position: long,
    open: [stop, reducing, sell("0.1", "66000")],
    order: sell("0.1"),
    margin: "0.00",
  },
  {
    name: "enlarges",
    position: long,
    open: [reducing],
    order: { side: "BUY", quantity: "0.1", price: "50000" },
    margin: "500.00",
  },
  {
    name: "closes a short",
    position: ["SELL", "0.3"],
    open: [],
    order: { side: "BUY", quantity: "0.4", price: "50000" },
    margin: "500.00",
  },
];

for (const { name, position, open, order, margin } of arrangements) {
  test(`WEB-155 the page's margin of an order is what the venue locks: it ${name}`, async () => {
    const key = await front.newTrader();
    const [side, quantity] = position;
    await send(key, "POST", "/fapi/v1/order", { symbol, type: "MARKET", side, quantity });
    for (const one of open) {
      const terms = one["type"] === "STOP_MARKET" ? { symbol } : resting;
      await send(key, "POST", "/fapi/v1/order", { ...terms, ...one });
    }
    const terms = await termsFor(key, order["side"] ?? "");
    const wanted = {
      side: order["side"] === "BUY" ? "BUY" : "SELL",
      price: units(order["price"] ?? ""),
      quantity: units(order["quantity"] ?? ""),
    } as const;
    const earlier = await accountOf(key);
    await send(key, "POST", "/fapi/v1/order", { ...resting, ...order });
    const later = await accountOf(key);
    const need = needOf(wanted, terms)?.total ?? 0n;
    assert.equal(cutTo(need, 2), margin);
    assert.equal(later.locked - earlier.locked, need);
    assert.equal(earlier.free - later.free, need);
  });
}
