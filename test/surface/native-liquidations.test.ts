// Proves the list of positions that the venue closed without a trade: liquidations and deleveraging, as both sides see them.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { SystemAccount, Wallet } from "../../src/core/accounts.ts";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { crashTo, openLongs, tickSecond } from "../support/machine/small-crash.ts";
import { marketId, oneUsdc } from "../support/machine/test-markets.ts";
import { FrontFixture } from "./front-fixture.ts";

let front: FrontFixture;

beforeEach(async () => {
  front = await FrontFixture.open({ isLive: true });
});
afterEach(() => front.close());

async function userWith(usdc: bigint) {
  const api = new NativeClient(front.base);
  await api.login();
  const account = parsePublicId(PublicIdKind.user, api.userId)?.number ?? 0;
  front.venue.credit(account, Wallet.perp, 0, usdc * oneUsdc);
  const closed = async (query = "") => (await api.get(`/v1/liquidations/me${query}`)).json.items;
  return { api, account, closed };
}

/** A long of 1 BTC that the market leaves without margin; `winner` is short. */
async function crash(winner: number): Promise<Awaited<ReturnType<typeof userWith>>> {
  const { venue } = front;
  const maker = venue.fund(10_000_000n * oneUsdc);
  const loser = await userWith(6330n);
  venue.sell(winner, marketId.btcPerp, 6_000_000, 1000);
  venue.buy(loser.account, marketId.btcPerp, 6_000_000, 1000);
  crashTo(venue, maker, 5_300_000);
  tickSecond(venue);
  return loser;
}

test("NAT-84 a position that was closed without a trade is listed with price, quantity, result and entry", async () => {
  const winner = await userWith(100_000n);
  const loser = await crash(winner.account);
  const [row, ...more] = await loser.closed();
  assert.deepEqual(more, []);
  const { seq, price, realized_pnl: result, time, ...rest } = row;
  const terms = { symbol: "BTC-PERP", side: "SELL", qty: "1.000" };
  assert.deepEqual(rest, { type: "LIQUIDATION", ...terms });
  assert.match(seq, /^[1-9]\d*$/);
  assert(Number(price) < 60_000 && Number(result) < 0, `${price} ${result}`);
  assert.equal(Number(result), Number(price) - 60_000, "what it lost since its entry");
  const [other] = await winner.closed();
  assert.deepEqual(
    [other.type, other.side, other.seq, other.price, Number(other.realized_pnl)],
    ["DELEVERAGING", "BUY", seq, price, -Number(result)],
  );
  const at = Date.parse(time);
  assert.equal((await loser.closed(`?start_ms=${at}&end_ms=${at}&symbol=BTC-PERP`)).length, 1);
  assert.deepEqual(await loser.closed(`?start_ms=${at + 1}`), []);
  assert.deepEqual(await loser.closed(`?end_ms=${at - 1}`), []);
  assert.deepEqual(await loser.closed("?symbol=CC-USDC"), []);
  assert.deepEqual(await loser.closed("?symbol=ETH-PERP"), []);
});

test("NAT-84 a position that the insurance fund takes over is a liquidation of its holder alone", async () => {
  const other = front.venue.fund(100_000n * oneUsdc);
  front.venue.credit(SystemAccount.insurance, Wallet.perp, 0, 100_000n * oneUsdc);
  const loser = await crash(other);
  assert.deepEqual(
    (await loser.closed()).map(({ type }: { type: string }) => type),
    ["LIQUIDATION"],
  );
  const { json } = await loser.api.get("/v1/liquidations/me?limit=1");
  assert.deepEqual([json.items.length, json.next_cursor], [1, null]);
});

test("NAT-42 a trade of the venue's liquidation order says so, and no other", async () => {
  const { venue } = front;
  venue.credit(SystemAccount.insurance, Wallet.perp, 0, 10_500n * oneUsdc);
  const maker = venue.fund(10_000_000n * oneUsdc);
  const { api, account } = await userWith(620n);
  openLongs(venue, maker, account, venue.fund(6330n * oneUsdc));
  crashTo(venue, maker, 5_404_000);
  tickSecond(venue);
  const { items } = (await api.get("/v1/trades/me")).json;
  const told = items.map(({ side, liquidation }: Record<string, unknown>) => [side, liquidation]);
  const sold = told.slice(0, -1);
  assert(sold.length > 0);
  for (const row of sold) assert.deepEqual(row, ["SELL", true]);
  assert.deepEqual(told.at(-1), ["BUY", undefined]);
});
