// Proves that a market which the operator adds is journaled at once, can be traded from the next start on, and survives
// crashes. Also proves that `replay --verify` finds an altered row of a market.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { marketsMax } from "../../src/core/limits.ts";
import type { MarketRequest } from "../../src/venue/operator/market-terms.ts";
import { runCli } from "../support/venue/cli-process.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;
let trader: Trader;
let other: Trader;

before(async () => {
  fixture = await VenueFixture.open({ EPOCH_SECONDS: "1" });
  trader = await fixture.trader();
  other = await fixture.trader();
});
after(() => fixture.close());

function add(request: Partial<MarketRequest>, by = fixture.operator): Promise<object> {
  return by.listing.add({ symbol: "SOL-PERP", isHalted: false, ...request });
}

const seconds = { tick: "0.00001", lot: "0.01", minNotional: "0.0001" };

function place(who: Trader, symbol: string, side: string) {
  const path = symbol === "SOLUSDT" ? "/fapi/v1/order" : "/api/v3/order";
  const terms = symbol === "SOLUSDT" ? { quantity: "1.000", price: "150.00" } : ofPair;
  const order = { symbol, side, type: "LIMIT", timeInForce: "GTC", ...terms };
  return fixture.signed(who, "POST", path, order);
}
const ofPair = { quantity: "2.00", price: "0.05000" };

test("OPS-28 OPS-69 invalid terms are refused with the field's name, and change nothing", async () => {
  const before = await fixture.operator.risk.listMarkets();
  const refused: readonly (readonly [Partial<MarketRequest>, RegExp])[] = [
    [{ symbol: "sol" }, /^symbol: expected two codes such as SOL-PERP/],
    [{ symbol: "SOL-USDC" }, /^symbol: SOL is not an asset of the venue: USDC, CC, CBTC, CETH$/],
    [{ symbol: "BTC-PERP" }, /^symbol: the venue already has BTC-PERP$/],
    [{ symbol: "CC-CC", ...seconds }, /^symbol: expected two different assets/],
    [{ tick: "0.1" }, /^tick: expected 0\.01 or 0\.001 or 0\.0001, not 0\.1$/],
    [{ lot: "1" }, /^lot: expected 0\.001, the lot of every perpetual/],
    [{ leverageMax: 101 }, /^max-leverage: expected a whole number from 1 to 100, not 101$/],
    [{ makerBps: 101 }, /^maker-bps: expected whole basis points from 0 to 100, not 101$/],
    [{ takerBps: 0.5 }, /^taker-bps: expected whole basis points/],
    [{ minNotional: "5" }, /^min-notional: a perpetual has none$/],
    [{ index: "BTC-PERP" }, /^index: expected a spot market of the venue, not BTC-PERP$/],
    [{ symbol: "CETH-CBTC" }, /^tick: a spot market needs it$/],
    [{ symbol: "CETH-CBTC", ...seconds, tick: "0.03" }, /^tick: expected 1 or a step such as/],
    [{ symbol: "CETH-CBTC", ...seconds, lot: "1" }, /^tick: expected tick × lot of 0\.00000001 or/],
    [{ symbol: "CETH-CBTC", ...seconds, minNotional: "-1" }, /^min-notional: expected an amount/],
    [{ symbol: "CETH-CBTC", ...seconds, minNotional: "90071993" }, /^min-notional: .* up to \d/],
    [{ symbol: "CETH-CBTC", ...seconds, leverageMax: 2 }, /^max-leverage: a spot market has none$/],
  ];
  for (const [request, text] of refused) await assert.rejects(add(request), { message: text });
  assert.deepEqual(await fixture.operator.risk.listMarkets(), before);
});

async function told(kind: string): Promise<string[]> {
  const { problems = [] } = (await fixture.get("/health")).json as {
    problems?: { kind: string; text: string }[];
  };
  return problems.filter((one) => one.kind === kind).map(({ text }) => text);
}

