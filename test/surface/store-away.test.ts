// Proves how a front answers while its database is away. The answer to a change says what was committed, a read gets an
// error that allows a retry, and nothing that succeeded is reported as failed.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import { SwapReason, SwapState } from "../../src/core/swaps.ts";
import type { CustodyRepository } from "../../src/ports/ledger/custody.ts";
import type { SwapRepository, Trader } from "../../src/ports/swaps/swap-store.ts";
import { SimulatedSwapRows } from "../simulation/swaps/simulated-swap-rows.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { noCustody } from "../support/front/no-custody.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

const payee = `payee::1220${"ab".repeat(32)}`;
const quote = {
  ...{ admin: "issuer", instrument: "USDC", registry: "http://127.0.0.1", custody: "custody" },
  ...{ depositMin: 0n, withdrawalMin: 0n, withdrawalFee: 1_000_000n },
};

/** Custody that accepts a withdrawal; every later read or write of the withdrawal fails. */
const custody: CustodyRepository = {
  ...noCustody,
  asset: async () => ({ ...quote, quotedMs: front.nowUs() / 1000 }),
  addWithdrawal: async () => nextWithdrawal++,
  withdrawalByKey: async (account, key) => {
    failOnce();
    return noCustody.withdrawalByKey(account, key);
  },
  takeWithdrawal: () => takeWithdrawal(),
  withdrawal: () => Promise.reject(new Error("no server")),
};

/** Errors that the next calls of a store throw, as while a primary fails over. */
let failures = 0;
function failOnce(): void {
  if (failures > 0)
    throw Object.assign(new Error("no server"), {
      code: failures-- > 1 ? "57P01" : "ECONNREFUSED",
    });
}

let nextWithdrawal = 5;
let takeWithdrawal = (): Promise<void> => Promise.reject(new Error("no server"));

const traders = new Map<number, Trader>();
const rows = new SimulatedSwapRows({
  traders,
  traderFlagsOf: () => ({ isMember: false, isFrozen: false }),
  canary: null,
  onStep: () => {
    isSwapCommitted = true;
  },
});
/** Whether a swap has been changed: from then on every read of it fails. */
let isSwapCommitted = false;
const gone = <T>(read: () => Promise<T>): Promise<T> =>
  isSwapCommitted
    ? Promise.reject(Object.assign(new Error("no server"), { code: "ECONNREFUSED" }))
    : read();
const swaps: SwapRepository = {
  trader: async (account) => {
    const trader = { account, party: "trader::1220", publicKey: "" };
    traders.set(account, trader);
    return trader;
  },
  add: async (swap, openMax) => {
    failOnce();
    const added = await rows.add(swap, openMax);
    isSwapCommitted = true;
    return added;
  },
  sign: async (...given) => {
    const signed = await rows.sign(...given);
    isSwapCommitted = true;
    return signed;
  },
  swap: (swapNo) =>
    gone(async () => {
      failOnce();
      return rows.swap(swapNo);
    }),
  quotes: (swapNo) => gone(() => rows.quotes(swapNo)),
  moves: (swapNo) => gone(() => rows.moves(swapNo)),
  swapsOf: (query) => rows.swapsOf(query),
  step: (step) => rows.step(step),
  unkept: () => rows.unkept(),
  extend: (swapNo, dueMs) => rows.extend(swapNo, dueMs),
  // No ledger reads the trader's coins here, so nobody waits for them.
  requestPrepare: async () => false,
};

/** Half of it is how long a request waits for the database. */
const deadlineMs = 1_000;
const message = "The database is not reached now. Nothing was executed; ask again.";

let front: FrontFixture;
/** A front whose requests wait so long for the database that it is back on any machine. */
let patient: FrontFixture;
let user: NativeClient;
let key: TestKey;

before(async () => {
  const payees = { check: async () => "able" as const };
  front = await FrontFixture.open({ custody, swaps, deadlineMs, payees });
  patient = await FrontFixture.open({ custody, swaps, deadlineMs: 120_000, payees });
  key = await front.newTrader();
  user = await userOf(front);
});
after(() => {
  front.close();
  patient.close();
});
afterEach(() => {
  front.storeIsBack();
  patient.storeIsBack();
});

/** Logs a user with 1,000 USDC in. */
async function userOf(at: FrontFixture): Promise<NativeClient> {
  const api = new NativeClient(at.base);
  await api.login();
  await api.post("/v1/deposits/seed", { asset: "USDC", amount: "1000" });
  return api;
}

