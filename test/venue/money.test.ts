// Proves for the owners of accounts that money is right on a whole venue: the costs of fills, their wallets, their ids,
// and the rows that one database commit contains.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { EventKind } from "../../src/core/generated/events.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;
let sql: Sql;

before(async () => {
  fixture = await VenueFixture.open();
  sql = openPostgres(fixture.database.options, "queries");
});

after(async () => {
  await sql.end();
  await fixture.close();
});

type Side = "BUY" | "SELL";

async function place(trader: Trader, side: Side, order: Record<string, string>) {
  const path = order["symbol"]?.includes("-") ? "/api/v3/order" : "/fapi/v1/order";
  const request = { type: "LIMIT", timeInForce: "GTC", side, ...order };
  const { status, json } = await fixture.signed(trader, "POST", path, request);
  assert.equal(status, 200, JSON.stringify(json));
  // The last test tells the events of two orders apart by their milliseconds.
  await sleep(2);
  return json;
}

async function spotMoney(trader: Trader): Promise<Record<string, string>> {
  const { json } = await fixture.signed(trader, "GET", "/api/v3/account");
  const rows = json.balances as { asset: string; free: string; locked: string }[];
  return Object.fromEntries(rows.map(({ asset, free, locked }) => [asset, `${free} ${locked}`]));
}

async function perpMoney(trader: Trader): Promise<string> {
  const { json } = await fixture.signed(trader, "GET", "/fapi/v2/balance");
  return json[0].balance;
}

test("ACC-1 ACC-4 ACC-5 a spot fill costs its own price and 4 or 10 bps of the received asset", async () => {
  const [maker, taker] = [await fixture.trader(), await fixture.trader()];
  const symbol = "CC-USDC";
  await place(maker, "SELL", { symbol, price: "0.1000", quantity: "1000" });
  const bought = await place(taker, "BUY", { symbol, price: "0.1500", quantity: "2000" });
  assert.equal(bought.status, "PARTIALLY_FILLED");
  // The order traded 1,000 at 0.10. Its remainder holds 1,000 at the limit price; the price difference of the trade is
  // free again.
  const { CC, USDC } = await spotMoney(taker);
  assert.deepEqual([CC, USDC], ["1000999.00000000 0.00000000", "999750.000000 150.000000"]);
  const sold = await spotMoney(maker);
  assert.equal(sold["USDC"], "1000099.960000 0.000000");
  assert.deepEqual(
    [await perpMoney(maker), await perpMoney(taker)],
    ["1000000.000000", "1000000.000000"],
  );
  await fixture.signed(taker, "DELETE", "/api/v3/openOrders", { symbol });
  await sleep(2);
});

test("ACC-7 a house account pays nothing as maker or taker", async () => {
  const [house, other] = [await fixture.trader("house"), await fixture.trader()];
  const symbol = "CC-USDC";
  await place(house, "SELL", { symbol, price: "0.1000", quantity: "1000" });
  await place(other, "BUY", { symbol, price: "0.1000", quantity: "1000" });
  await place(other, "BUY", { symbol, price: "0.1000", quantity: "1000" });
  await place(house, "SELL", { symbol, price: "0.1000", quantity: "1000" });
  const { CC, USDC } = await spotMoney(house);
  assert.deepEqual([CC, USDC], ["998000.00000000 0.00000000", "1000200.000000 0.000000"]);
});

test("ACC-1 ACC-5 ACC-13 a perpetual fill books profit and 2 or 5 bps in USDC to the perp wallet", async () => {
  const [one, other] = [await fixture.trader(), await fixture.trader()];
  const symbol = "BTCUSDT";
  const spotBefore = await spotMoney(one);
  await place(one, "SELL", { symbol, price: "1000.00", quantity: "0.1" });
  await place(other, "BUY", { symbol, price: "1000.00", quantity: "0.1" });
  assert.deepEqual(
    [await perpMoney(one), await perpMoney(other)],
    ["999999.980000", "999999.950000"],
  );
  await place(other, "SELL", { symbol, price: "1100.00", quantity: "0.1" });
  await place(one, "BUY", { symbol, price: "1100.00", quantity: "0.1" });
  // A notional of 100 and a profit of 10: the taker's fee at 110 is 0.055, the maker's 0.022.
  assert.deepEqual(
    [await perpMoney(one), await perpMoney(other)],
    ["999989.925000", "1000009.928000"],
  );
  assert.deepEqual(await spotMoney(one), spotBefore);
});

