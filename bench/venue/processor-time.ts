// Measures the processor time of the server processes under load, so that the cost of an order does not depend on how
// busy a shared machine is. The venue's time comes by thread from its metrics, PostgreSQL's time by process from the
// kernel.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { findPostmaster } from "../../src/adapters/postgres/server/postmaster.ts";
import { statSeconds } from "../../src/adapters/telemetry/thread-time.ts";
import { shortNumber } from "../report/table.ts";
import type { VenueProcess } from "./venue-process.ts";

/** Seconds of processor time by thread or process. */
export type ProcessorTime = ReadonlyMap<string, number>;

const threadTime = /^rialto_thread_cpu_seconds_total\{thread="([^"]+)"/;

/** Requests answered with 2xx and processor time so far, and how far coalesced rows lag, all read at one moment. */
export interface Meter {
  readonly answers: number;
  readonly time: ProcessorTime;
  readonly lagMs: number;
}

/** `dataDir`: the data folder whose PostgreSQL the process uses; its own by default. */
export async function readMeter(venue: VenueProcess, dataDir = venue.dataDir): Promise<Meter> {
  const [metrics, processMs, postgres] = await Promise.all([
    venue.metrics(),
    venue.cpuMs(),
    postgresTime(dataDir),
  ]);
  const time = new Map<string, number>();
  let [answers, threads, lagMs] = [0, 0, 0];
  for (const [name, value] of metrics) {
    const thread = threadTime.exec(name)?.[1];
    if (thread !== undefined) {
      time.set(thread, value);
      threads += value;
    } else if (name.startsWith("rialto_http_answers_total") && name.includes('status="2'))
      answers += value;
    else if (name === "rialto_projection_lag_seconds") lagMs = value * 1000;
  }
  time.set("runtime", processMs / 1000 - threads);
  for (const [name, seconds] of postgres) time.set(name, seconds);
  return { answers, time, lagMs };
}

/**
 * Returns the processor time of each thread or process between two readings, in microseconds per request. `requests` is
 * how many there were; by default, those that were answered over HTTP.
 */
export function costBetween(
  before: Meter,
  after: Meter,
  requests = after.answers - before.answers,
): Map<string, number> {
  const cost = new Map<string, number>();
  for (const [name, seconds] of after.time) {
    cost.set(name, ((seconds - (before.time.get(name) ?? 0)) * 1e6) / requests);
  }
  return cost;
}

/** The sum of a cost over all threads and processes in microseconds, and its larger parts in words. */
export function shownCost(cost: ReadonlyMap<string, number>) {
  const us = [...cost.values()].reduce((sum, one) => sum + one, 0);
  const parts = [...cost].filter(([, one]) => one >= 0.5);
  return { us, shown: parts.map(([name, one]) => `${name} ${shortNumber(one)}`).join(", ") };
}

/** Returns the processor time of the server in `dataDir`: its sessions, and each kind of its background processes. */
async function postgresTime(dataDir: string): Promise<ProcessorTime> {
  const found = await findPostmaster(join(dataDir, "postgres", "cluster"));
  if (typeof found === "string") throw new Error(`the venue's PostgreSQL: ${found}`);
  const time = new Map<string, number>();
  const add = (name: string, seconds: number) => time.set(name, (time.get(name) ?? 0) + seconds);
  // The main process of the server includes the time of ended sessions.
  const own = fieldsOf(await readFile(`/proc/${found.pid}/stat`, "utf8"));
  add("postgres sessions", (Number(own[13]) + Number(own[14])) / 100);
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
    if (stat === null || fieldsOf(stat)[1] !== String(found.pid)) continue;
    const title = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    const kind = /^postgres: (\S+ ?(?:writer|launcher)?)/.exec(title)?.[1]?.trim() ?? "process";
    add(kind.startsWith("rialto") ? "postgres sessions" : `postgres ${kind}`, statSeconds(stat));
  }
  return time;
}

/** Returns the fields of /proc/<pid>/stat after the command's name; the first one is the state. */
function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
