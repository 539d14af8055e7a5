// Metrics for the venue's safety: pending commits, refusals, snapshots, epochs, and whether the sum over all accounts
// equals the net deposits.

import { Counter, Gauge, type Registry } from "prom-client";
import { RejectReason } from "../../core/reject-reason.ts";
import type { Clock } from "../../ports/clock.ts";
import { AnswerCounts } from "../../wire/answer-counts.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";
import { RefusalCounts } from "../../wire/refusal-counts.ts";
import { JournalFigures } from "./journal-figures.ts";
import type { MetricsSources } from "./metrics-sources.ts";
import { SafetyFigures } from "./safety-figures.ts";

type SafetyFigure = readonly [name: string, help: string, read: () => number | null];

/** Adds figures of commits, refusals, snapshots, epochs and statements of liabilities. */
export function addSafetyGauges(
  registry: Registry,
  sources: MetricsSources,
  counters: CountersBuffer,
): void {
  addRefusals(registry, new RefusalCounts(sources.refusals));
  addAnswers(registry, new AnswerCounts(sources.answers));
  const journal = new JournalFigures(sources.journalFigures);
  const safety = new SafetyFigures(sources.safety);
  const { clock } = sources;
  const secondsSince = (ms: number) => (ms === 0 ? 0 : Math.max(0, clock.nowMs() - ms) / 1000);
  // A figure that is null is left out of the metrics.
  const figures: SafetyFigure[] = [
    [
      "journal_waiting_seconds",
      "Age of the oldest event being committed; 0 while there is none",
      () => secondsSince(journal.waitingSinceMs),
    ],
    [
      "projection_lag_seconds",
      "Age of the oldest change that the rows of orders, balances and positions lack; 0 while they lack none",
      () => secondsSince(journal.laggingSinceMs),
    ],
    [
      "journal_stalled",
      "1 while commits fail and commands are refused",
      () => (counters.isJournalStalled() ? 1 : 0),
    ],
    [
      "clock_held",
      "1 while the machine's clock is not trusted: the venue runs on the monotonic clock and scheduled tasks wait",
      () => (clock.isHeld() ? 1 : 0),
    ],
    ["clock_step_seconds", "Machine's clock minus venue time", () => clock.differenceMs() / 1000],
    [
      "snapshot_seq",
      "Last event in the newest snapshot, stored or recovered from",
      () => safety.snapshotSeq,
    ],
    [
      "conservation_assets_astray",
      "Assets whose balances over all accounts did not equal deposits minus withdrawals at the newest snapshot; must be 0",
      () => safety.assetsAstray,
    ],
    [
      "epoch_sealed_lag_seconds",
      "Seconds since the end of the newest sealed epoch",
      () => safety.sealedLagSeconds(clock.nowMs()),
    ],
    [
      "epoch_confirmed_lag_seconds",
      "Seconds since the end of the newest epoch confirmed on the ledger; absent until the first one after a start",
      () => safety.confirmedLagSeconds(clock.nowMs()),
    ],
    ...statementFigures(safety, clock),
  ];
  for (const [name, help, read] of figures) {
    new Gauge({
      name: `rialto_${name}`,
      help,
      registers: [registry],
      collect() {
        this.reset();
        const value = read();
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  }
}

function statementFigures(safety: SafetyFigures, clock: Pick<Clock, "nowMs">): SafetyFigure[] {
  return [
    [
      "solvency_deficit",
      "1 if custody holds less of an asset than the venue owes by the newest statement of liabilities, 0 if it covers all; absent while this is unknown",
      () => (safety.solvency === "unknown" ? null : Number(safety.solvency === "deficit")),
    ],
    [
      "solvency_stated_lag_seconds",
      "Seconds since the end of the newest epoch with a statement of liabilities; absent until the first one after a start",
      () => safety.statedLagSeconds(clock.nowMs()),
    ],
    [
      "solvency_statement_seconds",
      "Seconds that the newest statement of liabilities took; absent until the first one after a start",
      () => safety.statementSeconds,
    ],
  ];
}

/** Adds the counts of HTTP answers of all fronts, in the same way. */
function addAnswers(registry: Registry, counts: AnswerCounts): void {
  new Counter({
    name: "rialto_http_answers_total",
    help: "Answers of all fronts since the start, by status",
    labelNames: ["status"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [status, count] of counts.all()) this.inc({ status }, count);
    },
  });
}

/**
 * Adds clearing's counts of refusals. Clearing counts them, so the library's counter is set to these counts at each
 * scrape.
 */
function addRefusals(registry: Registry, counts: RefusalCounts): void {
  const reasons = Object.entries(RejectReason).filter(([, number]) => number !== RejectReason.none);
  new Counter({
    name: "rialto_refusals_total",
    help: "Commands refused by clearing since the start, by reason",
    labelNames: ["reason"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [reason, number] of reasons) {
        const count = counts.of(number);
        if (count > 0) this.inc({ reason }, count);
      }
    },
  });
}
