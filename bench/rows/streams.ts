// P12: what a front adds to bare publishing. Trades of one market go to many subscribers, through the
// venue's read model, renderer and topics, and from a bare server that publishes texts of the same
// length; runs alternate, and the subscribers are the same.

import { atLeast, atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { FanOut } from "../streams/fan-out.ts";
import type { PublisherKind } from "../streams/publisher-process.ts";

const crowd = 1000;
const few = 100;
/** Trades a second at 5,000 events: each trade is two acceptances and the match. */
const tradesPerSecond = 1667;
const rounds = 3;

async function withFanOut<T>(
  kind: PublisherKind,
  subscribers: number,
  use: (fanOut: FanOut) => Promise<T>,
): Promise<T> {
  const fanOut = await FanOut.open(kind, subscribers);
  try {
    return await use(fanOut);
  } finally {
    fanOut.close();
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function throughput({ say }: Bench): Promise<Reading> {
  const rates: Record<PublisherKind, number[]> = { front: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of ["bare", "front"] as const) {
      say(`${kind}: ${crowd} subscribers`);
      const rate = await withFanOut(kind, crowd, (fanOut) => fanOut.framesPerSecond(1500, 3000));
      rates[kind].push(rate);
    }
  }
  const [front, bare] = [median(rates.front), median(rates.bare)];
  return {
    measured: `${shortNumber(front)} frames/s`,
    baseline: `${shortNumber(bare)} frames/s, bare publisher`,
    ...atLeast(front / bare, 0.7),
    figures: { "frames/s": Math.round(front), "bare frames/s": Math.round(bare) },
    notes: [`median of ${rounds} alternating runs`],
  };
}

interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

async function latency(kind: PublisherKind, subscribers: number): Promise<Percentiles> {
  const sorted = await withFanOut(kind, subscribers, async (fanOut) => {
    await fanOut.latenciesUs(tradesPerSecond, 1500);
    return fanOut.latenciesUs(tradesPerSecond, 4000);
  });
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0) / 1000;
  return { p50: at(0.5), p99: at(0.99) };
}

async function fewSubscribers({ say }: Bench): Promise<Reading> {
  say(`commit to frame, ${few} subscribers`);
  const front = await latency("front", few);
  const bare = await latency("bare", few);
  return {
    measured: `${front.p50.toFixed(2)} ms`,
    baseline: `${bare.p50.toFixed(2)} ms, bare publisher`,
    ...atMost(front.p50, 1),
    figures: { "p50 ms": front.p50, "p99 ms": front.p99, "bare p50 ms": bare.p50 },
    notes: [
      `p99 ${front.p99.toFixed(2)} ms, bare ${bare.p99.toFixed(2)} ms; from the front's fold`,
    ],
  };
}

async function manySubscribers({ say }: Bench): Promise<Reading> {
  say(`commit to frame, ${crowd} subscribers`);
  const bare = await latency("bare", crowd);
  const front = await latency("front", crowd);
  return {
    measured: `${front.p50.toFixed(2)} ms`,
    baseline: `${bare.p50.toFixed(2)} ms, bare publisher`,
    ...atMost(front.p50 / bare.p50, 1.3),
    figures: { "p50 ms": front.p50, "p99 ms": front.p99, "bare p50 ms": bare.p50 },
    notes: [
      `p99 ${front.p99.toFixed(2)} ms, bare ${bare.p99.toFixed(2)} ms; from the front's fold`,
    ],
  };
}

export const streamRows: readonly BenchRow[] = [
  { id: "P12", measure: `stream fan-out, ${crowd} subscribers`, goal: "≥ 0.7×", run: throughput },
  {
    id: "P21",
    measure: `commit to frame p50, ${few} subscribers, 5,000 events/s`,
    goal: "≤ 1 ms",
    run: fewSubscribers,
  },
  {
    id: "P22",
    measure: `commit to frame p50, ${crowd} subscribers, 5,000 events/s`,
    goal: "≤ 1.3×",
    run: manySubscribers,
  },
];
