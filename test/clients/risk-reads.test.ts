// Proves that two clients, set up by the code of the guide, read correct risk data from a whole venue. One account
// has paid funding and the other has received it. The tests compute the expected figures of funding, open interest,
// brackets and positions independently.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { binanceusdm, Position } from "ccxt";
import { until } from "../epochs/epoch-waits.ts";
import { quietPeriodMs } from "../support/clock/clock-windows.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";
import { type Answer, RoutedClient } from "./binance-routes.ts";
import { CcxtClient } from "./ccxt-routes.ts";
import { type RiskRoute, typedRisk } from "./dialects.ts";
import { runSnippet } from "./guide-snippets.ts";

const id = "BTCUSDT";
const symbol = "BTC/USDT:USDT";
const lots = 0.5;
const entry = 60_100;

let fixture: VenueFixture;
let maker: Trader;
let taker: Trader;

before(async () => {
  // No settlement of the venue's own may fall between two reads.
  fixture = await VenueFixture.open({ FUNDING_INTERVAL_MS: String(quietPeriodMs(300_000)) });
  [maker, taker] = [await fixture.trader("house"), await fixture.trader()];
  const limit = { type: "LIMIT", timeInForce: "GTC" };
  const spot = { ...limit, symbol: "CBTC-USDC", quantity: "0.2" };
  await placed(maker, "/api/v3/order", { ...spot, side: "BUY", price: "59990" });
  await placed(maker, "/api/v3/order", { ...spot, side: "SELL", price: "60010" });
  const perp = { ...limit, symbol: id, quantity: lots, price: entry };
  await placed(maker, "/fapi/v1/order", { ...perp, side: "SELL" });
  await placed(taker, "/fapi/v1/order", { ...perp, side: "BUY" });
  await payFunding();
});
after(() => fixture.close());

async function placed(trader: Trader, path: string, order: Record<string, string | number>) {
  const { status, json } = await fixture.signed(trader, "POST", path, order);
  assert.equal(status, 200, JSON.stringify(json));
}

/** Settles funding repeatedly until a settlement moves money, and waits until both sides' payments are listed. */
async function payFunding(): Promise<void> {
  const settled = async () => {
    const { json } = await fixture.get(`/compat/fapi/v1/fundingRate?symbol=${id}`);
    return (json as Answer[]).filter(movesMoney).length;
  };
  await until("a settlement that moves money", async () => {
    await fixture.operator.settleFunding();
    return (await settled()) > 0 || null;
  });
  await until("the payments of both sides", async () => {
    const [count, paid, received] = [await settled(), await incomeOf(taker), await incomeOf(maker)];
    return (paid.length === count && received.length === count) || null;
  });
}

async function incomeOf(trader: Trader): Promise<Answer[]> {
  const request = { symbol: id, incomeType: "FUNDING_FEE" };
  return (await fixture.signed(trader, "GET", "/compat/fapi/v1/income", request)).json;
}

async function made(name: string, { key, secret }: Trader): Promise<unknown> {
  const BASE = `${fixture.address}/compat`;
  return (await runSnippet(name, { BASE, KEY: key, SECRET: secret }))["client"];
}

function near(is: unknown, should: number, tolerance: number, what: string): void {
  assert.ok(Math.abs(Number(is) - should) <= tolerance, `${what} is ${is}, expected ${should}`);
}

/**
 * Returns the funding payment of a position of `lots`, long or short, computed from the settlement's rate and mark;
 * negative if the position pays.
 */
function payment(rate: number, mark: number, isLong: boolean): number {
  return (isLong ? -1 : 1) * rate * mark * lots;
}

/** Returns false for a settlement without a mark or at rate zero, because such a settlement moves no money. */
function movesMoney(settlement: Answer): boolean {
  return Number(settlement["markPrice"]) > 0 && Number(settlement["fundingRate"]) !== 0;
}

