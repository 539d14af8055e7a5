// Measures what a venue without clients costs: the processor time, wake-ups and memory of its own process, its
// PostgreSQL, its development ledger and its development provider, from the kernel's figures. The time of the venue's
// own threads comes from its metrics.

import { readdir, readFile } from "node:fs/promises";
import type { VenueProcess } from "./venue-process.ts";

/** Figures of the processes of one kind. */
interface Usage {
  readonly seconds: number;
  /** Number of times that their threads have slept. */
  readonly sleeps: number;
}

/** All figures of a venue at one moment. */
export interface IdleReading {
  readonly atMs: number;
  /** By kind of process. */
  readonly processes: ReadonlyMap<string, Usage>;
  /** Seconds of processor time of each thread of the venue's process. */
  readonly threads: ReadonlyMap<string, number>;
  /** Proportional set size of all processes in bytes: memory that several of them share counts once. */
  readonly bytes: number;
}

const threadTime = /^rialto_thread_cpu_seconds_total\{thread="([^"]+)"/;

export async function readIdle(venue: VenueProcess): Promise<IdleReading> {
  const pids = await processesOf(venue);
  const atMs = performance.now();
  const processes = new Map<string, Usage>();
  let bytes = 0;
  for (const pid of pids) {
    const kind = pid === venue.pid ? "venue" : kindOf(await textOf(`/proc/${pid}/cmdline`));
    const { seconds, sleeps } = await usageOf(pid);
    const sum = processes.get(kind);
    processes.set(kind, {
      seconds: seconds + (sum?.seconds ?? 0),
      sleeps: sleeps + (sum?.sleeps ?? 0),
    });
    bytes += kilobytesIn(await textOf(`/proc/${pid}/smaps_rollup`)) * 1024;
  }
  // The metrics are read last, because a scrape costs the front's thread several milliseconds.
  const threads = new Map<string, number>();
  for (const [name, seconds] of await venue.metrics()) {
    const thread = threadTime.exec(name)?.[1];
    if (thread !== undefined) threads.set(thread, seconds);
  }
  return { atMs, processes, threads, bytes };
}

/** Returns the venue's process, its descendants, and all processes that name its data folder. */
async function processesOf({ pid, dataDir }: VenueProcess): Promise<ReadonlySet<number>> {
  const found = new Set([pid]);
  const parents = new Map<number, number>();
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const texts = ["stat", "cmdline", "environ"].map((file) => textOf(`/proc/${entry}/${file}`));
    const [stat = "", ...named] = await Promise.all(texts);
    parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    if (named.some((text) => text.includes(dataDir))) found.add(Number(entry));
  }
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const [each, parent] of parents) if (found.has(parent)) found.add(each);
  }
  return found;
}

async function usageOf(pid: number): Promise<Usage> {
  let [seconds, sleeps] = [0, 0];
  for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    const folder = `/proc/${pid}/task/${thread}`;
    // Unlike `stat`, which counts hundredths of a second, `schedstat` counts nanoseconds.
    seconds += Number((await textOf(`${folder}/schedstat`)).split(" ")[0]) / 1e9;
    const status = await textOf(`${folder}/status`);
    sleeps += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return { seconds, sleeps };
}

function kindOf(commandLine: string): string {
  if (/^postgres: \S+ rialto/.test(commandLine)) return "postgres sessions";
  if (/^postgres: |^[^\0]*\/postgres\0/.test(commandLine)) return "postgres background";
  return commandLine.includes("devnet-ledger") ? "ledger" : "provider";
}

function kilobytesIn(rollup: string): number {
  return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
}

/** Returns the text of a file of the kernel; empty if its process has ended or belongs to another user. */
async function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
