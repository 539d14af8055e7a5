// Proves that a venue started with --step gives the same journal for the same script on the same data: ids, times and
// bytes depend on the order of the commands only.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

const settings = { DEV_TOOLS: "1", FRONT_THREADS: "1" };
const rewind = { isRewind: true, isStepped: true };
const opened: VenueFixture[] = [];

after(async () => {
  for (const one of opened) await one.close();
});

/** A script with a position, stops that trigger each other, orders sent at once, funding, and an expiry. */
async function play(venue: VenueFixture, traders: readonly Trader[]): Promise<void> {
  const [one, other] = traders as [Trader, Trader];
  const order = { symbol: "BTCUSDT", type: "LIMIT", timeInForce: "GTC", quantity: "0.010" };
  const place = async (trader: Trader, terms: Record<string, string>) => {
    const path = "/fapi/v1/order";
    const answer = await venue.signed(trader, "POST", path, { ...order, ...terms });
    assert.equal(answer.status, 200, JSON.stringify(answer.json));
  };
  await venue.operator.risk.setReference("BTC-PERP", "60000", 3600);
  for (const price of ["60000", "60010", "60020"]) await place(other, { side: "SELL", price });
  await place(one, { side: "BUY", price: "60010", quantity: "0.015" });
  for (const price of ["59990", "59980", "59970", "59960"])
    await place(one, { side: "BUY", price });
  const stop = { type: "STOP_MARKET", workingType: "CONTRACT_PRICE", quantity: "0.010" };
  const at = (side: string, stopPrice: string) => ({ symbol: "BTCUSDT", ...stop, side, stopPrice });
  for (const terms of [at("SELL", "59985"), at("SELL", "59975"), at("BUY", "60015")]) {
    const answer = await venue.signed(one, "POST", "/fapi/v1/order", terms);
    assert.equal(answer.status, 200, JSON.stringify(answer.json));
  }
  await venue.venue.marketControl.step({ byMs: 90_000 });
  await place(other, { side: "SELL", price: "59980", quantity: "0.012" });
  await venue.venue.marketControl.jump("funding");
  await place(one, { side: "BUY", price: "60020", quantity: "0.030" });
  await venue.venue.marketControl.step({ events: 5 });
}

async function journalOf(venue: VenueFixture): Promise<string[]> {
  const sql = openPostgres(venue.database.options, "queries");
  const rows = await sql<{ seq: string; body: Uint8Array }[]>`
    select seq::text, body from journal order by journal.seq`;
  await sql.end({ timeout: 1 });
  return rows.map(({ seq, body }) => `${seq} ${Buffer.from(body).toString("hex")}`);
}

test("REW-18 the same script on the same data gives the same journal, byte by byte", async () => {
  const prepared = await VenueFixture.open(settings, {
    ...rewind,
    marketTime: "2026-01-31T07:55:00Z",
  });
  opened.push(prepared);
  const traders = [await prepared.trader(), await prepared.trader()];
  const preparedSeq = prepared.venue.committedSeq;
  await prepared.venue.close();
  const journals: string[][] = [];
  for (let run = 0; run < 2; run++) {
    const venue = await prepared.copy(rewind);
    opened.push(venue);
    await play(venue, traders);
    await venue.venue.close();
    journals.push(await journalOf(venue));
  }
  const [first = [], second = []] = journals;
  assert.ok(first.length > preparedSeq + 40, `${first.length - preparedSeq} new events`);
  assert.deepEqual(second, first);
});

test("REW-18 commands that arrive together are executed one at a time, in the order of their ids", async () => {
  const [prepared] = opened;
  assert.ok(prepared !== undefined);
  const venue = await prepared.copy(rewind);
  opened.push(venue);
  const trader = await venue.trader();
  const order = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const terms = { ...order, quantity: "0.010", price: "50000" };
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => venue.signed(trader, "POST", "/fapi/v1/order", terms)),
  );
  const times = answers
    .sort((a, b) => a.json.orderId - b.json.orderId)
    .map(({ status, json }) => {
      assert.equal(status, 200, JSON.stringify(json));
      return json.updateTime as number;
    });
  assert.deepEqual(
    times,
    [...times].sort((a, b) => a - b),
  );
});
