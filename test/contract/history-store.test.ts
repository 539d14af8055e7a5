// Proves the history port, with one suite over PostgreSQL and over the fake that the surface tests use. Both get the
// same trading. Each rule of the port is checked on both, and they must agree in every field on random queries.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresHistory } from "../../src/adapters/postgres/queries/history/history.ts";
import { EventKind, type Traded, type VenueEvent } from "../../src/core/generated/events.ts";
import { isAmendment } from "../../src/engine/state/apply/order-posting.ts";
import {
  type FillQuery,
  type HistoryStore,
  type IncomeQuery,
  IncomeType,
  type OrderQuery,
  type TradeQuery,
} from "../../src/ports/journal/history-store.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { journalEvents } from "../support/journal/journal-events.ts";
import { randomEvents } from "../support/journal/journal-tables.ts";
import { marketId, testMarkets } from "../support/machine/test-markets.ts";
import { FakeHistory } from "../surface/fake-history.ts";

const markets = [marketId.ccUsdc, marketId.btcPerp];
const anyTime = { startUs: null, endUs: null };
const allTypes = Object.values(IncomeType);

let database: TestDatabase;
let sql: Sql;
let events: readonly VenueEvent[];
let trades: readonly Traded[];
let accounts: readonly number[];
let twins: ReadonlyMap<string, HistoryStore>;

before(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "queries");
  const changes = { amendPercent: 15, decrementPercent: 50 };
  const mix = { transferPercent: 3, fundingPercent: 2, stopPercent: 10, ...changes };
  events = randomEvents({ seed: 12, commands: 3_000, gapUsMax: 2_000_000, ...mix });
  trades = events.filter((event): event is Traded => event.kind === EventKind.traded);
  accounts = [...new Set(events.map(({ account }) => account).filter((account) => account > 1000))];
  const connection = database.options;
  await journalEvents({ connection, events, batchPercent: 5, restarts: 1, seed: 3 });
  const fake = new FakeHistory(testMarkets);
  for (const event of events) fake.fold(event);
  twins = new Map<string, HistoryStore>([
    ["PostgreSQL", new PostgresHistory(sql)],
    ["the fake", fake],
  ]);
});

after(async () => {
  await sql.end();
  await database.drop();
});

/** Runs `check` on PostgreSQL and on the fake; the error names the one that failed. */
async function onBoth(check: (history: HistoryStore) => Promise<void>): Promise<void> {
  for (const [name, history] of twins) {
    await check(history).catch((cause: unknown) => {
      throw new Error(name, { cause });
    });
  }
}

function tradesIn(market: number): Traded[] {
  return trades.filter((trade) => trade.market === market);
}

function busiestMaker(): Traded {
  const count = (id: number) => trades.filter(({ makerOrderId }) => makerOrderId === id).length;
  return trades.reduce((most, trade) =>
    count(trade.makerOrderId) > count(most.makerOrderId) ? trade : most,
  );
}

test("HST-1 without a start a query returns the newest rows, with a start the oldest, in ascending order either way", () =>
  onBoth(async (history) => {
    const ids = tradesIn(marketId.ccUsdc).map(({ tradeId }) => tradeId);
    const base = { market: marketId.ccUsdc, ...anyTime, fromTradeId: null, beforeTradeId: null };
    const idsOf = async (query: TradeQuery) =>
      (await history.trades(query)).map(({ tradeId }) => tradeId);
    assert.deepEqual(await idsOf({ ...base, limit: 5 }), ids.slice(-5));
    const from = ids[10] ?? 0;
    assert.deepEqual(await idsOf({ ...base, fromTradeId: from, limit: 5 }), ids.slice(10, 15));
    assert.deepEqual(await idsOf({ ...base, beforeTradeId: from, limit: 5 }), ids.slice(5, 10));
    assert.deepEqual(await idsOf({ ...base, fromTradeId: Number.MAX_SAFE_INTEGER, limit: 5 }), []);
    assert.deepEqual(await idsOf({ ...base, market: marketId.cusdUsdc, limit: 5 }), []);
    const tape = await history.tape(marketId.ccUsdc, 7);
    assert.deepEqual(tape, await history.trades({ ...base, limit: 7 }));
  }));

