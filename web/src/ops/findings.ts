// What the newest scrapes mean, in sentences: which threads are late, whether balances are safe, whether orders are
// acknowledged. Pure functions.

import {
  lateSecondsMin,
  mendOf,
  type Problem,
  type ProblemKind,
  problem,
} from "../../../src/ports/venue-problems.ts";
import { type Metrics, quantile } from "./metrics-text.ts";
import { type Fetched, type Sample, type Solvency, startOf } from "./samples.ts";

export interface Finding {
  readonly title: string;
  /** What is wrong; empty if nothing is. The card lists each with what to do about it. */
  readonly problems: readonly Problem[];
  /** What is wrong here as well, and another card lists: the message names that card. */
  readonly elsewhere?: readonly Problem[];
  /** What else there is to say; may be empty if there are problems. */
  readonly message: string;
  /** Figures shown below the message. */
  readonly figures: ReadonlyArray<readonly [name: string, value: string]>;
}

/** Seconds over which rates and quantiles are computed, in cards, charts and tables. */
export const windowSeconds = 10;
/** A loop delay above it is late; for how long that may last, the venue decides. */
const loopDelaySecondsMax = 0.25;

/** Seconds as readable text. */
export function durationText(seconds: number | undefined): string {
  if (seconds === undefined) return "–";
  if (!Number.isFinite(seconds)) return "very long";
  if (seconds >= 1) return `${seconds.toFixed(1)} s`;
  return seconds >= 0.001 ? `${(seconds * 1000).toFixed(1)} ms` : `${Math.round(seconds * 1e6)} µs`;
}

/** How old a heartbeat is. One comes five times a second, so a younger one tells nothing. */
export function agoText(seconds: number): string {
  return seconds < 0.1 ? "now" : `${seconds.toFixed(1)} s ago`;
}

/** A quantile of a histogram: only the upper bound of its bucket is known. */
export function boundText(seconds: number | undefined): string {
  return seconds === undefined ? "–" : `≤ ${durationText(seconds)}`;
}

function countText(count: number | undefined): string {
  return count === undefined ? "–" : Math.round(count).toLocaleString("en");
}

/** What the venue says of itself at /health, of these kinds. */
export function toldOf({ told }: Sample, ...kinds: readonly ProblemKind[]): readonly Problem[] {
  return told.filter(({ kind }) => kinds.includes(kind));
}

/** A problem as a sentence. */
export function sentence({ text }: Problem): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** What the operator does about a problem. */
export function todo(one: Problem): string {
  return `To do: ${mendOf(one)}.`;
}

/** Problems with the worst first: by severity, then by danger. */
export function worstFirst(problems: readonly Problem[]): Problem[] {
  return [...problems].sort((one, other) => rankOf(one) - rankOf(other));
}

/** Findings with the worst first, as a phone lists nothing above them; otherwise in the order given. */
export function worstCardFirst(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((one, other) => cardRank(one) - cardRank(other));
}

/** A card that only points to another one comes after it. */
function cardRank({ problems, elsewhere = [] }: Finding): number {
  const pointed = elsewhere.map((one) => rankOf(one) + 0.5);
  return Math.min(wellRank, ...problems.map(rankOf), ...pointed);
}

function rankOf({ kind, severity }: Problem): number {
  const place = dangers.indexOf(kind);
  return (severity === "fault" ? 0 : warningRank) + (place === -1 ? dangers.length : place);
}

const warningRank = 1_000;
const wellRank = 2_000;

/** Kinds that endanger money or the market, the most dangerous first; others follow. */
const dangers: readonly ProblemKind[] = [
  ...(["totals_astray", "custody_short", "journal_stalled", "leader_away"] as const),
  ...(["starting", "stopping", "lease_over"] as const),
  ...(["price_apart", "reference_set", "index_moving", "fund_low", "journal_waits"] as const),
  ...(["ledger_stale", "fund_paused", "makers_held"] as const),
  // The cause before the result.
  ...(["market_halted", "index_halted", "index_stale"] as const),
];

