// Row M4: SBE beside JSON: a frame of diff depth, and an order over HTTP.

import { median } from "../report/median.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { meteredLoad } from "../venue/metered-load.ts";
import { costBetween, readMeter, shownCost } from "../venue/processor-time.ts";
import { figureOf } from "./figures.ts";

const goals = { bytes: 0.4, frame: 0.7, order: 0.9 } as const;
const rounds = 3;
const warmUpMs = 5_000;
/** A minute, so that each window has one sealed epoch. */
const windowMs = 60_000;

type Format = "json" | "sbe";

/** The venue's processor time for an order, in microseconds, and bytes of request and answer. */
async function costOf({ stage }: Bench, compat: Format) {
  const [venue, keys] = [await stage.venue(), await stage.keys()];
  await venue.vacuum();
  const shape = { connections: 256, timeInForce: "IOC", compat } as const;
  const { load, before, after } = await meteredLoad(
    { warmUpMs, windowMs },
    (times) => stage.orders(venue.endpoint, keys, { ...shape, ...times }),
    () => readMeter(venue),
  );
  const { us } = shownCost(costBetween(before, after));
  return { us, bytes: load.bytesPerAnswer, refused: load.counts?.refused ?? 0 };
}

async function sbeBesideJson(bench: Bench): Promise<Reading> {
  const frames = await bench.micro("sbe");
  const bytes = figureOf(frames, "SBE frame, bytes") / figureOf(frames, "JSON frame, bytes");
  const frame = figureOf(frames, "SBE frame, ns") / figureOf(frames, "JSON frame, ns");
  const runs: Record<Format, Awaited<ReturnType<typeof costOf>>[]> = { json: [], sbe: [] };
  for (let round = 0; round < rounds; round++) {
    for (const format of ["json", "sbe"] as const) {
      bench.say(`orders over HTTP, answered in ${format}`);
      runs[format].push(await costOf(bench, format));
    }
  }
  const of = (format: Format, name: "us" | "bytes") => median(runs[format].map((run) => run[name]));
  const order = of("sbe", "us") / of("json", "us");
  const refused = [...runs.json, ...runs.sbe].reduce((sum, run) => sum + run.refused, 0);
  const cost = atMost(order, goals.order);
  return {
    measured:
      `frame ${shortNumber(bytes)}× bytes, ${shortNumber(frame)}× processor time; ` +
      `order ${shortNumber(order)}×`,
    baseline: "the same in JSON",
    score: cost.score,
    passed: cost.passed && bytes <= goals.bytes && frame <= goals.frame,
    figures: {
      ...frames,
      "SBE us/order": of("sbe", "us"),
      "JSON us/order": of("json", "us"),
      "SBE bytes/order": of("sbe", "bytes"),
      "JSON bytes/order": of("json", "bytes"),
    },
    notes: [
      `orders: IOC, 256 connections, median of ${rounds} runs in turn; the bytes are of request and answer`,
      ...(refused === 0 ? [] : [`refused: ${refused}`]),
    ],
  };
}

export const sbeRows: readonly BenchRow[] = [
  {
    id: "M4",
    measure: "diff depth in SBE, bytes and processor time; order over HTTP in SBE",
    goal: `≤ ${goals.bytes}×, ≤ ${goals.frame}×; ≤ ${goals.order}×`,
    run: sbeBesideJson,
  },
];