test("HST-2 a query's start is inclusive and its end exclusive, to the microsecond", () =>
  onBoth(async (history) => {
    const [first, second, third] = tradesIn(marketId.btcPerp).slice(20);
    assert(first !== undefined && second !== undefined && third !== undefined);
    const base = { market: marketId.btcPerp, fromTradeId: null, beforeTradeId: null, limit: 9 };
    const between = async (startUs: number | null, endUs: number | null) =>
      (await history.trades({ ...base, startUs, endUs })).map(({ tradeId }) => tradeId);
    assert.deepEqual(await between(first.tsUs, third.tsUs), [first.tradeId, second.tradeId]);
    assert.deepEqual(await between(first.tsUs + 1, third.tsUs + 1), [
      second.tradeId,
      third.tradeId,
    ]);
    assert.equal((await between(null, second.tsUs)).at(-1), first.tradeId);
    assert.deepEqual(await between((trades.at(-1)?.tsUs ?? 0) + 1, null), []);
    assert.deepEqual(await between(null, trades[0]?.tsUs ?? 0), []);
  }));

test("an order's fills are complete and contain no fills of other orders", () =>
  onBoth(async (history) => {
    const { makerOrderId, makerAccount, market, account } = busiestMaker();
    const expected = trades.filter((trade) => trade.makerOrderId === makerOrderId);
    assert(expected.length > 1);
    const query = { market, orderId: makerOrderId, fromTradeId: null, ...anyTime, limit: 500 };
    const fills = await history.fillsOfAccount({ ...query, account: makerAccount });
    const own = fills.filter(({ isMaker }) => isMaker);
    assert.deepEqual(
      own.map(({ tradeId, counterparty }) => [tradeId, counterparty]),
      expected.map(({ tradeId, account: taker }) => [tradeId, taker]),
    );
    assert.deepEqual(await history.fillsOfAccount({ ...query, account }), []);
    const unknown = { ...query, account: makerAccount, orderId: 9_999_999 };
    assert.deepEqual(await history.fillsOfAccount(unknown), []);
  }));

test("a query for conditional orders finds them in every state, and finds no other orders", () =>
  onBoth(async (history) => {
    const accepted = events.filter((event) => event.kind === EventKind.specialAccepted);
    const statuses = new Set<number>();
    for (const account of accounts) {
      const query = {
        account,
        market: marketId.ccUsdc,
        fromOrderId: null,
        ...anyTime,
        limit: 1000,
      };
      const found = await history.ordersOfAccount({ ...query, isConditional: true });
      const own = accepted.filter(
        (one) => one.account === account && one.market === marketId.ccUsdc,
      );
      assert.deepEqual(
        found.map(({ orderId }) => orderId),
        own.map(({ orderId }) => orderId),
      );
      for (const { status } of found) statuses.add(status);
    }
    assert(statuses.size > 1);
  }));

test("HST-3 only its owner can find an order", () =>
  onBoth(async (history) => {
    const { takerOrderId, account, makerAccount, market } = busiestMaker();
    const order = await history.orderById(account, takerOrderId);
    assert.equal(order?.orderId, takerOrderId);
    assert.equal(await history.orderById(makerAccount, takerOrderId), null);
    const query = { market, fromOrderId: takerOrderId, ...anyTime, limit: 1 };
    assert.deepEqual(await history.ordersOfAccount({ ...query, account }), [order]);
    const others = await history.ordersOfAccount({ ...query, account: makerAccount });
    assert(others.every(({ orderId }) => orderId > takerOrderId));
    assert.deepEqual(await history.orderByClientId(account, order?.clientId ?? ""), order);
    assert.equal(await history.orderByClientId(account, "never-used"), null);
  }));

