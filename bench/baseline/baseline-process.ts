// Runs a baseline server in its own process. The process gets a plan from its parent, replies with the server's port,
// and runs until the parent disconnects.

import * as uWS from "uWebSockets.js";
import {
  openPostgres,
  type PostgresConnectionOptions,
} from "../../src/adapters/postgres/connection.ts";
import { type EchoOptions, listen, startEcho } from "./uws-echo.ts";

/**
 * Starts the baseline for durable answers: a bare server that commits one row per request before it answers. Each
 * request waits for its own commit on one connection. The server checks no signature and keeps no state. The server's
 * table is in the database of `connection`. The server listens on a free loopback port, and the function returns that
 * port.
 */
async function startRowServer(connection: PostgresConnectionOptions): Promise<number> {
  const sql = openPostgres(connection, "queries");
  await sql`drop table if exists bench_row`;
  await sql`create table bench_row (id bigserial primary key, body bytea not null)`;
  const body = Buffer.alloc(96, 7);
  const app = uWS.App();
  app.post("/api/v3/order", (response) => {
    let isGone = false;
    response.onAborted(() => {
      isGone = true;
    });
    void sql`insert into bench_row (body) values (${body}) returning id`.then(([row]) => {
      if (isGone) return;
      response.cork(() => {
        response.writeHeader("content-type", "application/json");
        response.end(JSON.stringify({ symbol: "CC-USDC", orderId: Number(row?.["id"]) }));
      });
    });
  });
  return listen(app);
}

/** The baseline server to start. Exactly one field is set. */
export interface BaselinePlan {
  readonly echo?: EchoOptions;
  readonly rows?: PostgresConnectionOptions;
}

process.once("message", (plan: BaselinePlan) => {
  void start(plan).then((port) => process.send?.({ port }));
});
process.once("disconnect", () => process.exit(0));

function start({ echo, rows }: BaselinePlan): Promise<number> {
  if (echo !== undefined) return startEcho(echo);
  if (rows !== undefined) return startRowServer(rows);
  throw new Error("the baseline plan must set echo or rows");
}
