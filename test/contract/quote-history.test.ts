// Proves that what mass quotes did to an order is found in SQL: amendments, the events of an account's orders, and the
// entries of a proof. One index entry finds all sides that a mass quote amended, so makers, markets and other changes of
// the same orders are mixed here.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresHistory } from "../../src/adapters/postgres/queries/history/history.ts";
import { PostgresOrderEvents } from "../../src/adapters/postgres/queries/history/order-events.ts";
import { PostgresEpochs } from "../../src/adapters/postgres/queries/journal/epochs.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind, type QuoteAmended, type VenueEvent } from "../../src/core/generated/events.ts";
import { quoteClientId, Side } from "../../src/core/orders.ts";
import { isAmendment } from "../../src/engine/state/apply/order-posting.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { journalEvents } from "../support/journal/journal-events.ts";
import { quoteCommand, type SideTerms } from "../support/machine/quote-command.ts";
import { marketId, testMarkets } from "../support/machine/test-markets.ts";
import { TestVenue } from "../support/machine/test-venue.ts";
import { FakeHistory } from "../surface/fake-history.ts";
import { FakeOrderEvents } from "../surface/fake-order-events.ts";

const { btcPerp, ccUsdc } = marketId;
const middles = new Map<number, number>([
  [btcPerp, 10_000],
  [ccUsdc, 2_000],
]);
const pairs = 4;
/** Ids that clients may choose although they begin and end like those of quotes. */
const freeIds = [
  "quote-CCUSDC-33-BUY",
  "quote-CCUSDC-99-SELL",
  "quote-ccusdc-01-BUY",
  "quote-X-20-SELL",
];

let database: TestDatabase;
let sql: Sql;
let events: readonly VenueEvent[];
let quoted: readonly QuoteAmended[];

/** A pair somewhere around the middle; sides are left out, moved or removed. */
function pairOf(random: SeededRandom, middle: number): readonly [SideTerms, SideTerms] {
  const side = (way: number): SideTerms => {
    const draw = random.below(12);
    if (draw === 0) return null;
    return draw < 4 ? undefined : [middle + way * (20 + random.below(30)), 5 + random.below(3)];
  };
  return [side(-1), side(1)];
}

/**
 * Makers move their quotes in two markets; some quotes are also filled, or amended and cancelled as orders. They also amend
 * orders of their own, whose ids are almost those of quotes.
 */
function makersDay(): readonly VenueEvent[] {
  const venue = new TestVenue();
  const random = new SeededRandom(93);
  const makers = [venue.fund(10n ** 13n), venue.fund(10n ** 13n)];
  const taker = venue.fund(10n ** 13n);
  for (let turn = 0; turn < 400; turn++) {
    const account = makers[random.below(2)] ?? 0;
    const market = random.below(2) === 0 ? btcPerp : ccUsdc;
    const middle = middles.get(market) ?? 0;
    const { alias } = testMarkets.market(market);
    const clientId = quoteClientId(alias, 1 + random.below(pairs), Side.buy);
    const draw = random.below(20);
    if (draw === 0) venue.cancel(account, market, 0, clientId);
    else if (draw === 1) venue.send(amendOf(venue, account, market, clientId));
    else if (draw === 4) amendOwn(venue, random, account, market);
    else if (draw < 4 && market === btcPerp) venue.sell(taker, market, middle - 50, 2);
    else {
      const wanted = Array.from({ length: pairs }, () => pairOf(random, middle));
      venue.send(quoteCommand(account, wanted, market));
    }
  }
  return venue.events;
}

/** Amends an order of the maker's own, and places it before unless it is open. */
function amendOwn(venue: TestVenue, random: SeededRandom, account: number, market: number): void {
  const clientId = freeIds[random.below(freeIds.length)] ?? "";
  const price = (middles.get(market) ?? 0) - 100;
  venue.place({ account, market, side: Side.buy, price, qty: 5, clientId });
  venue.send(amendOf(venue, account, market, clientId));
}

/** An amend of a quote as an ordinary order; refused if the quote is not open. */
function amendOf({ state: { orders } }: TestVenue, account: number, market: number, id: string) {
  const slot = orders
    .openSlots()
    .find((one) => orders.account[one] === account && orders.clientId(one) === id);
  const [price, qty] = slot === undefined ? [1, 1] : [orders.price[slot], orders.qty[slot]];
  const terms = { price: (price ?? 0) - 1, qty: qty ?? 0, clientId: id };
  return { kind: CommandKind.amendOrder, account, market, orderId: 0, ...terms } as const;
}

