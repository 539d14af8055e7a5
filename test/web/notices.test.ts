// Proves what a notification says for each frame of the account's streams.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isReplacedTpSl } from "../../web/src/history/past-order.ts";
import {
  type AccountFrame,
  isOfPosition,
  noticeOf,
  reasonText,
  replacedNotice,
} from "../../web/src/notices/notices.ts";
import { isOneAction } from "../../web/src/notices/toasts.ts";

const marketOf = (listed: string) =>
  ({
    BTCUSDT: { symbol: "BTC-PERP", pricePlaces: 2 },
    "CC-USDC": { symbol: "CC-USDC", pricePlaces: 4 },
  })[listed];

function perpetual(order: object): AccountFrame {
  const base = { s: "BTCUSDT", c: "mine", S: "BUY", o: "LIMIT", x: "TRADE", X: "FILLED", i: 12 };
  const figures = { q: "0.500", z: "0.500", L: "50001.00", ap: "50000.50", t: 3 };
  const o = { ...base, ...figures, ...order };
  return { e: "ORDER_TRADE_UPDATE", E: 2, T: 1, o, seq: 7 } as unknown as AccountFrame;
}

function spot(order: object): AccountFrame {
  const base = { s: "CC-USDC", c: "mine", S: "SELL", o: "MARKET", x: "TRADE", X: "FILLED", i: 13 };
  const figures = { q: "100.0", z: "100.0", L: "0.15", Z: "14.99", t: 4, T: 1 };
  return { e: "executionReport", E: 2, seq: 8, ...base, ...figures, ...order } as AccountFrame;
}

const text = (frame: AccountFrame) => noticeOf(frame, { marketOf })?.text;

test("WEB-50 a fill names what was traded so far, at its average price, and leads to the proof of the trade", () => {
  assert.equal(text(perpetual({})), "Bought 0.5 BTC-PERP at 50,000.50");
  const part = perpetual({ X: "PARTIALLY_FILLED", z: "0.300", S: "SELL" });
  assert.equal(text(part), "Sold 0.3 of 0.5 BTC-PERP at 50,000.50");
  assert.equal(text(spot({})), "Sold 100 CC-USDC at 0.1499");
  const notice = noticeOf(perpetual({}), { marketOf });
  assert.deepEqual([notice?.key, notice?.proof, notice?.atMs], ["fill-12", "t-3", 1]);
});

test("WEB-50 a cancel and an expiry say what ended, and an expiry why", () => {
  assert.equal(text(perpetual({ x: "CANCELED" })), "Cancelled: buy 0.5 BTC-PERP (limit)");
  const priced = perpetual({ x: "CANCELED", p: "61000.00" });
  assert.equal(text(priced), "Cancelled: buy 0.5 BTC-PERP (limit) at 61,000.00");
  const stop = { x: "CANCELED", ot: "STOP_MARKET", p: "0.00", sp: "59000.00" };
  assert.equal(text(perpetual(stop)), "Cancelled: buy 0.5 BTC-PERP (stop market) at 59,000.00");
  const reason = "UNFILLED_IOC_QUANTITY_EXPIRED";
  assert.equal(
    text(spot({ x: "EXPIRED", eR: reason })),
    "Expired: sell 100 CC-USDC (market), the rest could not be filled at once",
  );
  assert.equal(reasonText("LIQUIDATION"), "the account was being liquidated");
  assert.equal(reasonText("POSITION_CLOSED"), "no position is left that it could reduce");
  assert.equal(reasonText("SOMETHING_NEW"), "");
  assert.equal(noticeOf(spot({ x: "EXPIRED", eR: reason }), { marketOf })?.kind, "expiry");
});

test("WEB-114 a take profit or stop loss that was refused when its turn came is told loudly", () => {
  const leg = { x: "EXPIRED", eR: "REJECTED", o: "STOP_LOSS", P: "0.1600", q: "0.0", z: "0.0" };
  const notice = noticeOf(spot(leg), { marketOf });
  assert.equal(notice?.kind, "unprotected");
  assert.equal(
    notice?.text,
    "Not protected: the stop loss that sells CC-USDC at 0.1600 was refused when its turn came. What you bought has no stop loss.",
  );
  assert.equal(noticeOf(spot({ ...leg, o: "LIMIT" }), { marketOf })?.kind, "expiry");
  assert.equal(noticeOf(spot({ ...leg, eR: "OCO_TRIGGER" }), { marketOf })?.kind, "expiry");
});

test("WEB-120 only the cancels of one action are counted together", () => {
  const at = (atMs: number) => ({ atMs });
  assert.equal(isOneAction(at(1_000), at(1_000)), true);
  assert.equal(isOneAction(at(1_000), at(3_000)), true);
  assert.equal(isOneAction(at(1_000), at(3_001)), false);
});

