// Runs one load over keep-alive connections, with one request at a time on each. Renders the output: a line per second
// and a summary, as plain text that also suits a log file.
//
//   closed loop   every connection sends its next request when the last is answered (measures throughput)
//   open loop     requests arrive on schedule, whatever the venue does; latency counts from the
//                 scheduled send time, so a stall affects every request scheduled during it
//                 (no coordinated omission)
//
// A warm-up precedes the measured part and is not counted. The wait for the last responses has a time limit.

import { setTimeout as sleep } from "node:timers/promises";
import type { Arrivals } from "./arrivals.ts";
import {
  type ConnectionListener,
  type Endpoint,
  HttpConnection,
  type LoadConnection,
} from "./http-connection.ts";
import { Latencies, type LatencySummary } from "./latencies.ts";

/**
 * Generates a run's requests and receives the responses. A connection has one request in flight, so the connection's
 * index identifies the request of a response.
 */
export interface RequestSource {
  /** Returns the next complete request for connection `index`; null if there is none. */
  next(index: number): string | null;
  /** Called with the response to the last request of `index`; the body is valid only during the call. */
  answered(index: number, status: number, body: Buffer): void;
  /** Called when connection `index` was lost without a response, so that the outcome is unknown. */
  lost(index: number): void;
}

export interface LoadRunOptions {
  readonly endpoint: Endpoint;
  readonly connections: number;
  /** Arrivals of an open loop; null for a closed loop. */
  readonly arrivals: Arrivals | null;
  readonly warmUpMs: number;
  readonly durationMs: number;
  /** Maximum number of arrivals that wait for a connection; further ones are dropped. Unlimited by default. */
  readonly waitingMax?: number;
  /** Opens a connection; over HTTP by default. */
  readonly open?: (
    endpoint: Endpoint,
    index: number,
    listener: ConnectionListener,
  ) => Promise<LoadConnection>;
  /** Ends the run early when aborted. */
  readonly signal?: AbortSignal;
  /** Called after each measured second. */
  readonly onSecond?: (second: LoadSecond) => void;
}

/** Result of one second of the measured part. */
export interface LoadSecond {
  readonly answers: number;
  readonly latency: LatencySummary;
}

export interface LoadResult {
  readonly elapsedMs: number;
  /** Number of responses with status 200 in the measured part. */
  readonly answers: number;
  readonly perSecond: number;
  /** Number of responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly latency: LatencySummary;
  readonly seconds: readonly LoadSecond[];
  /** Delay from scheduled to actual send time, which the generator adds; only in an open loop. */
  readonly sendDelay: LatencySummary;
  /** Number of scheduled requests that never got a free connection; only in an open loop. */
  readonly unsent: number;
  readonly lost: number;
  /** Processor time of this process per response, in microseconds. */
  readonly generatorUsPerAnswer: number;
  /** Bytes sent and received per response. */
  readonly bytesPerAnswer: number;
}

/** Maximum wait for responses after the last request, in milliseconds. */
const drainMs = 5000;
const secondMs = 1000;
/** Number of sent arrivals that may stay in the queue before they are removed together. */
const forgetAfter = 4096;

/** Runs `source` against the endpoint for the duration, then waits for the last responses. */
export async function runLoad(source: RequestSource, options: LoadRunOptions): Promise<LoadResult> {
  const run = new LoadRun(source, options);
  await run.open();
  return run.measure();
}

class LoadRun implements ConnectionListener {
  readonly #source: RequestSource;
  readonly #options: LoadRunOptions;
  readonly #connections: LoadConnection[] = [];
  /** Scheduled or actual send time of the request in flight, by connection. */
  readonly #since: Float64Array;
  readonly #idle: LoadConnection[] = [];
  readonly #waiting: number[] = [];
  #waitingFrom = 0;
  #givenUp = 0;
  #nextArrival = 0;
  #isSending = false;
  #isMeasuring = false;
  readonly #latency = new Latencies();
  readonly #second = new Latencies();
  readonly #sendDelay = new Latencies();
  readonly #seconds: LoadSecond[] = [];
  readonly #statuses: Record<string, number> = {};
  #answers = 0;
  #lost = 0;

  constructor(source: RequestSource, options: LoadRunOptions) {
    this.#source = source;
    this.#options = options;
    this.#since = new Float64Array(options.connections);
  }

  async open(): Promise<void> {
    const { endpoint, connections } = this.#options;
    for (let index = 0; index < connections; index++) {
      this.#connections.push(await this.#open(endpoint, index));
    }
  }

