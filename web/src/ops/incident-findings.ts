// What the newest sample says of markets, prices, risk and the ledger: halts, stale indexes, empty books, odd prices, and a
// ledger that is silent. Pure functions.

import type { Problem } from "../../../src/ports/venue-problems.ts";
import { agoText, durationText, type Finding, stopsOf, toldOf } from "./findings.ts";
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

/** Why single markets take only orders that reduce positions. */
const reduceOnlyKinds = ["index_stale", "index_halted", "fund_paused"] as const;

/** Whether the venue says that `market`, which trades, takes only orders that reduce positions. */
export function isReduceOnly(sample: Sample, market: string): boolean {
  return (
    toldOf(sample, "fund_low").length > 0 ||
    toldOf(sample, ...reduceOnlyKinds).some((one) => one.market === market)
  );
}

/** What is odd about prices and the fund: the card of prices and risk has it. */
const riskKinds = [
  ...(["fund_low", "fund_paused", "no_index"] as const),
  ...(["feed_failing", "reference_set", "index_moving", "price_apart"] as const),
  "tick_unfit",
] as const;

function isOfRisk({ kind }: Problem): boolean {
  return riskKinds.some((one) => one === kind);
}

/** Returns a finding about markets: which of them do not take every order, or have nobody to trade with. */
export function marketFinding(sample: Sample): Finding {
  const statuses = [...marketStatuses(sample.metrics)];
  const counted = (wanted: MarketStatusName) =>
    statuses.filter(([, status]) => status === wanted).length;
  const own = sample.told.filter(
    (one) => (one.market !== null || one.kind === "markets_wait") && !isOfRisk(one),
  );
  const stopped = stopsOf(sample);
  const paused = toldOf(sample, "fund_low", "fund_paused");
  const held = toldOf(sample, "makers_held");
  const stale = toldOf(sample, "ledger_stale");
  const isLow = toldOf(sample, "fund_low").length > 0;
  const restricted = isLow ? counted("trading") : toldOf(sample, ...reduceOnlyKinds).length;
  return {
    title: "Market status",
    problems: own,
    elsewhere: [...stopped, ...paused, ...held, ...stale],
    message: [
      ...(stopped.length > 0 ? [stoppedText(sample)] : []),
      ...(paused.length > 0 ? ["The insurance fund pauses trading: see Prices and risk."] : []),
      ...(held.length > 0 ? ["The venue's makers keep no orders: see Ledger."] : []),
      ...(stale.length > 0
        ? ["Spot orders of wallet-funded accounts are refused: see Ledger."]
        : []),
      ...(own.length + paused.length + held.length + stale.length > 0
        ? []
        : [openText(sample, stopped)]),
    ].join(" "),
    figures: [
      ["Trading", String(counted("trading") - restricted)],
      ["Reduce-only", String(restricted)],
      ["Halted", String(counted("halted"))],
      ["Delisted", String(counted("delisted"))],
    ],
  };
}

function stoppedText(sample: Sample): string {
  const isRefusing = toldOf(sample, "starting", "stopping").length > 0;
  return `${isRefusing ? "New requests are refused" : "No order is acknowledged now"}: see Acknowledgements.`;
}

function openText(sample: Sample, stopped: readonly Problem[]): string {
  if (stopped.length > 0) return "No market is halted.";
  if (sample.told.some(isOfRisk)) return "All markets are open; see Prices and risk.";
  return "All markets take orders.";
}

function usdcText(amount: number | undefined): string {
  return amount === undefined ? "–" : `${Math.round(amount).toLocaleString("en")} USDC`;
}

/** Returns a finding about what perpetuals are valued at, the insurance fund and liquidations. Spec OPS-121. */
export function riskFinding(sample: Sample): Finding {
  const { metrics } = sample;
  const problems = toldOf(sample, ...riskKinds);
  const open = metrics.one("rialto_liquidations_open") ?? 0;
  const accounts = open === 1 ? "1 account is" : `${open === 0 ? "No" : open} accounts are`;
  const loss = metrics.sum("rialto_perpetual_fund_loss_usdc");
  return {
    title: "Prices and risk",
    problems,
    message: `${accounts} being liquidated.`,
    figures: [
      ["Insurance fund", usdcText(metrics.one("rialto_insurance_fund_usdc"))],
      [loss < 0 ? "Its gain this hour" : "Its loss this hour", usdcText(Math.abs(loss))],
      ["Liquidations since start", String(metrics.one("rialto_front_liquidations_seen") ?? "–")],
      ["Open interest", usdcText(metrics.sum("rialto_perpetual_open_interest_usdc"))],
    ],
  };
}

/** Returns a finding about the ledger: whether its updates are read. */
export function ledgerFinding(sample: Sample): Finding {
  const { metrics } = sample;
  const silent = metrics.one("rialto_ledger_silent_seconds");
  const problems = toldOf(sample, "ledger_late", "ledger_stale", "makers_held");
  const isIdle = silent === undefined;
  const lag = metrics.one("rialto_settlement_lag_seconds");
  return {
    title: "Ledger",
    problems,
    message:
      problems.length > 0
        ? ""
        : isIdle
          ? "No ledger is in use, or it has not been read yet."
          : "The ledger's updates are read to their end.",
    figures: [
      ["Last read", isIdle ? "–" : agoText(silent)],
      ["Unsettled fills", String(metrics.one("rialto_settlement_pending_fills") ?? "–")],
      ["Oldest of them", lag === undefined || lag === 0 ? "–" : durationText(lag)],
      ["Withdrawals pending", String(metrics.one("rialto_custody_withdrawals_pending") ?? "–")],
      [
        "Withdrawals refused for it",
        String(metrics.one("rialto_front_withdrawals_refused") ?? "–"),
      ],
    ],
  };
}
