// How micro benchmarks take their samples. tinybench warms up, takes them, and reckons percentiles and the margin
// of error; what is said here is what a sample is, and that what is compared takes turns: one sample of each in a
// round, so that a busy spell slows all of them.

import {
  Bench,
  type FnOptions,
  type FnReturnedObject,
  mToNs,
  type Statistics,
  type TimestampProvider,
} from "tinybench";
import { assert } from "../../src/core/assert.ts";

/** The processor time of the process: what the neighbours take is not in it. It counts microseconds: for batches. */
export const processorTime: TimestampProvider = {
  name: "processorTime",
  fn: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  toMs: (us) => Number(us) / 1000,
  fromMs: (ms) => ms * 1000,
};

/** What is done before and after each sample, and not timed. */
interface Aside {
  before?(): void;
  after?(): void;
}

/** What is timed. */
export interface Subject extends Aside {
  /** One call; `turn` counts from 0 in each sample. Its answer keeps the compiler from leaving anything out. */
  call(turn: number): number;
  /** A sample is the mean of that many calls: more than one where a call is shorter than a look at the clock. */
  readonly batch: number;
}

export interface Sampling {
  /** Samples of each subject. */
  readonly samples: number;
  /** Samples of each before them, which do not count. */
  readonly warmUp: number;
  /** The clock on the wall where nothing is said. */
  readonly clock?: TimestampProvider;
}

/** The statistics of each subject in milliseconds a call; asserts that they took turns. */
export async function sampled<Name extends string>(
  subjects: Readonly<Record<Name, Subject>>,
  sampling: Sampling,
): Promise<Readonly<Record<Name, Statistics>>> {
  // Tasks that run side by side and never wait take turns.
  const bench = benchOf(sampling, "bench");
  const names = Object.keys(subjects) as Name[];
  let turn = 0;
  for (const [index, name] of names.entries()) {
    const subject = subjects[name];
    const before = () => {
      assert(turn++ % names.length === index, "subjects take turns");
      subject.before?.();
    };
    const hooks = hooksOf({ before, after: () => subject.after?.() });
    bench.add(name, sampleOf(bench, subject), { async: false, ...hooks });
  }
  await bench.run();
  return statisticsOf(bench);
}

/** The statistics of calls that are a sample each, one straight after the other, in milliseconds. */
export function sampledAlone(
  call: () => unknown,
  sampling: Sampling,
  aside: Aside = {},
): Statistics {
  const bench = benchOf(sampling, null).add("call", call, { async: false, ...hooksOf(aside) });
  bench.runSync();
  return statisticsOf<"call">(bench).call;
}

/** The same of a call that waits for something. */
export async function sampledWaiting(
  call: () => Promise<unknown>,
  sampling: Sampling,
  aside: Aside = {},
): Promise<Statistics> {
  const bench = benchOf(sampling, null).add("call", call, { async: true, ...hooksOf(aside) });
  await bench.run();
  return statisticsOf<"call">(bench).call;
}

function hooksOf(aside: Aside): FnOptions {
  return { beforeEach: () => aside.before?.(), afterEach: () => aside.after?.() };
}

/**
 * Nanoseconds of processor time a call of small functions, medians of 60 batches in turn; behind each name with `±` the margin of error
 * of the mean in percent, which tells how much the neighbours disturbed.
 */
export async function nanoseconds<Name extends string>(
  calls: Readonly<Record<Name, () => number>>,
): Promise<Record<Name | `${Name} ±`, number>> {
  const subjects = Object.fromEntries(
    Object.entries<() => number>(calls).map(([name, call]) => [name, { call, batch: 50_000 }]),
  );
  const taken = Object.entries(
    await sampled(subjects, { samples: 60, warmUp: 6, clock: processorTime }),
  );
  return Object.fromEntries(
    taken.flatMap(([name, { p50, rme }]) => [
      [name, mToNs(p50)],
      [`${name} ±`, rme],
    ]),
  ) as Record<Name | `${Name} ±`, number>;
}

function benchOf({ samples, warmUp, clock }: Sampling, concurrency: "bench" | null): Bench {
  return new Bench({
    // By number and not by time, so that two runs do the same.
    ...{ iterations: samples, time: 0, warmupIterations: warmUp, warmupTime: 0 },
    ...{ warmup: warmUp > 0, concurrency, throws: true },
    ...(clock === undefined ? {} : { timestampProvider: clock }),
  });
}

function sampleOf(bench: Bench, subject: Subject): () => FnReturnedObject {
  return () => {
    const { batch } = subject;
    let sink = 0;
    const began = bench.now();
    for (let turn = 0; turn < batch; turn++) sink += subject.call(turn);
    const took = bench.now() - began;
    assert(!Number.isNaN(sink), "a call answers a number");
    return { overriddenDuration: took / batch };
  };
}

function statisticsOf<Name extends string>(bench: Bench): Readonly<Record<Name, Statistics>> {
  const entries = bench.tasks.map(({ name, result }) => {
    assert(result.state === "completed", `${name} was sampled`);
    return [name, result.latency] as const;
  });
  return Object.fromEntries(entries) as Record<Name, Statistics>;
}
