// What the newest sample says of the markets and of the ledger: halts, stale indexes, empty books, and a ledger that is
// silent. Pure functions.

import { type Problem, problemKinds } from "../../../src/ports/venue-problems.ts";
import { agoText, durationText, type Finding, sentences, toldOf } from "./findings.ts";
import type { Metrics } from "./metrics-text.ts";
import type { Sample } from "./samples.ts";

/** A market's status by the value of its metric. */
const statusNames = ["trading", "halted", "delisted"] as const;
export type MarketStatusName = (typeof statusNames)[number];

/** The status of every market, by its name. */
export function marketStatuses(metrics: Metrics): ReadonlyMap<string, MarketStatusName> {
  return new Map(
    [...metrics.by("rialto_market_status", "market")].map(([market, code]) => [
      market,
      statusNames[code] ?? "trading",
    ]),
  );
}

/** The problems of the markets, without those of the whole venue. */
function ofMarkets({ told }: Sample): readonly Problem[] {
  return told.filter(({ market }) => market !== null);
}

/** Returns a finding about markets: which of them do not take every order, or have nobody to trade with. */
export function marketFinding(sample: Sample): Finding {
  const statuses = [...marketStatuses(sample.metrics)];
  const counted = (wanted: MarketStatusName) =>
    String(statuses.filter(([, status]) => status === wanted).length);
  const problems = ofMarkets(sample);
  const restricted = toldOf(sample, "index_stale", "fund_paused").length;
  const mends = new Set(problems.map(({ kind }) => `To do: ${problemKinds[kind].mend}.`));
  return {
    title: "Market status",
    problems,
    message:
      problems.length === 0
        ? "All markets take orders."
        : [sentences(problems), ...mends].join(" "),
    figures: [
      ["Trading", counted("trading")],
      ["Halted", counted("halted")],
      ["Reduce-only", String(restricted)],
      ["Delisted", counted("delisted")],
    ],
  };
}

/** The ledger's updates are usually read every second. */
const lateSeconds = 10;

function readText(silent: number | undefined): string {
  if (silent === undefined) return "No ledger is in use.";
  if (silent <= lateSeconds) return "The ledger's updates are read to their end.";
  return `The ledger's updates were last read ${durationText(silent)} ago, later than usual.`;
}

/** Returns a finding about the ledger: whether its updates are read. */
export function ledgerFinding(sample: Sample): Finding {
  const { metrics } = sample;
  const silent = metrics.one("rialto_ledger_silent_seconds");
  const problems = toldOf(sample, "ledger_stale");
  const lag = metrics.one("rialto_settlement_lag_seconds");
  return {
    title: "Ledger",
    problems,
    message:
      problems.length > 0
        ? `${sentences(problems)} Withdrawals are refused too; deposits wait.`
        : readText(silent),
    figures: [
      ["Last read", silent === undefined ? "–" : agoText(silent)],
      ["Unsettled fills", String(metrics.one("rialto_settlement_pending_fills") ?? "–")],
      ["Oldest of them", lag === undefined || lag === 0 ? "–" : durationText(lag)],
      ["Withdrawals pending", String(metrics.one("rialto_custody_withdrawals_pending") ?? "–")],
    ],
  };
}
