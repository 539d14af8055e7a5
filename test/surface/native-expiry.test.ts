// Proves that the native list of orders says by which act of the venue a perpetual order ended.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SystemAccount, Wallet } from "../../src/core/accounts.ts";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { crashTo, openLongs, tickSecond } from "../support/machine/small-crash.ts";
import { marketId, oneUsdc } from "../support/machine/test-markets.ts";
import { sayIndex } from "../support/machine/test-venue.ts";
import { FrontFixture } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

async function userWith(usdc: bigint) {
  front.advance(60_000);
  const api = new NativeClient(front.base);
  await api.login();
  const account = parsePublicId(PublicIdKind.user, api.userId)?.number ?? 0;
  front.venue.credit(account, Wallet.perp, 0, usdc * oneUsdc);
  return { api, account };
}

const perp = { symbol: "BTC-PERP", time_in_force: "GTC" } as const;

async function outcomes(api: NativeClient): Promise<unknown[][]> {
  const { items } = (await api.get("/v1/orders/me?status=closed")).json;
  return items.map(({ price, status, expiry_reason: reason }: Record<string, unknown>) => [
    price,
    status,
    reason,
  ]);
}

test("NAT-82 a reduce-only order names the end of its position as its reason", async () => {
  const { venue } = front;
  const { api } = await userWith(100_000n);
  const maker = venue.fund(1_000_000n * oneUsdc);
  sayIndex(venue, marketId.btcPerp, 6_000_000);
  venue.sell(maker, marketId.btcPerp, 6_000_000, 100);
  await api.post("/v1/orders", { ...perp, side: "BUY", qty: "0.1", price: "60000" });
  const reducing = { ...perp, side: "SELL", qty: "0.1", price: "61000", reduce_only: true };
  assert.equal((await api.post("/v1/orders", reducing)).status, 200);
  venue.buy(maker, marketId.btcPerp, 5_990_000, 100);
  await api.post("/v1/orders", { ...perp, side: "SELL", qty: "0.1", price: "59900" });
  front.advance(1000);
  tickSecond(venue);
  assert.deepEqual(await outcomes(api), [
    ["59900.00", "FILLED", null],
    ["61000.00", "EXPIRED", "POSITION_CLOSED"],
    ["60000.00", "FILLED", null],
  ]);
});

test("NAT-82 a stop loss that a newer one replaced says so, and a cancel by the owner has no reason", async () => {
  const { venue } = front;
  const { api } = await userWith(100_000n);
  const maker = venue.fund(1_000_000n * oneUsdc);
  sayIndex(venue, marketId.btcPerp, 6_000_000);
  venue.sell(maker, marketId.btcPerp, 6_000_000, 200);
  const entry = { ...perp, side: "BUY", qty: "0.1", price: "60000" };
  await api.post("/v1/orders", { ...entry, stop_loss: "55000" });
  await api.post("/v1/orders", { ...entry, stop_loss: "56000" });
  const { json: resting } = await api.post("/v1/orders", { ...entry, price: "50000" });
  await api.delete(`/v1/orders/${resting.order_id}`);
  assert.deepEqual(await outcomes(api), [
    ["50000.00", "CANCELED", null],
    ["60000.00", "FILLED", null],
    [null, "CANCELED", "TPSL_REPLACED"],
    ["60000.00", "FILLED", null],
  ]);
});

test("NAT-82 an order that a liquidation ended names it as its reason", async () => {
  const { venue } = front;
  venue.credit(SystemAccount.insurance, Wallet.perp, 0, 10_500n * oneUsdc);
  const maker = venue.fund(10_000_000n * oneUsdc);
  const { api, account } = await userWith(620n);
  const large = venue.fund(6330n * oneUsdc);
  openLongs(venue, maker, account, large);
  const bid = { ...perp, side: "BUY", qty: "0.001", price: "50000" };
  assert.equal((await api.post("/v1/orders", bid)).status, 200);
  crashTo(venue, maker, 5_404_000);
  tickSecond(venue);
  const bids = (await outcomes(api)).filter(([price]) => price === "50000.00");
  assert.deepEqual(bids, [["50000.00", "EXPIRED", "LIQUIDATION"]]);
});
