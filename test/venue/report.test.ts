// The report of real runs: two programs trade in a flash crash while answers are lost, one of which sends its order again
// without asking; and orders whose queues, prices and refusals are known.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { AccountReport, Report } from "../../src/tools/report/report-form.ts";
import { until } from "../epochs/epoch-waits.ts";
import { signedFetch } from "../support/client/signed-fetch.ts";
import { type Member, RewindVenue } from "../support/venue/rewind-venue.ts";

const perp = "BTCUSDT";
const spot = "CBTC-USDC";
const spotOrder = "/compat/api/v3/order";
const perpOrder = "/compat/fapi/v1/order";

type Terms = Readonly<Record<string, string | number>>;
interface Answer {
  readonly orderId: number;
  readonly code?: number;
}

let venue: RewindVenue;
let faultAddress: string;

before(async () => {
  venue = await RewindVenue.start();
  // A busy machine may open the venue before its fault proxy.
  faultAddress = await until("the fault proxy", async () => {
    const { printed } = await venue.run(["status", "--json"]);
    return (JSON.parse(printed) as { fault_address: string | null }).fault_address;
  });
});
after(() => venue.close());

/** Sends a request of a member to the address with faults. */
function send(member: Member, method: "GET" | "POST", path: string, parameters: Terms) {
  return signedFetch<Answer>(faultAddress, member.key, { method, path, parameters });
}

function spotTerms(side: string, quantity: string, price: string, timeInForce = "GTC"): Terms {
  return { symbol: spot, side, type: "LIMIT", timeInForce, quantity, price };
}

async function reported(...options: readonly string[]): Promise<Report> {
  const { code, printed, complained } = await venue.run(["--json", "report", ...options]);
  assert.equal(code, 0, complained);
  return JSON.parse(printed) as Report;
}

async function reportOf(member: Member, ...options: readonly string[]) {
  const report = await reported("--account", String(member.account), ...options);
  const [own] = report.accounts;
  assert(own !== undefined && report.accounts.length === 1);
  return { report, own };
}

/** Waits until the log of the proxy has this many requests of the member. */
function logged(member: Member, requests: number): Promise<AccountReport> {
  return until("the proxy's log", async () => {
    const { own } = await reportOf(member);
    return own.client.requests >= requests ? own : null;
  });
}

/**
 * Buys as many times as there are steps, and on until three outcomes were unknown, each with a quantity of its own;
 * `onUnknown` says what follows.
 */
async function buyInCrash(
  member: Member,
  steps: number,
  onUnknown: (terms: Terms, again: () => Promise<void>) => Promise<void>,
): Promise<void> {
  let unknown = 0;
  for (let step = 0; step < steps || (unknown < 3 && step < 4 * steps); step++) {
    const terms: Terms = {
      ...{ symbol: perp, side: "BUY", type: "MARKET", quantity: (0.01 + step / 1000).toFixed(3) },
      newClientOrderId: `step-${step}`,
    };
    await attempt(member, terms, (about, again) => {
      unknown++;
      return onUnknown(about, again);
    });
    await sleep(20);
  }
}

