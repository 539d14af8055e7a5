// Proves which notices are told: those of replaced orders, those that share a message, and those kept over a reload.

import assert from "node:assert/strict";
import { test } from "node:test";
import { dropNotices, keepNotices, keptNotices } from "../../web/src/notices/kept-notices.ts";
import { changeNotice, type Notice } from "../../web/src/notices/notices.ts";
import { Replacements } from "../../web/src/notices/replacements.ts";
import { groupOf, toastOf } from "../../web/src/notices/toasts.ts";

function cancel(orderNo: number, symbol = "CC-USDC"): Notice {
  const text = `Cancelled: buy ${orderNo} ${symbol}`;
  const proof = `o-${orderNo}`;
  return { key: `end-${orderNo}`, kind: "cancel", atMs: orderNo, text, orderNo, symbol, proof };
}

test("WEB-66 a change says what the order is now", () => {
  const order = { orderNo: 5, side: "BUY", symbol: "CC-USDC", type: "LIMIT" } as const;
  const terms = { quantity: "1500.0", price: "0.14960000", pricePlaces: 4 };
  assert.equal(
    changeNotice({ ...order, ...terms }, 1).text,
    "Changed: buy 1,500 CC-USDC to 0.1496",
  );
});

test("WEB-66 the cancel of a replaced order is not told, whether it comes before or after the answer", () => {
  const replacements = new Replacements();
  replacements.begin(5);
  assert.equal(replacements.takes(cancel(5)), true);
  assert.equal(replacements.takes(cancel(6)), false);
  replacements.replaced(5);
  replacements.begin(7);
  replacements.replaced(7);
  assert.equal(replacements.takes(cancel(7)), true);
  // Only once: there is nothing to wait for any more.
  for (const orderNo of [5, 7]) assert.equal(replacements.takes(cancel(orderNo)), false);
});

test("WEB-66 a cancel is told if the change failed, or if the order was kept", () => {
  const replacements = new Replacements();
  replacements.begin(5);
  replacements.takes(cancel(5));
  assert.deepEqual(replacements.kept(5), cancel(5));
  replacements.begin(6);
  assert.equal(replacements.kept(6), null);
  assert.equal(replacements.takes(cancel(6)), false);
  replacements.begin(8);
  replacements.forget();
  assert.equal(replacements.takes(cancel(8)), false);
});

test("WEB-66 many cancels in a market share one message, other notices have their own", () => {
  const cancels = [cancel(3), cancel(2), cancel(1)];
  assert.equal(new Set(cancels.map(groupOf)).size, 1);
  assert.notEqual(groupOf(cancel(1)), groupOf(cancel(1, "BTC-PERP")));
  assert.equal(toastOf(cancel(3), 3).text, "Cancelled: 3 orders on CC-USDC");
  assert.equal(toastOf(cancel(3), 1).text, cancel(3).text);
  const fill: Notice = { ...cancel(4), kind: "fill", key: "fill-4" };
  assert.equal(groupOf(fill), "fill-4");
  assert.equal(toastOf(fill, 2).text, fill.text);
});

/** A storage like the browser's. */
function storage() {
  const texts = new Map<string, string>();
  return {
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => void texts.set(name, text),
    removeItem: (name: string) => void texts.delete(name),
  };
}

test("WEB-66 notices are kept for their account only, and dropped with the session", () => {
  const place = storage();
  const nothing = { notices: [], unread: 0 };
  assert.deepEqual(keptNotices(place, "one"), nothing);
  const kept = { notices: [cancel(2), cancel(1)], unread: 2 };
  keepNotices(place, "one", kept);
  assert.deepEqual(keptNotices(place, "one"), kept);
  assert.deepEqual(keptNotices(place, "other"), nothing);
  dropNotices(place);
  assert.deepEqual(keptNotices(place, "one"), nothing);
});

test("WEB-66 what another version of the page has stored does not break it", () => {
  const place = storage();
  for (const text of [
    "{",
    "7",
    '{"userId":"one"}',
    '{"userId":"one","notices":[{"key":1},null]}',
  ]) {
    place.setItem("rialto-notices", text);
    assert.deepEqual(keptNotices(place, "one"), { notices: [], unread: 0 }, text);
  }
});
