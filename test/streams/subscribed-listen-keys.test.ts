// Proves that a client can subscribe to user data by naming its listen key in a request. Clients with one connection
// for all their streams do this, for example Binance's own SDKs for futures.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { StreamClient } from "./stream-client.ts";

let front: FrontFixture;
const clients: StreamClient[] = [];

before(async () => {
  front = await FrontFixture.open({ isLive: true });
});
after(() => {
  for (const client of clients) client.close();
  front.close();
});

async function listenKeyOf(key: TestKey): Promise<string> {
  const headers = { "X-MBX-APIKEY": key.value };
  const answer = await front.fetch("/compat/fapi/v1/listenKey", { method: "POST", headers });
  return answer.json.listenKey;
}

async function open(path: string): Promise<StreamClient> {
  const client = await StreamClient.open(`${front.base.replace("http", "ws")}/compat${path}`);
  clients.push(client);
  return client;
}

async function run(client: StreamClient, method: string, params: readonly string[], id: number) {
  client.send({ method, params, id });
  return client.next((frame) => frame.id === id);
}

function setLeverage(key: TestKey, leverage: number) {
  const terms = { symbol: "BTCUSDT", leverage };
  return front.send("POST", "/compat/fapi/v1/leverage", terms, { key });
}

test("STR-45 a request subscribes or unsubscribes a listen key beside other streams", async () => {
  const key = await front.newTrader();
  const listenKey = await listenKeyOf(key);
  const client = await open("/private/stream");
  const both = [listenKey, "btcusdt@depth5"];
  assert.deepEqual(await run(client, "SUBSCRIBE", both, 1), { result: null, id: 1 });
  const listed = await run(client, "LIST_SUBSCRIPTIONS", [], 2);
  assert.deepEqual([...listed.result].sort(), [...both].sort());
  await setLeverage(key, 7);
  const told = await client.next(({ data }) => data?.e === "ACCOUNT_CONFIG_UPDATE");
  assert.deepEqual([told.stream, told.data.ac.l], [listenKey, 7]);
  assert.deepEqual(await run(client, "SUBSCRIBE", [listenKey], 3), { result: null, id: 3 });
  assert.deepEqual(await run(client, "UNSUBSCRIBE", [listenKey], 4), { result: null, id: 4 });
  await setLeverage(key, 8);
  const after = await run(client, "LIST_SUBSCRIPTIONS", [], 5);
  assert.deepEqual(after.result, ["btcusdt@depth5"]);
  const updates = client.frames.filter(({ data }) => data?.e === "ACCOUNT_CONFIG_UPDATE");
  assert.equal(updates.length, 1);
  assert.deepEqual(await run(client, "SUBSCRIBE", [listenKey], 6), { result: null, id: 6 });
});

test("STR-45 a request with an invalid listen key, or a second one, is refused and changes nothing", async () => {
  const client = await open("/ws");
  const unknown = "A".repeat(64);
  const refused = await run(client, "SUBSCRIBE", [unknown, "btcusdt@depth5"], 1);
  assert.deepEqual(refused.error, { code: 2, msg: "Invalid request: unknown listenKey" });
  const one = await listenKeyOf(await front.newTrader());
  const other = await listenKeyOf(await front.newTrader());
  const two = await run(client, "SUBSCRIBE", [one, other], 2);
  assert.deepEqual(two.error, {
    code: 2,
    msg: "Invalid request: a connection can have only one listenKey",
  });
  assert.deepEqual((await run(client, "LIST_SUBSCRIPTIONS", [], 3)).result, []);
  assert.equal((await run(client, "SUBSCRIBE", [one], 4)).result, null);
  const second = await run(client, "SUBSCRIBE", [other], 5);
  assert.deepEqual(second.error, {
    code: 2,
    msg: "Invalid request: a connection can have only one listenKey",
  });
  assert.deepEqual((await run(client, "LIST_SUBSCRIPTIONS", [], 6)).result, [one]);
});
