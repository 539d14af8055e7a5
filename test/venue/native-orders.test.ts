// Proves native trading over a whole venue with two fronts: an idempotency key finds its order on both fronts and after
// a crash.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { NativeClient, newWallet } from "../support/client/native-client.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

/** Looks until something must have happened: a minute. */
const looksMax = 2_400;

let fixture: VenueFixture;

before(async () => {
  fixture = await VenueFixture.open({ FRONT_THREADS: "2", DEV_TOOLS: "1" });
});
after(() => fixture.close());

async function trader(): Promise<NativeClient> {
  const user = new NativeClient(fixture.address);
  await user.login(newWallet());
  const seeded = await user.post("/v1/deposits/seed", {
    asset: "USDC",
    amount: "10000",
    wallet: "perp",
  });
  assert.equal(seeded.status, 200, seeded.text);
  return user;
}

const limit = { symbol: "BTC-PERP", side: "BUY", qty: "0.01", price: "50000.00" };

test("NAT-49 NAT-52 take profit and stop loss of a position survive a crash, and trigger", async () => {
  const [user, other] = [await trader(), await trader()];
  const entry = { ...limit, price: "60000.00", take_profit: "66000", stop_loss: "54000" };
  await user.post("/v1/orders", entry);
  const hit = await other.post("/v1/orders", { ...limit, price: "60000.00", side: "SELL" });
  assert.equal(hit.json.status, "FILLED", hit.text);
  await fixture.crashAndRestart();
  const back = Object.assign(new NativeClient(fixture.address), { token: user.token });
  const far = Object.assign(new NativeClient(fixture.address), { token: other.token });
  const openOf = async (api: NativeClient) =>
    (await api.get("/v1/orders/me?status=open")).json.items.map(
      ({ type, take_profit: takeProfit, stop_loss: stopLoss }: Record<string, string>) => [
        type,
        takeProfit ?? stopLoss,
      ],
    );
  assert.deepEqual(await openOf(back), [
    ["STOP_MARKET", "54000.00"],
    ["TAKE_PROFIT_MARKET", "66000.00"],
  ]);
  // Place a bid to which the take profit can sell the position, and make a trade at a price that triggers it.
  const third = await trader();
  const bid = await third.post("/v1/orders", { ...limit, price: "66500", qty: "0.02" });
  assert.equal(bid.status, 200, bid.text);
  const print = { ...limit, price: "66500", qty: "0.001", side: "SELL" };
  const printed = await far.post("/v1/orders", print);
  assert.equal(printed.json?.status, "FILLED", printed.text);
  const positions = async () => (await back.get("/v1/positions/me")).json.positions;
  for (let left = looksMax; left > 0 && (await positions()).length > 0; left--) await wait(25);
  assert.deepEqual(await positions(), []);
  for (let left = looksMax; left > 0 && (await openOf(back)).length > 0; left--) await wait(25);
  assert.deepEqual(await openOf(back), []);
  await third.delete("/v1/orders?symbol=BTC-PERP");
});

test("NAT-30 an idempotency key returns the same order on both fronts and after a crash", async () => {
  const user = await trader();
  const keyed = { ...limit, leverage: 25, idempotency_key: "once and for all" };
  const first = await user.post("/v1/orders", keyed);
  assert.deepEqual([first.status, first.json.replayed], [200, false], first.text);
  for (let again = 0; again < 6; again++) {
    assert.deepEqual((await user.post("/v1/orders", keyed)).json, {
      ...first.json,
      replayed: true,
    });
  }
  const gone = await user.post("/v1/orders", { ...keyed, idempotency_key: "cancelled" });
  assert.equal((await user.delete(`/v1/orders/${gone.json.order_id}`)).status, 200);
  const refused = await user.post("/v1/orders", { ...keyed, qty: "90", idempotency_key: "big" });
  assert.deepEqual([refused.status, refused.text], [400, "insufficient available balance"]);
  await fixture.crashAndRestart();
  const back = Object.assign(new NativeClient(fixture.address), { token: user.token });
  assert.deepEqual((await back.post("/v1/orders", keyed)).json, { ...first.json, replayed: true });
  const cancelled = await back.post("/v1/orders", { ...keyed, idempotency_key: "cancelled" });
  assert.deepEqual(
    [cancelled.json.order_id, cancelled.json.status, cancelled.json.replayed],
    [gone.json.order_id, "CANCELED", true],
  );
  const now = await back.post("/v1/orders", { ...keyed, idempotency_key: "big" });
  assert.deepEqual([now.status, now.json.replayed], [200, false]);
  const listed = (await back.get("/v1/orders/me?status=open")).json.items;
  assert.deepEqual(
    listed.map(({ order_id: id }: { order_id: string }) => id),
    [now.json.order_id, first.json.order_id],
  );
});