/** Makes reads fail as the PostgreSQL client reports a refused connection, or a server that is starting. */
function away(code = "ECONNREFUSED", at = front): void {
  at.storeFails(Object.assign(new Error("no server"), { code }));
}

const transfer = { from: "funding", to: "perp", asset: "USDC", amount: "10" };

test("NAT-54 a committed transfer is answered although its row cannot be read", async () => {
  away();
  const requested = { ...transfer, idempotency_key: "while away" };
  const { status, json, text } = await user.post("/v1/transfers", requested);
  assert.equal(status, 200, text);
  const { transfer_id: id, created_at: at, replayed, amount } = json;
  assert.deepEqual([replayed, amount], [false, "10.000000"]);
  assert.equal(new Date(parsePublicId(PublicIdKind.transfer, id)?.bornMs ?? 0).toISOString(), at);
  // Only the stored row shows what an earlier request with this key requested, so the outcome is unknown here.
  assert.equal((await user.post("/v1/transfers", requested)).status, 408);
  front.storeIsBack();
  const again = (await user.post("/v1/transfers", requested)).json;
  assert.deepEqual(again, { ...json, replayed: true });
});

test("NAT-54 revoking a key and closing a session are answered even if later reads fail", async () => {
  const made = (await user.post("/v1/api-keys", { label: "one" })).json;
  front.keys.onFind = () => {
    if (front.keys.finds > 1) throw Object.assign(new Error("no server"), { code: "57P03" });
  };
  front.keys.finds = 0;
  const revoked = await user.delete(`/v1/api-keys/${made.id}`);
  front.keys.onFind = () => undefined;
  assert.equal(revoked.status, 200, revoked.text);
  const listed = (await user.get("/v1/api-keys?include_revoked=true")).json.keys;
  assert.equal(listed[0].revoked_at, revoked.json.revoked_at);
  const other = new NativeClient(front.base);
  await other.login();
  front.sessions.fault = Object.assign(new Error("no server"), { code: "ECONNRESET" });
  assert.equal((await other.post("/v1/wallet/logout")).status, 204);
  front.sessions.fault = null;
  assert.equal((await other.get("/v1/balances/me")).text, "invalid session");
});

test("NAT-54 an enrollment and a withdrawal are answered although no row can be read or written afterwards", async () => {
  const member = new NativeClient(front.base);
  await member.login();
  const read = front.members.get.bind(front.members);
  let reads = 0;
  front.members.get = (account) => {
    if (++reads > 1) throw Object.assign(new Error("no server"), { code: "ECONNREFUSED" });
    return read(account);
  };
  const enrolled = await member.post("/v1/wallet/enroll");
  front.members.get = read;
  assert.deepEqual([enrolled.status, enrolled.json.status], [200, "pending"], enrolled.text);
  await user.post("/v1/deposits/seed", { asset: "USDC", amount: "500", wallet: "spot" });
  const requested = { asset: "USDC", amount: "100", destination: payee, idempotency_key: "out" };
  const { status, json, text } = await user.post("/v1/withdrawals", requested);
  assert.equal(status, 200, text);
  assert.deepEqual([json.status, json.amount, json.fee], ["requested", "100.000000", "1.000000"]);
  assert.equal(parsePublicId(PublicIdKind.withdrawal, json.withdrawal_id)?.number, 5);
});

test("ERR-48 a withdrawal is answered once its row can be read, if the database is away only for a moment", async () => {
  const member = await userOf(patient);
  await member.post("/v1/deposits/seed", { asset: "USDC", amount: "500", wallet: "spot" });
  const fails = takeWithdrawal;
  let attempts = 0;
  takeWithdrawal = async () => {
    if (++attempts < 3) throw Object.assign(new Error("no server"), { code: "ECONNREFUSED" });
  };
  const requested = { asset: "USDC", amount: "100", destination: payee, idempotency_key: "soon" };
  const { status, text } = await member.post("/v1/withdrawals", requested);
  takeWithdrawal = fails;
  assert.equal(status, 200, text);
  assert.equal(attempts, 3);
});