/** What keeps every market from acknowledging an order. */
const stops = [
  ...(["starting", "stopping", "lease_over"] as const),
  ...(["journal_waits", "journal_stalled", "leader_away", "bus_away"] as const),
] as const;

/** Problems of `sample` that keep the venue from acknowledging anything. */
export function stopsOf(sample: Sample): readonly Problem[] {
  return toldOf(sample, ...stops);
}

/** The samples from which rates and quantiles are computed. */
export interface Window {
  readonly from: Sample;
  readonly to: Sample;
  /** Between them; 0 while the process that answers has been seen only once, so that there is no rate yet. */
  readonly seconds: number;
}

/**
 * The newest sample, and an earlier one of the same process: the counters of another one, as from before a restart, cannot
 * be compared with them. null without samples.
 */
export function windowOf(samples: readonly Sample[]): Window | null {
  const to = samples.at(-1);
  if (to === undefined) return null;
  const from = samples.find((one) => isBefore(one, to) && one.isRecalled !== true) ?? to;
  return { from, to, seconds: (to.atMs - from.atMs) / 1000 };
}

/** Whether `one` can begin the window that ends with `to`. */
export function isBefore(one: Sample, to: Sample): boolean {
  const ms = to.atMs - one.atMs;
  // Samples come about once a second, and a little later each time.
  return ms >= 0 && ms < 1000 * (windowSeconds + 0.5) && startOf(one) === startOf(to);
}

/** How much a counter gained each second of `window`; undefined while there is no rate yet. */
export function perSecond({ seconds }: Window, before: number, now: number): number | undefined {
  return seconds > 0 ? (now - before) / seconds : undefined;
}

/** Returns a finding about threads: which of them are late, and whether the journal waits. */
export function threadFinding(sample: Sample): Finding {
  const late = toldOf(sample, "thread_late");
  const waiting = toldOf(sample, "journal_waits", "journal_stalled");
  const isWell = late.length + waiting.length === 0;
  return {
    title: "Threads",
    problems: late,
    elsewhere: waiting,
    message: isWell
      ? keepingText(sample.metrics)
      : waiting.length > 0
        ? "The journal waits: see Acknowledgements."
        : "",
    figures: threadFigures(sample.metrics),
  };
}

/** A single delay is no problem, but then not every thread keeps up at this moment. */
function keepingText(metrics: Metrics): string {
  const delays = [...metrics.by("rialto_thread_loop_delay_seconds", "thread").values()];
  if (Math.max(0, ...delays) <= loopDelaySecondsMax) return "All threads keep up.";
  return `No thread has been late for ${lateSecondsMin} s or longer.`;
}

function threadFigures(metrics: Metrics): Finding["figures"] {
  const most = (values: Iterable<number>) => Math.max(0, ...values);
  const silent = metrics.all("rialto_thread_silent_seconds").map(({ value }) => value);
  const delays = metrics.by("rialto_thread_loop_delay_seconds", "thread").values();
  const capacities = metrics.by("rialto_ring_capacity_bytes", "ring");
  const shares = [...metrics.by("rialto_ring_used_bytes", "ring")].map(
    ([ring, used]) => (100 * used) / (capacities.get(ring) ?? used),
  );
  return [
    ["Threads", String(silent.length)],
    ["Oldest heartbeat", agoText(most(silent))],
    ["Longest loop delay", durationText(most(delays))],
    ["Fullest ring", `${most(shares).toFixed(1)} %`],
  ];
}