before(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "queries");
  events = makersDay();
  quoted = events.filter((event): event is QuoteAmended => event.kind === EventKind.quoteAmended);
  const connection = database.options;
  await journalEvents({ connection, events, batchPercent: 20, restarts: 1, seed: 3 });
});

after(async () => {
  await sql.end();
  await database.drop();
});

test("HST-9 amendments by mass quotes are found among all others of an order", async () => {
  const history = new PostgresHistory(sql);
  const fake = new FakeHistory(testMarkets);
  for (const event of events) fake.fold(event);
  const amends = events.filter(isAmendment);
  assert(amends.length > quoted.length + 3 && quoted.length > 500, "both kinds must occur");
  const random = new SeededRandom(5);
  const any = { startUs: null, endUs: null, fromSeq: null };
  for (const orderId of new Set(amends.map((amend) => amend.orderId))) {
    const own = amends.filter((amend) => amend.orderId === orderId);
    const accepted = events.find((event) => "clientId" in event && event.orderId === orderId);
    const { account = 0, tsUs: acceptedUs = 0 } = accepted ?? {};
    const all = { account, orderId, acceptedUs, ...any, limit: 500 };
    const numbers = (await history.amendments(all)).map(({ seq, count }) => [seq, count]);
    assert.deepEqual(
      numbers,
      own.map(({ seq }, at) => [seq, at + 1]),
    );
    const drawn = own[random.below(own.length)];
    for (const query of [
      all,
      { ...all, limit: 2 },
      { ...all, fromSeq: drawn?.seq ?? 0, limit: 2 },
      { ...all, startUs: drawn?.tsUs ?? 0, limit: 3 },
      { ...all, endUs: drawn?.tsUs ?? 0, limit: 3 },
      { ...all, account: account + 1 },
    ])
      assert.deepEqual(await history.amendments(query), await fake.amendments(query));
  }
});

test("FIX-28 what mass quotes did before a range is found in the journal", async () => {
  const stored = new PostgresOrderEvents(sql);
  const fake = new FakeOrderEvents();
  for (const event of events) fake.fold(event);
  const untilSeq = events.length;
  for (const account of new Set(quoted.map((event) => event.account))) {
    const own = quoted.filter((event) => event.account === account);
    for (const afterSeq of [Math.floor(untilSeq / 3), untilSeq]) {
      const before = own.filter(({ seq }) => seq <= afterSeq);
      const olderIds = [...new Set(before.map(({ orderId }) => orderId))];
      const query = { account, orderIds: olderIds, olderIds, afterSeq, untilSeq };
      const expected = await fake.orderOrigins(query);
      assert(expected.some(({ kind }) => kind === EventKind.quoteAmended));
      assert.deepEqual(await stored.orderOrigins(query), expected);
    }
    const range = { account, afterSeq: 0, untilSeq, limit: 10_000 };
    const found = (await stored.orderEvents(range)) ?? [];
    const amended = found.filter(
      (event) => event.kind === EventKind.quoteAmended && event.account === account,
    );
    assert.equal(amended.length, own.length);
  }
});

test("CHN-2 the entries of a quote's order are its acceptance, its amendments and its close, newest first", async () => {
  const hash = "\\x00";
  await sql`insert into epochs (epoch, start_ms, end_ms, first_seq, last_seq, first_trade, journal_count,
      fill_count, merkle_root, prev_root, root)
    values (1, 0, 1, 1, ${events.length}, 1, ${events.length}, 0, ${hash}::bytea, ${hash}::bytea, ${hash}::bytea)`;
  const epochs = new PostgresEpochs(sql);
  const amended = events.filter(isAmendment).map((event) => event.orderId);
  for (const orderId of new Set(amended)) {
    const isAbout = (event: VenueEvent) =>
      "orderId" in event && event.orderId === orderId && event.kind !== EventKind.orderBound;
    const expected = events
      .filter(isAbout)
      .map(({ seq }) => seq)
      .reverse();
    const seqs = async (limit: number) =>
      (await epochs.entriesOfOrder(orderId, limit)).map(({ seq }) => seq);
    assert.deepEqual(await seqs(1_000), expected);
    assert.deepEqual(await seqs(3), expected.slice(0, 3));
  }
  // A session keeps the plan of each text, so a text for each order would fill its memory.
  const [kept] = await sql<{ texts: string }[]>`
    select count(*) as texts from pg_prepared_statements where statement like '%named as (%' and statement not like '%pg_prepared_statements%'`;
  assert(Number(kept?.texts) <= 1, "all orders must have one statement");
});
