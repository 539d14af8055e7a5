// Proves that the reference's tables of the parameters that each order type needs are true: an order without one of them is
// refused by name, and an order with exactly these passes the checks.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type NeededByType,
  neededByPerpetualType,
  neededBySpotType,
} from "../../schemas/http/needed-by-type.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

const values: Readonly<Record<string, string>> = {
  timeInForce: "GTC",
  quantity: "200",
  quoteOrderQty: "20",
  price: "0.1",
  stopPrice: "0.2",
  callbackRate: "1",
  closePosition: "true",
  priceMatch: "QUEUE",
};

let venue: VenueFixture;
let trader: Trader;

before(async () => {
  venue = await VenueFixture.open();
  trader = await venue.trader();
});
after(() => venue?.close());

async function check(path: string, symbol: string, needed: NeededByType): Promise<void> {
  for (const [type, entries] of Object.entries(needed)) {
    const names = entries.map((entry) => entry.split(" or ")[0] ?? "");
    const send = (sent: readonly string[]) => {
      const parameters = Object.fromEntries(sent.map((name) => [name, values[name] ?? ""]));
      return venue.signed(trader, "POST", path, { symbol, side: "BUY", type, ...parameters });
    };
    const missing = /^(Mandatory parameter '\w+' was not sent|.*not required)/;
    assert.doesNotMatch(String((await send(names)).json.msg), missing, `${type} with ${names}`);
    for (const name of names) {
      const { json } = await send(names.filter((one) => one !== name));
      assert.match(json.msg, new RegExp(`^Mandatory parameter '${name}' was not sent`), type);
    }
  }
}

test("DOC-20 each order type of spot needs what its table says", () =>
  check("/api/v3/order/test", "CC-USDC", neededBySpotType));

test("DOC-20 each order type of perpetuals needs what its table says", () =>
  check("/compat/fapi/v1/order/test", "CCUSDT", neededByPerpetualType));
