// Proves what the history port says of order lists and of the orders in them, both over PostgreSQL and over the fake.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresHistory } from "../../src/adapters/postgres/queries/history/history.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { derivedListClientId, OrderListType } from "../../src/core/order-lists.ts";
import { OrderType, Side, TimeInForce } from "../../src/core/orders.ts";
import type { HistoryStore } from "../../src/ports/journal/history-store.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { journalEvents } from "../support/journal/journal-events.ts";
import { leg, listOf, lots, ocoOf, pricedVenue } from "../support/machine/test-lists.ts";
import { marketId, testMarkets } from "../support/machine/test-markets.ts";
import type { TestVenue } from "../support/machine/test-venue.ts";
import { FakeHistory } from "../surface/fake-history.ts";

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

/** The history of the venue over PostgreSQL, and over the fake. */
async function historiesOf({ events }: TestVenue): Promise<HistoryStore[]> {
  const connection = database.options;
  await journalEvents({ connection, events, batchPercent: 50, restarts: 0, seed: 7 });
  const fake = new FakeHistory(testMarkets);
  for (const event of events) fake.fold(event);
  return [new PostgresHistory(sql), fake];
}

test("SPT-91 a client id finds the newest list with exactly this id, and a derived one finds none", async () => {
  const { venue, own: account } = pricedVenue();
  const place = (clientId: string) => {
    const listId = venue.done(ocoOf(account, [clientId]));
    const cancel = { kind: CommandKind.cancelOrder, account, market: marketId.ccUsdc } as const;
    venue.done({ ...cancel, orderId: listId, clientId: "" });
    return listId;
  };
  const [ends, longer, derived] = [place("ends"), place("it-ends"), place("")];
  const given = { account, fromListId: null, startUs: null, endUs: null, limit: 1 };
  for (const history of await historiesOf(venue)) {
    const idsOf = async (clientId: string | null) =>
      (await history.orderLists({ ...given, clientId })).map(({ listId }) => listId);
    assert.deepEqual(await idsOf("ends"), [ends]);
    assert.deepEqual(await idsOf("it-ends"), [longer]);
    assert.deepEqual(await idsOf("nds"), []);
    assert.deepEqual(await idsOf(derivedListClientId(derived)), []);
    assert.deepEqual(await idsOf(null), [derived]);
  }
});

test("CMP-45 a pending order that was refused differs from one whose working order ended", async () => {
  const { venue, own: account, other } = pricedVenue();
  venue.sell(account, marketId.ccUsdc, 1650, lots);
  const working = { ...leg(Side.buy, OrderType.limit, 1500), qty: 1000 };
  const legs = [working, leg(Side.sell, OrderType.limit, 1600)];
  const refused = venue.done(listOf(account, OrderListType.oto, legs));
  venue.sell(other, marketId.ccUsdc, 1500, 1000);
  const unfilled = { ...working, timeInForce: TimeInForce.ioc, price: 1400 };
  const ended = venue.done(listOf(account, OrderListType.oto, [unfilled, legs[1] ?? working]));
  for (const history of await historiesOf(venue)) {
    const orders = await history.ordersByIds(account, [refused + 1, ended + 1]);
    assert.deepEqual(
      orders.map(({ isPending, isRefused }) => [isPending, isRefused]),
      [
        [true, true],
        [true, false],
      ],
    );
  }
});
