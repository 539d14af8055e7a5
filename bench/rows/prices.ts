// Rows about the book under moving prices. Each row reads the figures of a micro benchmark. The benchmark of row B6
// runs a whole venue in a falling market; the others run only the book.

import { fullCrash } from "../../test/simulation/crash/crash-scene.ts";
import { atLeast, atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { type Figures, figureOf, only } from "./figures.ts";

function ratioRow(id: string, goal: number) {
  return async (bench: Bench): Promise<Reading> => {
    const figures = only(await bench.micro("price-paths"), id);
    const ns = Object.entries(figures).find(([name]) => name.endsWith(" ns"))?.[1] ?? Number.NaN;
    const stillNs = Object.entries(figures).find(([name]) => name.endsWith(" stay"))?.[1];
    const ratio = Object.entries(figures).find(([name]) => name.endsWith(" ratio"))?.[1];
    return {
      measured: `${shortNumber(ns)} ns`,
      baseline: `${shortNumber(stillNs ?? Number.NaN)} ns at constant prices`,
      ...atMost(ratio ?? Number.NaN, goal),
      figures,
      notes: [],
    };
  };
}

/** Formats the rates of the scenarios. */
function ratesOf(figures: Figures): string {
  const rates = Object.entries(figures).filter(([name]) => name.endsWith("M messages/s"));
  return rates.map(([, rate]) => shortNumber(rate)).join(" / ");
}

async function spread(bench: Bench): Promise<Reading> {
  const figures = only(await bench.micro("price-scenarios"), "B4");
  return {
    measured: `${ratesOf(figures)} M messages/s`,
    baseline: "the fastest of the five",
    ...atMost(figureOf(figures, "B4 fastest"), 3),
    figures,
    notes: ["still, normal, swings of 25 and 40 %, crash of 60 %: two million messages each"],
  };
}

async function slowest(bench: Bench): Promise<Reading> {
  const all = await bench.micro("price-scenarios");
  const maps = Object.entries(all).filter(([name]) => name.endsWith("Map-of-objects book"));
  return {
    measured: `${ratesOf(all)} M messages/s`,
    baseline: `Map book ${maps.map(([, rate]) => shortNumber(rate)).join(" / ")}`,
    ...atLeast(figureOf(all, "B5"), 1.2),
    figures: only(all, "B5"),
    notes: [],
  };
}

async function crash(bench: Bench): Promise<Reading> {
  const figures = await bench.micro("market-crash");
  const before = figureOf(figures, "B6 p99 ms before");
  const falling = figureOf(figures, "B6 p99 ms falling");
  return {
    measured: `p99 ${shortNumber(falling)} ms`,
    baseline: `p99 ${shortNumber(before)} ms before the fall`,
    ...atMost(falling / before, 2),
    figures,
    notes: [
      `${fullCrash.ordersPerSecond} orders/s, open loop; ${fullCrash.stillSeconds} s before the fall and ` +
        `${fullCrash.fallSeconds} s of the fall, with ${fullCrash.crowd} liquidations`,
    ],
  };
}

export const priceRows: readonly BenchRow[] = [
  {
    id: "B1",
    measure: "book: best price jumps by 20,000 ticks and back",
    goal: "≤ 2× of a jump by one tick",
    run: ratioRow("B1", 2),
  },
  {
    id: "B2",
    measure: "book: insert and cancel among 40,000 far levels",
    goal: "≤ 3× of 3,000 near levels",
    run: ratioRow("B2", 3),
  },
  {
    id: "B3",
    measure: "book: random walk through 60 % of the price",
    goal: "≤ 1.5× of a still market",
    run: ratioRow("B3", 1.5),
  },
  {
    id: "B4",
    measure: "book: five scenarios, ratio of fastest to slowest",
    goal: "≤ 3×",
    run: spread,
  },
  {
    id: "B5",
    measure: "book: slowest scenario as a ratio to the Map book's fastest",
    goal: "≥ 1.2×",
    run: slowest,
  },
  {
    id: "B6",
    measure: "order to ack while a market falls by 40 %, 100,000 resting orders",
    goal: "p99 ≤ 2× of p99 before the fall",
    isSlow: true,
    run: crash,
  },
];
