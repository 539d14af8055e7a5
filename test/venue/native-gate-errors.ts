// Tests of native errors that depend on the state of an account, a market or the venue. Trades, keys and the operator
// produce each error as in operation. native-errors.test.ts runs these tests too, because it checks that all rows were
// produced.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { AccountFlag, everyAccountFlag, SystemAccount, Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import { ordersPerMarketPerAccountMax, requestKeysPerAccountMax } from "../../src/core/limits.ts";
import { noOptions, OrderType, Side, TimeInForce } from "../../src/core/orders.ts";
import { fingerprintOf } from "../../src/services/access/party-id.ts";
import { NativeClient, newWallet } from "../support/client/native-client.ts";
import { ErrorRows } from "../support/tidy/error-rows.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

const order = { symbol: "BTC-PERP", side: "BUY", qty: "1", price: "50000" };

/** Rows produced so far, here and in native-errors.test.ts. */
export const errors = new ErrorRows();

let fixture: VenueFixture;
let maker: NativeClient;
let addresses = 0;

before(async () => {
  fixture = await VenueFixture.open({ DEV_TOOLS: "1", TRUSTED_PROXIES: "127.0.0.1" });
  maker = await newUser("1000000");
});
after(() => fixture.close());

function nobody(): NativeClient {
  addresses++;
  const address = `10.3.0.${addresses}`;
  return Object.assign(new NativeClient(fixture.address), { address });
}

async function newUser(usdc: string): Promise<NativeClient> {
  const user = nobody();
  await user.login();
  const seeded = await user.post("/v1/deposits/seed", {
    ...{ asset: "USDC", amount: usdc, wallet: "perp" },
  });
  assert.equal(seeded.status, 200, seeded.text);
  return user;
}

/** Returns the account number in a user's public id. */
function accountOf({ userId }: NativeClient): number {
  const named = parsePublicId(PublicIdKind.user, userId);
  assert(named !== null);
  return named.number;
}

async function placed(user: NativeClient, more: object, status: string): Promise<void> {
  const answer = await user.post("/v1/orders", { ...order, ...more });
  assert.equal(answer.json?.status, status, answer.text);
}

/** Sets the index as the operator. While the book is empty, the index is also the mark. */
async function indexed(price: number): Promise<void> {
  await fixture.operator.risk.setReference("BTC-PERP", String(price), 3600, true);
}

test("ERR-40 409: a key that is another order's client id, and a key still in flight, are refused", async () => {
  const user = await newUser("10000");
  const small = { ...order, qty: "0.001", price: "40000" };
  const { json: key } = await user.post("/v1/api-keys", {});
  const trader = { account: 0, key: key.key, secret: key.secret };
  const own = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const named = { ...own, quantity: "0.001", price: "40000", newClientOrderId: "taken" };
  const first = await fixture.signed(trader, "POST", "/fapi/v1/order", named);
  assert.equal(first.status, 200);
  const taken = "AlreadyExists: idempotency_key equals the client id of another order";
  const again = await user.post("/v1/orders", { ...small, idempotency_key: "taken" });
  errors.assertRow(again, 409, taken);
  // Send a request four times at once. A repetition is refused with 409 while the first request is on its way to the
  // matcher. The timing is random, but within a hundred rounds it happens.
  for (let round = 0; round < 100; round++) {
    const someone = round % 10 === 0 ? await newUser("10000") : user;
    const keyed = { ...small, idempotency_key: `at once ${round}` };
    const pair = [1, 2, 3, 4].map(() => someone.post("/v1/orders", keyed));
    const answers = await Promise.all(pair);
    const late = answers.find(({ status }) => status === 409);
    const made = answers.filter(({ json }) => json !== null && !json.replayed);
    assert.equal(made.length, 1, "Exactly one of the orders must be placed");
    if (late === undefined) continue;
    const message = "Aborted: a request with this idempotency_key is still in flight";
    errors.assertRow(late, 409, message);
    const after = await someone.post("/v1/orders", keyed);
    assert.deepEqual([after.json.replayed, after.json.order_id], [true, made[0]?.json.order_id]);
    return;
  }
  assert.fail("no repetition came while its request was in flight");
});

