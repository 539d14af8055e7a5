// A row of the table of goals: its measurement, its baseline and its goal. Rows are independent, so a failed one
// does not hide the others.

import type { Stage } from "../venue/stage.ts";

/** The result of a row. */
export interface Reading {
  /** The measured figure for readers, with its unit. */
  readonly measured: string;
  /** The baseline with its unit, or empty. */
  readonly baseline: string;
  /** The figure that the goal refers to: a ratio to the baseline, or the measured value itself. */
  readonly score: number | null;
  /** Whether the goal is reached; null for a row that only reports. */
  readonly passed: boolean | null;
  /** All underlying figures, by name. */
  readonly figures: Readonly<Record<string, number>>;
  /** What a reader must know to judge the row. */
  readonly notes: readonly string[];
}

export interface BenchRow {
  /** `P7`. */
  readonly id: string;
  readonly measure: string;
  /** The first goal as text. */
  readonly goal: string;
  /** Runs only if named, because it takes many minutes. */
  readonly isSlow?: boolean;
  run(bench: Bench): Promise<Reading>;
}

/** Shared figures and processes that are expensive to get, created on first use. */
export interface Bench {
  readonly stage: Stage;
  /** The figures of a micro benchmark, run once in its own process. */
  micro(name: string): Promise<Readonly<Record<string, number>>>;
  /** Reports progress. */
  say(message: string): void;
}

/** A row in a result file. */
export interface RowResult extends Reading {
  readonly id: string;
  readonly measure: string;
  readonly goal: string;
  /** The reason why there is no reading. */
  readonly failure: string | null;
}

/** A score that must be at least `goal`. */
export function atLeast(score: number, goal: number): { score: number; passed: boolean } {
  return { score, passed: score >= goal };
}

/** A score that must be at most `goal`. */
export function atMost(score: number, goal: number): { score: number; passed: boolean } {
  return { score, passed: score <= goal };
}
