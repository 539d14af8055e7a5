// Proves how a client of spot asks for SBE and what it gets if it asks wrongly: Binance's errors, in the format that
// Binance answers with. Nothing that a client sends in these headers ends the front.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { messageOf } from "../../src/adapters/gateway/sbe/message-of.ts";
import { encodedMessage, latestForm } from "../../src/adapters/gateway/sbe/sbe-answer.ts";
import { decimalText } from "../support/sbe/same-as-json.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { decoded, request, spotSchema } from "./sbe-client.ts";

let front: FrontFixture;
let key: TestKey;
const symbol = "CC-USDC";

before(async () => {
  front = await FrontFixture.open();
  key = await front.newTrader();
});
after(() => front.close());

function get(path: string, headers: Record<string, string>) {
  return request(front, "GET", path, { headers });
}

test("SBE-1 SBE-2 the answer has the version that was asked for; an older one is marked as deprecated", async () => {
  for (const [version, deprecated] of [
    [5, null],
    [4, "3:4"],
  ] as const) {
    const headers = { Accept: "application/sbe", "X-MBX-SBE": `3:${version}` };
    const reply = await get("/api/v3/time", headers);
    assert.deepEqual([reply.status, decoded(reply).version], [200, version]);
    assert.equal(reply.headers.get("x-mbx-sbe-deprecated"), deprecated);
    const refused = decoded(await get("/api/v3/depth", headers));
    assert.deepEqual([refused.template, refused.version], ["ErrorResponse", version]);
  }
});

test("SBE-3 without a sound header a client that accepts only SBE gets an error in SBE", async () => {
  for (const [header, code] of [
    [undefined, -1152],
    ["", -1152],
    ["3", -1152],
    ["3:x", -1152],
    ["3:5:1", -1152],
    ["3:3", -1153],
    ["3:6", -1153],
    ["2:1", -1153],
    ["99999:0", -1153],
  ] as const) {
    const headers = {
      Accept: "application/sbe",
      ...(header !== undefined && { "X-MBX-SBE": header }),
    };
    const reply = await get("/api/v3/ping", headers);
    const { template, values } = decoded(reply);
    assert.deepEqual(
      [reply.status, template, Number(values["code"])],
      [400, "ErrorResponse", code],
      header,
    );
  }
});

test("SBE-3 a client that accepts JSON too gets JSON instead", async () => {
  const accept = "application/sbe, application/json";
  for (const header of ["", "3", "2:1"]) {
    const reply = await get("/api/v3/ping", { Accept: accept, "X-MBX-SBE": header });
    assert.deepEqual([reply.status, reply.bytes.toString()], [200, "{}"]);
  }
  const both = await get("/api/v3/ping", { Accept: accept, "X-MBX-SBE": "3:5" });
  assert.equal(decoded(both).template, "PingResponse");
  const json = await get("/fapi/v1/ping", { Accept: accept, "X-MBX-SBE": "3:5" });
  assert.deepEqual([json.status, json.bytes.toString()], [200, "{}"]);
});

test("SBE-4 off spot the headers of SBE are ignored, sound or not", async () => {
  for (const path of ["/fapi/v1/ping", "/sapi/v1/system/status"]) {
    for (const schema of ["3:5", "nothing"]) {
      const headers = { Accept: "application/sbe", "X-MBX-SBE": schema };
      const { status, bytes } = await get(path, headers);
      assert.equal(status, 200, path);
      assert.equal(typeof JSON.parse(bytes.toString()), "object", path);
    }
  }
});

test("SBE-1 at the root the headers are ignored", async () => {
  const answer = await front.fetch("/api/v3/time", {
    headers: { Accept: "application/sbe", "X-MBX-SBE": "3:5" },
  });
  assert.equal(typeof answer.json.serverTime, "number");
});

test("SBE-8 refusals have Binance's code and message, without a hint", async () => {
  const order = {
    symbol,
    side: "BUY",
    type: "LIMIT",
    timeInForce: "GTC",
    quantity: "1",
    price: "0.1",
  };
  const reply = await request(front, "POST", "/api/v3/order", { parameters: order, key });
  const { values } = decoded(reply);
  assert.deepEqual(
    [reply.status, values["code"], values["msg"], values["data"]],
    [400, -1013n, "Filter failure: NOTIONAL", null],
  );
  const unsigned = decoded(await request(front, "GET", "/api/v3/account"));
  assert.ok((unsigned.values["code"] as bigint) < 0n);
  const nowhere = await get("/api/v3/nowhere", { Accept: "application/sbe", "X-MBX-SBE": "3:5" });
  assert.deepEqual([nowhere.status, decoded(nowhere).values["code"]], [404, -5000n]);
  const klines = await request(front, "GET", "/api/v3/klines", {
    parameters: { symbol, interval: "7x" },
  });
  assert.deepEqual([klines.status, decoded(klines).template], [400, "ErrorResponse"]);
});