test("HST-4 income lists every transfer of the wallet, every commission, and every profit that is not zero", () =>
  onBoth(async (history) => {
    const [account = 0] = accounts;
    const query = { account, markets: [marketId.btcPerp], ...anyTime, skip: 0, limit: 1000 };
    const all = await history.income({ ...query, isOfMarket: false, types: allTypes });
    const amounts = (type: IncomeType) =>
      all.filter((income) => income.type === type).map(({ amount }) => amount);
    const sides = tradesIn(marketId.btcPerp).flatMap((trade) => [
      ...(trade.account === account ? [{ fee: trade.takerFee, pnl: trade.takerPnl }] : []),
      ...(trade.makerAccount === account ? [{ fee: trade.makerFee, pnl: trade.makerPnl }] : []),
    ]);
    assert(sides.length > 20 && amounts(IncomeType.transfer).length > 3);
    assert.deepEqual(
      amounts(IncomeType.commission),
      sides.map(({ fee }) => -fee),
    );
    assert.deepEqual(
      amounts(IncomeType.realisedPnl),
      sides.map(({ pnl }) => pnl).filter((pnl) => pnl !== 0n),
    );
    const ofMarket = await history.income({ ...query, isOfMarket: true, types: allTypes });
    assert(ofMarket.every(({ type }) => type !== IncomeType.transfer));
    const paged = await Promise.all(
      [0, 10, 20].map((skip) =>
        history.income({ ...query, isOfMarket: false, types: allTypes, skip, limit: 10 }),
      ),
    );
    assert.deepEqual(paged.flat(), all.slice(0, 30));
  }));

test("HST-8 funding settlements are listed in ascending order: from a start the oldest, without one the newest; each payment is income", () =>
  onBoth(async (history) => {
    const all = events.filter((event) => event.kind === EventKind.fundingStarted);
    const rows = all.map(({ market, tsUs, rate, mark }) => ({ market, tsUs, rate, mark }));
    assert(rows.some(({ rate }) => rate !== 0n) && rows.length > 30);
    const perpetuals = [marketId.btcPerp, marketId.ethPerp, marketId.ccPerp];
    const everything = { markets: perpetuals, ...anyTime, limit: 1000 };
    assert.deepEqual(await history.fundings(everything), rows);
    const ofOne = rows.filter(({ market }) => market === marketId.btcPerp);
    const request = { ...everything, markets: [marketId.btcPerp], limit: 5 };
    assert.deepEqual(await history.fundings(request), ofOne.slice(-5));
    const [startUs, endUs] = [ofOne[3]?.tsUs ?? 0, ofOne[6]?.tsUs ?? 0];
    assert.deepEqual(await history.fundings({ ...request, startUs, endUs }), ofOne.slice(3, 6));
    const account = accounts[0] ?? 0;
    const paid = events.filter((event) => event.kind === EventKind.fundingPaid);
    const own = paid.filter((payment) => payment.account === account);
    const markets = [marketId.btcPerp];
    const query = { account, markets, isOfMarket: true, ...anyTime, skip: 0, limit: 1000 };
    const income = await history.income({ ...query, types: [IncomeType.funding] });
    assert(own.length > 0);
    assert.deepEqual(
      income.map(({ id, amount, tsUs }) => [id, amount, tsUs]),
      own.map(({ seq, amount, tsUs }) => [seq, amount, tsUs]),
    );
  }));

test("requesting income beyond the last allowed page fails an assertion", async () => {
  const [account = 0] = accounts;
  const query = { account, markets, isOfMarket: false, types: allTypes, ...anyTime };
  const history = twins.get("PostgreSQL");
  await assert.rejects(async () => history?.income({ ...query, skip: 9_500, limit: 501 }));
});

/** Draws random queries. A bound is omitted, or equals an event's time, or differs from it by one microsecond. */
class QuerySource {
  readonly #random: SeededRandom;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  one<T>(list: readonly T[]): T {
    const item = list[this.#random.below(list.length)];
    assert(item !== undefined);
    return item;
  }

  maybe<T>(value: () => T): T | null {
    return this.#random.below(3) === 0 ? value() : null;
  }

