// Proves that only the account sets the leverage of a position. Orders of every kind leave it unchanged, except an
// order that names another leverage; the answer to that order shows the new leverage.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { marketId } from "../support/machine/test-markets.ts";
import { FrontFixture } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

const terms = { symbol: "BTCUSDT", side: "BUY", quantity: "0.1" } as const;
const limit = { ...terms, type: "LIMIT", timeInForce: "GTC", price: "100" } as const;
const native = { symbol: "BTC-PERP", side: "BUY", qty: "0.1", price: "100" } as const;

test("NAT-60 orders on all surfaces leave the leverage unchanged, and the answer to an order that names one shows the resulting leverage", async () => {
  const api = new NativeClient(front.base);
  await api.login();
  const account = parsePublicId(PublicIdKind.user, api.userId)?.number ?? 0;
  front.venue.credit(account, Wallet.perp, 0, 10n ** 12n);
  const key = await front.newKey(account);
  const other = await front.newTrader();
  const leverage = () => front.venue.state.positions.leverage(account, marketId.btcPerp);
  const send = async (
    method: string,
    path: string,
    parameters: Record<string, string | number>,
  ) => {
    const answer = await front.send(method, path, parameters, { key });
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    assert.equal(leverage(), 25, path);
    return answer.json;
  };
  await front.send("POST", "/fapi/v1/order", { ...limit, side: "SELL" }, { key: other });
  await front.send("POST", "/fapi/v1/leverage", { symbol: "BTCUSDT", leverage: 25 }, { key });
  await send("POST", "/fapi/v1/order", { ...terms, type: "MARKET" });
  const { orderId } = await send("POST", "/fapi/v1/order", { ...limit, price: "99" });
  await send("PUT", "/fapi/v1/order", { ...terms, orderId, price: "98" });
  await send("POST", "/fapi/v1/batchOrders", { batchOrders: JSON.stringify([limit]) });
  const stop = { ...terms, side: "SELL", type: "STOP_MARKET" } as const;
  await send("POST", "/fapi/v1/order", { ...stop, stopPrice: "50", reduceOnly: "true" });
  const algo = { ...stop, algoType: "CONDITIONAL", triggerPrice: "60" };
  await send("POST", "/compat/fapi/v1/algoOrder", algo);
  const socket = await StreamClient.open(`${front.base.replace("http", "ws")}/compat/ws-fapi/v1`);
  const request = { ...limit, price: "97", apiKey: key.value, timestamp: front.nowUs() / 1000 };
  const text = Object.entries(request)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  socket.send({ id: 1, method: "order.place", params: { ...request, signature: key.sign(text) } });
  assert.equal((await socket.next((frame) => frame.id === 1)).status, 200);
  assert.equal(leverage(), 25, "order.place");
  socket.close();
  const plain = await api.post("/v1/orders", native);
  assert.deepEqual([plain.status, plain.json.leverage, leverage()], [200, 25, 25]);
  const guarded = await api.post("/v1/orders", { ...native, take_profit: "110", leverage: null });
  assert.deepEqual([guarded.status, guarded.json.leverage, leverage()], [200, 25, 25]);
  const named = await api.post("/v1/orders", { ...native, leverage: 12 });
  assert.deepEqual([named.status, named.json.leverage, leverage()], [200, 12, 12]);
  const refused = await api.post("/v1/orders", { ...native, qty: "99999", leverage: 3 });
  assert.deepEqual(
    [refused.status, leverage()],
    [400, 12],
    "A refused order must not change the leverage",
  );
});

test("NAT-60 only the route that sets it and the native order take a leverage, and both say what it applies to", async () => {
  const { json } = await front.fetch("/openapi.json");
  const takers: string[] = [];
  for (const [path, methods] of Object.entries<Record<string, object>>(json.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { parameters, requestBody } = operation as Record<string, unknown>;
      const request = JSON.stringify([parameters, requestBody]);
      if (!/"leverage"/i.test(request)) continue;
      takers.push(`${method.toUpperCase()} ${path}`);
      assert.match(request, /for its position and all its orders there/, path);
    }
  }
  assert.deepEqual(takers.sort(), ["POST /fapi/v1/leverage", "POST /v1/orders"]);
});
