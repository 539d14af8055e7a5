// The data of the operations page: one scrape and one look at /health a second, stored for ten minutes, what the venue
// kept of the ten minutes before, and the solvency report, read less often. If a request times out, the page shows that
// too.

import { signal } from "@preact/signals";
import type { Problem } from "../../../src/ports/venue-problems.ts";
import { figureName, Metrics } from "./metrics-text.ts";

export interface Sample {
  readonly atMs: number;
  readonly metrics: Metrics;
  /** What the venue says at /health that is wrong. */
  readonly told: readonly Problem[];
  /** Whether the venue did not answer between the sample before and this one. */
  readonly isAfterFault?: boolean;
  /** Whether the venue sampled it before this page was opened: then it has only the figures of charts. */
  readonly isRecalled?: boolean;
}

/** When the process that answered had started, in Unix seconds: another time means that all counters began anew. */
export function startOf({ metrics }: Pick<Sample, "metrics">): number | undefined {
  return metrics.one("rialto_process_start_time_seconds");
}

/** The answer of /metrics?recent. */
interface Recent {
  /** The venue's Unix milliseconds. */
  readonly now: number;
  readonly names: readonly string[];
  /** Of each sample its time and the values of `names`. */
  readonly samples: ReadonlyArray<readonly number[]>;
}

/** A row of /v1/solvency. */
export interface Solvency {
  readonly asset: string;
  readonly liabilities: string;
  readonly ledger_holdings: string;
  readonly in_flight: string;
  /** Owed to custody and possibly unrecoverable. */
  readonly claims: string;
  readonly surplus: string;
}

/** The answer of /v1/version. */
export interface Version {
  readonly version: string;
  readonly commit: string | null;
  readonly started_at: string;
  readonly role: "single" | "leader" | "follower" | "gateway";
}

/** The result of a slow request: the answer, or why there is none. */
export type Fetched<T> = { readonly value: T } | { readonly fault: string };

const scrapeMs = 1_000;
const slowMs = 15_000;
const patienceMs = 3_000;
const keptMs = 600_000;

export const samples = signal<readonly Sample[]>([]);
/** Why the newest scrape failed; empty while scrapes are answered. */
export const scrapeFault = signal("");
export const solvency = signal<Fetched<readonly Solvency[]> | null>(null);

/** null until it is read. */
export const version = signal<Version | null>(null);

/** Why a request has no answer, in words; the browser's own words differ and say little. */
function messageOf(fault: unknown): string {
  if (fault instanceof DOMException && fault.name === "TimeoutError")
    return `no answer within ${patienceMs / 1000} s`;
  if (fault instanceof TypeError) return "no connection to the venue";
  const message = fault instanceof Error ? fault.message : String(fault);
  return /"error":"([^"]+)"/.exec(message)?.[1] ?? message;
}

async function textOf(path: string): Promise<string> {
  const answer = await fetch(path, { signal: AbortSignal.timeout(patienceMs) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text.slice(0, 200) || `status ${answer.status}`);
  return text;
}

/** Reads /health, which also answers with a problem's status. */
async function fetchProblems(): Promise<readonly Problem[]> {
  const answer = await fetch("/health", { signal: AbortSignal.timeout(patienceMs) });
  return ((await answer.json()) as { problems?: readonly Problem[] }).problems ?? [];
}

async function scrape(): Promise<void> {
  try {
    const [metrics, told] = await Promise.all([textOf("/metrics"), fetchProblems()]);
    const isAfterFault = scrapeFault.value !== "";
    const sample = { atMs: Date.now(), metrics: new Metrics(metrics), told, isAfterFault };
    const before = samples.value.at(-1);
    // Another process has another start, and perhaps another version and role.
    if (before !== undefined && startOf(before) !== startOf(sample)) renewVersion();
    samples.value = [...samples.value, sample].filter(({ atMs }) => sample.atMs - atMs < keptMs);
    scrapeFault.value = "";
    // What failed with the venue is read again with it.
    if (isAfterFault) void fetchSolvency();
  } catch (fault) {
    scrapeFault.value = messageOf(fault);
  }
}

/** Reads what the venue sampled before this page was opened; nothing of one that does not answer. */
async function recall(): Promise<void> {
  const text = await textOf("/metrics?recent").catch(() => null);
  if (text === null || samples.value.length === 0) return;
  const { now, names, samples: rows } = JSON.parse(text) as Recent;
  // This machine's clock may differ from the venue's.
  const aheadMs = Date.now() - now;
  const figures = names.map(figureName);
  const recalled = rows.map(([atMs = 0, ...values]) => {
    return {
      atMs: atMs + aheadMs,
      metrics: Metrics.of(figures, values),
      told: [],
      isRecalled: true,
    };
  });
  const [first = Number.POSITIVE_INFINITY] = samples.value.map(({ atMs }) => atMs);
  samples.value = [...recalled.filter(({ atMs }) => atMs < first), ...samples.value];
}

async function fetchSolvency(): Promise<void> {
  try {
    const { items } = JSON.parse(await textOf("/v1/solvency")) as { items: Solvency[] };
    solvency.value = { value: items };
  } catch (fault) {
    // Of a venue that does not answer the last report stays, like all of its figures.
    if (scrapeFault.value === "" || solvency.value === null)
      solvency.value = { fault: messageOf(fault) };
  }
}

/** An unanswered request leaves the version as it was: the failed scrape already says that the venue does not answer. */
async function fetchVersion(): Promise<void> {
  const text = await textOf("/v1/version").catch(() => null);
  if (text !== null) version.value = JSON.parse(text) as Version;
}

function renewVersion(): void {
  version.value = null;
  void fetchVersion();
}

/** Runs `work` now and again `everyMs` after the end of each run, so that runs never overlap. */
function again(work: () => Promise<void>, everyMs: number): void {
  void work().finally(() => setTimeout(() => again(work, everyMs), everyMs));
}

/** Starts sampling for as long as the page is open. */
export function keepSampling(): void {
  // The newest sample must have all figures, so what the venue kept comes after the first scrape.
  void scrape()
    .then(recall)
    .finally(() => setTimeout(() => again(scrape, scrapeMs), scrapeMs));
  again(fetchSolvency, slowMs);
  again(fetchVersion, slowMs);
}