test("CMP-9 ccxt reads correct positions, brackets, income, funding and open interest", async () => {
  const ccxtOf = async (trader: Trader) =>
    new CcxtClient(await made("ccxt-usdm", trader)).exchange as unknown as binanceusdm;
  const [long, short] = [await ccxtOf(taker), await ccxtOf(maker)];
  await long.loadMarkets();
  await short.loadMarkets();

  const [held] = (await long.fetchPositions([symbol])) as [Position];
  const [sold] = (await short.fetchPositions([symbol])) as [Position];
  assert.deepEqual([held.side, held.contracts, held.entryPrice], ["long", lots, entry]);
  assert.deepEqual([sold.side, sold.contracts, sold.entryPrice], ["short", lots, entry]);
  const mark = Number(held.markPrice);
  near(held.notional, lots * mark, 0.01, "notional");
  near(held.unrealizedPnl, lots * (mark - entry), 0.01, "unrealised profit");
  near(held.initialMargin, (lots * entry) / 10, 0.01, "initial margin at ten times (FAP-18)");
  near(held.maintenanceMargin, lots * mark * 0.004, 0.1, "maintenance of the first bracket");

  const tiers = (await long.fetchLeverageTiers([symbol]))[symbol] ?? [];
  assert.deepEqual(
    tiers.map(({ maxLeverage, maintenanceMarginRate }) => [maxLeverage, maintenanceMarginRate]),
    [
      [100, 0.004],
      [100, 0.005],
      [50, 0.01],
      [20, 0.025],
      [10, 0.05],
    ],
  );
  assert.deepEqual(
    tiers.slice(0, 4).map(({ maxNotional }) => maxNotional),
    [50_000, 250_000, 1_000_000, 5_000_000],
  );

  assert.equal((await long.fetchOpenInterest(symbol)).openInterestAmount, lots);
  const rates = (await long.fetchFundingRateHistory(symbol)).filter(({ info }: { info: Answer }) =>
    movesMoney(info),
  );
  const [paid, received] = [
    await long.fetchFundingHistory(symbol),
    await short.fetchFundingHistory(symbol),
  ];
  assert.ok(paid.length > 0);
  assert.deepEqual([paid.length, received.length], [rates.length, rates.length]);
  for (const [at, rate] of rates.entries()) {
    const should = payment(Number(rate.fundingRate), Number(rate.info["markPrice"]), true);
    assert.ok(should < 0, "longs must pay, because the perpetual was above its index");
    near(paid[at]?.amount, should, 0.000_002, "what the long paid");
    near(received[at]?.amount, -should, 0.000_002, "what the short received");
    assert.deepEqual([paid[at]?.code, paid[at]?.symbol], ["USDT", symbol]);
  }
  const ledger = await long.fetchLedger();
  const kinds = new Set(ledger.map(({ info }: { info: Answer }) => info["incomeType"]));
  for (const kind of ["TRANSFER", "COMMISSION", "FUNDING_FEE"]) assert.ok(kinds.has(kind), kind);
});

test("CMP-9 @binance/derivatives-trading-usds-futures reads the same risk data", async () => {
  const client = new RoutedClient<RiskRoute>(await made("typed-usdm-hmac", taker), typedRisk);
  const [position] = await client.send("positionRisk", { symbol: id });
  assert.deepEqual(
    [position.symbol, Number(position.positionAmt), Number(position.entryPrice)],
    [id, lots, entry],
  );
  near(position.notional, lots * Number(position.markPrice), 0.01, "notional");
  assert.equal(position.adl, 4, "the only position on its side must be listed first");
  const [row] = await client.send("adlQuantile", {});
  assert.deepEqual([row.symbol, row.adlQuantile.BOTH], [id, 4]);

  const [bracketed] = await client.send("leverageBracket", { symbol: id });
  assert.deepEqual(
    bracketed.brackets.map((one: Answer) => [one["initialLeverage"], one["maintMarginRatio"]]),
    [
      [100, 0.004],
      [100, 0.005],
      [50, 0.01],
      [20, 0.025],
      [10, 0.05],
    ],
  );

  const interest = await client.send("openInterest", { symbol: id });
  assert.deepEqual([interest.symbol, Number(interest.openInterest)], [id, lots]);
  const rates = (await client.send("fundingRate", { symbol: id })).filter(movesMoney);
  const paid = await client.send("income", { symbol: id, incomeType: "FUNDING_FEE" });
  assert.ok(paid.length > 0);
  assert.equal(paid.length, rates.length);
  for (const [at, rate] of rates.entries()) {
    const should = payment(Number(rate.fundingRate), Number(rate.markPrice), true);
    near(paid[at].income, should, 0.000_002, "what the long paid");
    assert.deepEqual([paid[at].incomeType, paid[at].asset], ["FUNDING_FEE", "USDT"]);
  }
  const all = await client.send("income", {});
  const sum = all
    .filter((one: Answer) => one["incomeType"] === "COMMISSION")
    .reduce((total: number, one: Answer) => total + Number(one["income"]), 0);
  near(sum, -lots * entry * 0.0005, 0.000_001, "the taker's fee of 5 bps");
  assert.deepEqual(
    await client.send("forceOrders", {}),
    [],
    "no part of the position may have been liquidated",
  );
});
