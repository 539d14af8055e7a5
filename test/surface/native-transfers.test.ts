// Proves transfers on the native surface: between all wallets, once per idempotency key, with every refusal.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AccountFlag, AccountType, Wallet } from "../../src/core/accounts.ts";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import { assertConserved } from "../model/conservation.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { FrontFixture } from "./front-fixture.ts";

let front: FrontFixture;
let keys = 0;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

/** Creates a user with 1,000 USDC and one CBTC in the funding wallet. */
async function newUser(): Promise<NativeClient> {
  front.advance(60_000);
  const user = new NativeClient(front.base);
  await user.login();
  await user.post("/v1/deposits/seed", { asset: "USDC", amount: "1000" });
  await user.post("/v1/deposits/seed", { asset: "CBTC", amount: "1" });
  return user;
}

function accountOf({ userId }: NativeClient): number {
  return parsePublicId(PublicIdKind.user, userId)?.number ?? 0;
}

function body(more: object = {}): object {
  const wallets = { from: "funding", to: "perp" };
  return { ...wallets, asset: "USDC", amount: "10", idempotency_key: `k${keys++}`, ...more };
}

function total(user: NativeClient, wallet: Wallet, asset = 0): bigint {
  return front.state.balances.total(accountOf(user), wallet, asset);
}

test("NAT-17 money moves between all three wallets and is available at once", async () => {
  const user = await newUser();
  const ways = [
    ["funding", "perp"],
    ["perp", "spot"],
    ["spot", "funding"],
    ["funding", "spot"],
    ["spot", "perp"],
    ["perp", "funding"],
  ];
  for (const [from, to] of ways) {
    const { status, json, text } = await user.post("/v1/transfers", body({ from, to }));
    assert.equal(status, 200, text);
    const { transfer_id: id, created_at: at, ...rest } = json;
    const terms = { from, to, asset: "USDC", amount: "10.000000", replayed: false };
    assert.deepEqual(rest, terms);
    const named = parsePublicId(PublicIdKind.transfer, id);
    assert.equal(new Date(named?.bornMs ?? 0).toISOString(), at);
  }
  assert.equal(total(user, Wallet.funding), 1_000_000_000n);
  const coins = body({ asset: "CBTC", amount: 0.25, to: "spot" });
  assert.equal((await user.post("/v1/transfers", coins)).json.amount, "0.25000000");
  assert.equal(total(user, Wallet.spot, 2), 25_000_000n);
  assertConserved(front.state);
});

test("NAT-20 a repeated request returns the first transfer and moves nothing", async () => {
  const user = await newUser();
  const requested = body({ idempotency_key: "pay day ✓" });
  const first = (await user.post("/v1/transfers", requested)).json;
  const others = [
    {},
    { amount: "11" },
    { amount: "nonsense" },
    { from: "nowhere" },
    { to: "funding" },
    { asset: "XRP" },
    { asset: "CBTC" },
  ];
  for (const more of others) {
    const again = await user.post("/v1/transfers", { ...requested, ...more });
    assert.deepEqual([again.status, again.json], [200, { ...first, replayed: true }]);
  }
  const many = body({ amount: "7" });
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => user.post("/v1/transfers", many)),
  );
  const made = answers.filter(({ json }) => json.replayed === false);
  assert.equal(made.length, 1);
  assert.equal(new Set(answers.map(({ json }) => json.transfer_id)).size, 1);
  assert.equal(total(user, Wallet.perp), 17_000_000n);
  const stranger = await newUser();
  assert.equal((await stranger.post("/v1/transfers", requested)).json.replayed, false);
});

test("NAT-17 NAT-64 an impossible transfer is refused with the field's name and changes nothing", async () => {
  const user = await newUser();
  const { seq } = front.state;
  const refused = async (more: object, status: number, message: string) => {
    front.advance(60_000);
    const { text, type, ...answer } = await user.post("/v1/transfers", body(more));
    assert.deepEqual([answer.status, text], [status, message], JSON.stringify(more));
    assert.equal(type, "text/plain; charset=utf-8");
  };
  await refused({ amount: "1000.000001" }, 400, "insufficient available balance");
  await refused({ from: "perp", to: "spot" }, 400, "insufficient available balance");
  await refused({ to: "funding" }, 400, "from and to must be different wallets");
  for (const wallet of ["", "Perp", "margin", "__proto__", "toString"]) {
    await refused({ to: wallet }, 400, "from and to must be funding, spot or perp");
    await refused({ from: wallet }, 400, "from and to must be funding, spot or perp");
  }
  await refused({ asset: "CBTC" }, 400, "the perp wallet holds USDC only");
  await refused({ asset: "constructor" }, 400, "unknown asset");
  const places = "amount must be a positive decimal with at most 6 decimals";
  for (const amount of ["0", "-5", "", "1e2", "0.0000001", 0])
    await refused({ amount }, 400, places);
  const key = "idempotency_key must be 1 to 64 printable characters";
  for (const text of ["", "x".repeat(65), "a\nb", "\u0000", "\u200b"]) {
    await refused({ idempotency_key: text }, 400, key);
  }
  await refused({ idempotency_key: undefined }, 422, "missing field: idempotency_key");
  await refused({ idempotency_key: 5 }, 422, "wrong type of field: idempotency_key");
  await refused({ amount: [] }, 422, "wrong type of field: amount");
  await refused({ note: "x" }, 422, "unknown field: note");
  assert.equal(front.state.seq, seq);
  const nobody = await new NativeClient(front.base).post("/v1/transfers", body());
  assert.deepEqual([nobody.status, nobody.text], [401, "missing bearer token"]);
});

test("NAT-18 no transfer touches the spot wallet of a wallet-funded account", async () => {
  const user = await newUser();
  const account = accountOf(user);
  // Set directly what enrollment would set, because there is no ledger in this test.
  front.venue.state.accounts.setType(account, AccountType.wallet);
  front.venue.setFlags(account, AccountFlag.enrolled);
  const spot = await user.post("/v1/transfers", body({ to: "spot" }));
  assert.deepEqual(
    [spot.status, spot.text],
    [403, "the spot wallet of a wallet-funded account is on the ledger and cannot be used here"],
  );
  assert.equal((await user.post("/v1/transfers", body())).status, 200);
});

test("NAT-80 transfers are listed newest first, in pages and within times, and only to their owner", async () => {
  const user = await newUser();
  const made: { transfer_id: string; created_at: string }[] = [];
  for (const amount of ["1", "2", "3", "4"]) {
    front.advance(1000);
    const { json } = await user.post("/v1/transfers", body({ amount }));
    const { replayed: _, ...transfer } = json;
    made.unshift(transfer);
  }
  assert.deepEqual((await user.get("/v1/transfers")).json, { items: made, next_cursor: null });
  const first = await user.get("/v1/transfers?limit=3");
  assert.deepEqual(first.json.items, made.slice(0, 3));
  const rest = await user.get(`/v1/transfers?limit=3&cursor=${first.json.next_cursor}`);
  assert.deepEqual(rest.json, { items: made.slice(3), next_cursor: null });
  const [from, to] = [made[2], made[1]].map((one) => Date.parse(one?.created_at ?? ""));
  const within = await user.get(`/v1/transfers?start_ms=${from}&end_ms=${to}`);
  assert.deepEqual(within.json.items, made.slice(1, 3));
  assert.deepEqual((await (await newUser()).get("/v1/transfers")).json.items, []);
});
