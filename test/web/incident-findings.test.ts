// Proves what the operations page reports about markets and the ledger, given the values of /metrics and of the routes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { acknowledgementFinding, threadFinding } from "../../web/src/ops/findings.ts";
import { ledgerFinding, marketFinding } from "../../web/src/ops/incident-findings.ts";
import { ledgerRows } from "../../web/src/ops/ledger-rows.ts";
import { marketRows, type Read } from "../../web/src/ops/market-rows.ts";
import { Metrics } from "../../web/src/ops/metrics-text.ts";

const healthy = [
  'rialto_market_status{market="CC-PERP"} 0',
  'rialto_market_status{market="BTC-PERP"} 0',
  'rialto_market_status{market="CC-USDC"} 0',
  'rialto_market_status{market="CUSD-USDC"} 2',
  'rialto_perpetual_index_stale{market="BTC-PERP"} 0',
  "rialto_ledger_stale 0",
  "rialto_ledger_silent_seconds 1.5",
];

/** A sample of a healthy venue, with the lines of `changes` in place of those with the same name. */
function sample(...changes: readonly string[]) {
  const nameOf = (line: string) => line.slice(0, line.lastIndexOf(" "));
  const kept = healthy.filter((line) => changes.every((one) => nameOf(one) !== nameOf(line)));
  return { atMs: 0, metrics: new Metrics([...kept, ...changes].join("\n")) };
}

const read: Read = {
  isPerpetual: false,
  listed: ["CUSD-USDC", "CC-USDC"].map((symbol) => ({
    ...{ symbol, baseAsset: symbol.split("-")[0] ?? "", quoteAsset: "USDC", status: "TRADING" },
    filters: [{ filterType: "PRICE_FILTER", tickSize: "0.0001" }],
  })),
  days: [],
  bests: [{ symbol: "CC-USDC", bidPrice: "0.1500", askPrice: "0" }],
  premiums: [],
};
const perpetual: Read = {
  isPerpetual: true,
  listed: [
    {
      ...{ symbol: "BTCUSDT", baseAsset: "BTC", quoteAsset: "USDT", status: "TRADING" },
      filters: [],
    },
  ],
  days: [],
  bests: [{ symbol: "BTCUSDT", bidPrice: "1", askPrice: "2" }],
  premiums: [{ symbol: "BTCUSDT", markPrice: "1", indexPrice: "1", lastFundingRate: "0" }],
};

test("OPS-107 halted markets, stale indexes and a silent ledger are faults, each in a few words", () => {
  assert.deepEqual(
    [marketFinding(sample()), ledgerFinding(sample())].map(({ isGood, problems }) => [
      isGood,
      problems,
    ]),
    [
      [true, []],
      [true, []],
    ],
  );
  const bad = sample(
    'rialto_market_status{market="CC-PERP"} 1',
    'rialto_perpetual_index_stale{market="BTC-PERP"} 1',
    "rialto_ledger_stale 1",
    "rialto_ledger_silent_seconds 124.8",
  );
  const markets = marketFinding(bad);
  assert.deepEqual(markets.problems, ["CC-PERP halted", "BTC-PERP: index is stale, reduce-only"]);
  assert.match(markets.message, /Resume with rialto markets resume\./);
  assert.deepEqual(markets.figures[3], ["Delisted", "1"]);
  const late = ledgerFinding(sample("rialto_ledger_silent_seconds 54.4"));
  assert.match(late.message, /last read 54\.4 s ago, later than usual/);
  assert.deepEqual(ledgerFinding(bad).problems, ["ledger silent for 124.8 s"]);
  // A halt says enough: whether the index of a halted market is stale matters only after the halt.
  const halted = sample(
    'rialto_market_status{market="BTC-PERP"} 1',
    'rialto_perpetual_index_stale{market="BTC-PERP"} 1',
  );
  assert.deepEqual(marketFinding(halted).problems, ["BTC-PERP halted"]);
});

test("OPS-107 a journal that waits is one problem, though two findings report it", () => {
  const stalled = sample("rialto_journal_waiting_seconds 16", "rialto_journal_stalled 1");
  assert.deepEqual(acknowledgementFinding([stalled]).problems, [
    "no order is acknowledged: PostgreSQL has not committed for 16.0 s",
  ]);
  const threads = threadFinding(stalled);
  assert.deepEqual([threads.isGood, threads.problems], [false, []]);
});

test("OPS-101 a row has the operator's words for its status, its empty sides and its restriction", () => {
  const { metrics } = sample();
  const [cc, gone] = marketRows([read], metrics);
  assert.deepEqual([cc?.name, cc?.status, cc?.note], ["CC-USDC", "trading", "no offers"]);
  assert.deepEqual([gone?.name, gone?.status, gone?.note], ["CUSD-USDC", "delisted", ""]);
  // The metrics know of a halt before the routes are read again.
  const halted = sample('rialto_market_status{market="CC-USDC"} 1').metrics;
  const [row] = marketRows([read], halted);
  assert.deepEqual([row?.status, row?.note], ["halted", "takes no orders until it is resumed"]);
  const [empty] = marketRows([{ ...read, bests: [] }], metrics);
  assert.equal(empty?.note, "no bids and no offers");
  const bests = [{ symbol: "CC-USDC", bidPrice: "0.1502", askPrice: "0.1501" }];
  const [crossed] = marketRows([{ ...read, bests }], metrics);
  assert.equal(crossed?.note, "one account's bid and offer cross");
  const stale = sample('rialto_perpetual_index_stale{market="BTC-PERP"} 1').metrics;
  const [perp] = marketRows([perpetual], stale);
  // A perpetual that has no mark yet has the same name.
  assert.equal(marketRows([{ ...perpetual, premiums: [] }], stale)[0]?.name, "BTC-PERP");
  assert.deepEqual([perp?.note, perp?.quote], ["index is stale, reduce-only", "USDC"]);
});

test("OPS-40 the figures of the ledger have readable names and units", () => {
  const lines = [
    'rialto_settlement_batches{state="awaiting_receipts"} 2',
    "rialto_traffic_base_remaining_bytes 2048",
    "rialto_ledger_silent_seconds 1.5",
  ];
  assert.deepEqual(ledgerRows(new Metrics(lines.join("\n"))), [
    { name: "Ledger last read to its end", value: "1.5 s ago" },
    { name: "Settlement batches: awaiting receipts", value: "2" },
    { name: "Free ledger traffic left", value: "2.0 KiB" },
  ]);
});