test("SBE-9 times are microseconds, whatever the time unit header says", async () => {
  for (const unit of ["MILLISECOND", "MICROSECOND", "FORTNIGHT"]) {
    const headers = { Accept: "application/sbe", "X-MBX-SBE": "3:5", "X-MBX-TIME-UNIT": unit };
    const { values } = decoded(await get("/api/v3/time", headers));
    assert.equal(values["serverTime"], BigInt(Math.floor(front.nowUs() / 1000)) * 1000n);
  }
});

test("SBE-10 no headers end the front: each request gets an answer in a format it accepts", async () => {
  const text = fc.string({ maxLength: 20 }).map((any) => any.replace(/[^ -~]/g, "").trim());
  const accept = fc.oneof(
    fc.constantFrom("application/sbe", "APPLICATION/SBE;q=1", "application/sbe,*/*", "text/html"),
    text,
  );
  const header = fc.oneof(
    fc.tuple(fc.nat(), fc.nat()).map(([id, version]) => `${id}:${version}`),
    fc.constantFrom("3:5", "3:4", "-3:5", "3:-5", "3.0:5", "3:5,3:4", " 3:5 ", "0x3:5"),
    text,
  );
  const path = fc.constantFrom("ping", "time", "depth", "account", "nowhere", "exchangeInfo");
  await fc.assert(
    fc.asyncProperty(accept, header, path, async (Accept, sbe, name) => {
      const reply = await get(`/api/v3/${name}`, { Accept, "X-MBX-SBE": sbe });
      const isSbe = reply.headers.get("content-type") === "application/sbe";
      if (isSbe) assert.ok(decoded(reply).template !== "");
      else JSON.parse(reply.bytes.toString());
    }),
    { numRuns: 400, seed: 27 },
  );
  assert.equal((await get("/api/v3/ping", {})).status, 200);
});

test("SBE-6 SBE-8 a figure that does not fit 64 bits gets a larger exponent, or the answer is -1161", () => {
  const most = messageOf("NotionalFilter", {
    filterType: "NOTIONAL",
    maxNotional: `1${"0".repeat(20)}`,
  });
  assert.equal(decimalText(BigInt(most.maxNotional), most.priceExponent), `1${"0".repeat(20)}`);
  for (const price of ["92233720368.54775807", "92233720368.54775808"]) {
    const json = { symbol, price };
    const message = messageOf("PriceTickerSymbolResponse", json);
    const { status, bytes } = encodedMessage(latestForm, "PriceTickerSymbolResponse", message);
    const { values } = spotSchema.decode(bytes);
    if (price.endsWith("7")) assert.deepEqual([status, values["price"]], [200, 2n ** 63n - 1n]);
    else assert.deepEqual([status, Number(values["code"])], [400, -1161]);
  }
});

/** A filled order of 2,000,000 coins at 60,000, whose value in quote needs the exponent -7. */
const largeOrder = {
  ...{ symbol, orderId: 1, clientOrderId: "a", transactTime: 1, price: "60000.00000000" },
  ...{ origQty: "2000000.00000000", executedQty: "2000000.00000000" },
  ...{ cummulativeQuoteQty: "120000000000.00000000", status: "FILLED", side: "BUY" },
  fills: [{ price: "60000.00000000", qty: "2000000.00000000", commission: "0", tradeId: 1 }],
};

test("SBE-6 rows have the exponent of their block when a figure of the block makes it larger", () => {
  const { priceExponent, price, cummulativeQuoteQty, fills } = messageOf(
    "NewOrderFullResponse",
    largeOrder,
  );
  const shown = [price, cummulativeQuoteQty, fills[0]?.price ?? 0].map((mantissa) =>
    Number(decimalText(BigInt(mantissa), priceExponent)),
  );
  assert.deepEqual(shown, [60_000, 120_000_000_000, 60_000]);
});

test("SBE-6 a figure of a row that does not fit 64 bits makes the exponent of its block larger", () => {
  const trade = { id: 1, price: "10000.00000000", qty: "10000000.00000000", time: 1 };
  const message = messageOf("TradesResponse", [{ ...trade, quoteQty: "100000000000.00000000" }]);
  const { status, bytes } = encodedMessage(latestForm, "TradesResponse", message);
  assert.deepEqual([status, spotSchema.decode(bytes).template], [200, "TradesResponse"]);
  assert.equal(message.priceExponent, -7);
});

test("SBE-6 a message made without JSON gets larger exponents too, and keeps its own", () => {
  const message = {
    ...messageOf("NewOrderFullResponse", { ...largeOrder, cummulativeQuoteQty: "0" }),
    cummulativeQuoteQty: 12_000_000_000_000_000_000n,
  };
  const { status, bytes } = encodedMessage(latestForm, "NewOrderFullResponse", message);
  const { values } = spotSchema.decode(bytes);
  assert.deepEqual(
    [status, values["priceExponent"], values["cummulativeQuoteQty"], message.priceExponent],
    [200, -7n, 1_200_000_000_000_000_000n, -8],
  );
});