async function attempt(
  member: Member,
  terms: Terms,
  onUnknown: (terms: Terms, again: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const again = () =>
    attempt(member, { ...terms, newClientOrderId: `${terms["newClientOrderId"]}x` }, onUnknown);
  const answer = await send(member, "POST", perpOrder, terms).catch(() => null);
  const isUnknown = answer === null || answer.status === 408 || answer.status === 503;
  if (isUnknown) await onUnknown(terms, again);
  else assert.equal(answer.status, 200, JSON.stringify(answer.json));
}

/** Lets both programs buy in the same crash, with the same faults. */
async function playCrash(hasty: Member, careful: Member): Promise<void> {
  const played = ["--json", "synthetic-market", "--market", perp, "--seed", "7", "--script"];
  const calm = await venue.run([...played, "calm", "--for", "2s", "--speed", "max"]);
  assert.equal(calm.code, 0, calm.complained);
  for (const { key } of [hasty, careful]) {
    const applied = ["faults", "apply", "flaky-answers", "--seed", "3", "--key", key.key];
    const { code, complained } = await venue.run(applied);
    assert.equal(code, 0, complained);
  }
  // The market goes on for longer than both programs buy, also on a slow machine.
  const crash = venue.begin([...played, "flash-crash", "--speed", "10x", "--for", "3600s"]);
  await until("quotes of the house", async () => {
    const path = `/compat/fapi/v1/depth?symbol=${perp}&limit=5`;
    const { asks } = await venue.get<{ asks: unknown[] }>(path);
    return asks.length > 0 ? asks : null;
  });
  await Promise.all([
    buyInCrash(hasty, 40, (_, again) => again()),
    buyInCrash(careful, 40, async (terms, again) => {
      const named = { symbol: perp, origClientOrderId: String(terms["newClientOrderId"]) };
      const { status } = await send(careful, "GET", perpOrder, named);
      if (status !== 200) await again();
    }),
  ]);
  crash.signal("SIGINT");
  await crash.ended;
  await logged(hasty, 40);
  await logged(careful, 40);
}

/** The ids of all orders of a member by quantity, of quantities that it has more than once. */
async function sentTwice(member: Member): Promise<(readonly [qty: string, ids: number[]])[]> {
  const orders = await member.call<{ orderId: number; origQty: string }[]>(
    "GET",
    "/compat/fapi/v1/allOrders",
    { symbol: perp, limit: 1000 },
  );
  const byQty = new Map<string, number[]>();
  for (const { origQty, orderId } of orders)
    byQty.set(origQty, [...(byQty.get(origQty) ?? []), orderId]);
  return [...byQty].filter(([, ids]) => ids.length > 1);
}

const crashTimeout = { timeout: 400_000 };

test(
  "REW-136 REW-134 the report of a flash crash names the bug of the program that sends again after a lost answer, and not of the one that asks",
  crashTimeout,
  async () => {
    const [hasty, careful] = [await venue.member(), await venue.member()];
    await playCrash(hasty, careful);
    const { report, own } = await reportOf(hasty);
    const twice = await sentTwice(hasty);
    assert(twice.length > 0, "the profile lost the answer of an order that was sent again");
    const again = report.findings.filter(({ kind }) => kind === "sent-again");
    assert.deepEqual(
      again.map((one) => one.orders),
      twice.map(([, ids]) => ids),
    );
    for (const [at, [qty, ids]] of twice.entries()) {
      const { text = "", severity } = again[at] ?? {};
      assert.equal(severity, "error");
      assert(text.includes(`you hold ${ids.length}× BUY ${qty} BTC-PERP at market`), text);
    }
    const lost = own.lost_orders.rows.map(({ order_id }) => order_id);
    assert.deepEqual(
      lost,
      twice.flatMap(([, ids]) => ids.slice(0, -1)),
    );
    assert.equal(own.client.lost_answers, lost.length);

    const other = await reportOf(careful);
    assert.deepEqual(
      other.report.findings.map(({ severity, kind }) => `${severity} ${kind}`),
      ["note activity"],
      JSON.stringify(other.report.findings),
    );
    assert.equal(other.own.client.found_out, other.own.client.lost_answers);
    assert(other.own.client.found_out > 0, "answers were lost to both");
  },
);

test("REW-132 REW-133 REW-135 a known queue, a known taker and counted refusals are reported as they were", async () => {
  const [maker, taker, first, second] = await Promise.all([1, 2, 3, 4].map(() => venue.member()));
  assert(maker && taker && first && second);
  const place = (who: Member, terms: Terms) => who.call<Answer>("POST", spotOrder, terms);
  await place(first, spotTerms("BUY", "0.0100", "59000"));
  await place(first, spotTerms("SELL", "0.0003", "60000"));
  await place(second, spotTerms("SELL", "0.0002", "60000"));
  await place(first, spotTerms("SELL", "0.0100", "60200"));
  const { json: queued } = await send(
    maker,
    "POST",
    spotOrder,
    spotTerms("SELL", "0.0004", "60000"),
  );
  for (let count = 0; count < 3; count++) {
    const { status } = await send(maker, "POST", spotOrder, spotTerms("SELL", "5000", "60000"));
    assert.equal(status, 422);
  }
  const { json: swept } = await send(
    taker,
    "POST",
    spotOrder,
    spotTerms("BUY", "0.0018", "60200", "IOC"),
  );
  const own = await logged(maker, 4);
  const [fill] = own.fills.rows;
  assert.deepEqual(
    [fill?.order_id, fill?.role, fill?.qty, fill?.ahead_qty, fill?.ahead_orders],
    [queued.orderId, "maker", "0.0004", "0.0005", 2],
  );
  assert.equal(own.markets[0]?.queue_ahead.p50, "0.0005");
  const [reject] = own.rejects.rows;
  assert.deepEqual(
    [reject?.status, reject?.code, reject?.count, reject?.fault],
    [422, -2010, 3, null],
  );
  assert.match(reject?.message ?? "", /insufficient balance/);

  const { own: taking } = await reportOf(taker);
  const [row] = taking.takers.rows;
  // 0.0009 at 60000 and 0.0009 at 60200: mean 60100; the middle was 59500 and the best 60000.
  assert.deepEqual(
    [row?.order_id, row?.avg_price, row?.mid, row?.best, row?.slippage_bps, row?.against_best_bps],
    [swept.orderId, "60100.0000", "59500.000", "60000.00", "100.84", "16.67"],
  );
  assert.equal(taking.markets[0]?.taker.share_of_notional, "100.0");
});

test("REW-138 REW-139 a belief is compared with the truth, and an account without anything is told as that", async () => {
  const member = await venue.member();
  const idle = await reportOf(member);
  assert.deepEqual(
    idle.report.findings.map(({ text }) => text),
    ["The account has sent no orders."],
  );
  assert.deepEqual(
    [idle.own.orders.accepted, idle.own.beliefs, idle.own.fills.rows],
    [0, null, []],
  );
  const file = join(venue.dataDir, "believed.json");
  await writeFile(file, JSON.stringify({ openOrders: ["never"], positions: { BTCUSDT: "0.5" } }));
  const { own, report } = await reportOf(member, "--believed", file);
  assert.deepEqual(own.beliefs, [
    { what: "open order", name: "never", believed: "OPEN", true: null },
    { what: "position", name: "BTCUSDT", believed: "0.5", true: "0" },
  ]);
  assert.deepEqual(
    report.findings.map(({ severity, kind }) => `${severity} ${kind}`),
    ["error belief", "error belief", "note activity"],
  );
});

test("REW-130 REW-131 what a report cannot be about is refused with its option or account", async () => {
  const believedFile = join(venue.dataDir, "wrong.json");
  await writeFile(believedFile, JSON.stringify({ orders: [] }));
  for (const [args, code, named] of [
    [["--account", "none"], 2, /--account.*expected the number of an account/],
    [["--from", "yesterday"], 2, /--from.*expected the number of an event, or a time in UTC/],
    [["--from", "2199-01-01T00:00:00Z"], 2, /--from is after --to, or after the newest event/],
    [["--believed", believedFile, "--account", "1001"], 2, /wrong\.json: .*orders/],
    [["--account", "900000"], 1, /no account 900000 in this part of the journal/],
  ] as const) {
    const result = await venue.run(["--json", "report", ...args]);
    assert.equal(result.code, code, result.printed);
    assert.match(result.printed, named);
  }
  const { code, complained } = await venue.run(["report"]);
  assert.equal(code, 2);
  assert.match(complained, /expected --out FILE, or --json/);
});

test("REW-131 a report begins and ends at events or at times of the market", async () => {
  const whole = await reported();
  const { from_seq: first, to_seq: last } = whole.window;
  assert.equal(first, 1);
  const late = await reported("--from", String(last - 4), "--to", String(last - 1));
  assert.deepEqual(
    [late.window.from_seq, late.window.to_seq, late.window.events],
    [last - 4, last - 1, 4],
  );
  // The newest events may all be of one moment.
  const early = await reported("--to", "10");
  const timed = await reported("--from", whole.window.from ?? "", "--to", early.window.to ?? "");
  const { from_seq: from, to_seq: to } = timed.window;
  assert(from <= 2 && to >= 10 && to < last, `${from} to ${to} of ${last}`);
});

test("REW-140 REW-130 page and JSON agree, at the same address twice, also after the venue has stopped", async () => {
  const member = await venue.member();
  const named = "a-b.c:d/e_1";
  await send(member, "POST", spotOrder, {
    ...spotTerms("BUY", "0.0010", "59500"),
    newClientOrderId: named,
  });
  await logged(member, 1);
  const out = join(venue.dataDir, "report.html");
  const report = await reported("--out", out);
  const page = await readFile(out, "utf8");
  assert(!/<script|https?:|url\(/.test(page), "nothing comes from elsewhere");
  for (const { text } of report.findings)
    assert(page.includes(text.replaceAll("&", "&amp;")), text);
  for (const account of report.accounts) {
    assert(page.includes(`<h2>Account ${account.account}</h2>`));
    for (const value of figuresOf(account))
      assert(page.includes(value), `${account.account} ${value}`);
  }
  const refused = await venue.run(["report", "--out", out]);
  assert.equal(refused.code, 1);
  assert.match(refused.complained, /already exists; pass --force/);

  await venue.stop();
  const stopped = await reported("--out", out, "--force", "--to", String(report.window.to_seq));
  assert.deepEqual({ ...stopped, made_at: "" }, { ...report, made_at: "" });
});

/** Figures of an account that the page must show as they are. */
function figuresOf({
  orders,
  equity,
  markets,
  takers,
  fills,
  lost_orders: lost,
  rejects,
}: AccountReport): string[] {
  return [
    ...[`${orders.accepted}`, equity.result, equity.end],
    ...markets.flatMap(({ maker, taker, fees, position }) => [
      maker.notional,
      taker.notional,
      fees,
      position,
    ]),
    ...takers.rows.flatMap((row) => [
      row.avg_price,
      row.slippage_bps ?? "",
      row.impact_1s_bps ?? "",
    ]),
    ...fills.rows.flatMap((row) => [
      `${row.trade_id}`,
      row.price,
      row.qty,
      row.fee,
      row.ahead_qty ?? "",
    ]),
    ...lost.rows.flatMap((row) => [row.client_order_id, row.filled_qty, row.status]),
    ...rejects.rows.flatMap((row) => [`${row.status}`, `${row.count}`]),
  ];
}