  moment(): number {
    return this.one(events).tsUs + this.#random.below(3) - 1;
  }

  times() {
    return { startUs: this.maybe(() => this.moment()), endUs: this.maybe(() => this.moment()) };
  }

  limit(): number {
    return 1 + this.#random.below(40);
  }

  tradeId(): number {
    return this.one(trades).tradeId + this.#random.below(2);
  }

  orderId(): number {
    return this.one(trades).takerOrderId + this.#random.below(2);
  }
}

function randomQueries(source: QuerySource) {
  const account = source.one(accounts);
  const market = source.one(markets);
  const common = { account, market, ...source.times(), limit: source.limit() };
  const fromTradeId = source.maybe(() => source.tradeId());
  const fills: FillQuery = {
    ...common,
    fromTradeId,
    orderId: source.maybe(() => source.orderId()),
  };
  const fromOrderId = source.maybe(() => source.orderId());
  const isConditional = source.maybe(() => true) ?? false;
  const orders: OrderQuery = { ...common, isConditional, fromOrderId };
  const beforeTradeId = source.maybe(() => source.tradeId());
  const tape: TradeQuery = { ...common, fromTradeId, beforeTradeId };
  const isOfMarket = source.maybe(() => true) ?? false;
  const income: IncomeQuery = {
    ...common,
    markets: [marketId.btcPerp],
    isOfMarket,
    types: source.maybe(() => [source.one(allTypes)]) ?? allTypes,
    skip: source.limit(),
  };
  const intervalMs = source.one([60_000, 3_600_000, 86_400_000]);
  const fromMs = Math.floor(source.moment() / 1000);
  const toMs = fromMs + source.limit() * intervalMs;
  const candles = { market, intervalMs, fromMs, toMs, limit: common.limit };
  const anchorMs = source.one([0, 3 * intervalMs, -intervalMs]);
  const folded = { ...candles, widthMs: source.one([1, 3, 7]) * intervalMs, anchorMs };
  const newest = { ...folded, anchorMs: Math.abs(anchorMs) };
  return { fills, orders, tape, income, candles, folded, newest };
}

test("a transfer is found by its seq, and only for its account", async () => {
  const moves = events.filter((event) => event.kind === EventKind.transferred).slice(0, 5);
  assert.equal(moves.length, 5);
  for (const { seq, tsUs, account, from, to, asset, amount } of moves) {
    await onBoth(async (history) => {
      const expected = { seq, tsUs, from, to, asset, amount };
      assert.deepEqual(await history.transferAt(account, seq), expected);
      assert.equal(await history.transferAt(account + 1, seq), null);
    });
  }
  const other = events.find(({ kind }) => kind === EventKind.traded);
  await onBoth(async (history) => {
    assert.equal(await history.transferAt(other?.account ?? 0, other?.seq ?? 0), null);
    assert.equal(await history.transferAt(1001, 10 ** 9), null);
  });
});

test("HST-9 an order's amendments are numbered and show the terms before and after", async () => {
  const amends = events.filter(isAmendment);
  const ids = [...new Set(amends.map(({ orderId }) => orderId))];
  const isChanged = ({ kind }: VenueEvent) =>
    kind === EventKind.orderReduced || kind === EventKind.orderTriggered;
  const others = events.filter(isChanged).filter((event) => "orderId" in event);
  assert(others.some((event) => "orderId" in event && ids.includes(event.orderId)));
  assert(
    amends.length > ids.length && ids.length > 20,
    `only ${amends.length} amendments of ${ids.length} orders`,
  );
  const [real, fake] = [...twins.values()];
  const source = new QuerySource(9);
  for (const orderId of ids) {
    const own = amends.filter((amend) => amend.orderId === orderId);
    const { account, tsUs } = own[0] as VenueEvent;
    const accepted = events.find((event) => "clientId" in event && event.orderId === orderId);
    const acceptedUs = accepted?.tsUs ?? 0;
    const all = { account, orderId, acceptedUs, fromSeq: 0, ...anyTime, limit: 500 };
    const counts = (await real?.amendments(all))?.map(({ seq, count }) => [seq, count]);
    assert.deepEqual(
      counts,
      own.map(({ seq }, at) => [seq, at + 1]),
    );
    assert.deepEqual(await real?.amendments({ ...all, account: account + 1 }), []);
    const drawn = {
      fromSeq: source.maybe(() => source.one(own).seq),
      startUs: source.maybe(() => tsUs + 1),
      endUs: source.maybe(() => source.one(own).tsUs + 1),
      limit: source.one([1, 2, 500]),
    };
    for (const query of [all, { ...all, fromSeq: null, limit: 2 }, { ...all, ...drawn }]) {
      const found = await real?.amendments(query);
      assert.deepEqual(found, await fake?.amendments(query), JSON.stringify(query));
    }
  }
});

