// Proves that an account at the limit of its margin cannot overspend over two fronts: simultaneous orders and transfers
// that need more than it has are each done or refused whole, and the balance is never negative.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type NativeAnswer, NativeClient } from "../support/client/native-client.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;
let user: NativeClient;

before(async () => {
  fixture = await VenueFixture.open({ FRONT_THREADS: "2", DEV_TOOLS: "1" });
  user = new NativeClient(fixture.address);
  await user.login();
  const money = { asset: "USDC", amount: "1000", wallet: "perp" };
  assert.equal((await user.post("/v1/deposits/seed", money)).status, 200);
});
after(() => fixture.close());

async function perp(): Promise<{ free: number; locked: number; total: number }> {
  const { json } = await user.get("/v1/balances/me");
  const rows: Record<string, string>[] = json.balances;
  const row = rows.find(({ wallet }) => wallet === "perp");
  return {
    free: Number(row?.["free"]),
    locked: Number(row?.["locked"]),
    total: Number(row?.["total"]),
  };
}

function isDone({ status, text }: NativeAnswer): boolean {
  assert(status === 200 || text === "insufficient available balance", `${status} ${text}`);
  return status === 200;
}

test("NAT-17 NAT-35 ACC-9 ACC-15 simultaneous orders and transfers spend the margin once", async () => {
  // Each request needs 100 of the 1,000 USDC: an order of 0.02 BTC at 50,000 with leverage 10, or a transfer.
  const order = { symbol: "BTC-PERP", side: "BUY", qty: "0.02", price: "50000" };
  const transfer = { from: "perp", to: "spot", asset: "USDC", amount: "100" };
  const requested = Array.from({ length: 30 }, (_, index) =>
    index % 2 === 0
      ? user.post("/v1/orders", order)
      : user.post("/v1/transfers", { ...transfer, idempotency_key: `out ${index}` }),
  );
  const answers = await Promise.all(requested);
  const done = answers.filter(isDone).length;
  assert.equal(done, 10, "Exactly as many as the balance covers must be done");
  const orders = answers.filter((answer) => isDone(answer) && answer.json.order_id !== undefined);
  const { free, locked, total } = await perp();
  assert.deepEqual([free, locked, total], [0, 100 * orders.length, 100 * orders.length]);
});

test("NAT-20 a refused transfer leaves its key free, and a completed one gives the same answer after a restart", async () => {
  const back = { from: "perp", to: "funding", asset: "USDC", amount: "100" };
  const refused = await user.post("/v1/transfers", { ...back, idempotency_key: "late" });
  assert.deepEqual([refused.status, refused.text], [400, "insufficient available balance"]);
  await user.delete("/v1/orders?symbol=BTC-PERP");
  const { free } = await perp();
  const more = { from: "spot", to: "perp", asset: "USDC", amount: `${1000 - free}` };
  if (free < 1000) {
    const moved = await user.post("/v1/transfers", { ...more, idempotency_key: "in" });
    assert.equal(moved.status, 200, moved.text);
  }
  const first = await user.post("/v1/transfers", { ...back, idempotency_key: "late" });
  assert.deepEqual([first.status, first.json.replayed], [200, false]);
  await fixture.crashAndRestart();
  const again = Object.assign(new NativeClient(fixture.address), { token: user.token });
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => again.post("/v1/transfers", { ...back, idempotency_key: "late" })),
  );
  for (const { json } of answers) assert.deepEqual(json, { ...first.json, replayed: true });
  user = again;
  assert.deepEqual(await perp(), { free: 900, locked: 0, total: 900 });
});

test("NAT-36 NAT-35 numbers are taken exactly as written, or refused", async () => {
  const order = { symbol: "BTC-PERP", side: "BUY", qty: "0.001", price: "40000" };
  const sent = async (text: string) => {
    const body = JSON.stringify(order).replace('"0.001"', text);
    const { status, text: message } = await user.send("POST", "/v1/orders", body);
    return status === 200 ? "placed" : message;
  };
  const malformed = "qty must be a decimal number";
  const positive = "qty must be positive";
  const cases: Readonly<Record<string, string>> = {
    "1e-3": "placed",
    "0.0010": "placed",
    '"0.001000"': "placed",
    "-0": positive,
    '"0"': positive,
    '"-1"': positive,
    '""': malformed,
    '" 0.001"': malformed,
    '"+0.001"': malformed,
    '".001"': malformed,
    '"1."': malformed,
    '"0x1"': malformed,
    '"1e-3"': malformed,
    '"1,000"': malformed,
    '"٣"': malformed,
    '"Infinity"': malformed,
    "1e300": malformed,
    '"0.0010000000000000000001"': malformed,
    '"99999999999999999999"': "qty is too large",
    "0.00099999999999999999": "numbers of more than 15 digits must be strings",
    null: "wrong type of field: qty",
    true: "wrong type of field: qty",
    '["0.001"]': "wrong type of field: qty",
  };
  for (const [text, message] of Object.entries(cases))
    assert.equal(await sent(text), message, text);
});
