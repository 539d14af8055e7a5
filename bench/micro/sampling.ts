// How micro benchmarks take samples. tinybench does the warm-up, the sampling, the percentiles and the margin of
// error. This file defines a sample and makes compared subjects alternate: one sample of each per round, so that a
// busy period slows all of them.

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
 * Processor time of the process, which excludes other processes. Its resolution is a microsecond, so use it for
 * batches.
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

/** Untimed work before and after each sample. */
interface Aside {
  before?(): void;
  after?(): void;
}

/** The timed work. */
export interface Subject extends Aside {
  /** One call; `turn` counts from 0 in each sample. Its result keeps the compiler from removing the work. */
  call(turn: number): number;
  /** Calls per sample, whose value is their mean: more than one if a call is shorter than a clock reading. */
  readonly batch: number;
}

export interface Sampling {
  /** Samples of each subject. */
  readonly samples: number;
  /** Uncounted samples of each subject before them. */
  readonly warmUp: number;
  /** The wall clock by default. */
  readonly clock?: TimestampProvider;
}

/** The statistics of each subject in milliseconds a call; asserts that the subjects alternated. */
export async function sampled<Name extends string>(
  subjects: Readonly<Record<Name, Subject>>,
  sampling: Sampling,
): Promise<Readonly<Record<Name, Statistics>>> {
  // Concurrent tasks that never wait alternate.
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

/** Statistics in milliseconds of consecutive calls, one call per sample. */
export function sampledAlone(
  call: () => unknown,
  sampling: Sampling,
  aside: Aside = {},
): Statistics {
  const bench = benchOf(sampling, null).add("call", call, { async: false, ...hooksOf(aside) });
  bench.runSync();
  return statisticsOf<"call">(bench).call;
}

/** The same for a call that waits. */
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
 * Nanoseconds of processor time per call of small functions: medians of 60 alternating batches. After each name,
 * `±` gives the margin of error of the mean in percent, which shows the disturbance by other processes.
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
    // A fixed number instead of a fixed time, so that two runs do the same work.
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
