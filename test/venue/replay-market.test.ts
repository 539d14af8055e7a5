// A recorded market is played in the real book: with nobody else there it is the recording's, a member's order waits in the
// queue behind what history had there and fills in part, and what a member takes comes back, or does not.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { PastBook, PastEvent, PastLevel } from "../../src/tools/replay/past-events.ts";
import {
  binanceAggTradesText,
  sampleMarket,
  sampleStartUs,
  tardisSnapshotsText,
  tardisTradesText,
} from "../support/replay/sample-recording.ts";
import { type Member, RewindVenue } from "../support/venue/rewind-venue.ts";

const symbol = "BTCUSDT";
const waitMsMax = 60_000;
let venue: RewindVenue;

before(async () => {
  venue = await RewindVenue.start();
});
after(() => venue.close());

interface Outcome {
  readonly trades: number;
  readonly orders: number;
  readonly checked: number;
  readonly equal: number;
  readonly member_fills: number;
  readonly member_quantity: string;
  readonly refused: number;
  readonly last_refusal: string | null;
  readonly depth: string;
}

async function source(name: string, text: string): Promise<string> {
  const path = join(venue.dataDir, name);
  await writeFile(path, text);
  return path;
}

async function recording(name: string, events: readonly PastEvent[]): Promise<string[]> {
  const traded = await source(`${name}-trades.csv`, tardisTradesText(events));
  const depth = await source(`${name}-book.csv`, tardisSnapshotsText(events));
  return ["--source", traded, "--source", depth];
}

function replay(args: readonly string[]) {
  return ["--json", "replay-market", "--market", symbol, ...args];
}

async function outcomeOf(args: readonly string[]): Promise<Outcome> {
  const { code, printed, complained } = await venue.run(replay(args));
  assert.equal(code, 0, complained + printed);
  return JSON.parse(printed) as Outcome;
}

interface Depth {
  readonly bids: readonly (readonly [string, string])[];
  readonly asks: readonly (readonly [string, string])[];
}

const depth = () => venue.get<Depth>(`/compat/fapi/v1/depth?symbol=${symbol}&limit=50`);

/** Waits until `read` gives something; fails after a minute. */
async function until<T>(what: string, read: () => Promise<T | null>): Promise<T> {
  const untilMs = performance.now() + waitMsMax;
  for (;;) {
    const found = await read();
    if (found !== null) return found;
    if (performance.now() > untilMs) throw new Error(`not within a minute: ${what}`);
    await sleep(20);
  }
}

test("REW-58 with nobody else in the market, mid and best sizes are the recording's at 99 % of its moments or more", async () => {
  const events = sampleMarket(5, 120);
  const recorded = await outcomeOf([
    ...(await recording("sample", events)),
    ...["--speed", "max", "--check", "1", "--depth-ms", "0"],
  ]);
  assert.equal(recorded.checked, 120);
  assert.ok(recorded.equal >= 0.99 * recorded.checked, JSON.stringify(recorded));
  assert.equal(recorded.trades, events.filter(({ kind }) => kind === "trade").length);
  assert.equal(recorded.refused, 0, String(recorded.last_refusal));
  const book = await depth();
  assert.deepEqual([book.bids, book.asks], [[], []], "the end leaves no quotes");
});

test("REW-56 without recorded depth, depth is generated around the trades, and each trade is at its recorded price", async () => {
  const events = sampleMarket(6, 40);
  const path = await source("agg.csv", binanceAggTradesText(events, "usdm"));
  const outcome = await outcomeOf(["--source", path, "--speed", "max", "--check", "5"]);
  assert.equal(outcome.depth, "generated");
  assert.ok(outcome.checked > 0 && outcome.equal === outcome.checked, JSON.stringify(outcome));
  interface Trade {
    readonly price: string;
    readonly qty: string;
  }
  const wanted = events.flatMap((event) => (event.kind === "trade" ? [event] : []));
  const played = await venue.get<Trade[]>(`/compat/fapi/v1/trades?symbol=${symbol}&limit=500`);
  const volumes = (rows: readonly { readonly price: number; readonly qty: number }[]) => {
    const sums = new Map<number, number>();
    for (const { price, qty } of rows) sums.set(price, (sums.get(price) ?? 0) + qty);
    return [...sums].sort(([one], [other]) => one - other);
  };
  const figures = played.map(({ price, qty }) => ({
    price: Math.round(Number(price) * 10),
    qty: Math.round(Number(qty) * 1000),
  }));
  // The trades of the test before are older.
  const total = wanted.reduce((sum, { qty }) => sum + qty, 0);
  const own: typeof figures = [];
  for (let sum = 0; sum < total; sum += own.at(-1)?.qty ?? total) {
    const last = figures.pop();
    if (last === undefined) break;
    own.push(last);
  }
  assert.deepEqual(volumes(own), volumes(wanted));
});

const [low, high] = [900_000, 900_010];
const atUs = (ms: number) => sampleStartUs + ms * 1000;
const moment = (ms: number, bids: PastLevel[], asks: PastLevel[]): PastBook => {
  return { kind: "book", atUs: atUs(ms), bids, asks };
};
const sold = (ms: number, qty: number): PastEvent => {
  return { kind: "trade", atUs: atUs(ms), isBuy: false, price: low, qty };
};

