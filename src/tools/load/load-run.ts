// One run of load over keep-alive connections, one request at a time on each, and what a person watching it sees:
// a line a second and a summary, plain text that also reads well in a log file.
//
//   closed loop   every connection sends its next request when the last is answered: throughput
//   open loop     requests arrive as given, whatever the venue does; each one's latency counts
//                 from the moment it should have been sent, so a stall is felt by everyone who
//                 would have come during it (no coordinated omission)
//
// A warm-up precedes the measured part and is not counted. Both ends are bounded in time.

import { setTimeout as sleep } from "node:timers/promises";
import type { Arrivals } from "./arrivals.ts";
import { type ConnectionListener, type Endpoint, HttpConnection } from "./http-connection.ts";
import { Latencies, type LatencySummary } from "./latencies.ts";

/**
 * What a run sends: it asks a source for whole requests and tells it what came back. One request at a time is out on a
 * connection, so its place among the connections says whose answer it is.
 */
export interface RequestSource {
  /** The next request for connection `place`, whole and ready to send; null for none this time. */
  next(index: number): string | null;
  /** The answer to the last request of `place`; the body is valid during the call only. */
  answered(index: number, status: number, body: Buffer): void;
  /** The connection of `place` was lost with its request unanswered: the outcome is unknown. */
  lost(index: number): void;
}

export interface LoadRunOptions {
  readonly endpoint: Endpoint;
  readonly connections: number;
  /** When the requests of an open loop arrive; null for a closed loop. */
  readonly arrivals: Arrivals | null;
  readonly warmUpMs: number;
  readonly durationMs: number;
  /** Arrivals that may wait for a connection; those beyond are given up. No bound by default. */
  readonly waitingMax?: number;
  /** Ends the run before its time. */
  readonly signal?: AbortSignal;
  /** Called after each measured second. */
  readonly onSecond?: (second: LoadSecond) => void;
}

/** One second of the measured part. */
export interface LoadSecond {
  readonly answers: number;
  readonly latency: LatencySummary;
}

export interface LoadResult {
  readonly elapsedMs: number;
  /** Answers with status 200 in the measured part. */
  readonly answers: number;
  readonly perSecond: number;
  /** Answers of every status, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly latency: LatencySummary;
  readonly seconds: readonly LoadSecond[];
  /** Open loop: from the scheduled to the actual sending; what the generator itself adds. */
  readonly sendDelay: LatencySummary;
  /** Open loop: requests whose turn came and that never found a free connection. */
  readonly unsent: number;
  readonly lost: number;
  /** CPU of this process for one answer, both its ends of the socket included. */
  readonly generatorUsPerAnswer: number;
}

/** How long answers may take after the last request of a run. */
const drainMs = 5000;
const secondMs = 1000;
/** Arrivals that were sent and are still remembered. */
const forgetAfter = 4096;

/** Runs `source` against the endpoint until the time is up, then waits for the last answers. */
export async function runLoad(source: RequestSource, options: LoadRunOptions): Promise<LoadResult> {
  const run = new LoadRun(source, options);
  await run.open();
  return run.measure();
}

