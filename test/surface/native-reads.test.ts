// Proves what a user can read under /v1: orders, trades, funding, positions, balances and fees, page by page and
// immediately after a change. Also proves what development tools let others see.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import type { Json } from "../support/client/json.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { marketId } from "../support/machine/test-markets.ts";
import { sayIndex } from "../support/machine/test-venue.ts";
import { FrontFixture } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

interface User {
  readonly api: NativeClient;
  readonly account: number;
}

async function newUser(at = front): Promise<User> {
  at.advance(60_000);
  const api = new NativeClient(at.base);
  await api.login();
  const account = parsePublicId(PublicIdKind.user, api.userId)?.number ?? 0;
  at.venue.credit(account, Wallet.perp, 0, 100_000_000_000n);
  at.venue.credit(account, Wallet.spot, 0, 100_000_000_000n);
  at.venue.credit(account, Wallet.spot, 1, 100_000_000_000n);
  return { api, account };
}

const perp = { symbol: "BTC-PERP", qty: "1", price: "100" };
const spot = { symbol: "CC-USDC", qty: "1000", price: "0.15" };

/** Reads all pages of a list. */
async function pagesOf(api: NativeClient, path: string, limit: number): Promise<unknown[][]> {
  const pages: unknown[][] = [];
  let cursor = "";
  for (;;) {
    front.advance(60_000);
    const glue = path.includes("?") ? "&" : "?";
    const next = cursor === "" ? "" : `&cursor=${cursor}`;
    const { json } = await api.get(`${path}${glue}limit=${limit}${next}`);
    pages.push(json.items);
    if (json.next_cursor === null) return pages;
    cursor = json.next_cursor;
  }
}

test("NAT-41 NAT-67 orders are listed immediately, newest first, by state and market, with their outcome", async () => {
  const { api } = await newUser();
  const { api: other } = await newUser();
  const ids: string[] = [];
  for (const order of [perp, spot, { ...perp, price: "99" }, { ...spot, price: "0.14" }]) {
    ids.unshift((await api.post("/v1/orders", { ...order, side: "BUY" })).json.order_id);
  }
  await other.post("/v1/orders", { ...perp, side: "SELL" });
  await api.delete(`/v1/orders/${ids[2]}`);
  const list = async (query: string) => (await api.get(`/v1/orders/me${query}`)).json;
  const all = await list("");
  assert.equal(all.next_cursor, null);
  const shown = all.items.map((item: Record<string, unknown>) => [
    item["order_id"],
    item["status"],
  ]);
  assert.deepEqual(shown, [
    [ids[0], "NEW"],
    [ids[1], "NEW"],
    [ids[2], "CANCELED"],
    [ids[3], "FILLED"],
  ]);
  assert.deepEqual(Object.keys(all.items[0]).slice(-5), [
    "replayed",
    "take_profit",
    "stop_loss",
    "expiry_reason",
    "updated_at",
  ]);
  const idsOf = async (query: string) =>
    (await list(query)).items.map((item: { order_id: string }) => item.order_id);
  assert.deepEqual(await idsOf("?status=open"), ids.slice(0, 2));
  assert.deepEqual(await idsOf("?status=closed"), ids.slice(2));
  assert.deepEqual(await idsOf("?status=closed&symbol=BTC-PERP"), [ids[3]]);
  assert.deepEqual(await idsOf("?status=open&symbol=CC-USDC"), [ids[0]]);
  for (const status of ["all", "open", "closed"]) {
    const pages = await pagesOf(api, `/v1/orders/me?status=${status}`, 1);
    const whole = (await list(`?status=${status}`)).items;
    assert.deepEqual(pages.flat(), whole, status);
    assert(pages.every((page) => page.length <= 1));
  }
  assert.deepEqual((await other.get("/v1/orders/me?status=open")).json.items, []);
});

