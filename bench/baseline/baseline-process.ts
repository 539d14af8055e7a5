// A baseline server in a process of its own: takes its plan from the parent, answers the port, and
// lives until the parent disconnects.

import type { PostgresConnectionOptions } from "../../src/adapters/postgres/connection.ts";
import { startRowServer } from "./row-server.ts";
import { type EchoOptions, startEcho } from "./uws-echo.ts";

/** Exactly one of the two. */
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
  throw new Error("a baseline without a plan");
}
