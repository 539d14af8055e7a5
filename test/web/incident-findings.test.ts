// Proves what the operations page reports about markets and the ledger, given /metrics, /health and the routes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ownProblems } from "../../src/adapters/telemetry/own-problems.ts";
import { type Problem, problem, worstOf } from "../../src/ports/venue-problems.ts";
import { over } from "../../web/src/ops/curve-values.ts";
import {
  acknowledgementFinding,
  safetyFinding,
  sentence,
  threadFinding,
  todo,
  windowOf,
  worstCardFirst,
  worstFirst,
} from "../../web/src/ops/findings.ts";
import { ledgerFinding, marketFinding, riskFinding } from "../../web/src/ops/incident-findings.ts";
import { ledgerRows } from "../../web/src/ops/ledger-rows.ts";
import { machineFinding } from "../../web/src/ops/machine-finding.ts";
import { marketRows, type Read } from "../../web/src/ops/market-rows.ts";
import { figureName, Metrics } from "../../web/src/ops/metrics-text.ts";
import { commandsOf } from "../../web/src/ops/problem-commands.ts";
import type { Sample } from "../../web/src/ops/samples.ts";
import { waitText } from "../../web/src/views/money/ledger-wait.ts";

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
  return sampleOf([], ...changes);
}

/** A sample with what the venue says at /health. */
function sampleOf(told: readonly Problem[], ...changes: readonly string[]) {
  const nameOf = (line: string) => line.slice(0, line.lastIndexOf(" "));
  const kept = healthy.filter((line) => changes.every((one) => nameOf(one) !== nameOf(line)));
  return { atMs: 0, metrics: new Metrics([...kept, ...changes].join("\n")), told };
}

const wellSight = {
  ...{ priceSources: [], ledgerSilentMs: 0, assetsAstray: 0, deficits: [] },
  machine: { disk: null, late: [], areAcksSlow: false },
};

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

test("OPS-107 OPS-113 OPS-141 markets and a silent ledger are reported with the words and the severity of /health", () => {
  assert.deepEqual(
    [marketFinding(sample()), ledgerFinding(sample())].map(({ problems }) => problems),
    [[], []],
  );
  const told = [
    problem("ledger_stale"),
    problem("market_halted", "", "CC-PERP"),
    problem("index_stale", "", "BTC-PERP"),
    problem("book_empty", "no bids", "CC-USDC"),
  ];
  const halted = 'rialto_market_status{market="CC-PERP"} 1';
  const bad = sampleOf(told, halted, "rialto_ledger_silent_seconds 124.8");
  const markets = marketFinding(bad);
  assert.deepEqual(
    markets.problems.map(({ text }) => text),
    [
      "CC-PERP is halted",
      "BTC-PERP takes only orders that reduce positions: its index is stale",
      "CC-USDC has had no bids for more than 2 minutes",
    ],
  );
  assert.equal(worstOf(markets.problems), "warning");
  // Orders are refused, and the card of the markets says so too.
  assert.equal(told[0]?.severity, "fault");
  const refused = "Spot orders of wallet-funded accounts are refused: see Ledger.";
  assert.equal(markets.message, refused);
  assert.equal(marketFinding(sampleOf([problem("ledger_stale")])).message, refused);
  assert.match(markets.problems.map(todo)[0] ?? "", /^To do: run 'rialto markets resume CC-PERP'/);
  assert.deepEqual(
    markets.figures.map(([, value]) => value),
    ["1", "1", "1", "1"],
  );
  assert.deepEqual(ledgerFinding(bad).problems, [told[0]]);
});

test("OPS-113 a journal that waits is a warning, one that stalls a fault; one card lists it, another points there", () => {
  for (const [kind, severity] of [
    ["journal_waits", "warning"],
    ["journal_stalled", "fault"],
  ] as const) {
    const stalled = sampleOf([problem(kind, "16")]);
    const { problems, message } = acknowledgementFinding([stalled]);
    assert.equal(message, "");
    assert.deepEqual(problems, [problem(kind, "16")]);
    assert.match(problems.map(todo)[0] ?? "", /^To do: check that PostgreSQL runs/);
    assert.equal(worstOf(problems), severity);
    const threads = threadFinding(stalled);
    assert.deepEqual([threads.problems, threads.elsewhere], [[], problems]);
    assert.equal(threads.message, "The journal waits: see Acknowledgements.");
  }
  const hung = problem("thread_late", "clearing has sent no heartbeat for 6 s");
  assert.deepEqual(threadFinding(sampleOf([hung])).problems, [hung]);
});

