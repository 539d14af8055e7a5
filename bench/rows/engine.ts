// Rows about single parts: book, machine, ring and codecs. Each row reads the figures of a micro benchmark that runs in
// its own process.

import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { figureOf, only } from "./figures.ts";

async function book(bench: Bench): Promise<Reading> {
  const figures = await bench.micro("order-book");
  const fast = figureOf(figures, "P1 fast book");
  const toMap = figureOf(figures, "P1 ratio to Map");
  const toNpm = figureOf(figures, "P1 ratio to nodejs-order-book");
  return {
    measured: `${shortNumber(1000 / fast)} M ops/s, ${shortNumber(fast)} ns`,
    baseline: `${shortNumber(toMap)}× Map book, ${shortNumber(toNpm)}× nodejs-order-book`,
    score: toMap,
    passed: toMap >= 2.5 && toNpm >= 100,
    figures: only(figures, "P1"),
    notes: [],
  };
}

async function bookLatency(bench: Bench): Promise<Reading> {
  const figures = await bench.micro("order-book");
  const p99Us = figureOf(figures, "P2 p99 ns") / 1000;
  const p999Us = figureOf(figures, "P2 p99.9 ns") / 1000;
  return {
    measured: `p99 ${shortNumber(p99Us)} µs, p99.9 ${shortNumber(p999Us)} µs`,
    baseline: "",
    ...atMost(p99Us, 1),
    figures: only(figures, "P2"),
    notes: ["each figure includes one clock reading"],
  };
}

async function deepBook(bench: Bench): Promise<Reading> {
  const figures = await bench.micro("order-book");
  return {
    measured: `${shortNumber(figureOf(figures, "P3 deep book ns"))} ns`,
    baseline: "P1's workload",
    ...atMost(figureOf(figures, "P3 ratio"), 3),
    figures: only(figures, "P3"),
    notes: [],
  };
}

async function bookHeap(bench: Bench): Promise<Reading> {
  const figures = await bench.micro("order-book");
  const megabytes = figureOf(figures, "P4 heap growth") / 1e6;
  return {
    measured: `${shortNumber(megabytes)} MB`,
    baseline: "",
    score: megabytes,
    passed: megabytes < 1,
    figures: only(figures, "P4"),
    notes: [],
  };
}

async function machine(bench: Bench): Promise<Reading> {
  const figures = await bench.micro("venue-machine");
  return {
    measured: `${shortNumber(figureOf(figures, "P5 ns"))} ns per order`,
    baseline: "book alone",
    score: figureOf(figures, "P5 ratio"),
    passed: null,
    figures,
    notes: [],
  };
}

async function ring(bench: Bench): Promise<Reading> {
  const figures = await bench.micro("spsc-ring");
  const rate = figureOf(figures, "there and back");
  const hot = figureOf(figures, "hot round trip p50");
  const asleep = figureOf(figures, "asleep round trip p50");
  return {
    measured: `${shortNumber(rate)} M/s; p50 ${shortNumber(hot)} µs hot, ${shortNumber(asleep)} µs asleep`,
    baseline: "",
    score: rate,
    passed: null,
    figures,
    notes: [],
  };
}

export const engineRows: readonly BenchRow[] = [
  {
    id: "P1",
    measure: "complete book, the published million operations",
    goal: "≥ 2.5× / ≥ 100×",
    run: book,
  },
  { id: "P2", measure: "book, one operation", goal: "p99 ≤ 1 µs", run: bookLatency },
  { id: "P3", measure: "deep book, time per operation", goal: "≤ 3×", run: deepBook },
  { id: "P4", measure: "heap growth over 1 M operations", goal: "< 1 MB", run: bookHeap },
  { id: "P5", measure: "clearing and books, one thread", goal: "report", run: machine },
  { id: "P6", measure: "ring to matcher to ring", goal: "report", run: ring },
];
