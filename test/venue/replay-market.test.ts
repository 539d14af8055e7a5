// A recorded market is played in the real book: with nobody else there it is the recording's, a member's order waits in the
// queue behind what history had there and fills in part, and what a member takes comes back, or does not.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import { CalledVenue } from "../../src/tools/replay/called-venue.ts";
import type { OpenAnswer } from "../../src/tools/replay/history-calls.ts";
import { makersFor } from "../../src/tools/replay/house-quotes.ts";
import { marketTimeOf } from "../../src/tools/replay/market-time.ts";
import type { PastBook, PastEvent, PastLevel } from "../../src/tools/replay/past-events.ts";
import { PastTime } from "../../src/tools/replay/past-time.ts";
import { replayAccounts, type VenueCall } from "../../src/tools/replay/replay-accounts.ts";
import { ReplayRun } from "../../src/tools/replay/replay-run.ts";
import { requestAt } from "../../src/venue/cli/venue-call.ts";
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
  readonly elapsed_ms: number;
  readonly lag_p99_ms: number | null;
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
  return ["--json", "replay-market", "--market", symbol, "--as-now", ...args];
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

/** Lots traded in the last 24 hours. */
async function tradedLots(): Promise<number> {
  const path = `/compat/fapi/v1/ticker/24hr?symbol=${symbol}`;
  const { volume } = await venue.get<{ readonly volume: string }>(path);
  return Math.round(Number(volume) * 1000);
}

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

