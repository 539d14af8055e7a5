// What the newest scrape says of the markets and of the ledger: halts, stale indexes, and a ledger that is silent. Pure
// functions.

import { agoText, durationText, type Finding } from "./findings.ts";
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

/** Returns why a market that trades takes only orders that reduce positions; null if it takes all. */
export function restrictionOf(market: string, metrics: Metrics): string | null {
  const is = (metric: string) => metrics.by(metric, "market").get(market) === 1;
  if (is("rialto_perpetual_index_stale")) return "index is stale, reduce-only";
  if (is("rialto_perpetual_fund_paused")) return "paused by the insurance fund, reduce-only";
  return null;
}

/** Returns a finding about markets: which of them do not take every order. */
export function marketFinding({ metrics }: Sample): Finding {
  const statuses = [...marketStatuses(metrics)];
  const named = (wanted: MarketStatusName) =>
    statuses.filter(([, status]) => status === wanted).map(([market]) => market);
  const [trading, halted] = [named("trading"), named("halted")];
  const restricted = trading.flatMap((market) => {
    const why = restrictionOf(market, metrics);
    return why === null ? [] : [`${market}: ${why}`];
  });
  const halts = halted.length === 0 ? [] : [`${halted.join(", ")} halted`];
  const problems = [...halts, ...restricted];
  const isStale = restricted.some((text) => text.includes("index"));
  const advice = [
    ...(halted.length > 0 ? ["Resume with rialto markets resume."] : []),
    ...(isStale ? ["An index needs designated makers' quotes or a price feed."] : []),
  ];
  return {
    title: "Market status",
    isGood: problems.length === 0,
    problems,
    message:
      problems.length === 0
        ? "All markets take orders."
        : [`${problems.join("; ")}.`, ...advice].join(" "),
    figures: [
      ["Trading", String(trading.length)],
      ["Halted", String(halted.length)],
      ["Reduce-only", String(restricted.length)],
      ["Delisted", String(named("delisted").length)],
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
export function ledgerFinding({ metrics }: Sample): Finding {
  const silent = metrics.one("rialto_ledger_silent_seconds");
  const isStale = metrics.one("rialto_ledger_stale") === 1;
  const since = silent === undefined ? "since the start" : `for ${durationText(silent)}`;
  const lag = metrics.one("rialto_settlement_lag_seconds");
  return {
    title: "Ledger",
    isGood: !isStale,
    problems: isStale ? [`ledger silent ${since}`] : [],
    message: isStale
      ? `The ledger has been silent ${since}. Spot orders of wallet-funded accounts and withdrawals are refused; deposits wait.`
      : readText(silent),
    figures: [
      ["Last read", silent === undefined ? "–" : agoText(silent)],
      ["Unsettled fills", String(metrics.one("rialto_settlement_pending_fills") ?? "–")],
      ["Oldest of them", lag === undefined || lag === 0 ? "–" : durationText(lag)],
      ["Withdrawals pending", String(metrics.one("rialto_custody_withdrawals_pending") ?? "–")],
    ],
  };
}
