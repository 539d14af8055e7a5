// Proves what the port of order events says, both over PostgreSQL and over the fake.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresOrderEvents } from "../../src/adapters/postgres/queries/history/order-events.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { journalEvents } from "../support/journal/journal-events.ts";
import { randomEvents } from "../support/journal/journal-tables.ts";
import { FakeOrderEvents } from "../surface/fake-order-events.ts";

let database: TestDatabase;
let sql: Sql;

beforeEach(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "queries");
});

afterEach(async () => {
  await sql.end();
  await database.drop();
});

const { orderAccepted, specialAccepted, traded } = EventKind;

/** The account's events among those that were found, because events of others may be among them. */
function own(found: readonly VenueEvent[] | null, account: number): number[] {
  const isOwn = (event: VenueEvent) =>
    event.kind === traded
      ? [event.account, event.makerAccount].includes(account)
      : event.account === account && "orderId" in event;
  return (found ?? []).filter(isOwn).map(({ seq }) => seq);
}

test("FIX-28 the events of an account's orders, and what went before them, are found in the journal", async () => {
  const events = randomEvents({
    ...{ seed: 89, commands: 600, stopPercent: 20, amendPercent: 15, decrementPercent: 30 },
  });
  await journalEvents({
    ...{ connection: database.options, events, batchPercent: 50, restarts: 0, seed: 7 },
  });
  const stored = new PostgresOrderEvents(sql);
  const fake = new FakeOrderEvents();
  for (const event of events) fake.fold(event);
  const last = events.length;
  const accounts = new Set(
    events.filter(({ kind }) => kind === orderAccepted).map(({ account }) => account),
  );
  assert(accounts.size > 4, "several accounts must trade");
  for (const account of accounts) {
    for (const afterSeq of [0, Math.floor(last / 3), last - 1, last]) {
      const range = { account, afterSeq, untilSeq: last, limit: 10_000 };
      const found = own(await stored.orderEvents(range), account);
      assert.deepEqual(found, own(await fake.orderEvents(range), account));
      const seqs = new Set(found);
      const mine = events.filter(({ seq }) => seqs.has(seq));
      const orderIds = [
        ...new Set(
          mine.map((event) => {
            if (event.kind !== traded) return "orderId" in event ? event.orderId : 0;
            return event.account === account ? event.takerOrderId : event.makerOrderId;
          }),
        ),
      ];
      const isAcceptance = ({ kind }: VenueEvent) =>
        kind === orderAccepted || kind === specialAccepted;
      const newIds = mine.flatMap((event) =>
        isAcceptance(event) && "orderId" in event ? [event.orderId] : [],
      );
      const olderIds = orderIds.filter((orderId) => !newIds.includes(orderId));
      const origin = { account, orderIds, olderIds, afterSeq, untilSeq: last };
      assert.deepEqual(await stored.orderOrigins(origin), await fake.orderOrigins(origin));
    }
  }
});

test("FIX-30 too many events are told apart from few, and a journal that ends early is an error", async () => {
  const events = randomEvents({ seed: 5, commands: 100 });
  await journalEvents({
    ...{ connection: database.options, events, batchPercent: 50, restarts: 0, seed: 7 },
  });
  const stored = new PostgresOrderEvents(sql);
  const [first] = events.filter(({ kind }) => kind === orderAccepted);
  const account = first?.account ?? 0;
  const range = { account, afterSeq: 0, untilSeq: events.length };
  const count = own(await stored.orderEvents({ ...range, limit: 10_000 }), account).length;
  assert(count > 3);
  assert.equal(await stored.orderEvents({ ...range, limit: count - 1 }), null);
  assert.notEqual(await stored.orderEvents({ ...range, limit: count + 1 }), null);
  const beyond = { ...range, untilSeq: events.length + 1, limit: 10_000 };
  await assert.rejects(stored.orderEvents(beyond), /does not reach/);
});