test("HST-10 a prevented match is found by its id and by either of its orders", async () => {
  const matches = events.filter((event) => event.kind === EventKind.matchPrevented);
  assert(matches.length > 20, `only ${matches.length} prevented matches were recorded`);
  const [real, fake] = [...twins.values()];
  for (const { seq, account, market, takerOrderId, makerOrderId } of matches) {
    const base = { account, market, matchId: null, orderId: 0, fromMatchId: 0, limit: 500 };
    const seqsOf = async (more: object) =>
      ((await real?.preventedMatches({ ...base, ...more })) ?? []).map((match) => match.seq);
    assert.deepEqual(await seqsOf({ matchId: seq }), [seq]);
    assert.deepEqual(await seqsOf({ matchId: seq, account: account + 1 }), []);
    assert.deepEqual(await seqsOf({ matchId: seq, market: market + 1 }), []);
    assert.deepEqual(await seqsOf({ matchId: seq - 1 }), []);
    for (const orderId of [takerOrderId, makerOrderId]) {
      assert((await seqsOf({ orderId })).includes(seq));
      assert.deepEqual(await seqsOf({ orderId, account: account + 1 }), []);
      for (const more of [{}, { fromMatchId: seq }, { limit: 1 }, { fromMatchId: seq + 1 }]) {
        const query = { ...base, orderId, ...more };
        const found = await real?.preventedMatches(query);
        assert.deepEqual(found, await fake?.preventedMatches(query), JSON.stringify(query));
      }
    }
  }
});

test("PostgreSQL and the fake agree in every field on random queries", async () => {
  const source = new QuerySource(5);
  const [real, fake] = [...twins.values()];
  assert(real !== undefined && fake !== undefined);
  let rows = 0;
  for (let round = 0; round < 250; round++) {
    const { fills, orders, tape, income, candles, folded, newest } = randomQueries(source);
    const send = (history: HistoryStore) =>
      Promise.all([
        history.fillsOfAccount(fills),
        history.ordersOfAccount(orders),
        history.trades(tape),
        history.income(income),
        history.candlesBetween(candles),
        history.foldedCandles(folded),
        history.newestCandles(newest),
        history.candles(candles.market, candles.intervalMs, candles.fromMs),
        history.candleBefore(candles.market, candles.intervalMs, candles.fromMs),
      ]);
    const found = await send(real);
    const expected = await send(fake);
    assert.deepEqual(found, expected, JSON.stringify({ fills, orders, tape, income, folded }));
    rows += found.slice(0, 4).flat().length;
  }
  assert(rows > 5_000, `only ${rows} rows compared`);
});

test("HST-11 the reason of each end is found by the order and the time of its last change", async () => {
  const ends = events.filter((event) => event.kind === EventKind.orderClosed);
  assert(new Set(ends.map(({ reason }) => reason)).size > 2, "the trading has several reasons");
  const expected = new Map(ends.map(({ orderId, reason }) => [orderId, reason]));
  const orders = ends.map(({ orderId, tsUs: updatedUs }) => ({ orderId, updatedUs }));
  await onBoth(async (history) => {
    assert.deepEqual(await history.closeReasons(orders), expected);
    assert.deepEqual(await history.closeReasons([]), new Map());
  });
});
