// Proves the wallet routes (/sapi) that clients call when they start or move money: assets and their terms, transfers
// between the account's wallets, deposits and withdrawals, and what a key may do.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AccountFlag, KeyPermission, Wallet } from "../../src/core/accounts.ts";
import {
  type CustodyRepository,
  type DepositRow,
  DepositState,
  type WithdrawalRow,
  WithdrawalStage,
} from "../../src/ports/ledger/custody.ts";
import { noCustody } from "../support/front/no-custody.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

const party = `custody::1220${"a".repeat(64)}`;
const deposits: DepositRow[] = [];
const withdrawals: WithdrawalRow[] = [];

const custody: CustodyRepository = {
  ...noCustody,
  asset: async (asset) =>
    asset === 3
      ? null
      : {
          admin: party,
          instrument: "USDC",
          registry: "",
          custody: party,
          quotedMs: 0,
          depositMin: 10n,
          withdrawalMin: 2_000_000n,
          withdrawalFee: 500_000n,
        },
  deposits: async ({ account, before, limit }) =>
    deposits
      .filter((row) => row.account === account && row.depositId < (before ?? 1e9))
      .slice(0, limit),
  withdrawals: async ({ account, before, limit }) =>
    withdrawals
      .filter((row) => row.account === account && row.withdrawalId < (before ?? 1e9))
      .slice(0, limit),
};

let front: FrontFixture;
let key: TestKey;

before(async () => {
  front = await FrontFixture.open({ custody });
  key = await front.newTrader(1_000_000_000n);
});
after(() => front.close());

const call = (method: string, path: string, parameters = {}, by = key) =>
  front.send(method, path, parameters, { key: by });

