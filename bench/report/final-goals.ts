// The final goal of each row of the table of goals. It is stricter than the row's first goal, which decides whether the
// row passes. If a row misses one of its two goals, a decision record says what limits the row. A row without an entry
// here has only one goal.

import type { RowResult } from "./row.ts";

export interface FinalGoal {
  readonly words: string;
  /** True if a reading reaches the goal; called only for measured rows. */
  readonly isReached: (row: RowResult) => boolean;
}

function figure({ figures }: RowResult, name: string): number {
  return figures[name] ?? Number.NaN;
}

function scoreAtLeast(message: string, goal: number): FinalGoal {
  return { words: message, isReached: ({ score }) => (score ?? Number.NaN) >= goal };
}

function scoreAtMost(message: string, goal: number): FinalGoal {
  return { words: message, isReached: ({ score }) => (score ?? Number.NaN) <= goal };
}

export const finalGoals: Readonly<Record<string, FinalGoal>> = {
  P1: {
    words: "≥ 4× / ≥ 150×",
    isReached: (row) =>
      (row.score ?? 0) >= 4 && figure(row, "P1 ratio to nodejs-order-book") >= 150,
  },
  P2: {
    words: "≤ 0.5 µs, p99.9 ≤ 2 µs",
    isReached: (row) => figure(row, "P2 p99 ns") <= 500 && figure(row, "P2 p99.9 ns") <= 2000,
  },
  P3: scoreAtMost("≤ 1.6×", 1.6),
  P4: scoreAtMost("< 0.3 MB", 0.3),
  P6: {
    words: "≥ 5 M/s, p50 ≤ 2 µs hot, ≤ 25 µs asleep",
    isReached: (row) =>
      figure(row, "there and back, M messages/s") >= 5 &&
      figure(row, "hot round trip p50, µs") <= 2 &&
      figure(row, "asleep round trip p50, µs") <= 25,
  },
  P7: scoreAtLeast("≥ 0.25×", 0.25),
  P9: scoreAtMost("≤ 2.0×", 2),
  P10: scoreAtMost("≤ 6×", 6),
  P11: {
    words: "≥ 0.5× / ≥ 0.6×",
    isReached: (row) =>
      ["account/s", "open orders/s"].every(
        (name) => figure(row, name) >= 0.5 * figure(row, `${name} bare`),
      ) && figure(row, "depth/s") >= 0.6 * figure(row, "depth/s bare"),
  },
  P12: scoreAtLeast("≥ 0.7×", 0.7),
  P13: {
    words: "≥ 0.2× / ≥ 0.5×",
    isReached: (row) =>
      figure(row, "P13 with projections, of COPY") >= 0.2 &&
      figure(row, "P13 journal and fills, of COPY") >= 0.5,
  },
  P14: scoreAtLeast("≥ 700 k events/s", 700_000),
  P15: scoreAtMost("≤ 3 s", 3),
  P16: scoreAtMost("≤ 400 B", 400),
  P17: {
    words: "≤ 350 / ≤ 700 B",
    isReached: (row) =>
      figure(row, "journal bytes/order") <= 350 && figure(row, "bytes/order") <= 700,
  },
  P18: scoreAtMost("≤ 1.5×", 1.5),
  P19: scoreAtMost("≤ 8 ms", 8),
};