test("OPS-101 a row has the operator's words for its status, its empty sides and its restriction", () => {
  const [cc, gone] = marketRows([read], sample());
  assert.deepEqual([cc?.name, cc?.status, cc?.note], ["CC-USDC", "trading", "no offers"]);
  assert.deepEqual([gone?.name, gone?.status, gone?.note], ["CUSD-USDC", "delisted", ""]);
  // The metrics know of a halt before the routes are read again.
  const halted = sample('rialto_market_status{market="CC-USDC"} 1');
  const [row] = marketRows([read], halted);
  assert.deepEqual([row?.status, row?.note], ["halted", "takes no orders until it is resumed"]);
  const [empty] = marketRows([{ ...read, bests: [] }], sample());
  assert.equal(empty?.note, "no bids and no offers");
  const bests = [{ symbol: "CC-USDC", bidPrice: "0.1502", askPrice: "0.1501" }];
  const [crossed] = marketRows([{ ...read, bests }], sample());
  assert.equal(crossed?.note, "one account's bid and offer cross");
  const stale = sampleOf([problem("index_stale", "", "BTC-PERP")]);
  const [perp] = marketRows([perpetual], stale);
  // A perpetual that has no mark yet has the same name.
  assert.equal(marketRows([{ ...perpetual, premiums: [] }], stale)[0]?.name, "BTC-PERP");
  const note = "takes only orders that reduce positions: its index is stale";
  assert.deepEqual([perp?.note, perp?.quote, perp?.hasProblem], [note, "USDC", true]);
  // Empty sides are noted at once, but alarm only when the venue names them.
  assert.equal(empty?.hasProblem, false);
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

test("OPS-123 while nothing is acknowledged no card says that the markets take orders, and a market counts once", () => {
  const stalled = marketFinding(sampleOf([problem("journal_stalled", "12")]));
  assert.equal(worstOf(stalled.elsewhere ?? []), "fault");
  assert.match(stalled.message, /^No order is acknowledged now/);
  assert.doesNotMatch(stalled.message, /take orders/);
  const { figures } = marketFinding(sampleOf([problem("index_stale", "", "BTC-PERP")]));
  assert.deepEqual(figures, [
    ["Trading", "2"],
    ["Reduce-only", "1"],
    ["Halted", "0"],
    ["Delisted", "1"],
  ]);
  const low = marketFinding(sampleOf([problem("fund_low", "10,000")]));
  assert.deepEqual(low.figures.slice(0, 2), [
    ["Trading", "0"],
    ["Reduce-only", "3"],
  ]);
  assert.match(low.message, /see Prices and risk/);
  assert.deepEqual([low.problems, worstOf(low.elsewhere ?? [])], [[], "fault"]);
  const stopping = sampleOf([problem("stopping")]);
  assert.equal(
    marketFinding(stopping).message,
    "New requests are refused: see Acknowledgements. No market is halted.",
  );
  assert.deepEqual(acknowledgementFinding([stopping]).problems, [problem("stopping")]);
});

test("OPS-123 a single loop delay is no problem, but no card says that all keep up; a chart has a gap where the venue was silent", () => {
  const late = (seconds: number) =>
    threadFinding(sample(`rialto_thread_loop_delay_seconds{thread="front 0"} ${seconds}`));
  assert.equal(late(0.1).message, "All threads keep up.");
  assert.deepEqual(late(0.9).problems, []);
  assert.equal(late(0.9).message, "No thread has been late for 10 s or longer.");
  const at = (atMs: number, isAfterFault = false) => ({ ...sample(), atMs, isAfterFault });
  const values = over([at(0), at(1000), at(9000, true), at(10_000)], (_, __, seconds) => seconds);
  assert.deepEqual(values, [undefined, 1, undefined, 1]);
});

test("OPS-136 figures of before a restart are not compared with those after it", () => {
  const at = (atMs: number, start: number, cpu: number, refused: number) => ({
    ...sample(
      `rialto_process_start_time_seconds ${start}`,
      `rialto_process_cpu_seconds_total ${cpu}`,
      `rialto_refusals_total{reason="noFunds"} ${refused}`,
      `rialto_journal_ack_seconds_bucket{le="0.01"} ${refused}`,
    ),
    atMs,
  });
  const old = [at(0, 100, 90, 500), at(1000, 100, 90.5, 510)];
  const first = at(20_000, 119, 4, 3);
  const processor = (...all: readonly Sample[]) =>
    new Map(machineFinding(all, null, 0).figures).get("Processor");
  assert.equal(processor(...old), "50.0 % of 1");
  assert.equal(processor(...old, first), "–");
  assert.equal(processor(...old, first, at(21_000, 119, 4.25, 3)), "25.0 % of 1");
  // A process that has used more than the one before is another one as well.
  assert.equal(processor(...old, at(20_000, 119, 95, 3)), "–");
  assert.equal(windowOf([...old, first])?.from, first);
  assert.deepEqual(acknowledgementFinding([...old, first]).figures[0], ["p50 of 10 s", "–"]);
  assert.deepEqual(
    over(
      [...old, first],
      (from, to) => to.sum("rialto_refusals_total") - from.sum("rialto_refusals_total"),
    ),
    [...[undefined, 10, undefined]],
  );
});

test("OPS-121 odd prices, the fund and liquidations have a card, and an index names its source", () => {
  const fund = ["rialto_insurance_fund_usdc 12345.6", "rialto_liquidations_open 2"];
  const well = riskFinding(sample(...fund));
  assert.deepEqual([well.problems, well.message], [[], "2 accounts are being liquidated."]);
  assert.deepEqual(well.figures[0], ["Insurance fund", "12,346 USDC"]);
  const told = [
    problem("feed_failing", "one.example has given no price since 17:32:05 UTC: no answer in time"),
    problem("reference_set", "1.00 until 2026-01-01 00:00:00 UTC", "BTC-PERP"),
  ];
  const odd = riskFinding(sampleOf(told));
  assert.deepEqual(odd.problems, told);
  assert.match(sentence(told[0] ?? problem("clock_held")), /^Price feed one\.example /);
  assert.match(odd.problems.map(todo)[0] ?? "", /^To do: check its address/);
  assert.equal(marketFinding(sampleOf(told)).message, "All markets are open; see Prices and risk.");
  const measured = 'rialto_perpetual_index_stale_seconds{market="BTC-PERP"} 0';
  const makers = 'rialto_perpetual_index_source{market="BTC-PERP"} 2';
  const [row] = marketRows([perpetual], sampleOf(told, measured, makers));
  assert.deepEqual([row?.index, row?.source], ["1.00", "makers"]);
  const [stale] = marketRows([perpetual], sampleOf([], measured));
  assert.deepEqual([stale?.index, stale?.source], ["1.00", "not measured now"]);
  assert.match(row?.note ?? "", /^has the operator's reference price 1\.00 until/);
});

test("OPS-126 halted markets come first, then those with a problem, and delisted ones last", () => {
  const told = [
    problem("market_halted", "", "BTC-PERP"),
    problem("book_empty", "no bids", "CC-USDC"),
  ];
  const halted = 'rialto_market_status{market="BTC-PERP"} 1';
  const rows = marketRows([read, perpetual], sampleOf(told, halted));
  assert.deepEqual(
    rows.map(({ name }) => name),
    ["BTC-PERP", "CC-USDC", "CUSD-USDC"],
  );
});

test("OPS-124 a ledger that is not read for ten seconds is a warning, and refused withdrawals are counted", () => {
  const late = ledgerFinding(
    sampleOf([problem("ledger_late", "12")], "rialto_front_withdrawals_refused 3"),
  );
  assert.equal(worstOf(late.problems), "warning");
  assert.match(
    late.problems.map(sentence).join(),
    /^The ledger has not been read for 12 s: withdrawals and deposits wait/,
  );
  assert.deepEqual(late.figures.at(-1), ["Withdrawals refused for it", "3"]);
  const { problems } = ledgerFinding(sample());
  assert.deepEqual(problems, []);
});

test("OPS-137 makers that may not trade are a problem of the ledger, and each market has a note", () => {
  const held = problem(
    "makers_held",
    "halted: wallets were last compared with the ledger 95 s ago",
  );
  assert.equal(held.severity, "warning");
  const now = sampleOf([held]);
  assert.deepEqual(ledgerFinding(now).problems, [held]);
  assert.match(ledgerFinding(now).problems.map(todo)[0] ?? "", /^To do: run 'rialto ledger'/);
  const { problems, elsewhere, message } = marketFinding(now);
  assert.deepEqual([problems, elsewhere], [[], [held]]);
  assert.equal(message, "The venue's makers keep no orders: see Ledger.");
  const [cc, gone] = marketRows([read], now);
  assert.deepEqual([cc?.note, gone?.note], ["no offers; the venue's makers are held", ""]);
  const told = { makers: { state: "paused", reason: "no traffic" } } as const;
  const own = ownProblems({ ...told, ...wellSight });
  assert.deepEqual(own, [problem("makers_held", "paused: no traffic")]);
});

test("OPS-138 a market that trades with a stale index is called reduce only", () => {
  for (const kind of ["index_stale", "index_halted", "fund_paused"] as const) {
    const [row] = marketRows([perpetual], sampleOf([problem(kind, "CBTC-USDC", "BTC-PERP")]));
    assert.equal(row?.status, "reduce only");
    assert.match(row?.note ?? "", /^takes only orders that reduce positions/);
  }
  const [low] = marketRows([perpetual], sampleOf([problem("fund_low", "10,000")]));
  assert.equal(low?.status, "reduce only");
  assert.equal(marketRows([perpetual], sample())[0]?.status, "trading");
});

test("OPS-124 a withdrawal that waits says for how long the ledger has not been read", () => {
  const trying = "still trying. Nothing has left your wallet yet.";
  assert.equal(
    waitText([problem("clock_held"), problem("ledger_late", "20")]),
    `The ledger has not been read for 20 s; ${trying}`,
  );
  assert.equal(
    waitText([problem("ledger_stale")]),
    `The ledger has not been read to its end for too long; ${trying}`,
  );
  assert.equal(waitText([problem("clock_held")]), "");
});

test("OPS-133 while nothing is acknowledged, no time of an acknowledgement is shown", () => {
  const at = (atMs: number, count: number, told: readonly Problem[]) => ({
    ...sampleOf(
      told,
      `rialto_journal_ack_seconds_bucket{le="0.01"} ${count}`,
      `rialto_journal_ack_seconds_bucket{le="+Inf"} ${count}`,
    ),
    atMs,
  });
  const shown = (told: readonly Problem[]) =>
    acknowledgementFinding([at(0, 1, []), at(1_000, 9, told)]).figures.slice(0, 2);
  assert.deepEqual(shown([]), [
    ["p50 of 10 s", "≤ 10.0 ms"],
    ["p99 of 10 s", "≤ 10.0 ms"],
  ]);
  assert.deepEqual(shown([problem("journal_waits", "3")]), [
    ["p50 of 10 s", "–"],
    ["p99 of 10 s", "–"],
  ]);
});

test("OPS-134 findings are listed by severity, then by danger", () => {
  const listed = worstFirst([
    problem("book_empty", "no bids", "CC-USDC"),
    problem("index_halted", "CC-USDC", "CC-PERP"),
    problem("market_halted", "", "CC-USDC"),
    problem("price_apart", "1, 47 % above the best offer", "BTC-PERP"),
    problem("disk_full", "1 GiB"),
    problem("journal_stalled", "16"),
  ]);
  assert.deepEqual(
    listed.map(({ kind }) => kind),
    ["journal_stalled", "disk_full", "price_apart", "market_halted", "index_halted", "book_empty"],
  );
  const cardsOf = (...told: readonly Problem[]) => {
    const now = sampleOf(told);
    const cards = [acknowledgementFinding([now]), marketFinding(now), riskFinding(now)];
    return worstCardFirst(cards).map(({ title }) => title);
  };
  const [halted, apart] = [listed[3], listed[2]] as [Problem, Problem];
  assert.equal(cardsOf(halted)[0], "Market status");
  assert.equal(cardsOf(halted, apart)[0], "Prices and risk");
  // The card that names the fund comes before the one that points to it.
  assert.equal(cardsOf(problem("fund_low", "10,000"))[0], "Prices and risk");
  assert.deepEqual(cardsOf(problem("journal_stalled", "16"), apart), [
    "Acknowledgements",
    "Market status",
    "Prices and risk",
  ]);
});

test("OPS-139 without an index none is shown in its place, and the market has a warning with what to do", () => {
  const bare = problem("no_index", "", "BTC-PERP");
  assert.equal(bare.text, "BTC-PERP has no index; its mark is unprotected");
  const [row] = marketRows([perpetual], sampleOf([bare]));
  assert.deepEqual([row?.mark, row?.index, row?.source], ["1.00", "", ""]);
  assert.deepEqual([row?.note, row?.hasProblem], ["has no index; its mark is unprotected", true]);
  assert.deepEqual(riskFinding(sampleOf([bare])).problems, [bare]);
  assert.match(todo(bare), /'rialto markets reference BTC-PERP PRICE'/);
});

test("OPS-142 what lasts on the machine is told in the words of /health", () => {
  const own = ownProblems({
    ...{ ...wellSight, makers: { state: "ok", reason: "" }, assetsAstray: 2 },
    machine: {
      disk: { free: 5 * 2 ** 30, size: 60 * 2 ** 30 },
      late: ["the event loop of front 0 has been late for 10 s or longer"],
      areAcksSlow: true,
    },
  });
  assert.deepEqual(
    own.map(({ kind, severity }) => `${severity} ${kind}`),
    ["fault totals_astray", "warning disk_low", "warning acks_slow", "warning thread_late"],
  );
  const now = sampleOf(own);
  assert.deepEqual(machineFinding([now], null, 0).problems, [own[1]]);
  assert.deepEqual(acknowledgementFinding([now]).problems, [own[2]]);
  assert.deepEqual(threadFinding(now).problems, [own[3]]);
  assert.deepEqual(safetyFinding(now, null).problems, [own[0]]);
});

test("OPS-144 a command that names its market can be copied as it is", () => {
  const halted = problem("market_halted", "", "BTC-PERP");
  assert.deepEqual(commandsOf(halted), ["rialto markets resume BTC-PERP"]);
  assert.deepEqual(commandsOf(problem("no_index", "", "SOL-PERP")), []);
  assert.deepEqual(commandsOf(problem("ledger_stale")), ["rialto ledger"]);
});

test("OPS-143 charts, cards and tables compute over the same seconds, and a chart over what the venue kept as well", () => {
  const names = [figureName('rialto_http_answers_total{status="200"}')];
  const kept = (atMs: number, count: number) => ({
    ...{ atMs, metrics: Metrics.of(names, [count]), told: [], isRecalled: true },
  });
  const seen = (atMs: number, count: number) => ({
    ...sample(`rialto_http_answers_total{status="200"} ${count}`),
    atMs,
  });
  const all = [kept(0, 0), kept(20_000, 100), seen(22_000, 140), seen(32_000, 240)];
  const perSecond = over(
    all,
    (from, to, seconds) =>
      (to.sum("rialto_http_answers_total") - from.sum("rialto_http_answers_total")) / seconds,
  );
  assert.deepEqual(perSecond, [undefined, undefined, 20, 10]);
  const window = windowOf(all);
  assert.deepEqual([window?.from.atMs, window?.seconds], [22_000, 10]);
  // What was kept has not every figure, so no table computes with it.
  assert.equal(windowOf(all.slice(0, 3))?.seconds, 0);
});
