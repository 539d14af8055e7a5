// A crowd that bought with leverage is liquidated by the venue as a made market falls. Its liquidation orders trade in the
// book, the price falls further than by the script alone, a member's stop triggers on the way, and the books balance.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { present } from "../../src/core/assert.ts";
import { LiquidationStage } from "../../src/core/liquidation.ts";
import { crowdOf } from "../../src/tools/synthetic/crowd.ts";
import { madeMarket } from "../../src/tools/synthetic/made-market.ts";
import { readScript, scriptWith } from "../../src/tools/synthetic/ready-scripts.ts";
import { conservationFaults } from "../crash/audit.ts";
import { JournalFacts } from "../crash/journal-facts.ts";
import { journalOf, playScript } from "../support/replay/stepped-market.ts";
import { RewindVenue } from "../support/venue/rewind-venue.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

const symbol = "BTCUSDT";
const price = 60_000;
const settings = {
  ...{ rise_percent: 1, rise_s: 10, fall_percent: 6, fall_s: 16, calm_s: 6, recover_s: 2 },
  ...{ crowd: 14, entries_per_minute: 120, push_bps: 40 },
};
const played = { script: "liquidation-cascade", settings, symbol, seconds: 34, price };
const closing: { close(): Promise<void> }[] = [];

after(async () => {
  for (const one of closing) await one.close();
});

/** The lowest price in ticks at which the script's agents trade if nobody is liquidated. */
function lowestAlone(market: { tickDecimals: number; lotDecimals: number }, seed: number): number {
  const script = scriptWith(readScript(played.script), settings);
  const leastValue = 5 * 10 ** (market.tickDecimals + market.lotDecimals);
  const crowd = crowdOf(script, seed);
  const terms = { script, seed, crowd, seconds: played.seconds, levels: 20, fromUs: 0 };
  const firstTicks = price * 10 ** market.tickDecimals;
  const made = { ...terms, firstTicks, market: { ...market, leastValue }, takeForced: () => 0 };
  const trades = [...madeMarket(made)].flat().filter(({ kind }) => kind === "trade");
  return Math.min(...trades.map((event) => (event.kind === "trade" ? event.price : 0)));
}

interface Cascade {
  readonly journal: readonly string[];
  readonly stopId: number;
  /** Where the stop triggers, in ticks: below all that the script does alone. */
  readonly stopTicks: number;
  readonly liquidated: number;
}

async function cascade(venue: VenueFixture, trader: Trader, seed: number): Promise<Cascade> {
  const market = present(venue.venue.table.find(symbol), "the market must be there");
  await venue.operator.risk.setReference("BTC-PERP", String(price), 3600);
  const stopTicks = lowestAlone(market, seed) - 10;
  const stopPrice = (stopTicks / 10 ** market.tickDecimals).toFixed(market.tickDecimals);
  const stop = { symbol, side: "SELL", type: "STOP_MARKET", quantity: "0.01", stopPrice };
  const { status, json } = await venue.signed(trader, "POST", "/fapi/v1/order", stop);
  assert.equal(status, 200, JSON.stringify(json));
  const outcome = await playScript(venue, { ...played, seed });
  assert.deepEqual([outcome.refused, outcome.lastRefusal], [0, null]);
  await venue.venue.close();
  const { orderId: stopId } = json as { readonly orderId: number };
  return { journal: await journalOf(venue), stopId, stopTicks, liquidated: outcome.liquidated };
}

test("REW-75 REW-76 REW-77 REW-78 a crowd is liquidated, the price falls beyond the script's, a stop triggers, and the books balance", async () => {
  const rewind = { isRewind: true, isStepped: true };
  const prepared = await VenueFixture.open(
    { DEV_TOOLS: "1", FRONT_THREADS: "1" },
    { ...rewind, marketTime: "2026-01-31T07:55:00Z" },
  );
  closing.push(prepared);
  const trader = await prepared.trader();
  await prepared.venue.close();
  const cascades: Cascade[] = [];
  const facts = new JournalFacts();
  for (const seed of [5, 5]) {
    const venue = await prepared.copy(rewind);
    closing.push(venue);
    cascades.push(await cascade(venue, trader, seed));
    if (cascades.length === 1) await facts.readOn(venue.database.options);
  }
  const [first, second] = cascades;
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual(second.journal, first.journal);

  assert.ok(first.liquidated >= 4, `${first.liquidated} accounts were liquidated`);
  const lowest = Math.min(...[...facts.trades.values()].map((trade) => trade.price));
  assert.ok(lowest < first.stopTicks, `${lowest} ticks, alone more than ${first.stopTicks}`);
  const sold = facts.orders.get(first.stopId);
  assert.equal(sold?.filledQty, sold?.qty, "the member's stop has sold");
  assert.deepEqual([...facts.faults, ...conservationFaults(facts.state)], []);
  for (const { stage } of facts.state.liquidations.all())
    assert.ok(stage <= LiquidationStage.reducing, "nobody waits for a takeover");
});

test("REW-75 REW-79 the summary has what was liquidated, and a crowd is refused where there is no leverage", async () => {
  const venue = await RewindVenue.start();
  closing.push(venue);
  const set = Object.entries(settings).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
  const made = (market: string) =>
    venue.run([
      ...["--json", "synthetic-market", "--script", played.script, "--market", market],
      ...["--speed", "max", "--seed", "5", "--for", "34s", ...set],
    ]);
  const spot = await made("CBTC-USDC");
  assert.equal(spot.code, 1);
  assert.match(spot.complained, /market: a crowd with leverage needs a perpetual, not CBTC-USDC/);
  const { code, printed, complained } = await made(symbol);
  assert.equal(code, 0, complained + printed);
  const { liquidated, liquidated_quantity, member_fills } = JSON.parse(printed) as Record<
    string,
    unknown
  >;
  assert.ok(Number(liquidated) >= 4 && Number(liquidated_quantity) > 0, printed);
  assert.equal(member_fills, 0);
});