async function ok(method: string, path: string, parameters = {}, by = key) {
  const answer = await call(method, path, parameters, by);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

const wallet = (which: Wallet) => front.state.balances.total(key.account, which, 0);

test("SPT-39 SPT-48 transfers move money between the wallets, and are listed newest first", async () => {
  const first = await ok("POST", "/compat/sapi/v1/asset/transfer", {
    type: "MAIN_UMFUTURE",
    asset: "USDT",
    amount: "100.5",
  });
  assert.deepEqual([wallet(Wallet.spot), wallet(Wallet.perp)], [899_500_000n, 1_100_500_000n]);
  const second = await ok("POST", "/sapi/v1/futures/transfer", {
    asset: "USDC",
    amount: "50",
    type: 2,
  });
  assert.deepEqual([wallet(Wallet.spot), wallet(Wallet.perp)], [949_500_000n, 1_050_500_000n]);
  const third = await ok("POST", "/compat/sapi/v1/asset/transfer", {
    type: "MAIN_FUNDING",
    asset: "USDC",
    amount: "1",
  });
  assert.equal(wallet(Wallet.funding), 1_000_000n);
  assert.ok(first.tranId < second.tranId && second.tranId < third.tranId);
  const way = { type: "MAIN_UMFUTURE" };
  const { total, rows } = await ok("GET", "/compat/sapi/v1/asset/transfer", way);
  const [{ timestamp }] = rows;
  assert.ok(timestamp > 1_700_000_000_000);
  assert.deepEqual(
    [total, rows],
    [
      1,
      [
        {
          asset: "USDT",
          amount: "100.500000",
          type: "MAIN_UMFUTURE",
          status: "CONFIRMED",
          tranId: first.tranId,
          timestamp,
        },
      ],
    ],
  );
  const futures = await ok("GET", "/sapi/v1/futures/transfer", { asset: "USDC" });
  assert.deepEqual(
    futures.rows.map((row: { type: string; tranId: number; asset: string }) => [
      row.type,
      row.tranId,
      row.asset,
    ]),
    [
      ["2", second.tranId, "USDC"],
      ["1", first.tranId, "USDC"],
    ],
  );
  const paged = await ok("GET", "/sapi/v1/futures/transfer", { current: 2, size: 1 });
  assert.deepEqual([paged.total, paged.rows[0].tranId], [2, first.tranId]);
  const earlier = await ok("GET", "/sapi/v1/futures/transfer", { endTime: timestamp - 1 });
  assert.deepEqual(earlier, { total: 0, rows: [] });
});

test("SPT-39 a meaningless or uncovered transfer is refused, and nothing moves", async () => {
  const seq = front.state.seq;
  const move = { type: "MAIN_UMFUTURE", asset: "USDC", amount: "1" };
  const path = "/compat/sapi/v1/asset/transfer";
  for (const [change, status, code] of [
    [{ amount: "100000000" }, 422, -2010],
    [{ amount: "0" }, 400, -1100],
    [{ amount: "0.0000001" }, 400, -1100],
    [{ amount: "-1" }, 400, -1100],
    [{ asset: "CC" }, 400, -1100],
    [{ asset: "XRP" }, 400, -1100],
    [{ type: "MAIN_MARGIN" }, 400, -1100],
    [{ type: "" }, 400, -1102],
    [{ fromSymbol: "BTCUSDT" }, 400, -1103],
  ] as const) {
    const answer = await call("POST", path, { ...move, ...change });
    assert.deepEqual([answer.status, answer.json.code], [status, code], JSON.stringify(change));
  }
  assert.equal(
    (await call("POST", "/sapi/v1/asset/transfer", { ...move, asset: "USDT" })).json.code,
    -1100,
  );
  const reader = await front.newKey(key.account, { permissions: KeyPermission.read });
  assert.equal((await call("POST", path, move, reader)).json.code, -2015);
  assert.equal(front.state.seq, seq + 1, "Only the new key may change the state");
});

test("SPT-40 SPT-49 each asset is listed with its terms, and compat also lists the collateral under Binance's name", async () => {
  const coins = await ok("GET", "/compat/sapi/v1/capital/config/getall");
  const names = (rows: { coin: string }[]) => rows.map(({ coin }) => coin);
  assert.deepEqual(names(coins), ["USDC", "CC", "CBTC", "CETH", "USDT"]);
  const root = await ok("GET", "/sapi/v1/capital/config/getall");
  assert.deepEqual(names(root), ["USDC", "CC", "CBTC", "CETH"]);
  const [usdc, , , ceth, usdt] = coins;
  assert.deepEqual([usdc.free, usdt.free], ["948.500000", "1050.500000"]);
  const [network] = usdc.networkList;
  assert.deepEqual(
    [network.network, network.withdrawFee, network.withdrawMin, network.depositEnable],
    ["CANTON", "0.500000", "2.000000", true],
  );
  assert.deepEqual([ceth.depositAllEnable, ceth.networkList[0].withdrawEnable], [false, false]);
  const details = await ok("GET", "/compat/sapi/v1/asset/assetDetail");
  assert.deepEqual(Object.keys(details), ["USDC", "CC", "CBTC", "CETH", "USDT"]);
  assert.deepEqual(details.USDT, {
    minWithdrawAmount: "2.000000",
    depositStatus: true,
    withdrawFee: 0.5,
    withdrawStatus: true,
  });
  const one = await ok("GET", "/sapi/v1/asset/assetDetail", { asset: "CETH" });
  assert.deepEqual(Object.keys(one), ["CETH"]);
  assert.equal(
    (await call("GET", "/sapi/v1/asset/assetDetail", { asset: "XRP" })).json.code,
    -1100,
  );
});

test("SPT-40 SPT-50 deposits have an address with a reference, and without a ledger there is no address", async () => {
  const path = "/compat/sapi/v1/capital/deposit/address";
  const { address, coin, tag, url } = await ok("GET", path, { coin: "USDT" });
  assert.deepEqual([address, coin, url], [party, "USDT", ""]);
  assert.ok(tag.length > 4);
  assert.notEqual((await ok("GET", path, { coin: "USDC" }, await front.newTrader())).tag, tag);
  const away = await call("GET", path, { coin: "CETH" });
  assert.deepEqual([away.status, away.json.code], [503, -1008]);
  assert.equal((await call("GET", path, { coin: "XRP" })).json.code, -1100);
});

test("SPT-40 deposits and withdrawals are listed newest first, by asset, state and time, past one page", async () => {
  const nowMs = Math.floor(front.nowUs() / 1000);
  const { account } = key;
  for (let id = 2500; id >= 1; id--) {
    deposits.push({
      depositId: id,
      contractId: `#${id}`,
      updateId: `u${id}`,
      recordedMs: nowMs - (2500 - id) * 1000,
      asset: id % 2,
      amount: BigInt(id),
      account,
      state: id === 2499 ? DepositState.pending : DepositState.credited,
      seqBefore: null,
    });
  }
  const path = "/compat/sapi/v1/capital/deposit/hisrec";
  const rows = await ok("GET", path);
  assert.equal(rows.length, 1000);
  assert.deepEqual(
    [rows[0].txId, rows[0].amount, rows[0].coin, rows[0].status, rows[0].insertTime],
    ["u2500", "0.002500", "USDC", 1, nowMs],
  );
  assert.deepEqual([rows[1].txId, rows[1].status], ["u2499", 0]);
  const coins = await ok("GET", path, { coin: "CC", limit: 3, offset: 1 });
  assert.deepEqual(
    coins.map((row: { txId: string }) => row.txId),
    ["u2497", "u2495", "u2493"],
  );
  const early = await ok("GET", path, { endTime: nowMs - 2_490_000, limit: 2 });
  assert.deepEqual(
    early.map((row: { txId: string }) => row.txId),
    ["u10", "u9"],
  );
  assert.equal((await ok("GET", path, { status: 0 })).length, 1);
  assert.deepEqual(await ok("GET", path, {}, await front.newTrader()), []);
  withdrawals.push({
    withdrawalId: 7,
    account,
    asset: 0,
    amount: 5_000_000n,
    fee: 500_000n,
    destination: `you::1220${"b".repeat(64)}`,
    createdMs: Date.UTC(2025, 11, 31, 23, 59, 58),
    stage: WithdrawalStage.completed,
    updateId: "w7",
  });
  const [sent] = await ok("GET", "/compat/sapi/v1/capital/withdraw/history", { coin: "USDC" });
  assert.deepEqual(
    [sent.amount, sent.transactionFee, sent.status, sent.txId, sent.applyTime, sent.network],
    ["4.500000", "0.500000", 6, "w7", "2025-12-31 23:59:58", "CANTON"],
  );
});

test("SPT-41 apiRestrictions lists what the key may do, and from where", async () => {
  const path = "/compat/sapi/v1/account/apiRestrictions";
  const own = await ok("GET", path);
  assert.deepEqual(
    [own.ipRestrict, own.enableReading, own.enableSpotAndMarginTrading, own.enableWithdrawals],
    [false, true, true, false],
  );
  const bound = await front.newKey(key.account, {
    permissions: KeyPermission.read | KeyPermission.withdraw,
    allowedRanges: ["127.0.0.0/8"],
  });
  front.venue.setFlags(key.account, AccountFlag.canWithdraw, AccountFlag.canWithdraw);
  const narrow = await ok("GET", path, {}, bound);
  assert.equal(narrow.ipRestrict, true);
  assert.deepEqual([narrow.enableFutures, narrow.enableMargin], [false, false]);
});