test("WEB-139 a take profit or stop loss that a newer one replaced is told as replaced, not as cancelled", () => {
  const frame = perpetual({
    x: "CANCELED",
    S: "SELL",
    ot: "STOP_MARKET",
    q: "0.000",
    sp: "59000.00",
  });
  assert.equal(isOfPosition(frame), true);
  assert.equal(isOfPosition(perpetual({ x: "CANCELED" })), false);
  const cancel = noticeOf(frame, { marketOf });
  assert(cancel !== null);
  const { kind, text: told } = replacedNotice(cancel);
  assert.deepEqual(
    [kind, told],
    ["change", "Replaced by a newer one: sell BTC-PERP (stop market) at 59,000.00"],
  );
  const terms = { symbol: "BTC-PERP", side: "SELL", type: "STOP_MARKET", qty: "0.000" };
  const times = { created_at: "2026-11-29T10:00:00Z", updated_at: "2026-11-29T10:05:00Z" };
  const end = { status: "CANCELED", expiry_reason: "TPSL_REPLACED" };
  const old = { order_id: "old", ...terms, ...times, ...end };
  const newer = { ...old, order_id: "new", status: "NEW", created_at: times.updated_at };
  assert.equal(isReplacedTpSl(old, [newer, old]), true);
  assert.equal(isReplacedTpSl({ ...old, expiry_reason: null }, [newer, old]), false, "by the user");
  for (const other of [
    { type: "TAKE_PROFIT_MARKET" },
    { qty: "0.100" },
    { symbol: "ETH-PERP" },
    { created_at: "2026-11-29T10:06:00Z" },
  ]) {
    assert.equal(isReplacedTpSl(old, [{ ...newer, ...other }, old]), false, JSON.stringify(other));
  }
});

test("WEB-66 an order without a quantity of its own is named by its type", () => {
  const waiting = spot({ x: "CANCELED", o: "TAKE_PROFIT", q: "0.0", z: "0.0" });
  assert.equal(text(waiting), "Cancelled: sell CC-USDC (take profit)");
  const closing = perpetual({ x: "CANCELED", S: "SELL", ot: "STOP_MARKET", q: "0.000" });
  assert.equal(text(closing), "Cancelled: sell BTC-PERP (stop market)");
});

test("WEB-50 a fill of a triggered order names its trigger, and a closing fill its profit over all fills", () => {
  const taken = { S: "SELL", o: "MARKET", ot: "TAKE_PROFIT_MARKET", R: true, rp: "-0.500000" };
  const part = { ...taken, X: "PARTIALLY_FILLED", z: "0.200", l: "0.200" };
  const first = noticeOf(perpetual(part), { marketOf });
  assert.equal(
    first?.text,
    "Take profit: sold 0.2 of 0.5 BTC-PERP at 50,000.50, realized -0.50 USDC",
  );
  const last = perpetual({ ...taken, l: "0.300", rp: "12.750000" });
  const whole = noticeOf(last, { marketOf, realizedOf: () => first?.realized });
  assert.equal(whole?.text, "Take profit: sold 0.5 BTC-PERP at 50,000.50, realized +12.25 USDC");
  // Without the earlier fill the sum is unknown.
  assert.equal(text(last), "Take profit: sold 0.5 BTC-PERP at 50,000.50");
  const stopped = { o: "MARKET", ot: "STOP_MARKET" };
  assert.match(text(perpetual({ ...stopped, R: true })) ?? "", /^Stop loss: bought/);
  assert.match(text(perpetual(stopped)) ?? "", /^Stop: bought/);
  assert.match(text(spot({ o: "STOP_LOSS_LIMIT" })) ?? "", /^Stop loss: sold/);
});

test("WEB-50 a liquidation is named, by order or by takeover, with what it charged", () => {
  for (const forced of [{ c: "autoclose-9" }, { c: "adl_autoclose", x: "CALCULATED", t: 0 }]) {
    const notice = noticeOf(perpetual({ ...forced, S: "SELL" }), { marketOf });
    assert.equal(notice?.text, "Liquidated: sold 0.5 BTC-PERP at 50,000.50");
    assert.equal(notice?.kind, "liquidation");
  }
  const taken = { c: "autoclose-62695", x: "CALCULATED", t: 0, i: 0 };
  const first = noticeOf(perpetual(taken), { marketOf });
  assert.equal(first?.proof, "62695");
  const next = noticeOf(perpetual({ ...taken, c: "autoclose-62699" }), { marketOf });
  assert.notEqual(first?.key, next?.key, "one does not take the place of another");
  const money = (m: string, bc: string) =>
    text({ e: "ACCOUNT_UPDATE", E: 2, T: 1, a: { m, B: [{ bc }] }, seq: 9 });
  assert.equal(money("INSURANCE_CLEAR", "-12.5"), "Liquidation charged: 12.5 USDC");
  assert.equal(money("FUNDING_FEE", "-0.010000"), "Funding paid: 0.010000 USDC");
  assert.equal(money("FUNDING_FEE", "1234.5"), "Funding received: 1,234.5 USDC");
  assert.equal(money("DEPOSIT", "5"), undefined);
});

test("WEB-50 frames that change nothing for the user are no notifications", () => {
  for (const x of ["NEW", "AMENDMENT", "REPLACED", "TRADE_PREVENTION"]) {
    assert.equal(text(perpetual({ x })), undefined, x);
  }
  assert.equal(text({ e: "ALGO_UPDATE", E: 1, seq: 1 }), undefined);
  assert.equal(text({ e: "outboundAccountPosition", E: 1, seq: 1 }), undefined);
});
