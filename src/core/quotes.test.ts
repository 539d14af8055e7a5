// The outcomes of a mass quote fit one number, and each side gets its own back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { quoteSidesMax } from "./limits.ts";
import { isQuoteClientId, quoteClientId, quoteIdForm, quoteSideOf, Side } from "./orders.ts";
import { QuoteOutcomes, quoteRefusal } from "./quotes.ts";
import { RejectReason } from "./reject-reason.ts";

test("the outcomes of all sides and one reason are packed into a safe integer", () => {
  const outcomes = new QuoteOutcomes();
  const reasons = Array.from({ length: quoteSidesMax }, (_, side) =>
    [RejectReason.none, RejectReason.wouldTake, RejectReason.depthTooThin].at(side % 3),
  );
  for (const [side, reason = 0] of reasons.entries()) if (reason > 0) outcomes.refuse(side, reason);
  assert(Number.isSafeInteger(outcomes.packed));
  assert.deepEqual(
    reasons.map((_, side) => quoteRefusal(outcomes.packed, side)),
    reasons,
  );
});

test("of several reasons the first is kept, and a reason without a number is a refused combination", () => {
  const outcomes = new QuoteOutcomes();
  outcomes.refuse(4, RejectReason.insufficientBalance);
  outcomes.refuse(29, RejectReason.accountFrozen);
  assert.equal(quoteRefusal(outcomes.packed, 29), RejectReason.insufficientBalance);
  assert.equal(quoteRefusal(outcomes.packed, 5), RejectReason.none);
  const other = new QuoteOutcomes();
  other.refuse(0, RejectReason.unknownKey);
  assert.equal(quoteRefusal(other.packed, 0), RejectReason.unsupportedCombination);
});

test("QUO-2 the client order id of a quote names market, number and side", () => {
  for (const [number, side] of [
    [1, Side.buy],
    [15, Side.sell],
    [10, Side.buy],
  ] as const) {
    const id = quoteClientId("CCUSDC", number, side);
    assert(isQuoteClientId(id));
    assert.match(id, new RegExp(quoteIdForm));
    const codes = Uint8Array.from(`?${id}`, (letter) => letter.charCodeAt(0));
    assert.equal(quoteSideOf(codes, 1, id.length), 2 * (number - 1) + side);
  }
  for (const free of [
    "quote-BTCUSDT-16-BUY",
    "quote-BTCUSDT-00-BUY",
    "quote-BTCUSDT-1-BUY",
    "quote",
    "quote--01-BUY",
    "quote-BTCUSDT-0A-BUY",
    "quote-btcusdt-01-BUY",
    "quote-BTCUSDT-01-BUYS",
    "quote-BTCUSDT-01BUY",
    "quotes-BTCUSDT-01-BUY",
    "quote-BTCUSDT-01-\u0142UY",
  ]) {
    assert(!isQuoteClientId(free));
    assert.doesNotMatch(free, new RegExp(quoteIdForm));
  }
});
