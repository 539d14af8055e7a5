// Rows about the safety of makers' quotes: how fast the orders of lost connections are cancelled.

import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { createLoadKeys } from "../../src/tools/load/load-accounts.ts";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import { losses, msToLastCancel, OrderConnection } from "../load/order-connections.ts";
import { median } from "../report/median.ts";
import type { Bench, BenchRow, Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import type { VenueProcess } from "../venue/venue-process.ts";

const connectionsLost = 100;
const ordersOfEach = 100;
/** Each round has keys of its own, because a key may place only 200 orders in ten seconds. */
const roundsOfAll = 3;
const single = { rounds: 200, orders: 5 } as const;

interface Ground {
  readonly venue: VenueProcess;
  readonly sql: Sql;
  readonly keys: readonly LoadKey[];
}

async function loseAll({ venue, sql, keys }: Ground, round: number): Promise<number> {
  const own = keys.slice(round * connectionsLost, (round + 1) * connectionsLost);
  const open = await Promise.all(own.map((key) => OrderConnection.open(venue.endpoint, key)));
  await Promise.all(open.map((connection) => connection.place(ordersOfEach)));
  const lose = () => {
    for (const { socket } of open) losses.RST(socket);
  };
  return msToLastCancel(sql, { orders: own.length * ordersOfEach, lose });
}

async function loseOne({ venue, sql, keys }: Ground, round: number): Promise<number> {
  const key = keys[round % keys.length] as LoadKey;
  const connection = await OrderConnection.open(venue.endpoint, key);
  await connection.place(single.orders);
  const ways = Object.values(losses);
  const way = ways[round % ways.length] ?? losses.RST;
  return msToLastCancel(sql, { orders: single.orders, lose: () => way(connection.socket) });
}

async function cancelOnDisconnect(bench: Bench): Promise<Reading> {
  const folder = await bench.stage.folder();
  const venue = await bench.stage.startVenue(folder, { RATE_LIMIT_WS_CONNS_PER_IP: "1000" });
  const sql = openPostgres(await venue.database(), "queries");
  try {
    const keys = await createLoadKeys(venue.dataDir, roundsOfAll * connectionsLost);
    const ground = { venue, sql, keys };
    bench.say(`${single.rounds} losses of one connection with ${single.orders} orders`);
    const ones: number[] = [];
    for (let round = 0; round < single.rounds; round++) ones.push(await loseOne(ground, round));
    const all: number[] = [];
    for (let round = 0; round < roundsOfAll; round++) {
      bench.say(`${connectionsLost} connections with ${ordersOfEach} orders each are lost at once`);
      all.push(await loseAll(ground, round));
    }
    const sorted = ones.sort((a, b) => a - b);
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
    const last = median(all);
    return {
      measured: `${shortNumber(last)} ms; one connection p99 ${shortNumber(p99)} ms`,
      baseline: "",
      score: last,
      passed: last <= 500 && p99 <= 50,
      figures: {
        "last cancel ms": last,
        "slowest round ms": Math.max(...all),
        "one connection p50 ms": sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
        "one connection p99 ms": p99,
      },
      notes: [
        `median of ${roundsOfAll} losses of ${connectionsLost} connections with ${ordersOfEach} orders each, by RST`,
        `one connection: ${single.rounds} losses by close frame, FIN and RST, ${single.orders} orders each`,
      ],
    };
  } finally {
    await sql.end();
  }
}

export const makerRows: readonly BenchRow[] = [
  {
    id: "M3",
    measure: "100 connections with 10,000 orders lost at once: last cancel committed",
    goal: "≤ 500 ms, one connection p99 ≤ 50 ms",
    run: cancelOnDisconnect,
  },
];
