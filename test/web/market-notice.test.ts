// Proves when the notice above a market is shown, what it says, and that it disappears.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nativeErrors } from "../../src/adapters/gateway/native/error-map.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import { marketOf } from "../../web/src/markets/market.ts";
import {
  isRestriction,
  marketNotice,
  type NoticeFacts,
} from "../../web/src/markets/market-notice.ts";
import { faultMessage } from "../../web/src/member/venue-api.ts";

function perpetual(status: string) {
  const assets = { baseAsset: "BTC", quoteAsset: "USDT" };
  return marketOf({ symbol: "BTCUSDT", status, ...assets, filters: [] }, true);
}

const facts: NoticeFacts = {
  market: perpetual("TRADING"),
  markAtMs: 100_000,
  refusal: null,
  nowMs: 100_000,
};

function noticeOf(part: Partial<NoticeFacts>): string {
  return marketNotice({ ...facts, ...part });
}

test("WEB-26 a halted or delisted market shows a notice, and a market without restrictions does not", () => {
  assert.equal(noticeOf({}), "");
  assert.match(noticeOf({ market: perpetual("PENDING_TRADING") }), /^BTC-PERP is halted\./);
  assert.match(noticeOf({ market: perpetual("CLOSE") }), /^BTC-PERP is delisted\./);
});

test("WEB-26 a mark price without updates is reported as stale, on perpetuals only", () => {
  assert.equal(noticeOf({ nowMs: 115_000 }), "");
  assert.equal(
    noticeOf({ nowMs: 121_900 }),
    "The mark price of BTC-PERP is stale: last update 21 s ago.",
  );
  assert.equal(noticeOf({ markAtMs: null, nowMs: 900_000 }), "");
  const spot = { ...facts.market, symbol: "CC-USDC", isPerpetual: false };
  assert.equal(noticeOf({ market: spot, nowMs: 900_000 }), "");
});

test("WEB-26 a restriction that the venue named is shown for a minute, in its own market", () => {
  const refused = (message: string, symbol = "BTC-PERP") => ({
    refusal: { symbol, message, atMs: 99_000 },
  });
  const reduceOnly = "market is reduce-only";
  assert.match(noticeOf(refused(reduceOnly)), /^BTC-PERP is reduce-only .* only reduce or close/);
  assert.match(noticeOf(refused("trading paused in this market")), /^New positions in BTC-PERP/);
  assert.match(noticeOf(refused("trading paused")), /^Trading is paused on this venue\./);
  assert.match(noticeOf(refused("market has no index price yet")), /^BTC-PERP has no index price/);
  assert.equal(noticeOf(refused(reduceOnly, "ETH-PERP")), "");
  assert.equal(noticeOf({ ...refused(reduceOnly), markAtMs: 159_000, nowMs: 159_000 }), "");
  assert.equal(isRestriction(reduceOnly), true);
  assert.equal(isRestriction("price is too high"), false);
});

test("WEB-26 the page recognises refusals that restrict a market by their messages", () => {
  const restricting = [
    RejectReason.marketReduceOnly,
    RejectReason.marketPaused,
    RejectReason.tradingPaused,
    RejectReason.marketWithoutIndex,
  ];
  for (const reason of restricting) {
    const message = faultMessage(new Error(nativeErrors[reason].msg));
    assert.ok(isRestriction(message), message);
    const refusal = { symbol: "BTC-PERP", message, atMs: 100_000 };
    assert.notEqual(noticeOf({ refusal }), "", message);
  }
});