test("NAT-42 trades show each side its own fee, role and profit, page by page", async () => {
  const { api } = await newUser();
  const { api: other } = await newUser();
  const opened = await api.post("/v1/orders", { ...perp, side: "BUY" });
  const hit = await other.post("/v1/orders", { ...perp, side: "SELL" });
  await api.post("/v1/orders", { ...perp, side: "SELL", price: "110" });
  await other.post("/v1/orders", { ...perp, side: "BUY", price: "110" });
  await api.post("/v1/orders", { ...spot, side: "BUY" });
  await other.post("/v1/orders", { ...spot, side: "SELL" });
  const { items } = (await api.get("/v1/trades/me")).json;
  assert.equal(items.length, 3);
  const [bought, closed, first] = items;
  const { id, time, ...rest } = first;
  assert.equal(parsePublicId(PublicIdKind.trade, id)?.bornMs, Date.parse(time));
  assert.deepEqual(rest, {
    order_id: opened.json.order_id,
    symbol: "BTC-PERP",
    side: "BUY",
    price: "100.00",
    qty: "1.000",
    fee: "0.020000",
    fee_asset: "USDC",
    maker: true,
    realized_pnl: "0.000000",
  });
  assert.equal(closed.realized_pnl, "10.000000");
  assert.deepEqual(
    [bought.symbol, bought.fee_asset, bought.fee, bought.realized_pnl],
    ["CC-USDC", "CC", "0.40000000", null],
  );
  const theirs = (await other.get("/v1/trades/me?symbol=BTC-PERP")).json.items;
  assert.deepEqual(
    theirs.map((item: { maker: boolean; fee: string }) => [item.maker, item.fee]),
    [
      [false, "0.055000"],
      [false, "0.050000"],
    ],
  );
  assert.equal(theirs.at(-1).order_id, hit.json.order_id);
  assert.deepEqual((await pagesOf(api, "/v1/trades/me", 1)).flat(), items);
  const fees = (await api.get("/v1/fees/me")).json;
  assert.deepEqual(fees.perp, { maker_bps: 2, taker_bps: 5 });
  assert.deepEqual(fees.spot, { maker_bps: 4, taker_bps: 10 });
  assert.deepEqual(fees.paid, [
    { asset: "USDC", amount: "0.042000" },
    { asset: "CC", amount: "0.40000000" },
    { asset: "CBTC", amount: "0.00000000" },
    { asset: "CETH", amount: "0.00000000" },
  ]);
});

test("NAT-43 positions show side, size, prices, margin and both profits, and closed positions are left out", async () => {
  const { api } = await newUser();
  const { api: other } = await newUser();
  await api.post("/v1/orders", { ...perp, side: "BUY", leverage: 20 });
  await other.post("/v1/orders", { ...perp, side: "SELL" });
  const { positions } = (await api.get("/v1/positions/me")).json;
  const mark = positions[0]?.mark_price;
  assert.deepEqual(positions, [
    {
      symbol: "BTC-PERP",
      side: "LONG",
      qty: "1.000",
      entry_price: "100.00000000",
      mark_price: mark,
      liquidation_price: null,
      leverage: 20,
      margin: "5.000000",
      unrealized_pnl: positions[0].unrealized_pnl,
      realized_pnl: "0.000000",
    },
  ]);
  assert.equal((await other.get("/v1/positions/me")).json.positions[0].side, "SHORT");
  await api.post("/v1/orders", { ...perp, side: "SELL" });
  await other.post("/v1/orders", { ...perp, side: "BUY" });
  assert.deepEqual((await api.get("/v1/positions/me")).json, { positions: [] });
});

test("NAT-44 funding lists what each position paid or received, newest first", async () => {
  const { api } = await newUser();
  const { api: other } = await newUser();
  // Set an index of 100, because without one there is no funding.
  sayIndex(front.venue, marketId.btcPerp, 10_000);
  await api.post("/v1/orders", { ...perp, side: "BUY" });
  await other.post("/v1/orders", { ...perp, side: "SELL" });
  for (let round = 0; round < 3; round++) {
    front.advance(61_000);
    front.venue.machine.handle(front.venue.command({ kind: CommandKind.tick }));
    front.venue.done({ kind: CommandKind.settleFunding });
    front.advance(61_000);
    front.venue.machine.handle(front.venue.command({ kind: CommandKind.tick }));
  }
  const { items } = (await api.get("/v1/funding/me")).json;
  assert.equal(items.length, 3);
  const { time, rate, amount, ...rest } = items[0];
  assert.deepEqual(rest, { symbol: "BTC-PERP", position_qty: "1.000", mark_price: "100.00" });
  assert.equal(rate, "0.00010000");
  assert.equal(amount, "-0.010000");
  assert(Date.parse(time) > Date.parse(items[1].time));
  assert.deepEqual((await pagesOf(api, "/v1/funding/me", 2)).flat(), items);
  assert.equal((await other.get("/v1/funding/me")).json.items[0].amount, "0.010000");
  assert.deepEqual((await api.get("/v1/funding/me?symbol=CC-USDC")).json.items, []);
});

