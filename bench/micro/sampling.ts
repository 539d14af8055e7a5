// Takes the samples of micro benchmarks. tinybench does the warm-up, the sampling, the percentiles and the margin of
// error. This file defines a sample and makes compared subjects alternate: one sample of each per round, so that a busy
// period slows all of them.

import {
  Bench,
  type FnOptions,
  type FnReturnedObject,
  mToNs,
  type Statistics,
  type TimestampProvider,
} from "tinybench";
import { assert } from "../../src/core/assert.ts";

/**
 * Clock of the process's processor time, which excludes other processes. Its resolution is a microsecond, so measure
 * batches with it.
 */
export const processorTime: TimestampProvider = {
  name: "processorTime",
  fn: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  toMs: (us) => Number(us) / 1000,
  fromMs: (ms) => ms * 1000,
};

/** Untimed work that is done before and after each sample. */
interface Aside {
  before?(): void;
  after?(): void;
}

/** The work that is timed. */
export interface Subject extends Aside {
  /**
   * Executes the work once; `turn` counts from 0 in each sample. Returning a result keeps the compiler from removing
   * the work.
   */
  call(turn: number): number;
  /**
   * Number of calls per sample; the sample's value is their mean. Use more than one if a call is shorter than a clock
   * reading.
   */
  readonly batch: number;
}

export interface Sampling {
  /** Number of counted samples of each subject. */
  readonly samples: number;
  /** Number of uncounted samples of each subject before the counted ones. */
  readonly warmUp: number;
  /** Clock of the samples; the wall clock by default. */
  readonly clock?: TimestampProvider;
}

/** Returns the statistics of each subject in milliseconds per call; asserts that the subjects alternated. */
export async function sampled<Name extends string>(
  subjects: Readonly<Record<Name, Subject>>,
  sampling: Sampling,
): Promise<Readonly<Record<Name, Statistics>>> {
  // tinybench runs concurrent tasks in turn, one sample of each, if they never wait.
  const bench = benchOf(sampling, "bench");
  const names = Object.keys(subjects) as Name[];
  let turn = 0;
  for (const [index, name] of names.entries()) {
    const subject = subjects[name];
    const before = () => {
      assert(turn++ % names.length === index, "the subjects must alternate");
      subject.before?.();
    };
    const hooks = hooksOf({ before, after: () => subject.after?.() });
    bench.add(name, sampleOf(bench, subject), { async: false, ...hooks });
  }
  await bench.run();
  return statisticsOf(bench);
}

/** Returns statistics of consecutive calls in milliseconds, one call per sample. */
export function sampledAlone(
  call: () => unknown,
  sampling: Sampling,
  aside: Aside = {},
): Statistics {
  const bench = benchOf(sampling, null).add("call", call, { async: false, ...hooksOf(aside) });
  bench.runSync();
  return statisticsOf<"call">(bench).call;
}

/** Like `sampledAlone`, for a call that waits. */
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
 * Returns nanoseconds of processor time per call of small functions: medians of 60 alternating batches. An entry with
 * `±` after the function's name has the margin of error of its mean in percent, which shows disturbance by other
 * processes.
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
    // Set a fixed number of samples instead of a fixed time, so that two runs do the same work.
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
    assert(!Number.isNaN(sink), "a call must return a number");
    return { overriddenDuration: took / batch };
  };
}

function statisticsOf<Name extends string>(bench: Bench): Readonly<Record<Name, Statistics>> {
  const entries = bench.tasks.map(({ name, result }) => {
    assert(result.state === "completed", `${name} must have been sampled`);
    return [name, result.latency] as const;
  });
  return Object.fromEntries(entries) as Record<Name, Statistics>;
}
