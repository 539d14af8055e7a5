// Row P12: the overhead of a front compared with bare publishing. In one run, trades of one market reach many
// subscribers through the venue's read model, renderer and topics. In the other run, a bare server publishes texts of
// the same length. Runs alternate, with the same subscribers and the same committing thread.

import { median } from "../report/median.ts";
import { atLeast, atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { FanOut } from "../streams/fan-out.ts";
import type { PublisherKind } from "../streams/publisher-process.ts";

const crowd = 1000;
const few = 100;
/** Trades a second at 5,000 events a second: each trade is three events, two acceptances and a match. */
const tradesPerSecond = 1667;
/** Number of alternating rounds: odd, and enough that a busy minute of the machine does not set the median. */
const rounds = 5;

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

async function throughput({ say }: Bench): Promise<Reading> {
  const rates: Record<PublisherKind, number[]> = { front: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of ["bare", "front"] as const) {
      say(`${kind}: ${crowd} subscribers`);
      const rate = await withFanOut(kind, crowd, (fanOut) => fanOut.framesPerSecond(1000, 3000));
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

interface Delay {
  readonly p50: number;
  readonly p99: number;
  /** Number of frames received by the sampled subscribers. */
  readonly frames: number;
}

async function delay(kind: PublisherKind, subscribers: number): Promise<Delay> {
  const sorted = await withFanOut(kind, subscribers, async (fanOut) => {
    await fanOut.latenciesUs(tradesPerSecond, 1500);
    return fanOut.latenciesUs(tradesPerSecond, 4000);
  });
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0) / 1000;
  return { p50: at(0.5), p99: at(0.99), frames: sorted.length };
}

/**
 * Returns the median delays of the front and of the bare server, measured in alternating runs, and the row's reading,
 * to which the caller adds the score.
 */
async function delays({ say }: Bench, subscribers: number) {
  const runs: Record<PublisherKind, Delay[]> = { front: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of ["bare", "front"] as const) {
      say(`${kind}: commit to frame, ${subscribers} subscribers`);
      runs[kind].push(await delay(kind, subscribers));
    }
  }
  const over = (kind: PublisherKind, name: keyof Delay) =>
    median(runs[kind].map((run) => run[name]));
  const [front, bare] = [over("front", "p50"), over("bare", "p50")];
  const reading = {
    measured: `${front.toFixed(2)} ms`,
    baseline: `${bare.toFixed(2)} ms, bare publisher`,
    figures: { "p50 ms": front, "p99 ms": over("front", "p99"), "bare p50 ms": bare },
    notes: [
      `p99 ${over("front", "p99").toFixed(2)} ms, bare ${over("bare", "p99").toFixed(2)} ms; ` +
        `median of ${rounds} alternating runs, from the commit in another thread`,
      `load: ${tradesPerSecond} trades/s, the maximum at 5,000 events/s, which makes ` +
        `${shortNumber(tradesPerSecond * subscribers)} frames/s; sampled subscribers received ` +
        `${over("front", "frames")}, bare ${over("bare", "frames")}`,
    ],
  };
  return { front, bare, reading };
}

async function fewSubscribers(bench: Bench): Promise<Reading> {
  const { front, reading } = await delays(bench, few);
  return { ...reading, ...atMost(front, 1) };
}

async function manySubscribers(bench: Bench): Promise<Reading> {
  const { front, bare, reading } = await delays(bench, crowd);
  return { ...reading, ...atMost(front / bare, 1.3) };
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
