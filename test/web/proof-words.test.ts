// Proves what the page says of a proof: what was recorded, and what a user may type.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PublicIdKind, publicId } from "../../src/core/ids/public-id.ts";
import { proofQuery } from "../../web/src/proof-reference.ts";
import { provedSubject } from "../../web/src/proof-words.ts";

const trade = {
  ...{ market: "BTC-PERP", price: "60450.00", qty: "2.300", taker_side: "BUY", trade_id: "t-3" },
  ...{ maker_order_id: "o-1", taker_order_id: "o-2" },
};
const leaf = { kind: "fill", seq: "3", ref_id: "t-3", ts_us: "1790000000000123" };
const sidesOf = (...roles: readonly string[]) => roles.map((role) => ({ role, body: {} }));

test("WEB-88 a trade is told as its market, side, price, quantity and time", () => {
  const told = (more: object) => provedSubject({ leaf: { ...leaf, body: trade, ...more } });
  assert.deepEqual(told({ sides: sidesOf("maker") }), {
    title: "Trade t-3: record of the trade",
    isOwn: true,
    atMs: 1_790_000_000_000,
    facts: [
      ["Market", "BTC-PERP"],
      ["Side", "SELL, as maker"],
      ["Price", "60,450.00"],
      ["Quantity", "2.300"],
    ],
  });
  assert.deepEqual(told({ sides: sidesOf("taker") }).facts[1], ["Side", "BUY, as taker"]);
  assert.deepEqual(told({ sides: sidesOf("maker", "taker") }).facts[1], ["Side", "BUY (taker)"]);
  assert.deepEqual(told({}).facts[1], ["Side", "BUY (taker)"]);
  const entry = told({ kind: "journal", seq: "57", body: { ...trade, event: "TRADED" } });
  assert.equal(entry.title, "Trade t-3: traded, journal entry 57");
});

test("WEB-110 the owner of a trade sees fee and profit, and a market order that its price is a bound", () => {
  const body = { account: 3, fee: "69.517500", pnl: "-1250.300000" };
  const own = provedSubject({ leaf: { ...leaf, body: trade, sides: [{ role: "maker", body }] } });
  assert.deepEqual(own.facts.slice(-2), [
    ["Your fee", "69.517500"],
    ["Your realized PnL", "-1,250.300000"],
  ]);
  const order = {
    event: "ORDER_ACCEPTED",
    type: "MARKET",
    price: "62909.02",
    time_in_force: "IOC",
  };
  const told = provedSubject({
    leaf: { kind: "journal", seq: "9", ref_id: "o-7", ts_us: "1", body: order },
  });
  assert.deepEqual(told.facts, [
    ["Type", "MARKET"],
    ["Worst price (a market order's bound)", "62,909.02"],
  ]);
});

test("WEB-88 an order and any other entry are told by what they have, and a public proof by its time alone", () => {
  const order = { event: "ORDER_CLOSED", market: "CC-USDC", order_id: "o-7", reason: "CANCELLED" };
  const closed = { kind: "journal", seq: "9", ref_id: "o-7", ts_us: "1", body: order };
  assert.deepEqual(provedSubject({ leaf: closed }), {
    title: "Order o-7: order closed, journal entry 9",
    isOwn: false,
    atMs: 0,
    facts: [
      ["Market", "CC-USDC"],
      ["Reason", "CANCELLED"],
    ],
  });
  const secret = provedSubject({ leaf: { ...closed, ref_id: "" } });
  assert.equal(secret.title, "Order closed, journal entry 9");
  const bare = provedSubject({ leaf: { ...closed, body: undefined } });
  assert.deepEqual([bare.title, bare.facts], ["Order o-7: journal entry 9", []]);
  assert.deepEqual(provedSubject(null).facts, []);
});

test("WEB-88 a number, an order or a trade is asked for, and nothing else", () => {
  assert.equal(proofQuery(" 57 "), "seq=57");
  assert.equal(proofQuery("t-3977"), "ref_id=t-3977");
  assert.equal(proofQuery(publicId(PublicIdKind.order, 12, 5)), "ref_id=o-12");
  for (const text of ["", "abc", "0", "t-0", "t-03", "a-1", "1e3", "9".repeat(20)]) {
    assert.equal(proofQuery(text), null, text);
  }
});