test("OPS-124 OPS-125 a withdrawal that clearing may have is not said to be undone when its time is over; it is counted", async (t) => {
  // The command is sent in the turn in which the time begins.
  const check = async () => "able" as const;
  const own = await FrontFixture.open({ custody, withdrawalTimeoutMs: 100, payees: { check } });
  t.after(() => own.close());
  const member = new NativeClient(own.base);
  await member.login();
  await member.post("/v1/deposits/seed", { asset: "USDC", amount: "1000" });
  const moved = { from: "funding", to: "spot", asset: "USDC", amount: "500" };
  await member.post("/v1/transfers", { ...moved, idempotency_key: "to spot" });
  const fails = takeWithdrawal;
  takeWithdrawal = () => new Promise(() => undefined);
  const requested = { asset: "USDC", amount: "100", destination: payee, idempotency_key: "slow" };
  const { status, text } = await member.post("/v1/withdrawals", requested);
  takeWithdrawal = fails;
  assert.deepEqual([status, text], [504, "withdrawal not confirmed in time; query the withdrawal"]);
  const metrics = (await own.fetch("/metrics")).text;
  assert.match(metrics, /^rialto_front_withdrawals_refused\{[^}]*\} 1$/m);
});

test("OPS-124 a withdrawal refused for the ledger counts once, however often it is asked for with its key", async (t) => {
  const asset = async () => ({ ...quote, quotedMs: 0 });
  const own = await FrontFixture.open({ custody: { ...custody, asset } });
  t.after(() => own.close());
  const member = new NativeClient(own.base);
  await member.login();
  for (const key of ["one", "one", "two"]) {
    const requested = { asset: "USDC", amount: "100", destination: payee, idempotency_key: key };
    const { status, text } = await member.post("/v1/withdrawals", requested);
    assert.deepEqual([status, text], [503, "withdrawal fee quote unavailable"]);
  }
  const metrics = (await own.fetch("/metrics")).text;
  assert.match(metrics, /^rialto_front_withdrawals_refused\{[^}]*\} 2$/m);
});

const reads = [
  "/api/v3/historicalTrades?symbol=CC-USDC&fromId=1",
  "/api/v3/aggTrades?symbol=CC-USDC&fromId=1",
  "/fapi/v1/historicalTrades?symbol=BTCUSDT&fromId=1",
  "/fapi/v1/fundingRate?symbol=BTCUSDT",
];
const signedReads: [string, Record<string, string>][] = [
  ["/api/v3/allOrders", { symbol: "CC-USDC" }],
  ["/api/v3/myTrades", { symbol: "CC-USDC" }],
  ["/api/v3/order", { symbol: "CC-USDC", orderId: "77" }],
  ["/fapi/v1/allOrders", { symbol: "BTCUSDT" }],
  ["/fapi/v1/userTrades", { symbol: "BTCUSDT" }],
  ["/fapi/v1/income", {}],
  ["/fapi/v1/order", { symbol: "BTCUSDT", orderId: "77" }],
];
const nativeReads = [
  ...["/v1/orders/me", "/v1/trades/me", "/v1/funding/me", "/v1/transfers", "/v1/income/me"],
  "/v1/liquidations/me",
];

test("ERR-41 ERR-48 a history read while the database is away or starts waits, and then gets 503, not 500", async () => {
  for (const code of ["ECONNREFUSED", "57P03"]) {
    away(code);
    const fromMs = performance.now();
    const open = reads.map(async (path) => {
      const answer = await fetch(front.base + path);
      const body = await answer.json();
      assert.deepEqual([answer.status, body], [503, { code: -1008, msg: message }], path);
    });
    const signed = signedReads.map(async ([path, parameters]) => {
      const { status, json } = await front.send("GET", path, parameters, { key });
      assert.deepEqual([status, json], [503, { code: -1008, msg: message }], path);
    });
    const native = nativeReads.map(async (path) => {
      const { status, text } = await user.get(path);
      assert.deepEqual([status, text], [503, message], path);
    });
    await Promise.all([...open, ...signed, ...native]);
    assert.ok(performance.now() - fromMs >= deadlineMs / 2);
  }
});

test("ERR-48 a read and a new listen key that find the database away are answered once it is back", async () => {
  away("ECONNREFUSED", patient);
  const { listenKeys } = patient;
  const own = await patient.newTrader();
  const newest = listenKeys.newest.bind(listenKeys);
  listenKeys.newest = () =>
    Promise.reject(Object.assign(new Error("no server"), { code: "ECONNREFUSED" }));
  const read = fetch(patient.base + (reads[0] ?? ""));
  const listened = fetch(`${patient.base}/compat/api/v3/userDataStream`, {
    method: "POST",
    headers: { "X-MBX-APIKEY": own.value },
  });
  await wait(150);
  patient.storeIsBack();
  listenKeys.newest = newest;
  assert.equal((await read).status, 200);
  assert.equal((await listened).status, 200);
});

