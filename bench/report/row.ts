// A row of the table of goals: a measurement with its baseline and its goal. Rows are independent, so the failure of a
// row does not affect the others.

import type { Stage } from "../venue/stage.ts";

/** The result of measuring a row. */
export interface Reading {
  /** The measured figure as text for readers, with its unit. */
  readonly measured: string;
  /** The baseline with its unit; empty if the row has none. */
  readonly baseline: string;
  /** The figure that is compared with the goal: a ratio to the baseline, or the measured value itself. */
  readonly score: number | null;
  /** True if the goal is reached; null for a row without a goal. */
  readonly passed: boolean | null;
  /** All underlying figures by name. */
  readonly figures: Readonly<Record<string, number>>;
  /** Notes that a reader needs to judge the row. */
  readonly notes: readonly string[];
}

export interface BenchRow {
  /** Id of the row, such as `P7`. */
  readonly id: string;
  readonly measure: string;
  /** The first goal of the row as text. */
  readonly goal: string;
  /** True for a row that takes many minutes. It runs only if the command line names it. */
  readonly isSlow?: boolean;
  run(bench: Bench): Promise<Reading>;
}

/** Figures and processes that rows share because they are expensive to get; created on first use. */
export interface Bench {
  readonly stage: Stage;
  /** Returns the figures of a micro benchmark, which runs once in its own process. */
  micro(name: string): Promise<Readonly<Record<string, number>>>;
  /** Prints a progress message. */
  say(message: string): void;
}

/** A row as stored in a result file. */
export interface RowResult extends Reading {
  readonly id: string;
  readonly measure: string;
  readonly goal: string;
  /** The reason why the row has no reading; null if it has one. */
  readonly failure: string | null;
}

/** Returns the score with `passed` set if it is at least `goal`. */
export function atLeast(score: number, goal: number): { score: number; passed: boolean } {
  return { score, passed: score >= goal };
}

/** Returns the score with `passed` set if it is at most `goal`. */
export function atMost(score: number, goal: number): { score: number; passed: boolean } {
  return { score, passed: score <= goal };
}
