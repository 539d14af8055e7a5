// Proves that clients see a position's rank for deleveraging, and that the venue later deleverages in exactly this
// order.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { crashTo, tickSecond } from "../support/machine/small-crash.ts";
import { marketId, oneUsdc } from "../support/machine/test-markets.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open({ isLive: true });
});
after(() => front.close());

async function quantileOf(key: TestKey): Promise<number> {
  const [row] = (await front.send("GET", "/fapi/v1/adlQuantile", {}, { key })).json;
  const symbol = "BTCUSDT";
  const [risk] = (await front.send("GET", "/fapi/v3/positionRisk", { symbol }, { key })).json;
  const { LONG, SHORT, BOTH } = row.adlQuantile;
  assert.deepEqual([row.symbol, LONG, SHORT, BOTH], [symbol, 0, 0, risk.adl]);
  return BOTH;
}

test("FAP-40 RSK-12 adlQuantile ranks positions in fifths of their side, in the order of deleveraging", async () => {
  const { venue } = front;
  const { btcPerp } = marketId;
  const maker = venue.fund(10_000_000n * oneUsdc);
  const loser = venue.fund(330n * oneUsdc);
  // All shorts have equal profit and ever more collateral, so the first one has the highest leverage.
  const shorts: TestKey[] = [];
  for (let at = 0; at < 10; at++) {
    shorts.push(await front.newTrader(BigInt(1000 + 500 * at) * oneUsdc));
  }
  const late = await front.newTrader(100_000n * oneUsdc);
  venue.buy(maker, btcPerp, 6_000_000, 950);
  for (const { account } of shorts.slice(1)) venue.sell(account, btcPerp, 6_000_000, 100);
  venue.sell(shorts[0]?.account ?? 0, btcPerp, 6_000_000, 50);
  venue.buy(loser, btcPerp, 6_000_000, 50);
  venue.sell(shorts[0]?.account ?? 0, btcPerp, 6_000_000, 50);
  crashTo(venue, maker, 5_800_000);
  const first: number[] = [];
  for (const key of shorts) first.push(await quantileOf(key));
  assert.deepEqual(first, [4, 4, 3, 3, 2, 2, 1, 1, 0, 0]);
  const none = await front.send("GET", "/fapi/v1/adlQuantile", {}, { key: late });
  assert.deepEqual(none.json, [], "An account without a position must have no rank");
  crashTo(venue, maker, 5_300_000);
  tickSecond(venue);
  const adl = { autoCloseType: "ADL" };
  for (const [at, key] of shorts.entries()) {
    const { json } = await front.send("GET", "/fapi/v1/forceOrders", adl, { key });
    assert.equal(json.length, at === 0 ? 1 : 0, "Only the first in the queue may be deleveraged");
  }
});