/** Returns a finding about the machine's clock: whether the venue trusts it. Spec CLK-4. */
export function clockFinding(sample: Sample): Finding {
  const step = sample.metrics.one("rialto_clock_step_seconds");
  const problems = toldOf(sample, "clock_held");
  const side = (step ?? 0) < 0 ? "behind" : "ahead of";
  const held =
    `The machine's clock was set and is ${durationText(Math.abs(step ?? 0))} ${side} the venue's time. ` +
    "Trading continues; funding, commission and epochs wait.";
  return {
    title: "Clock",
    problems,
    message: problems.length > 0 ? held : "The machine's clock agrees with the venue's time.",
    figures: [["Difference", durationText(step === undefined ? undefined : Math.abs(step))]],
  };
}

/** Returns a finding about acknowledgements: whether orders are acknowledged, and how fast. */
export function acknowledgementFinding(samples: readonly Sample[]): Finding {
  const window = windowOf(samples);
  const name = "rialto_journal_ack_seconds";
  const newest = window?.to;
  const stopped = newest === undefined ? [] : stopsOf(newest);
  const slow = newest === undefined ? [] : toldOf(newest, "acks_slow");
  const problems = [...stopped, ...slow];
  // While nothing is acknowledged, the last acknowledgements say nothing about now.
  const of = (share: number) =>
    window === null || stopped.length > 0
      ? undefined
      : quantile(name, share, window.from.metrics, window.to.metrics);
  return {
    title: "Acknowledgements",
    problems,
    message: problems.length > 0 ? "" : "Orders are acknowledged once they are durable.",
    figures: [
      [`p50 of ${windowSeconds} s`, boundText(of(0.5))],
      [`p99 of ${windowSeconds} s`, boundText(of(0.99))],
      ["In flight", countText(newest?.metrics.sum("rialto_front_commands_in_flight"))],
    ],
  };
}

/** Returns the assets of which custody holds less than the venue owes. */
function shortOf(fetched: Fetched<readonly Solvency[]> | null): string[] {
  if (fetched === null || "fault" in fetched) return [];
  return fetched.value.filter(({ surplus }) => surplus.startsWith("-")).map(({ asset }) => asset);
}

function coverText(fetched: Fetched<readonly Solvency[]> | null): string {
  if (fetched === null) return "loading";
  if ("fault" in fetched) return fetched.fault;
  const short = shortOf(fetched);
  return short.length === 0 ? "covered" : `short of ${short.join(", ")}`;
}

/** Returns what failed settlement batches and frozen members owe to custody. The report counts it as lost. */
function claimsText(fetched: Fetched<readonly Solvency[]> | null): string {
  if (fetched === null || "fault" in fetched) return "–";
  const owed = fetched.value.filter(({ claims }) => Number(claims) > 0);
  const message = owed.map(({ asset, claims }) => `${claims.replace(/\.?0+$/, "")} ${asset}`);
  return message.length === 0 ? "none" : message.join(", ");
}

/** Returns a finding about money: whether balances are safe. */
export function safetyFinding(
  sample: Sample,
  solvency: Fetched<readonly Solvency[]> | null,
): Finding {
  const { metrics } = sample;
  const issued = metrics.one("rialto_issued_seq") ?? 0;
  const committed = metrics.one("rialto_committed_seq") ?? 0;
  const snapshot = metrics.one("rialto_snapshot_seq") ?? 0;
  const waiting = Math.max(0, issued - committed);
  const short = shortOf(solvency);
  const problems = [
    ...toldOf(sample, "totals_astray"),
    ...(short.length > 0 ? [problem("custody_short", short.join(", "))] : []),
  ];
  const held =
    waiting === 0
      ? "All events are durable."
      : `Events not yet durable: ${countText(waiting)}. None of them has been acknowledged.`;
  return {
    title: "Money",
    problems,
    message: problems.length === 0 ? `Safe. ${held}` : held,
    figures: [
      ["Issued events", countText(issued)],
      ["Durable events", countText(committed)],
      ["Totals checked up to event", snapshot === 0 ? "no snapshot yet" : countText(snapshot)],
      ["Custody coverage", coverText(solvency)],
      ["Unrecoverable debt", claimsText(solvency)],
    ],
  };
}
