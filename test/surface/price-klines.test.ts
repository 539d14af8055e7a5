// Proves klines of the mark and of the index on compat: candles of the journaled prices, flat while a price did not
// change.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AccountType } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind, type Marked } from "../../src/core/generated/events.ts";
import { marketId } from "../support/machine/test-markets.ts";
import { FrontFixture } from "./front-fixture.ts";

const minuteMs = 60_000;
let front: FrontFixture;
let marks: Marked[];

/** The house quotes a spot market deeply and moves it, which moves the index and the mark of its perpetual. */
before(async () => {
  front = await FrontFixture.open();
  const { venue } = front;
  const maker = venue.fund(10n ** 15n, AccountType.house);
  venue.credit(maker, 1, 2, 10n ** 12n);
  for (let step = 0; step < 60; step++) {
    const middle = 6_000_000 + ((step * 7919) % 500) * 10;
    const bid = venue.buy(maker, marketId.cbtcUsdc, middle - 10, 5000);
    const ask = venue.sell(maker, marketId.cbtcUsdc, middle + 10, 5000);
    front.advance(step % 10 === 9 ? 7 * minuteMs : 11_000);
    venue.machine.handle(venue.command({ kind: CommandKind.tick }));
    venue.cancel(maker, marketId.cbtcUsdc, bid);
    venue.cancel(maker, marketId.cbtcUsdc, ask);
  }
  marks = venue.events.filter(
    (event): event is Marked =>
      event.kind === EventKind.marked && event.market === marketId.btcPerp && event.index > 0,
  );
  assert(marks.length > 40);
});
after(() => front.close());

async function read(path: string) {
  front.advance(1);
  const answer = await front.fetch(path);
  return { ...answer, rows: answer.json as (string | number)[][] };
}

/** Returns the expected candles of a price up to now, flat where no price was journaled. */
function expected(widthMs: number, priceOf: (event: Marked) => number): string[][] {
  const text = (ticks: number) => (ticks / 100).toFixed(2);
  const at = ({ tsUs }: Marked) => Math.floor(tsUs / 1000 / widthMs) * widthMs;
  const rows: string[][] = [];
  let close = 0;
  const nowMs = front.nowUs() / 1000;
  for (let openMs = at(marks[0] as Marked); openMs <= nowMs; openMs += widthMs) {
    const prices = marks.filter((event) => at(event) === openMs).map(priceOf);
    const known = prices.length > 0 ? prices : [close];
    close = known.at(-1) ?? 0;
    const bounds = [known[0] ?? 0, Math.max(...known), Math.min(...known), close];
    rows.push([String(openMs), ...bounds.map(text)]);
  }
  return rows;
}

test("KLN-10 klines of mark and index show the journaled prices, flat between changes and without volumes", async () => {
  for (const [name, parameter, priceOf] of [
    ["markPriceKlines", "symbol", ({ mark }: Marked) => mark],
    ["indexPriceKlines", "pair", ({ index }: Marked) => index],
  ] as const) {
    for (const [interval, widthMs] of [
      ["1m", minuteMs],
      ["5m", 5 * minuteMs],
      ["1h", 60 * minuteMs],
    ] as const) {
      const { status, rows, text } = await read(
        `/compat/fapi/v1/${name}?${parameter}=BTCUSDT&interval=${interval}&startTime=0&limit=1500`,
      );
      assert.equal(status, 200, text);
      assert.deepEqual(
        rows.map((row) => row.slice(0, 5).map(String)),
        expected(widthMs, priceOf),
        `${name} ${interval}`,
      );
      assert(
        rows.every((row) => row.length === 12 && Number(row[5]) === 0 && Number(row[7]) === 0),
      );
    }
  }
});

test("KLN-10 klines of mark and index need an interval of at least a minute, a perpetual, and the compat view", async () => {
  const path = "fapi/v1/markPriceKlines";
  assert.equal((await read(`/${path}?symbol=BTCUSDT&interval=1m`)).status, 404);
  for (const interval of ["1s", "2m", "x"]) {
    const { status, json } = await read(`/compat/${path}?symbol=BTCUSDT&interval=${interval}`);
    assert.deepEqual([status, json.code], [400, -1120], interval);
  }
  const spot = await read(`/compat/${path}?symbol=CC-USDC&interval=1m`);
  assert.deepEqual([spot.status, spot.json.code], [400, -1100]);
  assert.equal((await read(`/compat/${path}?interval=1m`)).status, 400);
  const none = await read(`/compat/${path}?symbol=CCUSDT&interval=1m`);
  assert.deepEqual([none.status, none.rows], [200, []]);
});