test("ERR-40 503: an account that has used all its idempotency keys of a day is refused", async () => {
  const user = await newUser("10");
  const account = accountOf(user);
  const move = { account, from: Wallet.perp, to: Wallet.funding, asset: 0, amount: 1n };
  for (let used = 0; used < requestKeysPerAccountMax; used += 500) {
    const asks = Array.from({ length: 500 }, (_, more) => {
      const key = { high: BigInt(used + more), low: 1n, payload: 0n };
      return fixture.venue.clearing.send({ kind: CommandKind.transfer, key, ...move });
    });
    for (const { reason } of await Promise.all(asks)) assert.equal(reason, 0);
  }
  const message = "too many idempotency keys in 24 hours";
  const more = { ...order, qty: "0.05", price: "100", idempotency_key: "one more" };
  errors.assertRow(await user.post("/v1/orders", more), 503, message);
  const transfer = { from: "perp", to: "funding", asset: "USDC", amount: "1" };
  const moved = await user.post("/v1/transfers", { ...transfer, idempotency_key: "one more" });
  errors.assertRow(moved, 503, message);
});

test("ERR-40 400: an order beyond an account's number of open orders in a market is refused", async () => {
  const user = await newUser("100000");
  const market = fixture.venue.table.find("BTC-PERP")?.id ?? -1;
  const terms = { side: Side.buy, type: OrderType.limit, timeInForce: TimeInForce.gtc };
  const asks = Array.from({ length: ordersPerMarketPerAccountMax }, () =>
    fixture.venue.clearing.send({
      ...{ kind: CommandKind.placeOrder, account: accountOf(user), market, price: 100, qty: 5000 },
      ...{ ...terms, ...noOptions, reusesClientId: false, clientId: "", attached: null },
    }),
  );
  for (const { reason } of await Promise.all(asks)) assert.equal(reason, 0);
  const more = await user.post("/v1/orders", { ...order, qty: "5", price: "1" });
  errors.assertRow(more, 400, "too many open orders in the market");
});

test("ERR-40 403: a frozen account may only cancel, and an account without permission cannot withdraw", async () => {
  const user = await newUser("10000");
  const { json: open } = await user.post("/v1/orders", {
    ...order,
    qty: "0.001",
    price: "40000",
  });
  const kind = CommandKind.setAccountFlags;
  const account = accountOf(user);
  const { frozen } = AccountFlag;
  await fixture.venue.clearing.send({ kind, account, flags: frozen, mask: frozen });
  const message = "Account is frozen; new orders are not accepted, cancels are.";
  errors.assertRow(await user.post("/v1/orders", { ...order, qty: "0.001" }), 403, message);
  const cancelled = await user.delete(`/v1/orders/${open.order_id}`);
  assert.equal(cancelled.status, 200, cancelled.text);
  await fixture.venue.clearing.send({ kind, account, flags: 0, mask: everyAccountFlag });
  const destination = `home::1220${"0".repeat(64)}`;
  const out = { asset: "USDC", amount: "10", destination, idempotency_key: "out" };
  const denied = await user.post("/v1/withdrawals", out);
  errors.assertRow(denied, 403, "withdrawal permission denied");
});

test("ERR-40 403: a wallet-funded account before its enrollment, and a wallet on the ledger, are refused", async () => {
  const { account } = await fixture.operator.createAccount("wallet");
  const user = nobody();
  const wallet = newWallet();
  await fixture.venue.database.sql`
    insert into wallet_users (fingerprint, account, party_hint, public_key, created_us)
    values (${fingerprintOf(wallet.publicKey)}, ${account}, 'user', ${wallet.publicKey}, 0)`;
  const { json } = await user.login(wallet);
  assert.equal(json.account_type, "wallet");
  const spot = { ...order, symbol: "CC-USDC", price: "0.15", qty: "100" };
  const enroll = "Complete wallet enrollment (MemberAuth) before trading.";
  errors.assertRow(await user.post("/v1/orders", spot), 403, enroll);
  const message =
    "the spot wallet of a wallet-funded account is on the ledger and cannot be used here";
  const money = { asset: "USDC", amount: "10" };
  await user.post("/v1/deposits/seed", money);
  const move = { ...money, from: "funding", to: "spot", idempotency_key: "w" };
  errors.assertRow(await user.post("/v1/transfers", move), 403, message);
  const back = { ...move, from: "spot", to: "funding" };
  errors.assertRow(await user.post("/v1/transfers", back), 403, message);
  const seeded = await user.post("/v1/deposits/seed", { ...money, wallet: "spot" });
  errors.assertRow(seeded, 403, message, true);
  const alone = await maker.post("/v1/wallet/enroll");
  errors.assertRow(alone, 503, "the ledger network is unreachable", true);
});

