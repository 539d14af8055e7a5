// The report of a run: folds the journal of a venue, reads the fault proxy's log, and compares what each program did with
// what it was told. It reads only: the venue may be running. Specification: REW-130 to REW-142.

import { isoOfUs } from "../../adapters/gateway/native/native-context.ts";
import { AccountType } from "../../core/accounts.ts";
import type { MarketTable } from "../../core/markets.ts";
import { VenueState } from "../../engine/state/venue-state.ts";
import type { EventStore } from "../../ports/journal/event-store.ts";
import { openSnapshot } from "../../services/journal/replay.ts";
import { foldChunk } from "../../wire/records/event-bytes.ts";
import { accountReport } from "./account-report.ts";
import { AccountRun } from "./account-run.ts";
import type { ClientLog } from "./client-log.ts";
import { ClientView } from "./client-view.ts";
import { byImportance, findingsOf } from "./findings.ts";
import type { ClientLogs } from "./read-client-logs.ts";
import { type BeliefDifference, type Finding, type Report, reportFormat } from "./report-form.ts";
import { RunFold } from "./run-fold.ts";

/** Snapshots that are looked at for one before the report: a venue stores fewer. */
const snapshotsRead = 100;

export interface RunReportParts {
  readonly store: Pick<EventStore, "readEvents" | "readSnapshots">;
  readonly table: MarketTable;
  /** The account of each API key. */
  readonly accountOf: ReadonlyMap<string, number>;
  readonly logs: ClientLogs;
  /** First and last event of the report. */
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Null for every member. */
  readonly account: number | null;
  /** What the account's program believed wrongly; null if it was not asked. */
  readonly beliefs: readonly BeliefDifference[] | null;
  readonly fundingIntervalMs: number;
  readonly version: string;
  readonly nowMs: number;
  /** Called with the seq reached after each part of the journal. */
  readonly onProgress: (seq: number) => void;
}

/** The account of a report does not exist, or the report cannot say anything about it. */
export class NoReport extends Error {
  override name = "NoReport";
}

export async function runReport(parts: RunReportParts): Promise<Report> {
  const { store, table, fromSeq, toSeq, account, fundingIntervalMs, onProgress } = parts;
  const state = await stateBefore(store, table, fromSeq);
  const fold = new RunFold(state, { account, fromSeq, fundingIntervalMs });
  let firstUs: number | null = null;
  await store.readEvents(state.seq, toSeq, (chunk) => {
    foldChunk(chunk, (event) => {
      if (event.seq === fromSeq) firstUs = event.tsUs;
      fold.fold(event);
    });
    onProgress(state.seq);
  });
  if (account !== null) includeAccount(fold, account);
  fold.end();
  const views = viewsOf(fold, parts);
  const findings = views.flatMap((view) => findingsOf(view, parts.beliefs));
  return {
    format: reportFormat,
    made_at: new Date(parts.nowMs).toISOString(),
    venue: { version: parts.version, markets: table.markets.length },
    window: {
      ...{ from_seq: fromSeq, to_seq: toSeq, events: Math.max(0, toSeq - fromSeq + 1) },
      from: firstUs === null ? null : isoOfUs(firstUs),
      to: firstUs === null ? null : isoOfUs(state.tsUs),
    },
    log: { lines: parts.logs.lines, unread: parts.logs.unread, is_cut: parts.logs.isCut },
    more_accounts: fold.others.size,
    findings: byImportance([...findings, ...idleFinding(views)]),
    accounts: views.map((view) =>
      accountReport({
        ...{ view, values: fold.values, watches: fold.watches },
        ...{ endUs: state.tsUs, beliefs: parts.beliefs },
      }),
    ),
  };
}

/** The state of the newest usable snapshot before `fromSeq`; otherwise the empty venue. */
async function stateBefore(
  store: Pick<EventStore, "readSnapshots">,
  table: MarketTable,
  fromSeq: number,
): Promise<VenueState> {
  if (fromSeq > 1) {
    for await (const stored of store.readSnapshots(snapshotsRead)) {
      if ("message" in stored || stored.seq >= fromSeq) continue;
      try {
        return openSnapshot(stored, table);
      } catch {
        // A snapshot of another version: an older one, or the whole journal, will do.
      }
    }
  }
  return new VenueState(table);
}

/** An account that did nothing has a part in a report that is about it. */
function includeAccount({ runs, state, values }: RunFold, account: number): void {
  if (runs.has(account)) return;
  const type = state.accounts.typeOf(account);
  if (type === null || type === AccountType.system)
    throw new NoReport(`no account ${account} in this part of the journal`);
  const equity = state.accounts.exists(account) ? values.of(account) : 0n;
  runs.set(account, new AccountRun(account, state.tsUs, equity));
}

/** The accounts with the most orders first; without a wish, those that sent orders or requests. */
function viewsOf(fold: RunFold, { accountOf, logs, account }: RunReportParts): ClientView[] {
  const logsOf = new Map<number, ClientLog[]>();
  for (const [key, log] of logs.byKey) {
    const owner = accountOf.get(key);
    if (owner !== undefined) logsOf.set(owner, [...(logsOf.get(owner) ?? []), log]);
  }
  const views = [...fold.runs.values()].map((run) => {
    return new ClientView(run, logsOf.get(run.account) ?? []);
  });
  const isActive = ({ run, isObserved }: ClientView) => {
    return account !== null || isObserved || run.orders.size > 0;
  };
  return views.filter(isActive).sort((one, other) => other.run.orders.size - one.run.orders.size);
}

function idleFinding(views: readonly ClientView[]): Finding[] {
  if (views.length > 0) return [];
  const text = "No member sent an order in this part of the journal.";
  return [{ severity: "note", kind: "activity", account: 0, market: null, text, orders: [] }];
}
