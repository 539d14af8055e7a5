// Makes a report from the journal of a data folder's venue and the fault proxy's log.

import { InvalidArgumentError } from "commander";
import { PostgresEventStore } from "../../../adapters/postgres/event-store.ts";
import { accountsOfKeys } from "../../../adapters/postgres/queries/access/api-keys.ts";
import {
  firstSeqSince,
  oldestSeq,
} from "../../../adapters/postgres/queries/journal/journal-time.ts";
import { loadMarketTable } from "../../../adapters/postgres/queries/journal/markets.ts";
import { readClientLogs } from "../../../tools/report/read-client-logs.ts";
import type { BeliefDifference, Report } from "../../../tools/report/report-form.ts";
import { runReport } from "../../../tools/report/run-report.ts";
import type { Config } from "../../config/config.ts";
import { programVersion } from "../../program-version.ts";
import { inDatabase } from "../journal.ts";
import { logOf } from "../terminal/output.ts";
import { ProgressBar } from "../terminal/progress-bar.ts";

/** An event's number, or a time of the market in Unix ms. */
export type Moment = { readonly seq: number } | { readonly atMs: number };

/** Which part of the journal a report is about, and whose acts. */
interface ReportedRun {
  readonly account?: number;
  readonly from?: Moment;
  readonly to?: Moment;
}

/** Reads the events of the run; throws an InvalidArgumentError if there is none. */
export function reportOf(
  config: Config,
  { account, from, to }: ReportedRun,
  beliefs: readonly BeliefDifference[] | null,
): Promise<Report> {
  return inDatabase(config, async ({ connection, sql }) => {
    const log = logOf(config, "main");
    const store = new PostgresEventStore({ connection, log, isStopping: () => true });
    const bar = new ProgressBar("events read");
    try {
      const last = await store.lastSeq();
      const seqOf = async (one: Moment) =>
        "seq" in one ? one.seq : await firstSeqSince(sql, one.atMs * 1000);
      const fromSeq = from === undefined ? await oldestSeq(sql) : await seqOf(from);
      const untilSeq = to === undefined ? last : await lastOf(to, seqOf);
      const toSeq = Math.min(untilSeq, last);
      if (fromSeq > toSeq)
        throw new InvalidArgumentError("--from is after --to, or after the newest event");
      const report = await runReport({
        ...{ store, fromSeq, toSeq, beliefs, account: account ?? null },
        table: await loadMarketTable(sql),
        accountOf: await accountsOfKeys(sql),
        logs: await readClientLogs(config.dataDir),
        ...{ fundingIntervalMs: config.fundingIntervalMs, version: programVersion() },
        ...{ nowMs: Date.now(), onProgress: (seq: number) => bar.show(seq, toSeq) },
      });
      bar.end();
      return report;
    } finally {
      await store.close();
    }
  });
}

/** The last event at or before a moment. */
async function lastOf(to: Moment, seqOf: (one: Moment) => Promise<number>): Promise<number> {
  if ("seq" in to) return to.seq;
  return (await seqOf({ atMs: to.atMs + 0.001 })) - 1;
}
