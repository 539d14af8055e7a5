// Rows A1 and A2: the rate limiter alone. Every request passes the limiter, so its cost must be negligible, and a flood
// from unknown addresses must not exhaust memory.

import { atLeast, atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";

async function decisions(bench: Bench): Promise<Reading> {
  const figures = await bench.micro("rate-limiter");
  const { score, passed } = atLeast(figures["requests of 2048 keys, M/s"] ?? 0, 10);
  const of = (name: string) => shortNumber(figures[name] ?? 0);
  return {
    measured: `${shortNumber(score)} M/s`,
    baseline: "",
    score,
    passed,
    figures,
    notes: [
      `orders, which count in three windows, ${of("orders of 2048 keys, M/s")} M/s; known ` +
        `addresses ${of("requests of 2048 addresses, M/s")}, a million distinct ` +
        `${of("requests of 1 M addresses, M/s")}`,
    ],
  };
}

async function memoryUnderFlood(bench: Bench): Promise<Reading> {
  const figures = await bench.micro("rate-limiter");
  const { score, passed } = atMost(
    figures["growth over 1 M addresses, bytes"] ?? Infinity,
    2 ** 17,
  );
  return {
    // The score can be negative: the garbage collector may have freed more than the flood used.
    measured: score <= 0 ? "nothing that can be measured" : `${shortNumber(score)} B`,
    baseline: "",
    score,
    passed,
    figures: {},
    notes: [`all counters ${shortNumber(figures["counters, MB"] ?? 0)} MB, made at the start`],
  };
}

export const accessRows: readonly BenchRow[] = [
  {
    id: "A1",
    measure: "rate limiter, decisions on one core",
    goal: "≥ 10 M/s",
    run: decisions,
  },
  {
    id: "A2",
    measure: "rate limiter, memory taken by 1 M distinct addresses",
    goal: "≤ 128 KiB",
    run: memoryUnderFlood,
  },
];
