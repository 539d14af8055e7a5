// Proves referral on the native surface: codes at login, the dashboard, and claims.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import { assertConserved } from "../model/conservation.ts";
import { NativeClient, newWallet, signText } from "../support/client/native-client.ts";
import { marketId } from "../support/machine/test-markets.ts";
import { FrontFixture } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

async function newUser(code?: string, wallet = newWallet()): Promise<NativeClient> {
  front.advance(60_000);
  const user = new NativeClient(front.base);
  await user.login(wallet, undefined, code);
  return user;
}

async function dashboard(user: NativeClient) {
  const { status, json, text } = await user.get("/v1/referral/dashboard");
  assert.equal(status, 200, text);
  return json;
}

/** Returns the number of a user's account, which is part of the public id. */
function accountOf({ userId }: NativeClient): number {
  return parsePublicId(PublicIdKind.user, userId)?.number ?? 0;
}

/** Makes two trades of 6,000 USDC between a user and a stranger, and sends a tick in the next interval. */
function trade(user: NativeClient): void {
  const { venue } = front;
  const stranger = venue.fund(10n ** 13n);
  const account = accountOf(user);
  venue.credit(account, Wallet.perp, 0, 10n ** 12n);
  venue.sell(stranger, marketId.btcPerp, 6_000_000, 100);
  venue.buy(account, marketId.btcPerp, 6_000_000, 100);
  front.advance(5_000);
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
}

test("REF-9 REF-1 REF-3 REF-5 REF-8 a code at the first login earns its owner commission and points", async () => {
  const owner = await newUser();
  const empty = await dashboard(owner);
  const { code, ...figures } = empty;
  assert.match(code, /^[0-9A-Z]{8}$/);
  assert.deepEqual(figures, {
    referred_users: 0,
    volume: "0.000000",
    commission_accrued: "0.000000",
    commission_claimed: "0.000000",
    points: 0,
  });
  const user = await newUser(code.toLowerCase());
  assert.equal((await dashboard(owner)).referred_users, 1);
  trade(user);
  const earned = {
    code,
    referred_users: 1,
    volume: "6000.000000",
    commission_accrued: "0.300000",
    commission_claimed: "0.000000",
    points: 60,
  };
  assert.deepEqual(await dashboard(owner), earned);
  const own = await dashboard(user);
  assert.deepEqual(
    [own.volume, own.points, own.commission_accrued],
    ["6000.000000", 60, "0.000000"],
  );
  const claimed = await owner.post("/v1/referral/claim");
  assert.deepEqual([claimed.status, claimed.json], [200, { claimed: "0.300000", asset: "USDC" }]);
  assert.deepEqual(await dashboard(owner), { ...earned, commission_claimed: "0.300000" });
  assert.equal(front.state.balances.total(accountOf(owner), Wallet.perp, 0), 300_000n);
  const again = await owner.post("/v1/referral/claim");
  assert.deepEqual(again.json, { claimed: "0.000000", asset: "USDC" });
  assertConserved(front.state);
  const key = await front.newKey(accountOf(owner));
  const { json: income } = await front.send("GET", "/fapi/v1/income", {}, { key });
  const [row] = income;
  const { symbol, incomeType, income: amount, asset, info, tradeId } = row;
  assert.deepEqual(
    [income.length, symbol, incomeType, amount, asset, info, tradeId],
    [1, "", "COMMISSION_REBATE", "0.300000", "USDC", "COMMISSION_REBATE", ""],
  );
  const named = { incomeType: "COMMISSION_REBATE" };
  assert.deepEqual((await front.send("GET", "/fapi/v1/income", named, { key })).json, income);
  const ofMarket = { ...named, symbol: "BTCUSDT" };
  assert.deepEqual((await front.send("GET", "/fapi/v1/income", ofMarket, { key })).json, []);
});

test("NAT-83 REF-9 claimed commission is income without a market, in the margin asset", async () => {
  const owner = await newUser();
  trade(await newUser((await dashboard(owner)).code));
  await owner.post("/v1/referral/claim");
  const { status, json, text } = await owner.get("/v1/income/me");
  assert.equal(status, 200, text);
  const [{ time: _, seq, ...row }, ...others] = json.items;
  assert.deepEqual(row, {
    type: "COMMISSION_REBATE",
    symbol: null,
    asset: "USDC",
    amount: "0.300000",
  });
  assert.deepEqual(others, []);
  assert.match(seq, /^[1-9]\d*$/);
});

test("REF-6 only one of several simultaneous claims is paid", async () => {
  const owner = await newUser();
  const user = await newUser((await dashboard(owner)).code);
  trade(user);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => owner.post("/v1/referral/claim")),
  );
  const paid = answers.map(({ json }) => json.claimed).sort();
  assert.deepEqual(paid, [...Array<string>(4).fill("0.000000"), "0.300000"]);
});

test("REF-2 a code can be used once, before the account has traded, and never by its owner", async () => {
  const [first, second] = [await newUser(), await newUser()];
  const codes = [(await dashboard(first)).code, (await dashboard(second)).code];
  const wallet = newWallet();
  const user = await newUser(undefined, wallet);
  const own = (await dashboard(user)).code;
  await newUser(own, wallet);
  await newUser(codes[0], wallet);
  await newUser(codes[1], wallet);
  assert.equal((await dashboard(first)).referred_users, 1);
  assert.equal((await dashboard(second)).referred_users, 0);
  assert.equal((await dashboard(user)).referred_users, 0);
  const trader = newWallet();
  trade(await newUser(undefined, trader));
  await newUser(codes[1], trader);
  assert.equal((await dashboard(second)).referred_users, 0);
});

test("REF-2 an unknown code is refused before the nonce is spent", async () => {
  front.advance(60_000);
  const wallet = newWallet();
  const user = new NativeClient(front.base);
  const public_key = wallet.publicKey;
  const { nonce, message } = (await user.post("/v1/wallet/challenge", { public_key })).json;
  const proof = { public_key, nonce, signature: signText(wallet, message) };
  const { seq } = front.state;
  for (const referral_code of ["", "ABCDEFGH", "00000000", "' or 1=1", "__proto__"]) {
    const refused = await user.post("/v1/wallet/verify", { ...proof, referral_code });
    assert.deepEqual([refused.status, refused.json], [400, { error: "unknown referral_code" }]);
  }
  const wrong = await user.post("/v1/wallet/verify", { ...proof, referral_code: 5 });
  assert.deepEqual([wrong.status, wrong.json.error], [422, "wrong type of field: referral_code"]);
  assert.equal(front.state.seq, seq);
  assert.equal((await user.post("/v1/wallet/verify", proof)).status, 200);
});

test("REF-8 dashboard and claim need a session, and the claim has no parameters", async () => {
  const nobody = new NativeClient(front.base);
  assert.equal((await nobody.get("/v1/referral/dashboard")).text, "missing bearer token");
  assert.equal((await nobody.post("/v1/referral/claim")).text, "missing bearer token");
  const user = await newUser();
  const wrong = await user.post("/v1/referral/claim", { amount: "1" });
  assert.deepEqual([wrong.status, wrong.text], [422, "unknown field: amount"]);
});
