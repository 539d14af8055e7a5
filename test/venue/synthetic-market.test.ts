// A made market is played in the real book: a member's order waits in it and is hit when the price falls, the house leaves
// nothing behind, and in the step mode of time the same script and seed give the same journal.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { journalOf, playScript } from "../support/replay/stepped-market.ts";
import { runCli } from "../support/venue/cli-process.ts";
import { RewindVenue } from "../support/venue/rewind-venue.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

const symbol = "BTCUSDT";
const closing: { close(): Promise<void> }[] = [];

after(async () => {
  for (const one of closing) await one.close();
});

interface Order {
  readonly orderId: number;
  readonly executedQty: string;
  readonly avgPrice: string;
  readonly status: string;
}

test("REW-70 REW-60 a member's resting bid is filled in a flash crash, and the end leaves no quotes", async () => {
  const venue = await RewindVenue.start();
  closing.push(venue);
  const made = (script: string, ...args: readonly string[]) =>
    venue.run([
      ...["--json", "synthetic-market", "--script", script, "--market", symbol],
      ...["--speed", "max", "--seed", "7", ...args],
    ]);
  // The index is the made market's, so the member's orders are within its bounds.
  const calm = await made("calm", "--for", "2s");
  assert.equal(calm.code, 0, calm.complained);
  const member = await venue.member();
  const bid = (price: string) =>
    member.call<Order>("POST", "/compat/fapi/v1/order", {
      ...{ symbol, side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: "1", price },
    });
  const orders = [await bid("57000"), await bid("50000")];
  const crash = await made("flash-crash", "--for", "85s", "--set", "fall_s=10");
  assert.equal(crash.code, 0, crash.complained + crash.printed);
  const states = await Promise.all(
    orders.map(({ orderId }) =>
      member.call<Order>("GET", "/compat/fapi/v1/order", { symbol, orderId }),
    ),
  );
  const filled = states.map(({ status, executedQty }) => [status, executedQty]);
  assert.deepEqual(filled, [
    ["FILLED", "1.000"],
    ["NEW", "0.000"],
  ]);
  const summary = JSON.parse(crash.printed) as Record<string, unknown>;
  const { refused, member_quantity, script, seed } = summary;
  assert.deepEqual(
    { refused, member_quantity, script, seed },
    { refused: 0, member_quantity: "1.000", script: "flash-crash", seed: 7 },
    crash.printed,
  );
  const depth = await venue.get<{ bids: unknown; asks: unknown }>(
    `/compat/fapi/v1/depth?symbol=${symbol}&limit=50`,
  );
  assert.deepEqual([depth.bids, depth.asks], [[["50000.00", "1.000"]], []]);
});

const rewind = { isRewind: true, isStepped: true };

/** Plays the begin of a crash in which a member's bid is filled; returns the journal. */
async function playedJournal(venue: VenueFixture, trader: Trader, seed: number): Promise<string[]> {
  const { operator } = venue;
  await operator.risk.setReference("BTC-PERP", "60000", 3600);
  const bid = { side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: "0.5", price: "58000" };
  const { status, json } = await venue.signed(trader, "POST", "/fapi/v1/order", { symbol, ...bid });
  assert.equal(status, 200, JSON.stringify(json));
  const { memberLots, refused, lastRefusal } = await playScript(venue, {
    ...{ script: "flash-crash", settings: { fall_s: 5 }, symbol },
    ...{ seed, seconds: 65, price: 60_000 },
  });
  assert.deepEqual([memberLots, refused, lastRefusal], [500, 0, null]);
  assert.equal(venue.venue.marketControl.show().state, "paused");
  await venue.venue.close();
  return journalOf(venue);
}

test("REW-74 the same script and seed on the same data give the same journal, byte by byte", async () => {
  const settings = { DEV_TOOLS: "1", FRONT_THREADS: "1" };
  const marketTime = "2026-01-31T07:55:00Z";
  const prepared = await VenueFixture.open(settings, { ...rewind, marketTime });
  closing.push(prepared);
  const trader = await prepared.trader();
  const preparedSeq = prepared.venue.committedSeq;
  await prepared.venue.close();
  const journals: string[][] = [];
  for (const seed of [5, 5, 6]) {
    const venue = await prepared.copy(rewind);
    closing.push(venue);
    journals.push(await playedJournal(venue, trader, seed));
  }
  const [first = [], second = [], other = []] = journals;
  assert.ok(first.length > preparedSeq + 400, `${first.length - preparedSeq} new events`);
  assert.deepEqual(second, first);
  assert.notDeepEqual(other, first);
});

test("REW-71 a wrong script, parameter or duration is a usage error that names it, and --list needs no venue", async () => {
  const run = (...args: readonly string[]) =>
    runCli(["--json", "synthetic-market", ...args], { DATA_DIR: "/nonexistent" });
  const market = ["--market", symbol];
  for (const [args, named] of [
    [["--script", "calmer", ...market], /no script calmer: expected a file, or one of calm/],
    [["--script", "calm", ...market, "--set", "fall=3"], /no parameter fall: expected size/],
    [["--script", "calm", ...market, "--set", "fall"], /--set.*expected parameter=number/],
    [["--script", "calm", ...market, "--for", "250ms"], /--for.*in whole seconds/],
    [["--script", "calm"], /expected --script and --market, or --list/],
  ] as const) {
    const { code, printed } = await run(...args);
    assert.equal(code, 2, printed);
    assert.match(printed, named);
  }
  const { code, printed } = await run("--list");
  assert.equal(code, 0);
  const rows = JSON.parse(printed) as readonly { readonly script: string }[];
  assert.ok(rows.some(({ script }) => script === "flash-crash"));
});