class LoadRun implements ConnectionListener {
  readonly #source: RequestSource;
  readonly #options: LoadRunOptions;
  readonly #connections: HttpConnection[] = [];
  /** When the request that is out on a connection was, or should have been, sent. */
  readonly #since: Float64Array;
  readonly #idle: HttpConnection[] = [];
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
      this.#connections.push(await HttpConnection.open(endpoint, index, this));
    }
  }

  async measure(): Promise<LoadResult> {
    const { arrivals, warmUpMs, durationMs, signal } = this.#options;
    this.#isSending = true;
    const timer = arrivals === null ? this.#startClosed() : this.#startOpen();
    await this.#pass(warmUpMs);
    this.#isMeasuring = true;
    const cpuBefore = process.cpuUsage();
    const startedMs = performance.now();
    const untilMs = startedMs + durationMs;
    // Timers may wake a little early: what is left then is no second of its own.
    for (let nowMs = startedMs; untilMs - nowMs > secondMs / 10; nowMs = performance.now()) {
      if (signal?.aborted === true) break;
      await this.#pass(Math.min(secondMs, untilMs - nowMs));
      this.#endSecond();
    }
    const elapsedMs = performance.now() - startedMs;
    const cpu = process.cpuUsage(cpuBefore);
    const answers = this.#answers;
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
    };
  }

  onResponse(connection: HttpConnection, status: number, body: Buffer): void {
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

  onLost(connection: HttpConnection, unanswered: number): void {
    this.#lost += 1;
    if (unanswered > 0) this.#source.lost(connection.index);
    if (this.#isSending) void this.#reopen(connection.index);
  }

  #record(index: number, status: number, nowMs: number): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    // A refusal costs the venue less than an order: it must not make the percentiles look better.
    if (status !== 200) return;
    this.#answers += 1;
    const ms = nowMs - (this.#since[index] ?? nowMs);
    this.#latency.record(ms);
    this.#second.record(ms);
  }

  async #pass(ms: number): Promise<void> {
    const { signal } = this.#options;
    // An abort only ends the wait: what it means is asked behind it.
    await sleep(ms, undefined, signal && { signal }).catch(() => undefined);
  }

  #startClosed(): undefined {
    for (const connection of this.#connections) this.#send(connection, performance.now());
  }

  #startOpen(): NodeJS.Timeout {
    this.#idle.push(...this.#connections);
    this.#nextArrival = performance.now();
    // A timer is a millisecond at best; between its ticks every answer looks at the schedule too.
    return setInterval(() => this.#dispatch(performance.now()), 1);
  }

  /** Sends what is due, oldest first, as far as connections are free. */
  #dispatch(nowMs: number): void {
    const { arrivals, waitingMax = Number.POSITIVE_INFINITY } = this.#options;
    while (arrivals !== null && this.#nextArrival <= nowMs) {
      if (this.#waiting.length - this.#waitingFrom < waitingMax) {
        this.#waiting.push(this.#nextArrival);
      } else this.#givenUp += 1;
      this.#nextArrival += arrivals.gapMs();
    }
    while (this.#waitingFrom < this.#waiting.length) {
      const connection = this.#idle.pop();
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

  /** What was sent of the waiting ones, now and then: while they never run out, they would only grow. */
  #forgetSent(): void {
    if (this.#waitingFrom < forgetAfter) return;
    this.#waiting.splice(0, this.#waitingFrom);
    this.#waitingFrom = 0;
  }

  /** False where the source has nothing to send, which ends a closed loop's connection. */
  #send(connection: HttpConnection, sinceMs: number): boolean {
    const request = this.#source.next(connection.index);
    if (request === null) return false;
    this.#since[connection.index] = sinceMs;
    return connection.send(request);
  }

  async #reopen(index: number): Promise<void> {
    while (this.#isSending) {
      await sleep(100);
      try {
        const connection = await HttpConnection.open(this.#options.endpoint, index, this);
        this.#connections[index] = connection;
        if (!this.#isSending) return connection.close();
        if (this.#options.arrivals === null) this.#send(connection, performance.now());
        else this.#idle.push(connection);
        return;
      } catch {
        // Refused while the venue is away: the next look is in a tenth of a second.
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

/** What became of the requests so far. */
export interface FlowCounts {
  orders: number;
  cancels: number;
  /** Cancels of orders that had traded or gone before. */
  cancelsLate: number;
  /** 429: the keys are too few for the rate. */
  limited: number;
  /** 503: nothing was executed. */
  unavailable: number;
  /** Any other refusal. */
  refused: number;
  /** No answer: connection lost, or 408. */
  unknown: number;
}

export const progressHead = "   s      done/s    p50 ms    p90 ms    p99 ms  p99.9 ms    max ms\n";

/** One second as a line under `progressHead`. */
export function progressLine(second: number, { answers, latency }: LoadSecond): string {
  const { p50Ms, p90Ms, p99Ms, p999Ms, maxMs } = latency;
  const figures = [p50Ms, p90Ms, p99Ms, p999Ms, maxMs].map((ms) => ms.toFixed(2).padStart(9));
  return `${String(second).padStart(4)}  ${String(answers).padStart(10)} ${figures.join(" ")}\n`;
}

/** The summary at the end, hints included. */
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
