// A row of the table of goals: what is measured, against what, and what counts as reached. A row
// measures by itself and knows nothing of the others, so that one that fails hides none.

import type { Stage } from "../venue/stage.ts";

/** What a row found. */
export interface Reading {
  /** The measured figure as a person reads it, unit included. */
  readonly measured: string;
  /** What it is compared with, in words and unit; empty where there is nothing. */
  readonly baseline: string;
  /** The figure the goal speaks of: a ratio to the baseline, or the measured value itself. */
  readonly score: number | null;
  /** Whether the goal is reached; null for a row that only reports. */
  readonly passed: boolean | null;
  /** Every figure behind it, by name. */
  readonly figures: Readonly<Record<string, number>>;
  /** What a reader must know to judge it. */
  readonly notes: readonly string[];
}

export interface BenchRow {
  /** `P7`. */
  readonly id: string;
  readonly measure: string;
  /** The goal "first" in words. */
  readonly goal: string;
  /** Left out unless asked for by its id: it takes many minutes. */
  readonly isSlow?: boolean;
  run(bench: Bench): Promise<Reading>;
}

/** What rows share: figures and processes that are expensive to get, made when first asked for. */
export interface Bench {
  readonly stage: Stage;
  /** The figures of a micro benchmark, run once in a process of its own. */
  micro(name: string): Promise<Readonly<Record<string, number>>>;
  /** Says what is going on. */
  say(message: string): void;
}

/** A row as it stands in a result file. */
export interface RowResult extends Reading {
  readonly id: string;
  readonly measure: string;
  readonly goal: string;
  /** Why there is no reading. */
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
