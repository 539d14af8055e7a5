// `doctor` on the synchronous standby: whether the server's settings demand one, and whether one confirms a commit now.

import {
  openPostgres,
  type PostgresConnectionOptions,
} from "../../../adapters/postgres/connection.ts";
import { confirmationMs } from "../../../adapters/postgres/queries/operations/cluster-facts.ts";
import { replicationFaultOf } from "../../../adapters/postgres/replication-check.ts";
import { type Finding, fault, ok } from "./finding.ts";

const check = "standby";
const waitMs = 3_000;

/** Changes nothing. Takes some seconds if no standby confirms the commit. */
export async function standbyFinding(connection: PostgresConnectionOptions): Promise<Finding> {
  const sql = openPostgres({ ...connection, synchronous: { waitMs } }, "queries");
  const problem = await replicationFaultOf((text) => sql.unsafe(text)).finally(() =>
    sql.end({ timeout: 1 }),
  );
  if (problem !== null)
    return fault(
      check,
      problem,
      "with Patroni, set synchronous_mode and synchronous_mode_strict; otherwise correct postgresql.conf",
    );
  const tookMs = await confirmationMs(connection, waitMs);
  if (tookMs !== null) return ok(check, `confirmed a commit in ${tookMs.toFixed(1)} ms`);
  return fault(
    check,
    `no standby confirmed a commit within ${waitMs / 1000} s: the venue acknowledges nothing`,
    "start a standby of synchronous_standby_names, or repair its connection to the primary",
  );
}