test("OPS-28 OPS-68 OPS-139 a market is journaled when it is added, and trades from the next start on", async () => {
  const added = await add({ leverageMax: 20, index: "CETH-USDC" });
  assert.deepEqual(added, {
    symbol: "SOL-PERP",
    api_symbol: "SOLUSDT",
    kind: "perpetual",
    tick: "0.01",
    lot: "0.001",
    max_leverage: 20,
    maker_bps: 2,
    taker_bps: 5,
    status: "trading",
    from: "the next start of the venue",
    warning: null,
  });
  await add({ symbol: "CETH-CBTC", ...seconds, isHalted: true });
  const waiting = (await fixture.operator.risk.listMarkets()).slice(-2);
  const pending = { status: "trades from the next start", mark: null, index: null, warning: null };
  assert.deepEqual(waiting, [
    { symbol: "SOL-PERP", ...pending },
    { symbol: "CETH-CBTC", ...pending },
  ]);
  assert.equal((await place(trader, "SOLUSDT", "BUY")).json.code, -1100);
  assert.equal((await fixture.get("/health")).json.status, "ok");
  const text = "2 added markets will trade from the next start of the venue";
  assert.deepEqual(await told("markets_wait"), [text]);
  await fixture.crashAndRestart();
  assert.equal((await place(trader, "SOLUSDT", "BUY")).json.status, "NEW");
  assert.equal((await place(other, "SOLUSDT", "SELL")).json.status, "FILLED");
  const risk = await fixture.signed(trader, "GET", "/fapi/v2/positionRisk", { symbol: "SOLUSDT" });
  assert.equal(risk.json[0].positionAmt, "1.000");
  assert.equal(
    (await place(trader, "CETHCBTC", "BUY")).status,
    422,
    "A new market must be halted until it is resumed",
  );
  await fixture.operator.access.resume("CETH-CBTC");
  assert.equal((await place(trader, "CETHCBTC", "BUY")).json.status, "NEW");
  assert.equal((await place(other, "CETHCBTC", "SELL")).json.status, "FILLED");
  const { json } = await fixture.get("/fapi/v1/exchangeInfo");
  const named = json.symbols.find((one: { symbol: string }) => one.symbol === "SOLUSDT");
  assert.deepEqual([named.pair, named.pricePrecision, named.quantityPrecision], ["SOL-PERP", 2, 3]);
  await fixture.venue.snapshots.fold();
  await fixture.crashAndRestart();
  assert.equal((await place(trader, "SOLUSDT", "SELL")).json.status, "NEW");
});

test("OPS-28 OPS-139 two simultaneous additions get two numbers, and the number of markets is limited", async () => {
  const { operator } = fixture;
  const symbols = ["DOGE-PERP", "XRP-PERP"];
  const ticks = { "XRP-PERP": "0.0001" } as Record<string, string | undefined>;
  const added = await Promise.all(
    symbols.map((symbol) => add({ symbol, tick: ticks[symbol] }, operator)),
  );
  for (const one of added) {
    assert.match(
      String((one as { warning: string | null }).warning),
      /^no index market: its mark is unprotected/,
    );
  }
  await assert.rejects(add({ symbol: "DOGE-PERP" }), /the venue already has DOGE-PERP/);
  await fixture.venue.snapshots.fold();
  await fixture.crashAndRestart();
  const known = fixture.venue.table.markets.map(({ symbol }) => symbol);
  assert.deepEqual(known.slice(-2), symbols);
  // OPS-139: a market without index is told while it trades.
  const bare = symbols.map((symbol) => `${symbol} has no index; its mark is unprotected`);
  assert.deepEqual(await told("no_index"), bare);
  assert.deepEqual(await told("markets_wait"), []);
  await fixture.operator.access.halt("XRP-PERP");
  assert.deepEqual(await told("no_index"), bare.slice(0, 1));
  await fixture.operator.access.resume("XRP-PERP");
  const { length } = fixture.venue.table.markets;
  for (let number = length; number < marketsMax; number++) await add({ symbol: `X${number}-PERP` });
  await fixture.restart();
  await assert.rejects(add({}), /the venue already has 16 markets, the maximum/);
});

test("OPS-60 OPS-67 ACC-17 the list of markets warns of a tick that does not suit the last price, and a new venue has no warning", async () => {
  const warnings = async () => {
    const rows = (await fixture.operator.risk.listMarkets()) as Record<string, string | null>[];
    return rows
      .filter(({ warning }) => warning !== null)
      .map((row) => [row["symbol"], row["warning"]]);
  };
  assert.deepEqual(await warnings(), []);
  for (const [symbol, price] of [
    ["CCUSDT", "0.1523"],
    ["XRPUSDT", "0.1523"],
    ["DOGEUSDT", "0.15"],
  ] as const) {
    const order = { symbol, type: "LIMIT", timeInForce: "GTC", price, quantity: "100" };
    const path = "/compat/fapi/v1/order";
    await fixture.signed(trader, "POST", path, { ...order, side: "BUY" });
    const { json } = await fixture.signed(other, "POST", path, { ...order, side: "SELL" });
    assert.equal(json.status, "FILLED", symbol);
  }
  const text =
    "DOGE-PERP has a tick that is too coarse: 666.67 basis points of the price, expected 0.001 to 10";
  assert.deepEqual(await warnings(), [["DOGE-PERP", text]]);
});

test("OPS-28 OPS-68 replay --verify agrees, and finds terms that were changed in SQL", async () => {
  await fixture.venue.close();
  const settings = { DATABASE_URL: fixture.database.url, DATA_DIR: fixture.dataDir };
  const verify = async () => {
    const { code, printed, complained } = await runCli(["replay", "--verify", "--json"], settings);
    assert.notEqual(printed, "", complained);
    return { code, differences: JSON.parse(printed).differences as string[] };
  };
  assert.deepEqual(await verify(), { code: 0, differences: [] });
  const sql = openPostgres(fixture.database.options, "queries");
  await sql`update markets set taker_fee_bps = 6 where symbol = 'DOGE-PERP'`;
  await sql.end();
  const changed = "market DOGE-PERP: its terms differ from those in the journal";
  assert.deepEqual(await verify(), { code: 3, differences: [changed] });
});