test("ERR-40 409: an order in a market whose protection has triggered is refused", async () => {
  const [user, other] = [await newUser("10"), await newUser("10")];
  for (const [owner, asset] of [
    [user, "USDC"],
    [other, "CC"],
  ] as const) {
    const seeded = await owner.post("/v1/deposits/seed", { asset, amount: "1000", wallet: "spot" });
    assert.equal(seeded.status, 200, seeded.text);
  }
  const market = fixture.venue.table.find("CC-USDC")?.id ?? -1;
  const limits = { windowUs: 60_000_000, qtyLimit: 0, valueLimit: 0n, countLimit: 1 };
  const { reason } = await fixture.venue.clearing.send({
    ...{ kind: CommandKind.setMakerGroup, account: accountOf(user), group: 1 },
    ...{ markets: 1 << market, ...limits },
  });
  assert.equal(reason, 0);
  const spot = { ...order, symbol: "CC-USDC", price: "0.15", qty: "100" };
  await placed(user, spot, "NEW");
  await placed(other, { ...spot, side: "SELL" }, "FILLED");
  const message =
    "market-maker protection of this market has triggered; reset it before you place orders";
  errors.assertRow(await user.post("/v1/orders", spot), 409, message);
});

test("ERR-40 400: orders are refused for the position, during a liquidation and while trading is paused", async () => {
  await fixture.operator.fund({
    ...{ account: SystemAccount.insurance, wallet: "perp", asset: "USDC", amount: "10000" },
  });
  const [victim, seller] = [await newUser("620"), await newUser("100000")];
  await indexed(50_000);
  const large = { ...order, qty: "20", leverage: 100 };
  const beyond = await maker.post("/v1/orders", large);
  errors.assertRow(beyond, 400, "position too large for the leverage");
  await placed(maker, { side: "SELL" }, "NEW");
  await placed(victim, { leverage: 100 }, "FILLED");
  const far = await maker.post("/v1/orders", { ...order, price: "260000" });
  errors.assertRow(far, 400, "price is too far from the mark price");
  await indexed(49_560);
  const message = "account is being liquidated";
  const run = () => victim.post("/v1/orders", { ...order, qty: "0.001", price: "40000" });
  let answer = await run();
  for (let tries = 0; tries < 240 && answer.text !== message; tries++) {
    // An account may place only fifty orders in ten seconds.
    await wait(250);
    answer = await run();
  }
  errors.assertRow(answer, 400, message);
  const positions = async () => (await victim.get("/v1/positions/me")).json.positions.length;
  for (let tries = 0; tries < 1_200 && (await positions()) > 0; tries++) await wait(50);
  assert.equal(await positions(), 0, "The position must be taken over");
  // The fund now has the position and makes a loss on it.
  await indexed(45_000);
  const more = { ...order, qty: "0.001", price: "44000" };
  answer = await seller.post("/v1/orders", more);
  for (let tries = 0; tries < 300 && answer.text !== "trading paused"; tries++) {
    await wait(250);
    answer = await seller.post("/v1/orders", more);
  }
  errors.assertRow(answer, 400, "trading paused");
  const spot = { ...more, symbol: "CC-USDC", price: "0.15", qty: "100" };
  errors.assertRow(await seller.post("/v1/orders", spot), 400, "trading paused");
});
