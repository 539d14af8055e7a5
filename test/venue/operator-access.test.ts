// Proves on a real venue that an operator's decisions about accounts and markets apply to customers over HTTP, also
// after a crash.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../epochs/epoch-waits.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;
let trader: Trader;
let other: Trader;

before(async () => {
  fixture = await VenueFixture.open();
  trader = await fixture.trader();
  other = await fixture.trader();
});
after(() => fixture.close());

const terms = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };

function place(who: Trader, more: Readonly<Record<string, string>> = {}) {
  const order = { ...terms, quantity: "200", price: "0.1000", ...more };
  return fixture.signed(who, "POST", "/api/v3/order", order);
}

const openOrders = async (who: Trader) =>
  (await fixture.signed(who, "GET", "/api/v3/openOrders")).json;

test("OPS-23 OPS-64 a frozen account can cancel but not place orders until it is thawed", async () => {
  const { access } = fixture.operator;
  const kept = (await place(trader)).json;
  const { account } = trader;
  const frozen = await access.freeze(account, false);
  assert.deepEqual(frozen, { account, standing: ["frozen", "may withdraw"] });
  await fixture.crashAndRestart();
  const refused = await place(trader);
  assert.equal(refused.status, 422);
  assert.equal(refused.json.code, -2010);
  assert.match(refused.json.msg, /^Account is frozen/);
  const cancel = { symbol: "CC-USDC", orderId: kept.orderId };
  assert.equal((await fixture.signed(trader, "DELETE", "/api/v3/order", cancel)).status, 200);
  const thawed = await fixture.operator.access.thaw(account);
  assert.deepEqual(thawed, { account, standing: ["may withdraw"] });
  assert.equal((await place(trader)).status, 200);
  assert.equal((await openOrders(trader)).length, 1);
  await fixture.operator.access.freeze(account, true);
  await until("no open order", async () => (await openOrders(trader)).length === 0 || null);
  await fixture.operator.access.thaw(account);
});

test("OPS-23 an impossible freeze or permission is refused with a reason", async () => {
  const { access } = fixture.operator;
  await assert.rejects(access.freeze(999_999, false), /no account 999999/);
  await assert.rejects(access.freeze(2, false), /account 2 is a system account/);
  await assert.rejects(access.permit(trader.account, "FLY"), /WITHDRAW or NONE, not FLY/);
  const { account } = trader;
  assert.deepEqual(await access.permit(account, "none"), { account, standing: [] });
  assert.deepEqual(await access.permit(account, "WITHDRAW"), {
    account,
    standing: ["may withdraw"],
  });
});

test("OPS-27 an account made a house account pays no fees from the next fill on, until it is standard again", async () => {
  const { access } = fixture.operator;
  const { account } = trader;
  const feeOf = async () => {
    const terms = { symbol: "CETH-USDC", price: "3000.00", quantity: "0.100" };
    await place(other, { side: "SELL", ...terms });
    const filled = await place(trader, terms);
    return Number(filled.json.fills[0].commission);
  };
  assert((await feeOf()) > 0);
  assert.deepEqual(await access.house(account, true), { account, type: "house" });
  assert.equal(await feeOf(), 0);
  await fixture.crashAndRestart();
  assert.equal(await feeOf(), 0);
  const again = fixture.operator.access;
  assert.deepEqual(await again.house(account, true), { account, type: "house" });
  assert.deepEqual(await again.house(account, false), { account, type: "standard" });
  assert((await feeOf()) > 0);
  await assert.rejects(again.house(2, true), /account 2 is a system account/);
  await assert.rejects(again.house(999_999, true), /no account 999999/);
  const wallet = await fixture.operator.createAccount("wallet");
  await assert.rejects(again.house(wallet.account, true), /a member's own wallet/);
});

test("OPS-24 OPS-65 a halted market can trade again, a delisted market never, and money held in it is freed", async () => {
  await place(trader);
  await place(other, { price: "0.1100" });
  const access = () => fixture.operator.access;
  assert.deepEqual(await access().halt("cc-usdc"), { symbol: "CC-USDC", status: "halted" });
  await until("no open order", async () => (await openOrders(trader)).length === 0 || null);
  assert.equal((await place(trader)).status, 422);
  assert.deepEqual(await access().resume("CC-USDC"), { symbol: "CC-USDC", status: "trading" });
  const bought = await place(trader, { price: "0.1500" });
  await place(other, { side: "SELL", price: "0.1500", quantity: "100" });
  assert.equal(bought.status, 200);
  assert.deepEqual(await access().delist("CC-USDC"), { symbol: "CC-USDC", status: "delisted" });
  await until("no open order", async () => (await openOrders(trader)).length === 0 || null);
  await fixture.crashAndRestart();
  await assert.rejects(access().resume("CC-USDC"), /CC-USDC is permanently delisted/);
  await assert.rejects(access().halt("CC-USDC"), /permanently delisted/);
  assert.equal((await place(trader)).status, 422);
  const { json } = await fixture.get("/api/v3/exchangeInfo?symbol=CC-USDC");
  assert.equal(json.symbols[0].status, "BREAK");
  const trades = await fixture.signed(trader, "GET", "/api/v3/myTrades", { symbol: "CC-USDC" });
  assert.equal(trades.json.length, 1);
  const { json: mine } = await fixture.signed(trader, "GET", "/api/v3/account");
  for (const { asset, locked } of mine.balances) assert.equal(Number(locked), 0, asset);
  await assert.rejects(access().halt("NOSUCH"), /no market NOSUCH; markets: CC-USDC, /);
});

test("OPS-24 OPS-65 a perpetual can be delisted when it is halted and without positions", async () => {
  const { access } = fixture.operator;
  const perpetual = (who: Trader, side: string) =>
    fixture.signed(who, "POST", "/fapi/v1/order", {
      ...{ symbol: "ETHUSDT", side, type: "LIMIT", timeInForce: "GTC" },
      ...{ quantity: "0.100", price: "3000.00" },
    });
  await perpetual(trader, "BUY");
  assert.equal((await perpetual(other, "SELL")).json.status, "FILLED");
  await assert.rejects(access.delist("ETH-PERP"), /halt it first/);
  await access.halt("ETH-PERP");
  await assert.rejects(access.delist("ETH-PERP"), /ETH-PERP has 2 open positions/);
  await access.resume("ETH-PERP");
  await perpetual(trader, "SELL");
  assert.equal((await perpetual(other, "BUY")).json.status, "FILLED");
  await access.halt("ETH-PERP");
  assert.deepEqual(await access.delist("ETH-PERP"), { symbol: "ETH-PERP", status: "delisted" });
});
