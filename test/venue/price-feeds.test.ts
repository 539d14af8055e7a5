// Proves that a venue takes its index from a price feed in another process. When the feed stops, the last index stays
// and becomes stale. Every step is in the journal, so that replay gives the same state.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { until } from "../epochs/epoch-waits.ts";
import { PriceFeed } from "../support/prices/price-feed.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

let feed: PriceFeed;
let fixture: VenueFixture;

before(async () => {
  feed = await PriceFeed.open();
  fixture = await VenueFixture.open({
    PRICE_FEEDS: `${feed.url} http://127.0.0.1:1/nobody`,
    PRICE_FEED_NETWORKS: "127.0.0.0/8",
    PRICE_FEED_INTERVAL_MS: "50",
    PRICE_STALE_MS: "1500",
    MARK_INTERVAL_MS: "50",
  });
});

after(async () => {
  await fixture.close();
  feed.close();
});

/** Looks at an index until it must be as wanted: a minute. */
const looksMax = 1_200;

/** Waits until the index has this value. */
async function untilIndex(symbol: string, expected: string): Promise<void> {
  let seen = "";
  for (let turn = 0; turn < looksMax; turn++) {
    const { json } = await fixture.get(`/fapi/v1/premiumIndex?symbol=${symbol}`);
    seen = json.indexPrice;
    if (Number(seen) === Number(expected)) return;
    await sleep(50);
  }
  assert.equal(seen, expected);
}

const waitMs = 60_000;

/** What /health says of these kinds, once it is as `isWanted` says. */
async function problems(kind: string, isWanted: (texts: readonly string[]) => boolean) {
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const { problems: all = [] } = (await fixture.get("/health")).json as {
      problems?: { kind: string; text: string }[];
    };
    const texts = all.filter((one) => one.kind === kind).map(({ text }) => text);
    if (isWanted(texts)) return texts;
    assert.ok(performance.now() < untilMs, `${kind}: ${texts.join("; ")}`);
    await sleep(50);
  }
}

/** Waits until the index is stale. */
async function untilStale(symbol: string): Promise<void> {
  for (let turn = 0; turn < looksMax; turn++) {
    const { index } = (await fixture.operator.terms.show(symbol)) as {
      index: { is_fresh: boolean } | null;
    };
    if (index?.is_fresh === false) return;
    await sleep(50);
  }
  assert.fail(`the index of ${symbol} must become stale`);
}

test("RSK-19 RSK-50 a feed's price becomes the index, rounded down to a tick, until it is stale", async () => {
  await feed.say({ BTCUSDT: "60000.129", "ETH-PERP": "3000.5", DOGEUSDT: "1" }, null);
  await untilIndex("BTCUSDT", "60000.12");
  await untilIndex("ETHUSDT", "3000.5");
  await feed.say({ BTCUSDT: "60100" }, null);
  await untilIndex("BTCUSDT", "60100");
  await untilStale("ETH-PERP");
  await feed.tell({ status: 500 });
  await untilStale("BTC-PERP");
  await untilIndex("BTCUSDT", "60100");
  await feed.say({ BTCUSDT: "61000" }, null);
  await untilIndex("BTCUSDT", "61000");
});

test("OPS-120 /health names price feeds that give no price and since when, and a metric has the state of each", async () => {
  const { host } = new URL(feed.url);
  const nobody = /^price feed 127\.0\.0\.1:1 has given no price since \d\d:\d\d:\d\d UTC: /;
  const [alone = ""] = await problems("feed_failing", (texts) => texts.length === 1);
  assert.match(alone, nobody);
  await feed.tell({ status: 500 });
  const both = await problems("feed_failing", (texts) => texts.length === 2);
  assert(both.some((text) => text.startsWith(`price feed ${host} has given no price since `)));
  const metrics = await (await fetch(`${fixture.address}/metrics`)).text();
  const failing = (source: string) =>
    new RegExp(`^rialto_price_source_failing\\{.*source="${source}".*\\} 1$`, "m");
  assert.match(metrics, failing(host));
  assert.match(metrics, failing("127.0.0.1:1"));
  // A feed that answers without a price that counts is of no use either.
  await feed.say({ DOGEUSDT: "1" }, null);
  await problems("feed_failing", (texts) => texts.some((text) => /no price of a perp/.test(text)));
  await feed.say({ BTCUSDT: "61000" }, null);
  await problems("feed_failing", (texts) => texts.length === 1);
});