test("REW-50 REW-58 with nobody else in the market, mid and best sizes are the recording's at 99 % of its moments or more", async () => {
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

test("REW-64 with nobody else, steps follow each other without waiting for commits, and the book and the trades are the recording's", async () => {
  const events = sampleMarket(7, 400);
  const before = await tradedLots();
  const outcome = await outcomeOf([
    ...(await recording("run", events)),
    ...["--speed", "max", "--check", "400", "--depth-ms", "0"],
  ]);
  assert.deepEqual([outcome.checked, outcome.equal, outcome.refused], [1, 1, 0]);
  const wanted = events.reduce((sum, event) => sum + (event.kind === "trade" ? event.qty : 0), 0);
  assert.equal((await tradedLots()) - before, wanted, "each order of history has traded whole");
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
const moment = (ms: number, bids: PastLevel[], asks: PastLevel[]): PastBook => {
  return { kind: "book", atUs: sampleStartUs + ms * 1000, bids, asks };
};
const sold = (ms: number, qty: number): PastEvent => {
  return { kind: "trade", atUs: sampleStartUs + ms * 1000, isBuy: false, price: 10 * low, qty };
};

/** Plays what `history` yields; it may wait for what the test does in between. */
async function playHouse(history: AsyncIterable<readonly PastEvent[]>, requoteMs: number) {
  const call: VenueCall = (name, parameters) =>
    requestAt(controlSocketPath(venue.dataDir), name, parameters);
  const makers = makersFor(20);
  const accounts = await replayAccounts(venue.dataDir, makers, call);
  const house = { symbol, makers: [...accounts.makers], taker: accounts.taker };
  const market = (await call("history/open", { ...house, pid: process.pid })) as OpenAnswer;
  const run = new ReplayRun({
    ...{ market, makers, requoteUs: requoteMs * 1000, checkEvery: 0, isInTurn: false },
    ...{ signal: new AbortController().signal, onProgress: () => undefined },
    venue: new CalledVenue(call, {
      ...{ house, market, address: venue.address },
      time: await marketTimeOf(call, { isAsNow: true, speed: 1 }),
    }),
    time: new PastTime(Number.POSITIVE_INFINITY),
  });
  try {
    return await run.play(history);
  } finally {
    await call("history/close", house);
  }
}

const best = async (side: "bids" | "asks") => (await depth())[side][0]?.[1] ?? null;
/** Waits until the best level of a side shows a quantity. */
const untilBest = (side: "bids" | "asks", qty: string) =>
  until(`${side} ${qty}`, async () => ((await best(side)) === qty ? true : null));

/**
 * Yields a moment each 100 ms of history until the best level of a side shows a quantity: how many calls it takes until
 * the player has noticed a trade depends on the machine.
 */
async function* momentsUntil(
  fromMs: number,
  sides: readonly [PastLevel[], PastLevel[]],
  [side, qty]: Parameters<typeof untilBest>,
) {
  for (let ms = fromMs; ms < fromMs + 30_000; ms += 100) {
    yield [moment(ms, ...sides)];
    if ((await best(side)) === qty) return;
  }
  await untilBest(side, qty);
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

test("REW-57 a member's order queues behind what history had at its price, before what came later, and fills in part", async () => {
  const member = await venue.member();
  const bids = (qty: number): PastLevel[] => [[10 * low, qty]];
  const asks: PastLevel[] = [[10 * high, 9000]];
  const fillsSoFar: string[] = [];
  async function* history() {
    yield [moment(0, bids(5000), asks)];
    await untilBest("bids", "5.000");
    const terms = { side: "BUY", timeInForce: "GTC", price: "90000", quantity: "3" };
    const placed = await order(member, terms);
    // The level grows behind the member's order, and a seller takes 4 of the 5 before it.
    yield [moment(8_000, bids(7000), asks)];
    await untilBest("bids", "10.000");
    yield [sold(9_000, 4000), moment(9_050, bids(3000), asks)];
    await untilBest("bids", "6.000");
    fillsSoFar.push((await state(member, placed)).executedQty);
    // One is left before the member's three, so that two of them fill. For half a second history has two lots more than
    // recorded: those that the member's fill saved.
    yield [sold(12_000, 3000), moment(12_050, bids(2000), asks)];
    await untilBest("bids", "5.000");
    yield* momentsUntil(13_000, [bids(2000), asks], ["bids", "3.000"]);
    const now = await state(member, placed);
    fillsSoFar.push(now.executedQty, now.status);
    yield [moment(50_000, bids(2000), asks)];
    await member.call("DELETE", "/compat/fapi/v1/order", { symbol, orderId: placed.orderId });
  }
  const { memberFills, memberLots, refused } = await playHouse(history(), 500);
  assert.deepEqual(fillsSoFar, ["0.000", "2.000", "PARTIALLY_FILLED"]);
  assert.deepEqual(
    { memberFills, memberLots, refused },
    { memberFills: 1, memberLots: 2000, refused: 0 },
  );
});

for (const [impact, requoteMs, shown] of [
  ["absorb", 2_000, ["5.000", "9.000"]],
  ["persist", Number.POSITIVE_INFINITY, ["5.000", "5.000"]],
] as const)
  test(`REW-59 what a member takes from history's quotes: ${impact}`, async () => {
    const member = await venue.member();
    const bids: PastLevel[] = [[10 * low, 5000]];
    const at = (ms: number, qty = 9000) => [moment(ms, bids, [[10 * high, qty]])];
    const found: (string | null)[] = [];
    async function* history() {
      yield at(0);
      await untilBest("asks", "9.000");
      const terms = { side: "BUY", timeInForce: "IOC", price: "90001", quantity: "4" };
      await order(member, terms);
      // The trade is noticed with the answer to a call, and counts with the one after.
      for (const ms of [100, 200, 300, 400]) yield at(ms);
      found.push(await best("asks"));
      yield* momentsUntil(3_000, [bids, [[10 * high, 9000]]], ["asks", shown[1]]);
      found.push(await best("asks"));
      // A level that history gives up takes what members changed there with it.
      for (const ms of [40_000, 40_100]) yield [moment(ms, bids, [[10 * high + 100, 9000]])];
      yield* momentsUntil(41_000, [bids, [[10 * high, 9000]]], ["asks", "9.000"]);
    }
    const { memberLots } = await playHouse(history(), requoteMs);
    assert.deepEqual(found, [...shown]);
    assert.equal(memberLots, 4000);
  });

test("REW-61 history's quote that would trade with a member's order trades with it first, and then rests", async () => {
  const member = await venue.member();
  const found: string[] = [];
  async function* history() {
    yield [moment(0, [[10 * low, 5000]], [[10 * high, 9000]])];
    await untilBest("asks", "9.000");
    const terms = { side: "BUY", timeInForce: "GTC", price: "90000.5", quantity: "2" };
    const placed = await order(member, terms);
    const sides: [PastLevel[], PastLevel[]] = [[[10 * low - 1000, 5000]], [[10 * low, 8000]]];
    yield* momentsUntil(1_000, sides, ["asks", "8.000"]);
    const now = await state(member, placed);
    found.push(now.status, now.executedQty);
  }
  const { memberLots, refused } = await playHouse(history(), 500);
  assert.deepEqual(found, ["FILLED", "2.000"]);
  assert.deepEqual([memberLots, refused], [2000, 0]);
});

test("REW-60 an interrupted replay leaves a clean book and says from where to go on", async () => {
  const moments = Array.from({ length: 100 }, (_, at) =>
    moment(at * 1_000, [[low, 5000]], [[high, 9000]]),
  );
  const run = venue.begin(replay([...(await recording("ended", moments)), "--speed", "1x"]));
  await untilBest("bids", "5.000");
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

interface TimedTrade {
  readonly time: number;
}

/** Plays a recording in an empty venue whose market's time is a minute earlier, and then `look`s. */
async function playTimed(
  args: readonly string[],
  look: (
    outcome: Outcome,
    times: readonly number[],
    again: () => ReturnType<RewindVenue["run"]>,
  ) => Promise<void>,
): Promise<void> {
  const early = new Date(sampleStartUs / 1000 - 60_000).toISOString();
  const timed = await RewindVenue.start(["--rewind", "--market-time", early]);
  try {
    const path = join(timed.dataDir, "timed.csv");
    await writeFile(path, binanceAggTradesText(sampleMarket(3, 60), "usdm"));
    const terms = ["--json", "replay-market", "--market", symbol, "--source", path, ...args];
    const { code, printed, complained } = await timed.run(terms);
    assert.equal(code, 0, complained);
    const target = `/compat/fapi/v1/trades?symbol=${symbol}&limit=500`;
    const trades = await timed.get<readonly TimedTrade[]>(target);
    const times = trades.map(({ time }) => time);
    await look(JSON.parse(printed) as Outcome, times, () => timed.run(terms));
  } finally {
    await timed.close();
  }
}

const [begin, end] = [sampleStartUs / 1000, sampleStartUs / 1000 + 6_000];

test("REW-62 REW-63 at a speed, events come when they are due, and the market's time runs as fast", async () => {
  await playTimed(["--speed", "10x"], async ({ elapsed_ms, lag_p99_ms }, times, again) => {
    assert.ok(elapsed_ms >= 500 && lag_p99_ms !== null, `${elapsed_ms} ${lag_p99_ms}`);
    assert.ok(times.length > 0 && times.every((time) => time >= begin), times.join());
    const { code, complained } = await again();
    assert.equal(code, 1);
    assert.match(complained, /after the recording's .*: replay with --as-now, or start an empty/);
  });
});

test("REW-63 at full speed the market's time is set before the events of each second", async () => {
  await playTimed(["--speed", "max"], async ({ elapsed_ms }, times) => {
    assert.ok(times.length > 0, "there are trades");
    // From one setting to the next, the market's time runs as fast as that of the machine.
    assert.ok(
      times.every((time) => time >= begin && time <= end + elapsed_ms),
      times.join(),
    );
    assert.ok((times.at(-1) ?? 0) >= end - 2_000, times.join());
  });
});

interface ShownClock {
  readonly market: { readonly state: string; readonly time: string; readonly speed: number };
}

async function moveClock(...words: readonly string[]): Promise<void> {
  const { code, complained } = await venue.run(["--json", "clock", ...words]);
  assert.equal(code, 0, complained);
}

async function shownTime(): Promise<ShownClock["market"]> {
  const socket = controlSocketPath(venue.dataDir);
  return ((await requestAt(socket, "clock/show", {})) as ShownClock).market;
}

test("REW-110 a replay that is refused leaves the market's time paused, or at its speed, as it was", async () => {
  const text = binanceAggTradesText(sampleMarket(3, 5), "usdm");
  const early = await source("early.csv", text);
  const bad = await source("bad.csv", `${text}1,x,y\n`);
  const refused = async (file: string, complaint: RegExp) => {
    const terms = ["replay-market", "--market", symbol, "--source", file, "--speed", "10x"];
    const { code, complained } = await venue.run(terms);
    assert.equal(code, 1);
    assert.match(complained, complaint);
  };
  await moveClock("speed", "2");
  for (const [file, complaint] of [
    [early, /after the recording's/],
    [bad, /bad\.csv:/],
  ] as const) {
    await moveClock("pause");
    const before = await shownTime();
    await refused(file, complaint);
    assert.deepEqual(await shownTime(), before);
    await moveClock("resume");
    await refused(file, complaint);
    const { state, speed } = await shownTime();
    assert.deepEqual([state, speed], ["running", 2]);
  }
  const step = venue.begin(["--json", "clock", "step", "--by", "20d"]);
  await until("a step runs", async () => ((await shownTime()).state === "stepping" ? true : null));
  await refused(early, /a step of the market's time is running/);
  assert.equal((await shownTime()).state, "stepping", "the step goes on");
  await moveClock("pause");
  assert.equal(await step.ended, 0, step.complained);
  assert.match(step.printed, /"is_complete": false/);
  await moveClock("speed", "1");
  await moveClock("resume");
});

test("REW-111 in a paused market with an old index, the refusal says to let time pass, which helps", async () => {
  const files = await recording("still", sampleMarket(5, 5));
  const play = () => venue.run(replay([...files, "--speed", "max"]));
  await moveClock("pause");
  // The reference price of the last replay ends after an hour.
  await moveClock("step", "--by", "2h");
  const { code, printed } = await play();
  assert.equal(code, 1, printed);
  const { last_refusal: refusal } = JSON.parse(printed) as Outcome;
  assert.match(String(refusal), /marketReduceOnly: .*rialto clock step --by 2s/);
  await moveClock("step", "--by", "2s");
  const again = await play();
  assert.equal(again.code, 0, again.complained + again.printed);
  await moveClock("resume");
});

test("REW-112 while a replay plays in a market, another one is refused there, and the first goes on", async () => {
  const moments = Array.from({ length: 600 }, (_, at) =>
    moment(at * 1_000, [[low, 5000]], [[high, 9000]]),
  );
  const files = await recording("twice", moments);
  const first = venue.begin(replay([...files, "--speed", "1x"]));
  await untilBest("bids", "5.000");
  const { code, complained } = await venue.run(replay([...files, "--speed", "max"]));
  assert.equal(code, 1);
  assert.match(complained, /market: process \d+ plays in BTC-PERP already: end it first/);
  assert.equal(await best("bids"), "5.000");
  first.signal("SIGKILL");
  await first.ended;
  const outcome = await outcomeOf([...files, "--speed", "max"]);
  assert.equal(outcome.trades, 0, "a replay that was killed stands in nobody's way");
});

test("REW-54 a folder is no source, and the refusal names it", async () => {
  const { code, complained } = await venue.run(replay(["--source", venue.dataDir]));
  assert.equal(code, 1);
  assert.match(complained, new RegExp(`${venue.dataDir}: EISDIR`));
});

test("REW-113 days that no month has are a usage error of --from, and so is a time after --to", async () => {
  const { code, complained } = await venue.run(replay(["--source", "x", "--from", "2026-02-30"]));
  assert.equal(code, 2);
  assert.match(complained, /--from.*expected a time in UTC/s);
  const window = ["--from", "2026-02-02", "--to", "2026-02-01"];
  const backwards = await venue.run(replay(["--source", "x", ...window]));
  assert.equal(backwards.code, 2);
  assert.match(backwards.complained, /--from is after --to/);
});

test("REW-114 REW-17 calls of clock refuse unknown fields and shapes, in words that name them", async () => {
  const call = (name: string, parameters: object) =>
    requestAt(controlSocketPath(venue.dataDir), name, parameters);
  for (const name of ["show", "accept", "pause", "resume", "speed", "step", "jump", "set"])
    await assert.rejects(call(`clock/${name}`, { now: 1 }), /Unrecognized key: "now"/);
  await assert.rejects(call("clock/step", []), ({ message }: Error) =>
    message.startsWith("Invalid input: expected object"),
  );
  const { code, complained } = await venue.run(["clock", "speed", "abc"]);
  assert.equal(code, 2);
  assert.match(complained, /factor: expected 0\.1 to 1000, not abc/);
});