/** Starts a replay at its own speed; resolves once its first depth is in the book. */
async function beginReplay(args: readonly string[]) {
  const run = venue.begin(replay(args));
  const isThere = async () => ((await depth()).bids[0]?.[0] === "90000.00" ? true : null);
  await Promise.race([
    until("the first depth", isThere),
    run.ended.then((code) => assert.fail(`${code}: ${run.complained}`)),
  ]);
  return run;
}

async function ended(run: Awaited<ReturnType<typeof beginReplay>>): Promise<Outcome> {
  assert.equal(await run.ended, 0, run.complained + run.printed);
  return JSON.parse(run.printed) as Outcome;
}

interface Order {
  readonly orderId: number;
  readonly executedQty: string;
  readonly status: string;
}

const order = (member: Member, terms: Record<string, string>) =>
  member.call<Order>("POST", "/compat/fapi/v1/order", { symbol, type: "LIMIT", ...terms });

const state = (member: Member, { orderId }: Order) =>
  member.call<Order>("GET", "/compat/fapi/v1/order", { symbol, orderId });

test("REW-57 a member's order queues behind what history had at its price, and fills in part", async () => {
  const asks: PastLevel[] = [[high, 9000]];
  const events = [
    moment(0, [[low, 5000]], asks),
    // The level grows behind the member's order, and a seller takes 4 of the 5 before it.
    moment(8_000, [[low, 7000]], asks),
    sold(9_000, 4000),
    moment(9_050, [[low, 3000]], asks),
    // 1 is left before the member's 3, so 2 of them fill.
    sold(12_000, 3000),
    moment(12_050, [[low, 2000]], asks),
    moment(20_000, [[low, 2000]], asks),
  ];
  const run = await beginReplay([...(await recording("queue", events)), "--speed", "1x"]);
  const member = await venue.member();
  const placed = await order(member, {
    ...{ side: "BUY", timeInForce: "GTC", price: "90000", quantity: "3" },
  });
  const partly = await until("a fill of the member", async () => {
    const now = await state(member, placed);
    return Number(now.executedQty) > 0 ? now : null;
  });
  assert.deepEqual([partly.executedQty, partly.status], ["2.000", "PARTIALLY_FILLED"]);
  const outcome = await ended(run);
  assert.deepEqual([outcome.member_fills, outcome.member_quantity], [1, "2.000"]);
  assert.equal((await state(member, placed)).executedQty, "2.000");
  await member.call("DELETE", "/compat/fapi/v1/order", { symbol, orderId: placed.orderId });
});

for (const [impact, left] of [
  ["absorb", "9.000"],
  ["persist", "5.000"],
] as const)
  test(`REW-59 what a member takes from history's quotes: ${impact}`, async () => {
    const asks: PastLevel[] = [[high, 9000]];
    const moments = Array.from({ length: 60 }, (_, at) => moment(at * 250, [[low, 5000]], asks));
    const args = await recording(impact, moments);
    const run = await beginReplay([
      ...[...args, "--speed", "1x", "--impact", impact, "--requote-ms", "2000"],
    ]);
    const member = await venue.member();
    const bought = await order(member, {
      ...{
        side: "BUY",
        timeInForce: "IOC",
        price: "90001",
        quantity: "4",
        newOrderRespType: "RESULT",
      },
    });
    assert.equal(bought.executedQty, "4.000");
    const shownAtEnd: string[] = [];
    const look = async () => {
      const [best] = (await depth()).asks;
      if (best !== undefined) shownAtEnd.push(best[1]);
    };
    const over = run.ended.then(() => true);
    while (!(await Promise.race([over, sleep(100).then(() => false)]))) await look();
    assert.equal(shownAtEnd.at(-1), left, shownAtEnd.join(" "));
    assert.equal((await ended(run)).member_quantity, "4.000");
  });

test("REW-60 an interrupted replay leaves a clean book and says from where to go on", async () => {
  const moments = Array.from({ length: 100 }, (_, at) =>
    moment(at * 1_000, [[low, 5000]], [[high, 9000]]),
  );
  const run = await beginReplay([...(await recording("ended", moments)), "--speed", "1x"]);
  run.signal("SIGINT");
  assert.equal(await run.ended, 0, run.complained);
  const { played_until: from } = JSON.parse(run.printed) as { readonly played_until: string };
  assert.ok(Date.parse(from) >= sampleStartUs / 1000, from);
  const book = await depth();
  assert.deepEqual([book.bids, book.asks], [[], []]);
});

test("REW-51 a venue that cannot be rewound plays nothing", async () => {
  const plain = await RewindVenue.start([]);
  try {
    const [, path = ""] = await recording("plain", sampleMarket(1, 3));
    const { code, complained } = await plain.run(replay(["--source", path]));
    assert.equal(code, 1);
    assert.match(complained, /start it with rialto start --rewind/);
  } finally {
    await plain.close();
  }
});
