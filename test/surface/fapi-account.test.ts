// Proves what an account's owner reads on the perpetual surface: collateral, positions in three versions, settings with
// only one possible value, fees, and limits.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let maker: TestKey;
let taker: TestKey;

/** Sets up a long of 0.25 BTC at 60,000 and a resting buy of 0.1 at 59,000. */
before(async () => {
  front = await FrontFixture.open();
  maker = await front.newTrader();
  taker = await front.newTrader();
  const limit = { symbol: "BTCUSDT", type: "LIMIT", timeInForce: "GTC" };
  const place = (key: TestKey, more: Record<string, string>) =>
    front.send("POST", "/fapi/v1/order", { ...limit, ...more }, { key });
  await place(maker, { side: "SELL", price: "60000", quantity: "0.25" });
  await place(taker, { side: "BUY", price: "60000", quantity: "0.25" });
  await place(taker, { side: "BUY", price: "59000", quantity: "0.1" });
});
after(() => front.close());

async function read(path: string, parameters: Record<string, string> = {}) {
  const answer = await front.send("GET", path, parameters, { key: taker });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

const margins = {
  initialMargin: "2090.000000",
  maintMargin: "60.000000",
  positionInitialMargin: "1500.000000",
  openOrderInitialMargin: "590.000000",
};

const totals = {
  walletBalance: "999992.500000",
  crossWalletBalance: "999992.500000",
  crossUnPnl: "0.000000",
  availableBalance: "997902.500000",
  maxWithdrawAmount: "997902.500000",
};

test("FAP-16 FAP-18 v2/account and v3/account have equal totals, v2 lists rights and every market, v3 only what is in use", async () => {
  const v2 = await read("/fapi/v2/account");
  const { assets, positions, ...rest } = v2;
  const sums = {
    totalInitialMargin: "2090.000000",
    totalMaintMargin: "60.000000",
    totalWalletBalance: "999992.500000",
    totalUnrealizedProfit: "0.000000",
    totalMarginBalance: "999992.500000",
    totalPositionInitialMargin: "1500.000000",
    totalOpenOrderInitialMargin: "590.000000",
    totalCrossWalletBalance: "999992.500000",
    totalCrossUnPnl: "0.000000",
    availableBalance: "997902.500000",
    maxWithdrawAmount: "997902.500000",
  };
  assert.deepEqual(rest, {
    feeTier: 0,
    feeBurn: false,
    canTrade: true,
    canDeposit: true,
    canWithdraw: true,
    updateTime: 0,
    multiAssetsMargin: false,
    tradeGroupId: -1,
    ...sums,
  });
  const { updateTime } = assets[0];
  assert.ok(updateTime > 0, "ccxt drops rows without a time, so this row must have one");
  const asset = {
    asset: "USDC",
    unrealizedProfit: "0.000000",
    marginBalance: "999992.500000",
    ...margins,
    ...totals,
    updateTime,
  };
  assert.deepEqual(assets, [{ ...asset, marginAvailable: true }]);
  assert.equal(positions.length, 3);
  assert.deepEqual(positions[0], {
    symbol: "BTCUSDT",
    ...margins,
    unrealizedProfit: "0.000000",
    leverage: "10",
    isolated: false,
    entryPrice: "60000.00000000",
    breakEvenPrice: "60000.00000000",
    maxNotional: "1000000000000.000000",
    bidNotional: "5900.000000",
    askNotional: "0.000000",
    positionSide: "BOTH",
    positionAmt: "0.250",
    notional: "15000.000000",
    isolatedWallet: "0",
    updateTime: positions[0].updateTime,
  });
  const v3 = await read("/fapi/v3/account");
  assert.deepEqual(v3, {
    ...sums,
    assets: [asset],
    positions: [
      {
        symbol: "BTCUSDT",
        positionSide: "BOTH",
        positionAmt: "0.250",
        unrealizedProfit: "0.000000",
        isolatedMargin: "0",
        notional: "15000.000000",
        isolatedWallet: "0",
        ...margins,
        updateTime: positions[0].updateTime,
      },
    ],
  });
});

test("FAP-17 FAP-19 every row names the collateral USDT on compat and USDC at the root", async () => {
  for (const [mount, asset] of [
    ["", "USDC"],
    ["/compat", "USDT"],
  ] as const) {
    for (const version of ["v2", "v3"]) {
      const balances = await read(`${mount}/fapi/${version}/balance`);
      assert.deepEqual(
        balances.map((row: { asset: string }) => row.asset),
        [asset],
      );
      const account = await read(`${mount}/fapi/${version}/account`);
      assert.equal(account.assets[0].asset, asset);
    }
    const risks = await read(`${mount}/fapi/v3/positionRisk`);
    assert.deepEqual(
      risks.map((row: { marginAsset: string }) => row.marginAsset),
      [asset],
    );
  }
});

test("FAP-11 FAP-19 positionRisk v1 and v2 list every symbol, and v3 lists the symbols in use with their margins", async () => {
  for (const version of ["v1", "v2"]) {
    const rows = await read(`/fapi/${version}/positionRisk`);
    assert.deepEqual(
      rows.map(({ symbol, positionAmt, leverage, marginType }: Record<string, string>) => [
        symbol,
        positionAmt,
        leverage,
        marginType,
      ]),
      [
        ["BTCUSDT", "0.250", "10", "cross"],
        ["ETHUSDT", "0.000", "10", "cross"],
        ["CCUSDT", "0.000", "10", "cross"],
      ],
    );
  }
  const [row, ...others] = await read("/fapi/v3/positionRisk");
  assert.deepEqual(others, []);
  assert.deepEqual(row, {
    symbol: "BTCUSDT",
    positionSide: "BOTH",
    positionAmt: "0.250",
    entryPrice: "60000.00000000",
    breakEvenPrice: "60000.00000000",
    markPrice: "60000.00",
    unRealizedProfit: "0.000000",
    liquidationPrice: "0",
    isolatedMargin: "0",
    notional: "15000.000000",
    marginAsset: "USDC",
    isolatedWallet: "0",
    ...margins,
    adl: 0,
    bidNotional: "5900.000000",
    askNotional: "0.000000",
    updateTime: row.updateTime,
  });
  assert.deepEqual(await read("/fapi/v3/positionRisk", { symbol: "ETHUSDT" }), []);
});

test("FAP-20 leverageBracket always answers a list, with numbers", async () => {
  const all = await read("/fapi/v1/leverageBracket");
  assert.equal(all.length, 3);
  const one = await read("/fapi/v1/leverageBracket", { symbol: "BTCUSDT" });
  assert.deepEqual(one, [all[0]]);
  assert.deepEqual(one[0].brackets.slice(0, 2), [
    {
      bracket: 1,
      initialLeverage: 100,
      notionalCap: 50_000,
      notionalFloor: 0,
      maintMarginRatio: 0.004,
      cum: 0,
    },
    {
      bracket: 2,
      initialLeverage: 100,
      notionalCap: 250_000,
      notionalFloor: 50_000,
      maintMarginRatio: 0.005,
      cum: 50,
    },
  ]);
  for (const [place, { notionalFloor }] of one[0].brackets.entries()) {
    assert.equal(notionalFloor, one[0].brackets[place - 1]?.notionalCap ?? 0);
  }
});

test("FAP-21 margin type, position mode and asset mode have one value each", async () => {
  const post = async (path: string, parameters: Record<string, string>) => {
    const { status, json } = await front.send("POST", `/fapi/v1/${path}`, parameters, {
      key: taker,
    });
    return [status, json.code, json.msg];
  };
  const symbol = "BTCUSDT";
  assert.deepEqual(await post("marginType", { symbol, marginType: "CROSSED" }), [
    400,
    -4046,
    "No need to change margin type.",
  ]);
  const isolated = await post("marginType", { symbol, marginType: "ISOLATED" });
  assert.deepEqual(isolated.slice(0, 2), [400, -1100]);
  assert.deepEqual((await post("marginType", { symbol })).slice(0, 2), [400, -1102]);
  assert.deepEqual(await post("positionSide/dual", { dualSidePosition: "false" }), [
    400,
    -4059,
    "No need to change position side.",
  ]);
  const hedged = await post("positionSide/dual", { dualSidePosition: "TRUE" });
  assert.deepEqual(hedged.slice(0, 2), [400, -1100]);
  const multi = await post("multiAssetsMargin", { multiAssetsMargin: "false" });
  assert.deepEqual(multi.slice(0, 2), [400, -4171]);
  assert.deepEqual(await read("/fapi/v1/positionSide/dual"), { dualSidePosition: false });
  assert.deepEqual(await read("/fapi/v1/multiAssetsMargin"), { multiAssetsMargin: false });
});

test("FAP-22 an account can read its fees, rights and limits", async () => {
  assert.deepEqual(await read("/fapi/v1/commissionRate", { symbol: "BTCUSDT" }), {
    symbol: "BTCUSDT",
    makerCommissionRate: "0.00020000",
    takerCommissionRate: "0.00050000",
  });
  const config = await read("/fapi/v1/accountConfig");
  assert.deepEqual(config, {
    feeTier: 0,
    canTrade: true,
    canDeposit: true,
    canWithdraw: true,
    multiAssetsMargin: false,
    tradeGroupId: -1,
    dualSidePosition: false,
    updateTime: config.updateTime,
  });
  assert.deepEqual(await read("/fapi/v1/symbolConfig", { symbol: "CCUSDT" }), [
    {
      symbol: "CCUSDT",
      marginType: "CROSSED",
      isAutoAddMargin: false,
      leverage: 10,
      maxNotionalValue: "10000000000.000000",
    },
  ]);
  assert.deepEqual(await read("/fapi/v1/rateLimit/order"), [
    { rateLimitType: "ORDERS", interval: "SECOND", intervalNum: 10, limit: 50 },
    { rateLimitType: "ORDERS", interval: "MINUTE", intervalNum: 1, limit: 200 },
  ]);
  assert.deepEqual(await read("/fapi/v1/adlQuantile"), [
    { symbol: "BTCUSDT", adlQuantile: { LONG: 0, SHORT: 0, BOTH: 0 } },
  ]);
  assert.deepEqual((await read("/fapi/v1/apiTradingStatus")).indicators, {});
});

test("ACC-18 FAP-11 a position shows the mark at which it would be liquidated", async () => {
  // A long of 1 BTC at 60,000 has 6,000 of collateral left after the fee of 30. Maintenance is 0.5 % of the value, less
  // 50, so at the liquidation price p: 6,000 + p − 60,000 = 0.005 p − 50, which gives p = 53,950 ÷ 0.995.
  const [maker, long] = [await front.newTrader(), await front.newTrader(6_030_000_000n)];
  front.venue.sell(maker.account, 4, 6_000_000, 1000);
  front.venue.buy(long.account, 4, 6_000_000, 1000);
  for (const version of ["v2", "v3"]) {
    const { json } = await front.send(
      "GET",
      `/fapi/${version}/positionRisk`,
      { symbol: "BTCUSDT" },
      { key: long },
    );
    assert.deepEqual(
      [json[0].positionAmt, json[0].liquidationPrice],
      ["1.000", "54221.10"],
      version,
    );
  }
});
