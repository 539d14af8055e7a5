// Proves how figures are rounded and written.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bare, rounded, shownAverage, signed } from "../../web/src/decimal-text.ts";
import { changeText } from "../../web/src/views/trade/market/rate-text.ts";

test("WEB-63 averages are rounded, with two decimals more than prices unless both are zero", () => {
  assert.equal(shownAverage("0.15019856", 4), "0.150199");
  assert.equal(shownAverage("0.14958407", 4), "0.149584");
  assert.equal(shownAverage("0.1500", 4), "0.1500");
  assert.equal(shownAverage("60424.5400", 2), "60,424.54");
  assert.equal(shownAverage("0.14999999", 4), "0.1500");
  assert.equal(shownAverage("7.5", 0), "7.50");
  assert.equal(shownAverage("60437.0001", 2), "60,437.00", "at most eight digits");
  assert.equal(shownAverage("60437.0052", 2), "60,437.005");
  assert.equal(shownAverage("3150.1234", 2), "3,150.1234");
  assert.equal(shownAverage("1234567.126", 2), "1,234,567.13");
  assert.equal(shownAverage(null, 2), "–");
});

test("WEB-63 a half is rounded away from zero", () => {
  assert.equal(rounded("0.125", 2), "0.13");
  assert.equal(rounded("-0.125", 2), "-0.13");
  assert.equal(rounded("0.1249", 2), "0.12");
  assert.equal(rounded("x", 2), null);
});

test("WEB-63 profits and funding are rounded before their sign is written", () => {
  assert.equal(signed("-2.9999", 2), "-3.00");
  assert.equal(signed("0.6066", 2), "+0.61");
  assert.equal(signed("0.001", 2), "0.00");
  assert.equal(signed("-0.001", 2), "0.00");
  assert.equal(signed(null, 2), "–");
});

test("WEB-63 the change of a day is rounded once, from its prices", () => {
  assert.equal(changeText({ last: "0.1500", change: "0.0001" }), "+0.07 %");
  assert.equal(changeText({ last: "0.1499", change: "-0.0001" }), "-0.07 %");
  // 0.0449…: rounded to thousandths first, it would become 0.05.
  assert.equal(changeText({ last: "10004.496", change: "4.496" }), "+0.04 %");
  assert.equal(changeText({ last: "5", change: "0" }), "0.00 %");
});

test("WEB-63 figures in sentences have no zeros at their end", () => {
  assert.deepEqual(["0.15430000", "10.00000000", "1000", "5."].map(bare), [
    "0.1543",
    "10",
    "1,000",
    "5",
  ]);
});