test("ACC-16 the venue lists its assets with their decimal places", async () => {
  const rows = await sql`select code, decimals from assets order by code`;
  assert.deepEqual(
    rows.map(({ code, decimals }) => `${code} ${decimals}`),
    ["CBTC 8", "CC 8", "CETH 8", "USDC 6"],
  );
});

test("JRN-4 JRN-5 the events of an order are contiguous, and one transaction wrote them and its fills", async () => {
  await fixture.venue.settle();
  const fills = await sql<
    {
      seqs: number;
      from_seq: number;
      to_seq: number;
      kinds: string;
      writers: string;
      writer: string;
    }[]
  >`
    select count(*)::int seqs, min(j.seq)::int from_seq, max(j.seq)::int to_seq,
      string_agg(j.kind::text, ' ' order by j.seq) kinds,
      string_agg(distinct j.xmin::text, ' ') writers, f.xmin::text writer
    from fills f
    join orders o on o.order_id = f.taker_order_id
    -- An order that was handled just after a tick has the tick's time, at which marks may have changed.
    join journal j on j.ts_us between o.created_us and f.ts_us and j.kind <> ${EventKind.marked}
    group by f.trade_id, f.xmin::text`;
  assert.ok(fills.length >= 5);
  const { orderAccepted, traded } = EventKind;
  for (const { seqs, from_seq, to_seq, kinds, writers, writer } of fills) {
    assert.equal(seqs, to_seq - from_seq + 1);
    assert.match(kinds, new RegExp(`^${orderAccepted}( ${traded})+$`));
    assert.equal(writers, writer, "One transaction must have written all of them");
  }
  const writersInAll = await sql`select distinct xmin::text from journal`;
  assert.ok(writersInAll.length > fills.length, "There must be more than one transaction in total");
});

test("ORD-16 order and trade ids have no gaps across refusals, fills and a crash", async () => {
  const [one, other] = [await fixture.trader(), await fixture.trader()];
  const symbol = "CETH-USDC";
  const order = { symbol, price: "3000.00", quantity: "0.1" };
  const first = await place(one, "SELL", order);
  const refusal = { ...order, type: "LIMIT", timeInForce: "GTC", side: "BUY", quantity: "9999" };
  const refused = await fixture.signed(other, "POST", "/api/v3/order", refusal);
  assert.equal(refused.status, 422);
  const postOnly = { symbol, side: "BUY", type: "LIMIT_MAKER", price: "3000.00", quantity: "0.1" };
  assert.equal((await fixture.signed(other, "POST", "/api/v3/order", postOnly)).status, 422);
  await fixture.crashAndRestart();
  const second = await place(other, "BUY", order);
  assert.equal(second.orderId, first.orderId + 1);
  await fixture.venue.settle();
  for (const rows of [
    await sql<{ id: number }[]>`select order_id::int id from orders order by order_id`,
    await sql<{ id: number }[]>`select trade_id::int id from fills order by trade_id`,
  ]) {
    assert.ok(rows.length > 5);
    assert.deepEqual(
      rows.map(({ id }) => id),
      rows.map((_, place) => (rows[0]?.id ?? 0) + place),
    );
  }
});

test("AUT-17 AUT-19 the operator can change a key's permissions and addresses, but not its type", async () => {
  const { operator } = fixture;
  const trader = await fixture.trader();
  const listed = async () => {
    const [key] = (await operator.listKeys({
      account: trader.account,
      after: 0,
      limit: 10,
    })) as Record<string, unknown>[];
    return key ?? {};
  };
  const before = await listed();
  assert.deepEqual([before["type"], before["permissions"]], ["HMAC", ["READ", "TRADE"]]);
  const keyId = Number(before["key_id"]);
  const request = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const order = () =>
    fixture.signed(trader, "POST", "/api/v3/order", { ...request, price: "0.1", quantity: "200" });
  assert.equal((await order()).status, 200);
  await operator.permit(keyId, "READ");
  assert.deepEqual([(await order()).status, (await order()).json.code], [401, -2015]);
  assert.equal((await fixture.signed(trader, "GET", "/api/v3/account")).status, 200);
  await operator.permit(keyId, "READ,TRADE,WITHDRAW");
  await operator.allowAddresses(keyId, ["192.0.2.0/24"]);
  assert.equal((await order()).json.code, -2015);
  await operator.allowAddresses(keyId, ["127.0.0.1"]);
  assert.equal((await order()).status, 200);
  await operator.setTier(keyId, "standard");
  await operator.revokeKey(keyId);
  assert.equal((await listed())["type"], before["type"]);
});
