// What clients of the perpetual surface see of liquidations: stage and next attempt, refusals, user data,
// income, and the pause of trading.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SystemAccount, Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/commands.ts";
import { Side } from "../../src/core/orders.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { crashTo, openLongs, tickSecond } from "../support/small-crash.ts";
import { marketId, oneUsdc } from "../support/test-markets.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open({ isLive: true, connectionsPerAddressMax: 100 });
});
after(() => front.close());

/** A key of an account with exactly this much in its perp wallet. */
async function traderWith(usdc: bigint): Promise<TestKey> {
  const key = await front.newTrader();
  const { venue } = front;
  const has = venue.state.balances.total(key.account, Wallet.perp, 0);
  const more = { from: Wallet.perp, to: Wallet.funding, asset: 0, amount: has - usdc * oneUsdc };
  venue.done({ kind: CommandKind.transfer, account: key.account, key: null, ...more });
  return key;
}

async function userData(key: TestKey): Promise<StreamClient> {
  const headers = { "X-MBX-APIKEY": key.value };
  const answer = await front.fetch("/compat/fapi/v1/listenKey", { method: "POST", headers });
  const base = `${front.base.replace("http", "ws")}/compat`;
  return StreamClient.open(`${base}/private/ws?listenKey=${answer.json.listenKey}`);
}

test("RSK-3 RSK-10 RSK-14 a liquidation is told by positionRisk, user data, income and refusals", async () => {
  const { venue } = front;
  venue.credit(SystemAccount.insurance, Wallet.perp, 0, 10_500n * oneUsdc);
  const maker = venue.fund(10_000_000n * oneUsdc);
  const small = await traderWith(620n);
  const large = await traderWith(6330n);
  const stream = await userData(small);
  const taken = await userData(large);
  openLongs(venue, maker, small.account, large.account);
  const symbol = "BTCUSDT";
  const buy = { symbol, side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: "0.001" };
  await front.send("POST", "/fapi/v1/order", { ...buy, price: "50000" }, { key: small });
  crashTo(venue, maker, 5_404_000);
  for (const path of ["/compat/fapi/v2/positionRisk", "/compat/fapi/v3/positionRisk"]) {
    const { json } = await front.send("GET", path, { symbol }, { key: small });
    assert.equal(json[0].liquidationStage, "CANCELLING");
    assert.equal(typeof json[0].nextLiquidationTime, "number");
  }
  const root = await front.send("GET", "/fapi/v2/positionRisk", { symbol }, { key: small });
  assert(!("liquidationStage" in root.json[0]), "documented paths stay as they are");
  const refused = await front.send(
    "POST",
    "/fapi/v1/order",
    { ...buy, price: "54000" },
    { key: small },
  );
  assert.deepEqual([refused.status, refused.json.code], [400, -2023]);
  tickSecond(venue);
  const order = ({ e }: { e: string }) => e === "ORDER_TRADE_UPDATE";
  const closing = await stream.next(
    (frame) =>
      order(frame as { e: string }) && frame.o.x === "TRADE" && /^autoclose-/.test(frame.o.c),
  );
  assert.deepEqual([closing.o.S, closing.o.R, closing.o.f], ["SELL", true, "IOC"]);
  assert(stream.frames.some(({ e, o }) => e === "ORDER_TRADE_UPDATE" && o.x === "EXPIRED"));
  const clear = await stream.next(
    (frame) => frame.e === "ACCOUNT_UPDATE" && frame.a.m === "INSURANCE_CLEAR",
  );
  assert.match(clear.a.B[0].bc, /^-/);
  crashTo(venue, maker, 5_300_000);
  const moved = await taken.next(
    (frame) => frame.e === "ORDER_TRADE_UPDATE" && frame.o.x === "CALCULATED",
  );
  assert.deepEqual(
    [moved.o.o, moved.o.X, moved.o.S, moved.o.q, moved.o.l, /^autoclose-/.test(moved.o.c)],
    ["LIQUIDATION", "FILLED", "SELL", "1.000", "1.000", true],
  );
  const income = { incomeType: "INSURANCE_CLEAR" };
  const rows = await front.send("GET", "/fapi/v1/income", income, { key: large });
  assert.deepEqual(
    rows.json.map((row: Record<string, string>) => [row["symbol"], row["incomeType"]]),
    [[symbol, "INSURANCE_CLEAR"]],
  );
  const paused = await front.send(
    "POST",
    "/fapi/v1/order",
    { ...buy, price: "53000" },
    { key: large },
  );
  assert.deepEqual([paused.status, paused.json], [422, { code: -2010, msg: "Trading is paused." }]);
  const spot = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const onSpot = await front.send(
    "POST",
    "/api/v3/order",
    { ...spot, quantity: "100", price: "0.15" },
    { key: large },
  );
  assert.deepEqual([onSpot.status, onSpot.json.msg], [422, "Trading is paused."]);
  const reduce = { account: maker, market: marketId.btcPerp, side: Side.buy, qty: 1 };
  assert.equal(venue.place({ ...reduce, price: 5_300_000, isReduceOnly: true }).reason, 0);
  stream.close();
  taken.close();
});
