// Rows about settlement: how many ledger transactions many fills need, and how fast the fills are confirmed. The rows
// run the real settlement loop on the real tables, and the real development ledger as a process without simulated
// latency. The fills are not traded but inserted, as rows like those that the journal's thread writes.

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { openNetwork } from "../../src/adapters/ledger/open-network.ts";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresSettledCoins } from "../../src/adapters/postgres/queries/settlement/settled-coins.ts";
import { PostgresSettlement } from "../../src/adapters/postgres/queries/settlement/settlement.ts";
import { AccountType } from "../../src/core/accounts.ts";
import { SettlementLoop } from "../../src/services/settlement/settlement-loop.ts";
import { devnetInstruments } from "../../src/venue/ledger/open-ledger.ts";
import { DevnetFixture } from "../../test/support/ledger/devnet.ts";
import { testMarkets } from "../../test/support/machine/test-markets.ts";
import { quietLog } from "../../test/support/quiet-log.ts";
import { atLeast, atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";

const fills = 100_000;
const pairs = 50;
/** Number of fills in a full settlement batch. */
const fillsPerBatch = 500;
const firstMember = 1001;
const house = 900;
const waitMsMax = 90_000;
const settings = {
  workers: 2,
  pollMs: 2_000,
  windowMs: 60_000,
  longWindowMs: 900_000,
  roundMs: 600_000,
  lapseMs: 120_000,
  staleMs: 90_000,
  auditMs: 600_000,
  reconcileMs: 30_000,
};

interface Settled {
  readonly transactions: number;
  readonly batches: number;
  readonly elapsedMs: number;
}

/** The run of each bench. It happens once, because both rows read their figures from the same run. */
const runs = new WeakMap<Bench, Promise<Settled>>();

function settled(bench: Bench): Promise<Settled> {
  const run = runs.get(bench) ?? settle(bench);
  runs.set(bench, run);
  return run;
}

async function settle(bench: Bench): Promise<Settled> {
  const devnet = await DevnetFixture.start();
  const sql = openPostgres(devnet.database.options, "queries");
  const loop = loopOn(devnet, sql);
  try {
    bench.say(`enrolling ${pairs} members`);
    await enroll(loop, devnet);
    bench.say(`settling ${fills} fills of ${pairs} members`);
    await sql`
      insert into fills (trade_id, ts_us, market, taker_side, price, qty, quote, taker_order_id,
                         maker_order_id, taker_account, maker_account, taker_fee, maker_fee,
                         taker_pnl, maker_pnl)
      select n, n, 0, case when n / ${pairs}::bigint % 3 = 0 then 1 else 0 end, 1500, 10, 150000, 2 * n,
             2 * n + 1, ${firstMember}::bigint + n % ${pairs}::bigint, ${house}, 0, 0, 0, 0
      from generate_series(1::bigint, ${fills}::bigint) as n`;
    const startedMs = performance.now();
    await untilConfirmed(sql);
    const elapsedMs = performance.now() - startedMs;
    const [row] = await sql<{ transactions: string; batches: string }[]>`
      select (select count(*) from devnet_ledger.update_log where command_id like 'stl:%')::text
               as transactions,
             (select count(*) from settlement_batches where state = 5)::text as batches`;
    const { isSound } = await devnet.admin.audit();
    if (!isSound) throw new Error("the ledger's audit found an inconsistency");
    return { transactions: Number(row?.transactions), batches: Number(row?.batches), elapsedMs };
  } finally {
    await loop.stop();
    await sql.end({ timeout: 1 });
    await devnet.close();
  }
}

function loopOn(devnet: DevnetFixture, sql: Sql): SettlementLoop {
  const { url, operator, custody } = devnet.ledger.endpoint;
  const namespace = operator.slice(operator.indexOf("::"));
  return new SettlementLoop({
    settings,
    store: new PostgresSettlement(sql),
    coins: new PostgresSettledCoins(sql),
    network: openNetwork(
      {
        profile: "devnet",
        url,
        registries: [],
        tokens: { kind: "minted", secret: devnet.secrets.api },
        userId: "venue",
        operator,
        custody,
      },
      Date.now,
    ),
    instruments: new Map(
      devnetInstruments.map(({ id, admin }) => [id, { admin: `${admin}${namespace}`, id }]),
    ),
    hostWallet: (party) => devnet.admin.host(party),
    // A stand-in for clearing, which owns the venue's balances: this benchmark needs only the balances on the ledger.
    clearing: {
      committedSeq: () => 0,
      credit: async () => true,
      wasCredited: async () => true,
      settleCoins: async () => true,
      releasesDone: async (releases) => new Set(releases.map(({ releaseId }) => releaseId)),
      setMemberFlags: async () => undefined,
      cancelSpotOrders: async () => undefined,
    },
    table: testMarkets,
    report: () => undefined,
    followed: () => undefined,
    audited: () => undefined,
    isTrafficScarce: () => false,
    now: Date.now,
    accountType: async () => AccountType.wallet,
    log: quietLog,
  });
}

async function enroll(loop: SettlementLoop, devnet: DevnetFixture): Promise<void> {
  const { admin: control } = devnet;
  const { custody } = devnet.ledger.endpoint;
  // Split custody's coins into several holdings, as the venue does on a development ledger.
  for (const asset of ["USDC", "CC", "USDC", "CC", "USDC", "CC", "USDC", "CC"])
    await control.tap(custody, asset, "250000000");
  for (let member = 0; member < pairs; member++) {
    const account = firstMember + member;
    const party = `m${account}::1220${randomBytes(32).toString("hex")}`;
    await loop.enroll(account, party);
    for (const asset of ["USDC", "CC"]) await control.tap(party, asset, "1000000");
  }
  const deadline = performance.now() + waitMsMax;
  for (;;) {
    const { members } = (await loop.status()) as { members: readonly { status: string }[] };
    if (members.length === pairs && members.every(({ status }) => status === "active")) return;
    if (performance.now() > deadline) throw new Error("the members were not enrolled in time");
    await sleep(50);
  }
}

async function untilConfirmed(sql: Sql): Promise<void> {
  const deadline = performance.now() + waitMsMax;
  for (;;) {
    const [row] = await sql<{ fills: string }[]>`
      select coalesce(sum(fill_count), 0)::text as fills from settlement_batches where state = 5`;
    if (Number(row?.fills) === fills) return;
    if (performance.now() > deadline)
      throw new Error(`only ${row?.fills} of ${fills} fills were settled`);
    await sleep(50);
  }
}

async function transactions(bench: Bench): Promise<Reading> {
  const { transactions: count, batches } = await settled(bench);
  const rule = pairs * Math.ceil(fills / pairs / fillsPerBatch);
  return {
    measured: `${count} transactions for ${fills} fills of ${pairs} members`,
    baseline: `batch rule: ${rule} transactions`,
    ...atMost(count, rule),
    figures: { transactions: count, batches, rule },
    notes: [],
  };
}

async function rate(bench: Bench): Promise<Reading> {
  const { elapsedMs, batches } = await settled(bench);
  const perSecond = Math.round((fills / elapsedMs) * 1000);
  return {
    measured: `${perSecond} fills/s confirmed`,
    baseline: "",
    ...atLeast(perSecond, 5_000),
    figures: { perSecond, elapsedMs: Math.round(elapsedMs), batches },
    notes: [
      "from the commit of the fills to the last confirmation, including the wait for the next poll",
    ],
  };
}

export const settlementRows: readonly BenchRow[] = [
  {
    id: "L1",
    measure: "ledger transactions for 100,000 fills between 50 members and custody",
    goal: "≤ 1 per 500 fills of a member",
    run: transactions,
  },
  {
    id: "L2",
    measure: "fills confirmed on the development ledger, no latency",
    goal: "≥ 5,000 fills/s",
    run: rate,
  },
];