  #open(endpoint: Endpoint, index: number): Promise<LoadConnection> {
    const { open = HttpConnection.open } = this.#options;
    return open(endpoint, index, this);
  }

  async measure(): Promise<LoadResult> {
    const { arrivals, warmUpMs, durationMs, signal } = this.#options;
    this.#isSending = true;
    const timer = arrivals === null ? this.#startClosed() : this.#startOpen();
    await this.#pass(warmUpMs);
    this.#isMeasuring = true;
    const cpuBefore = process.cpuUsage();
    const bytesBefore = this.#bytes();
    const startedMs = performance.now();
    const untilMs = startedMs + durationMs;
    // Stop within a tenth of a second of the end, because timers may fire slightly early and the small remainder must
    // not count as another second.
    for (let nowMs = startedMs; untilMs - nowMs > secondMs / 10; nowMs = performance.now()) {
      if (signal?.aborted === true) break;
      await this.#pass(Math.min(secondMs, untilMs - nowMs));
      this.#endSecond();
    }
    const elapsedMs = performance.now() - startedMs;
    const cpu = process.cpuUsage(cpuBefore);
    const answers = this.#answers;
    const bytes = this.#bytes() - bytesBefore;
    const unsent = this.#waiting.length - this.#waitingFrom + this.#givenUp;
    this.#isMeasuring = false;
    this.#isSending = false;
    clearInterval(timer);
    await this.#drain();
    return {
      elapsedMs,
      answers,
      perSecond: (answers * secondMs) / elapsedMs,
      statuses: this.#statuses,
      latency: this.#latency.summary(),
      seconds: this.#seconds,
      sendDelay: this.#sendDelay.summary(),
      unsent,
      lost: this.#lost,
      generatorUsPerAnswer: (cpu.user + cpu.system) / Math.max(answers, 1),
      bytesPerAnswer: bytes / Math.max(answers, 1),
    };
  }

  #bytes(): number {
    return this.#connections.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  onResponse(connection: LoadConnection, status: number, body: Buffer): void {
    const nowMs = performance.now();
    this.#source.answered(connection.index, status, body);
    if (this.#isMeasuring) this.#record(connection.index, status, nowMs);
    if (!this.#isSending) return;
    if (this.#options.arrivals === null) this.#send(connection, nowMs);
    else {
      this.#idle.push(connection);
      this.#dispatch(nowMs);
    }
  }

  onLost(connection: LoadConnection, unanswered: number): void {
    this.#lost += 1;
    if (unanswered > 0) this.#source.lost(connection.index);
    if (this.#isSending) void this.#reopen(connection.index);
  }

  #record(index: number, status: number, nowMs: number): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    // A refusal costs the venue less than an order, so counting refusals would make the percentiles look too good.
    if (status !== 200) return;
    this.#answers += 1;
    const ms = nowMs - (this.#since[index] ?? nowMs);
    this.#latency.record(ms);
    this.#second.record(ms);
  }

  async #pass(ms: number): Promise<void> {
    const { signal } = this.#options;
    // An abort only ends the wait; the caller checks the signal.
    await sleep(ms, undefined, signal && { signal }).catch(() => undefined);
  }

  #startClosed(): undefined {
    for (const connection of this.#connections) this.#send(connection, performance.now());
  }

  #startOpen(): NodeJS.Timeout {
    this.#idle.push(...this.#connections);
    this.#nextArrival = performance.now();
    // The timer has a resolution of one millisecond. Therefore each response checks the schedule too.
    return setInterval(() => this.#dispatch(performance.now()), 1);
  }

  /** Sends due requests, oldest first, on free connections. */
  #dispatch(nowMs: number): void {
    const { arrivals, waitingMax = Number.POSITIVE_INFINITY } = this.#options;
    while (arrivals !== null && this.#nextArrival <= nowMs) {
      if (this.#waiting.length - this.#waitingFrom < waitingMax) {
        this.#waiting.push(this.#nextArrival);
      } else this.#givenUp += 1;
      this.#nextArrival += arrivals.gapMs();
    }
    while (this.#waitingFrom < this.#waiting.length) {
      // The one that has been idle for longest, so that all send about equally often.
      const connection = this.#idle.shift();
      if (connection === undefined) {
        this.#forgetSent();
        return;
      }
      if (connection.isLost) continue;
      const scheduledMs = this.#waiting[this.#waitingFrom++] ?? nowMs;
      if (this.#isMeasuring) this.#sendDelay.record(nowMs - scheduledMs);
      if (!this.#send(connection, scheduledMs)) this.#idle.push(connection);
    }
    this.#waiting.length = 0;
    this.#waitingFrom = 0;
  }

  /** Removes sent arrivals from the queue. Otherwise a queue that is never empty would grow without bound. */
  #forgetSent(): void {
    if (this.#waitingFrom < forgetAfter) return;
    this.#waiting.splice(0, this.#waitingFrom);
    this.#waitingFrom = 0;
  }

  /**
   * Sends the next request. Returns false if the source has none or the connection is lost. Without a request, a
   * connection of a closed loop stays idle from then on.
   */
  #send(connection: LoadConnection, sinceMs: number): boolean {
    const request = this.#source.next(connection.index);
    if (request === null) return false;
    this.#since[connection.index] = sinceMs;
    return connection.send(request);
  }

  async #reopen(index: number): Promise<void> {
    while (this.#isSending) {
      await sleep(100);
      try {
        const connection = await this.#open(this.#options.endpoint, index);
        this.#connections[index] = connection;
        if (!this.#isSending) return connection.close();
        if (this.#options.arrivals === null) this.#send(connection, performance.now());
        else this.#idle.push(connection);
        return;
      } catch {
        // The venue refuses connections while it is down, so try again after a tenth of a second.
      }
    }
  }

  #endSecond(): void {
    const latency = this.#second.summary();
    this.#second.reset();
    const second = { answers: latency.count, latency };
    this.#seconds.push(second);
    this.#options.onSecond?.(second);
  }

  async #drain(): Promise<void> {
    const untilMs = performance.now() + drainMs;
    while (this.#connections.some(({ unanswered }) => unanswered > 0)) {
      if (performance.now() > untilMs) break;
      await sleep(5);
    }
    for (const connection of this.#connections) connection.close();
  }
}

/** Counts of the requests so far, by outcome. */
export interface FlowCounts {
  orders: number;
  cancels: number;
  /** Cancels of orders that were already filled or closed. */
  cancelsLate: number;
  /** Requests answered with 429, which means too few keys for the rate. */
  limited: number;
  /** Requests answered with 503, which were not executed. */
  unavailable: number;
  /** Requests that were refused for any other reason. */
  refused: number;
  /** Requests with unknown outcome: the connection was lost, or the answer was 408. */
  unknown: number;
}

export const progressHead = "   s      done/s    p50 ms    p90 ms    p99 ms  p99.9 ms    max ms\n";

/** Returns the line of one second, in the columns of `progressHead`. */
export function progressLine(second: number, { answers, latency }: LoadSecond): string {
  const { p50Ms, p90Ms, p99Ms, p999Ms, maxMs } = latency;
  const figures = [p50Ms, p90Ms, p99Ms, p999Ms, maxMs].map((ms) => ms.toFixed(2).padStart(9));
  return `${String(second).padStart(4)}  ${String(answers).padStart(10)} ${figures.join(" ")}\n`;
}

/** Returns the summary for the end of the run, with hints. */
export function renderSummary(result: LoadResult, counts: FlowCounts, rate: number | null): string {
  const { latency } = result;
  const failed = counts.refused + counts.unknown + counts.unavailable + counts.limited;
  const answered = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
  const seconds = result.elapsedMs / 1000;
  const lines = [
    "",
    `${result.answers} requests done, ${answered - result.answers} refused in ${seconds.toFixed(1)} s: ` +
      `${Math.round(answered / seconds)} answers per second` +
      (rate === null ? "" : ` at a target of ${rate}`),
    `latency ms  p50 ${latency.p50Ms.toFixed(2)}  p90 ${latency.p90Ms.toFixed(2)}  p99 ${latency.p99Ms.toFixed(2)}` +
      `  p99.9 ${latency.p999Ms.toFixed(2)}  max ${latency.maxMs.toFixed(2)}` +
      (rate === null ? "" : "  (from the scheduled send time)"),
    `including warm-up: ${counts.orders} orders, ${counts.cancels} cancels, ${counts.cancelsLate} late cancels, ${failed} failed`,
  ];
  if (failed > 0) {
    lines.push(
      `failed: ${counts.limited} rate limited (429), ${counts.unavailable} not executed (503), ` +
        `${counts.refused} refused, ${counts.unknown} without an answer`,
    );
  }
  if (result.unsent > 0) {
    lines.push(
      `${result.unsent} requests were never sent: the rate exceeds the venue's or the connections' capacity`,
    );
  }
  return `${lines.join("\n")}\n`;
}
