// Proves what each surface answers when a perpetual refuses an order to protect its prices.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AccountType, SystemAccount, Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import { RiskTerm } from "../../src/core/perpetuals/risk-terms.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { marketId, oneUsdc } from "../support/machine/test-markets.ts";
import { sayIndex } from "../support/machine/test-venue.ts";
import { FrontFixture } from "./front-fixture.ts";

const { btcPerp, cbtcUsdc } = marketId;
const fair = 6_000_000;

let front: FrontFixture;
let native: NativeClient;
let house: number;
let account: number;

before(async () => {
  front = await FrontFixture.open({ opensWithoutIndex: false });
  native = new NativeClient(front.base);
  await native.login();
  const { venue } = front;
  account = parsePublicId(PublicIdKind.user, native.userId)?.number ?? 0;
  venue.credit(account, Wallet.perp, 0, 1_000_000n * oneUsdc);
  house = venue.fund(10_000_000n * oneUsdc, AccountType.house);
  venue.credit(house, Wallet.spot, 2, 10n ** 12n);
  venue.buy(house, cbtcUsdc, fair - 100, 10_000);
  venue.sell(house, cbtcUsdc, fair + 100, 10_000);
  tick();
});

after(() => front.close());

function tick(seconds = 1): void {
  front.venue.nowUs += seconds * 1_000_000;
  front.venue.machine.handle(front.venue.command({ kind: CommandKind.tick }));
}

function setTerm(term: RiskTerm, value: number): void {
  front.venue.done({ kind: CommandKind.setRiskTerm, market: btcPerp, term, value });
  tick();
}

/** Sends an order that opens 0.01 BTC on every surface, and asserts that it is refused with this message. */
async function assertRefused(
  message: { native: string; root: string },
  price = "60000.00",
): Promise<void> {
  const order = { side: "BUY", type: "LIMIT", price };
  const answer = await native.post("/v1/orders", { ...order, symbol: "BTC-PERP", qty: "0.010" });
  assert.deepEqual([answer.status, answer.text], [400, message.native]);
  const key = await front.newTrader();
  const request = { ...order, symbol: "BTCUSDT", timeInForce: "GTC", quantity: "0.01" };
  for (const view of ["", "/compat"]) {
    const { status, json } = await front.send("POST", `${view}/fapi/v1/order`, request, { key });
    assert.deepEqual([status, json], [422, { code: -2010, msg: message.root }], view);
  }
}

test("RSK-36 ERR-40 every surface refuses an order beyond the open interest cap with the cap's name", async () => {
  setTerm(RiskTerm.openInterestMax, 1);
  await assertRefused({
    native: "the market's open interest limit is reached",
    root: "The order would exceed the market's open interest limit.",
  });
  setTerm(RiskTerm.openInterestMax, 0);
});

test("RSK-37 ERR-40 every surface refuses an order beyond the share of depth with that limit's name", async () => {
  setTerm(RiskTerm.depthSharePercent, 1);
  await assertRefused({
    native: "the open interest that the market's depth supports is reached",
    root: "The order would exceed the open interest that the market's depth allows.",
  });
  setTerm(RiskTerm.depthSharePercent, 1000);
});

test("RSK-39 ERR-40 while an index is stale, an account with a position cannot move money out of its perp wallet", async () => {
  const { venue } = front;
  const key = await front.newTrader();
  venue.credit(house, Wallet.perp, 0, 1_000_000n * oneUsdc);
  venue.sell(house, btcPerp, fair, 10);
  venue.buy(key.account, btcPerp, fair, 10);
  venue.buy(account, btcPerp, fair - 1000, 10);
  venue.done({ kind: CommandKind.cancelAllOrders, account: house, market: cbtcUsdc });
  tick();
  tick(4);
  const own = { from: "perp", to: "funding", asset: "USDC", amount: "1", idempotency_key: "a" };
  const answer = await native.post("/v1/transfers", own);
  const held =
    "transfers are paused: the account has a position or order in a market without a fresh index price";
  assert.deepEqual([answer.status, answer.text], [400, held]);
  const root = { type: "UMFUTURE_MAIN", asset: "USDT", amount: "1" };
  const { status, json } = await front.send("POST", "/compat/sapi/v1/asset/transfer", root, {
    key,
  });
  const msg =
    "Transfers are paused while a market you have a position or order in has no fresh index.";
  assert.deepEqual([status, json], [422, { code: -2010, msg }]);
});

test("RSK-38 RSK-68 ERR-40 a market in which the insurance fund lost too much in an hour opens no positions", async () => {
  const { venue } = front;
  const fall = (ticks: number) => {
    sayIndex(venue, btcPerp, ticks);
    for (let second = 0; second < 3; second++) tick();
  };
  setTerm(RiskTerm.fundLossPerHour, 1000);
  fall(fair);
  venue.credit(SystemAccount.insurance, Wallet.perp, 0, 1_000_000n * oneUsdc);
  // A long of 1 BTC has no collateral left at 54,000, where the fund takes it over. The fund bears all losses below
  // that price.
  venue.sell(venue.fund(1_000_000n * oneUsdc), btcPerp, fair, 1000);
  venue.buy(venue.fund(6030n * oneUsdc), btcPerp, fair, 1000);
  fall(5_350_000);
  fall(5_000_000);
  const message = {
    native: "trading paused in this market",
    root: "Trading is paused in this market.",
  };
  await assertRefused(message, "50000.00");
});