test("NAT-45 balances list every asset of each wallet, with the amounts that orders hold", async () => {
  const { api } = await newUser();
  await api.post("/v1/orders", { ...spot, side: "BUY", price: "0.10" });
  await api.post("/v1/orders", { ...perp, side: "BUY", price: "50" });
  const { balances } = (await api.get("/v1/balances/me")).json;
  const wallets = balances.map((row: { wallet: string; asset: string }) => [row.wallet, row.asset]);
  const each = ["USDC", "CC", "CBTC", "CETH"];
  assert.deepEqual(wallets, [
    ...each.map((asset) => ["funding", asset]),
    ...each.map((asset) => ["spot", asset]),
    ["perp", "USDC"],
  ]);
  const [cash, margin] = [balances[4], balances.at(-1)];
  assert.deepEqual(
    [cash.free, cash.locked, cash.total],
    ["99900.000000", "100.000000", "100000.000000"],
  );
  assert.deepEqual([margin.locked, margin.total], ["5.000000", "100000.000000"]);
});

test("NAT-46 meaningless queries get 400 with the parameter's name", async () => {
  const { api } = await newUser();
  const cases = [
    ["/v1/orders/me?status=done", "invalid query parameter: status"],
    ["/v1/orders/me?limit=1.5", "invalid query parameter: limit"],
    ["/v1/trades/me?cursor=x", "invalid query parameter: cursor"],
    ["/v1/trades/me?symbol=NO-SUCH", "unknown symbol"],
    ["/v1/funding/me?limit=ten", "invalid query parameter: limit"],
    ["/v1/orders/me?start_ms=x", "invalid query parameter: start_ms"],
    ["/v1/trades/me?end_ms=-1", "invalid query parameter: end_ms"],
    ["/v1/transfers?cursor=x", "invalid query parameter: cursor"],
    ["/v1/income/me?limit=x", "invalid query parameter: limit"],
  ] as const;
  for (const [path, message] of cases) {
    const answer = await api.get(path);
    assert.deepEqual([answer.status, answer.text], [400, message], path);
  }
  const stranger = new NativeClient(front.base);
  const own = ["orders", "trades", "funding", "positions", "fees", "balances"];
  for (const path of own.map((name) => `/v1/${name}/me`)) {
    assert.equal((await stranger.get(path)).status, 401, path);
  }
});

test("NAT-47 a user's positions and balances are public only with development tools", async () => {
  const { api } = await newUser();
  const { api: other } = await newUser();
  const of = (id: string) => [`/v1/positions/${id}/open`, `/v1/account/${id}/balances`] as const;
  const [positions, balances] = of(other.userId);
  assert.deepEqual((await api.get(positions)).json, (await other.get("/v1/positions/me")).json);
  assert.deepEqual((await api.get(balances)).json, (await other.get("/v1/balances/me")).json);
  for (const path of of("17")) {
    const answer = await api.get(path);
    assert.deepEqual([answer.status, answer.text], [400, "malformed UUID in the path"]);
  }
  for (const path of of("00000000-0000-7003-8000-000000000001")) {
    const answer = await api.get(path);
    assert.deepEqual([answer.status, answer.text], [404, "user not found"]);
  }
  assert.equal((await new NativeClient(front.base).get(positions)).status, 401);
  const closed = await FrontFixture.open({ devTools: false });
  try {
    const user = new NativeClient(closed.base);
    await user.login();
    for (const path of of(user.userId)) {
      const answer = await user.get(path);
      assert.deepEqual([answer.status, answer.text], [403, "development tools are off"]);
    }
  } finally {
    closed.close();
  }
});