test("OPS-121 OPS-122 a reference price far from the index needs --force; one in force is a warning with its end", async () => {
  const { risk } = fixture.operator;
  await untilIndex("BTCUSDT", "61000");
  await assert.rejects(
    risk.setReference("BTC-PERP", "1", 60),
    /more than 10 % away from the index of BTC-PERP, 61000\.00: .* --force/,
  );
  await problems("reference_set", (texts) => texts.length === 0);
  const set = (await risk.setReference("BTC-PERP", "1", 60, true)) as Record<string, unknown>;
  assert.equal(set["index_before"], "61000.00");
  const [text = ""] = await problems("reference_set", (texts) => texts.length === 1);
  assert.match(text, /^BTC-PERP has the operator's reference price 1\.00 until 20\d\d-.* UTC$/);
  await problems(
    "tick_unfit",
    (texts) => texts[0]?.startsWith("BTC-PERP has a tick that is") === true,
  );
  await risk.setReference("BTC-PERP", null, 1);
  await problems("reference_set", (texts) => texts.length === 0);
  await untilIndex("BTCUSDT", "61000");
});

test("RSK-17 RSK-18 the operator's price overrides the feed until it is withdrawn", async () => {
  const { risk } = fixture.operator;
  assert.deepEqual(await risk.setReference("btc-perp", "62000.5", 60).then(symbolsOf), "BTC-PERP");
  await untilIndex("BTCUSDT", "62000.5");
  await feed.say({ BTCUSDT: "61500" }, null);
  assert.deepEqual(await risk.setReference("BTC-PERP", null, 1), {
    symbol: "BTC-PERP",
    reference: null,
    until: null,
    index_before: "62000.50",
  });
  await untilIndex("BTCUSDT", "61500");
  await assert.rejects(
    risk.setReference("CBTC-USDC", "1", 60),
    /not a perpetual; perpetuals: BTC-PERP/,
  );
  await assert.rejects(risk.setReference("BTC-PERP", "0", 60), /not a price/);
  await assert.rejects(risk.setReference("BTC-PERP", "1.001", 60), /2 decimal places/);
  await assert.rejects(risk.setReference("BTC-PERP", "1", 604_801), /1 to 604800 seconds/);
});

function symbolsOf(shown: object): unknown {
  return "symbol" in shown ? shown.symbol : null;
}

test("RSK-21 the operator sees the insurance fund and deposits into it without development tools", async () => {
  const { operator } = fixture;
  const house = await operator.createAccount("house");
  const customer = await operator.createAccount("standard");
  const money = { wallet: "perp", asset: "USDC", amount: "20000" };
  for (const { account } of [house, customer]) await operator.fund({ account, ...money });
  const before = (await operator.risk.showFund()) as { cash: string };
  const after = await operator.risk.refillFund(house.account, "15000.5");
  assert.deepEqual(after, {
    account: 2,
    asset: "USDC",
    cash: (Number(before.cash) + 15_000.5).toFixed(6),
    equity: (Number(before.cash) + 15_000.5).toFixed(6),
    threshold: "10000",
    is_enough: true,
    positions: [],
  });
  await assert.rejects(operator.risk.refillFund(customer.account, "1"), /not a house account/);
  await assert.rejects(operator.risk.refillFund(house.account, "5000"), /insufficient balance/);
  await assert.rejects(operator.risk.refillFund(house.account, "0"), /not an amount/);
  await assert.rejects(operator.risk.refillFund(9_999, "1"), /no account 9999/);
});

test("the operator's list of markets has status, mark and index", async () => {
  const listed = async () =>
    (await fixture.operator.risk.listMarkets()) as Record<string, unknown>[];
  const wanted = { symbol: "BTC-PERP", status: "trading", mark: "61500.00", index: "61500.00" };
  // The mark follows the index at its next interval, and a feed that answers late is stale for a moment.
  await until("the list shows the market", async () => {
    const btc = (await listed()).find(({ symbol }) => symbol === "BTC-PERP");
    return isDeepStrictEqual(btc, { ...wanted, warning: null }) || null;
  });
  const rows = await listed();
  assert.equal(rows.find(({ symbol }) => symbol === "CUSD-USDC")?.["status"], "delisted");
});

test("RSK-31 RSK-32 RSK-60 the operator appoints makers and sets risk terms, and can read both", async () => {
  const { terms } = fixture.operator;
  const { account } = await fixture.trader();
  const house = await fixture.trader("house");
  const before = await terms.listMakers();
  assert(before.some((row) => "account" in row && row.account === house.account));
  assert.deepEqual(
    (await terms.designate(account, true)).find(
      (row) => "account" in row && row.account === account,
    ),
    { account, type: "standard", by: "name" },
  );
  assert.deepEqual(await terms.designate(account, false), before);
  await assert.rejects(terms.designate(account, false), {
    message: `${account} is not a designated maker`,
  });
  await assert.rejects(terms.designate(house.account, false), {
    message: `${house.account} is a house account: its quotes always count`,
  });
  await assert.rejects(terms.designate(99_999, true));
  const shown = (await terms.set("btc-perp", "mark-band", "150")) as {
    symbol: string;
    open_interest: string;
    fund_hour: object | null;
    terms: { term: string; value: number; usual: number }[];
  };
  assert.equal(shown.symbol, "BTC-PERP");
  assert.match(shown.open_interest, /^\d+\.\d{3}$/);
  assert.equal(shown.fund_hour, null, "The fund must not have acted in this market");
  const band = shown.terms.find(({ term }) => term === "mark-band");
  assert.deepEqual([band?.value, band?.usual], [150, 200]);
  await terms.set("BTC-PERP", "mark-band", "usual");
  await assert.rejects(
    terms.set("BTC-PERP", "mark-band", "10001"),
    /mark-band: expected 1 to 10000/,
  );
  await assert.rejects(terms.set("BTC-PERP", "index-makers", "7"), {
    message: "index-makers: expected 0, 1 or usual, not 7",
  });
  await assert.rejects(terms.set("BTC-PERP", "band", "1"), /term: expected one of index-depth/);
  await assert.rejects(terms.set("CBTC-USDC", "mark-band", "1"), /not a perpetual/);
});