test("ERR-48 changes that may be made twice are answered once the database is back", async () => {
  const member = await userOf(patient);
  await member.post("/v1/deposits/seed", { asset: "USDC", amount: "500", wallet: "spot" });
  const sent = { ...transfer, idempotency_key: "moment" };
  const first = await member.post("/v1/transfers", sent);
  away("ECONNREFUSED", patient);
  const again = member.post("/v1/transfers", sent);
  await wait(150);
  patient.storeIsBack();
  const answered = await again;
  assert.equal(answered.status, 200, answered.text);
  assert.deepEqual(answered.json, { ...first.json, replayed: true });

  takeWithdrawal = async () => undefined;
  failures = 2;
  const requested = { asset: "USDC", amount: "100", destination: payee, idempotency_key: "moment" };
  const withdrawn = await member.post("/v1/withdrawals", requested);
  assert.equal(withdrawn.status, 200, withdrawn.text);

  isSwapCommitted = false;
  const swap = await member.post("/v1/swaps/rfq", { pair: "CC-USDC", side: "BUY", qty: "100" });
  isSwapCommitted = false;
  failures = 2;
  const cancelled = await member.post(`/v1/swaps/rfq/${swap.json.swap_id}/cancel`, {});
  assert.deepEqual([cancelled.status, cancelled.json.status], [200, "cancelled"], cancelled.text);

  const { id } = (await member.post("/v1/api-keys", { label: "moment" })).json;
  failures = 2;
  patient.keys.onFind = failOnce;
  const revoked = await member.delete(`/v1/api-keys/${id}`);
  patient.keys.onFind = () => undefined;
  assert.equal(revoked.status, 200, revoked.text);

  const other = new NativeClient(patient.base);
  await other.login();
  const read = patient.members.get.bind(patient.members);
  failures = 2;
  patient.members.get = (account) => {
    failOnce();
    return read(account);
  };
  const enrolled = await other.post("/v1/wallet/enroll");
  patient.members.get = read;
  assert.deepEqual([enrolled.status, enrolled.json.status], [200, "pending"], enrolled.text);
  assert.equal(failures, 0);
});

test("ERR-49 a change that may not be made twice says that its outcome is unknown if the database is away", async () => {
  failures = 1;
  isSwapCommitted = false;
  const asked = await user.post("/v1/swaps/rfq", { pair: "CC-USDC", side: "BUY", qty: "100" });
  assert.equal(asked.status, 408, asked.text);
  assert.match(asked.text, /execution status unknown/);
  assert.equal(failures, 0);
});

test("ERR-41 a permanent database error gets 500, and no change ever gets 503 because of one", async () => {
  away("42P01");
  for (const path of reads) assert.equal((await fetch(front.base + path)).status, 500, path);
  for (const path of nativeReads) assert.equal((await user.get(path)).status, 500, path);
  away();
  const cancel = { symbol: "CC-USDC", orderId: "77" };
  const { status } = await front.send("DELETE", "/api/v3/order", cancel, { key });
  assert.equal(status, 422, "Clearing must refuse the order without reading a row");
});

test("NAT-54 requesting, accepting, signing or cancelling a swap is answered even if later reads fail", async () => {
  const changed = async (path: string, body: object = {}) => {
    isSwapCommitted = false;
    const answer = await user.post(`/v1/swaps/rfq${path}`, body);
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    return answer.json;
  };
  const requested = await changed("", { pair: "CC-USDC", side: "BUY", qty: "100" });
  assert.deepEqual(
    [requested.status, requested.quotes.length, requested.moves.length],
    ["requested", 0, 1],
  );
  const [swap] = await rows.open(1);
  assert(swap !== undefined);
  const atMs = front.nowUs() / 1000;
  const quote = {
    provider: "p",
    providerParty: "p::1",
    quoteId: "q",
    priceTicks: 1500,
    lots: 1000,
  };
  await rows.addQuote(swap.swapNo, { ...quote, validUntilMs: atMs + 60_000 });
  const move = { reason: SwapReason.none, dueMs: atMs + 60_000, atMs, details: {}, notices: [] };
  await rows.step({ swap, to: SwapState.quoted, ...move });
  const one = `/${requested.swap_id}`;
  const [{ quoteNo = 0 } = {}] = await rows.quotes(swap.swapNo);
  const taken = await changed(`${one}/accept`, { quote_id: String(quoteNo) });
  assert.deepEqual([taken.status, taken.quotes.length, taken.moves.length], ["accepted", 1, 3]);
  const called = await changed(`${one}/cancel`);
  assert.deepEqual([called.status, called.moves.length], ["cancelled", 4]);
});