test("NAT-81 orders, trades and funding are listed within times, whatever the size of a page", async () => {
  const { api } = await newUser();
  const { api: other } = await newUser();
  const times: number[] = [];
  sayIndex(front.venue, marketId.btcPerp, 10_000);
  for (let hour = 0; hour < 4; hour++) {
    front.advance(3_600_000);
    await other.post("/v1/orders", { ...perp, side: "SELL" });
    const { json } = await api.post("/v1/orders", { ...perp, side: "BUY" });
    times.unshift(Date.parse(json.created_at));
    front.venue.machine.handle(front.venue.command({ kind: CommandKind.tick }));
    front.venue.done({ kind: CommandKind.settleFunding });
  }
  const [, second = 0, third = 0] = times;
  for (const path of ["/v1/orders/me", "/v1/trades/me"]) {
    const within = `${path}?start_ms=${third}&end_ms=${second}`;
    const pages = await pagesOf(api, within, 1);
    const at = (row: unknown) => {
      const { time, created_at: created } = row as { time?: string; created_at?: string };
      return Date.parse(time ?? created ?? "");
    };
    assert.deepEqual(
      pages.map((page) => page.map(at)),
      [[second], [third]],
      path,
    );
    const until = await pagesOf(api, `${path}?end_ms=${third}`, 10);
    assert.deepEqual(until.flat().map(at), times.slice(2), path);
  }
  const paid = (await api.get("/v1/funding/me")).json.items as { time: string }[];
  const [newest = 0, oldest = 0] = [paid[0], paid.at(-1)].map((one) => Date.parse(one?.time ?? ""));
  const middle = await api.get(`/v1/funding/me?start_ms=${oldest + 1}&end_ms=${newest - 1}`);
  assert.deepEqual(middle.json.items, paid.slice(1, -1));
});

test("NAT-82 an expired order is listed with the reason, every other one with null", async () => {
  const { api } = await newUser();
  await api.post("/v1/orders", { ...spot, side: "BUY", time_in_force: "IOC" });
  await api.post("/v1/orders", { ...spot, side: "BUY" });
  const { items } = (await api.get("/v1/orders/me")).json;
  assert.deepEqual(
    items.map((item: { expiry_reason: string | null }) => item.expiry_reason),
    [null, "UNFILLED_IOC_QUANTITY_EXPIRED"],
  );
});

test("NAT-83 income lists every change of the perp wallet with its reason, oldest first, page by page", async () => {
  const { api } = await newUser();
  const { api: other } = await newUser();
  await other.post("/v1/orders", { ...perp, side: "SELL" });
  await api.post("/v1/orders", { ...perp, side: "BUY" });
  await other.post("/v1/orders", { ...perp, side: "BUY", price: "101" });
  await api.post("/v1/orders", { ...perp, side: "SELL", price: "101" });
  front.advance(1000);
  await api.post("/v1/transfers", {
    ...{ from: "perp", to: "spot", asset: "USDC", amount: "5", idempotency_key: "income" },
  });
  const { items } = (await api.get("/v1/income/me")).json;
  const shown = items.map(({ time: _, seq: __, ...row }: Json) => Object.values(row));
  const isTraded = ({ type }: Json) => type === "REALIZED_PNL" || type === "COMMISSION";
  for (const row of items) assert.equal(row.seq === null, isTraded(row), row.type);
  const own = shown.filter(([type]: [string]) => type !== "COMMISSION");
  assert.deepEqual(own, [
    ["TRANSFER", null, "USDC", "100000.000000"],
    ["REALIZED_PNL", "BTC-PERP", "USDC", "1.000000"],
    ["TRANSFER", null, "USDC", "-5.000000"],
  ]);
  assert.equal(shown.length, 5);
  const times = items.map(({ time }: { time: string }) => time);
  assert.deepEqual(times, [...times].sort());
  assert.deepEqual((await pagesOf(api, "/v1/income/me", 3)).flat(), items);
  const late = await api.get(`/v1/income/me?start_ms=${Date.parse(times.at(-1))}`);
  assert.deepEqual(late.json.items, items.slice(-1));
  for (const cursor of [9_999, 10_000]) {
    const { status, text } = await api.get(`/v1/income/me?cursor=${cursor}`);
    assert.deepEqual(
      [status, text],
      [400, "a list of income ends after 9999 rows: continue with start_ms"],
    );
  }
  assert.deepEqual((await api.get("/v1/income/me?cursor=9998")).json.items, []);
});
