// Proves that a list of quotes does no harm, whatever a maker sends: the request is answered, and what is refused whole
// leaves the quotes as they were. What is accepted is in the book as the answer says.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import fc from "fast-check";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { fuzz } from "./fuzz.ts";
import { spoiltText } from "./spoilt-bytes.ts";
import { spoiltJson } from "./spoilt-json.ts";

let front: FrontFixture;
let key: TestKey;

before(async () => {
  front = await FrontFixture.open();
  key = await front.newTrader();
});
after(() => front.close());

const sound = [
  { id: 1, bidPrice: "49000", bidQty: "0.1", askPrice: 51_000, askQty: 0.2 },
  { id: 15, bidPrice: "48000.5", bidQty: "0.001", askQty: "0" },
];

const lists = fc.oneof(
  spoiltJson(sound).map((list) => JSON.stringify(list) ?? ""),
  spoiltText(fc.constant(JSON.stringify(sound))),
);

/** The open quotes: price and open lots by order id. */
function open(): Map<number, readonly [number, number]> {
  const { orders } = front.state;
  return new Map(
    [...orders.openSlots()].map((slot) => [
      orders.orderId[slot] ?? 0,
      [orders.price[slot] ?? 0, orders.remaining(slot)],
    ]),
  );
}

fuzz(
  "QUO-4 QUO-8 whatever list of quotes is sent, it is answered, and the book is as it says",
  lists,
  async (quotes) => {
    front.advance(60_000);
    const before = open();
    const params = { symbol: "BTCUSDT", quotes };
    const { status, json, text } = await front.send("POST", "/fapi/v1/massQuote", params, {
      key,
      isForm: true,
    });
    if (status !== 200) {
      assert.ok(status >= 400 && status < 500, text);
      assert.equal(typeof json.code, "number", text);
      assert.deepEqual(open(), before);
      return;
    }
    const found = open();
    for (const { bid, ask } of json) {
      for (const side of [bid, ask]) {
        if (side?.orderId !== undefined) assert.ok(found.has(side.orderId), text);
      }
    }
  },
);
