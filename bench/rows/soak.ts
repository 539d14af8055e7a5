// Row K1: the venue at half of its capacity for half an hour, with orders, cancels and stream clients that connect and
// disconnect. The venue must not degrade: memory, the delay of the front's event loop and the latencies of the last
// third are compared with those of the first third. SOAK_SECONDS (1800) sets the duration, SOAK_RATE the requests a
// second. The default rate is half of the maximum, which the row measures first.

import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import { virtualAddress } from "../../src/tools/load/signed-requests.ts";
import { median } from "../report/median.ts";
import type { Bench, BenchRow, Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import type { VenueProcess } from "../venue/venue-process.ts";

const everyMs = 100;
const openMax = 50;
const streams = "cc-usdc@depth/cc-usdc@trade/cbtc-usdc@ticker/ceth-usdc@depth10/btcusdt@markPrice";
/** First virtual address of a stream client. The lower addresses belong to the load's keys. */
const addressesFrom = 1 << 16;

/**
 * Stream clients that connect and disconnect during a measurement. Each has its own address, subscribes to a few
 * streams and stays some seconds. A venue that runs for months serves millions of them.
 */
class StreamChurn {
  readonly #url: string;
  readonly #open: WebSocket[] = [];
  readonly #timer: NodeJS.Timeout;
  #frames = 0;
  #come = 0;

  /** Starts connecting clients immediately. */
  constructor({ host, port }: Endpoint) {
    this.#url = `ws://${host}:${port}/compat/stream?streams=${streams}`;
    this.#timer = setInterval(() => this.#turn(), everyMs);
  }

  /** Number of clients so far, and number of frames that they received. */
  get counts(): { readonly clients: number; readonly frames: number } {
    return { clients: this.#come, frames: this.#frames };
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const client of this.#open.splice(0)) client.terminate();
  }

  #turn(): void {
    const address = virtualAddress(addressesFrom + this.#come++);
    const headers = { "X-Forwarded-For": address };
    const client = new WebSocket(this.#url, { headers, perMessageDeflate: false });
    client.on("message", () => {
      this.#frames++;
    });
    // Ignore a refused or disconnected client; the venue's metrics count such cases.
    client.on("error", () => undefined);
    this.#open.push(client);
    // Every other client leaves without a close frame, like a client that loses its network.
    const oldest = this.#open.length > openMax ? this.#open.shift() : undefined;
    if (this.#come % 2 === 0) oldest?.terminate();
    else oldest?.close();
  }
}

const seconds = Number(process.env["SOAK_SECONDS"] ?? 1800);
const givenRate = Number(process.env["SOAK_RATE"] ?? 0);
const sampleMs = 5_000;
const sayMs = 60_000;
const connections = 256;
/**
 * Share of requests that cancel an open order. It is so high that orders are cancelled at least as fast as new ones
 * come to rest; the number of open orders therefore does not grow.
 */
const cancelShare = 0.45;
/** Largest allowed ratio of memory in the last third to memory in the first third. */
const memoryRatioMax = 1.1;
const ratioMax = 1.25;

interface Sample {
  readonly rssMb: number;
  readonly openOrders: number;
  readonly delayMs: number;
}

/** Samples the venue's figures until `over` is aborted. */
async function watch(bench: Bench, venue: VenueProcess, over: AbortSignal): Promise<Sample[]> {
  const samples: Sample[] = [];
  const beganMs = performance.now();
  let saidMs = beganMs;
  while (!over.aborted) {
    await sleep(sampleMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) break;
    const metrics = await venue.metrics();
    const delays = [...metrics].filter(
      ([name]) => name.startsWith("rialto_thread_loop_delay_seconds") && name.includes("front"),
    );
    const sample = {
      rssMb: (await venue.residentBytes()) / 2 ** 20,
      openOrders:
        [...metrics].find(([name]) => name.startsWith("rialto_front_open_orders"))?.[1] ?? 0,
      delayMs: Math.max(0, ...delays.map(([, delay]) => delay * 1000)),
    };
    samples.push(sample);
    const nowMs = performance.now();
    if (nowMs - saidMs < sayMs) continue;
    saidMs = nowMs;
    bench.say(
      `${Math.round((nowMs - beganMs) / 1000)} s: ${Math.round(sample.rssMb)} MB, delay ${shortNumber(sample.delayMs)} ms`,
    );
  }
  return samples;
}

/** Returns the medians of the first and the last third. */
function thirds(values: readonly number[]): { readonly first: number; readonly last: number } {
  const third = Math.max(1, Math.floor(values.length / 3));
  return { first: median(values.slice(0, third)), last: median(values.slice(-third)) };
}

async function soak(bench: Bench): Promise<Reading> {
  const { stage } = bench;
  const [venue, keys] = [await stage.venue(), await stage.keys()];
  const shape = { connections, cancelShare };
  const most = await stage.orders(venue.endpoint, keys, {
    ...shape,
    ...{ warmUpMs: 20_000, durationMs: 10_000 },
  });
  const rate = givenRate > 0 ? givenRate : Math.round(most.perSecond / 2);
  bench.say(`${shortNumber(most.perSecond)} requests/s at most; ${seconds} s at ${rate}`);
  const churn = new StreamChurn(venue.endpoint);
  const over = new AbortController();
  const watching = watch(bench, venue, over.signal);
  // The warm-up gives the venue time to settle from the maximum load that was measured before.
  const plan = { ...shape, rate, warmUpMs: 20_000, durationMs: seconds * 1000 };
  const load = await stage.orders(venue.endpoint, keys, plan);
  over.abort();
  const samples = await watching;
  churn.stop();
  const rss = thirds(samples.map(({ rssMb }) => rssMb));
  const orders = thirds(samples.map(({ openOrders }) => openOrders));
  const delay = thirds(samples.map(({ delayMs }) => delayMs));
  const p50 = thirds(load.seconds.map(({ latency }) => latency.p50Ms));
  const p99 = thirds(load.seconds.map(({ latency }) => latency.p99Ms));
  const [memoryRatio, ...others] = [rss, delay, p50, p99].map(
    ({ first, last }) => last / Math.max(first, 1e-9),
  );
  const worst = Math.max(...others);
  const { clients, frames } = churn.counts;
  const unanswered = load.counts?.unknown ?? 0;
  const message = (name: string, { first, last }: { first: number; last: number }, unit: string) =>
    `${name} ${shortNumber(first)} → ${shortNumber(last)} ${unit}`;
  return {
    measured: `${message("memory", rss, "MB")}, ${message("p50", p50, "ms")}`,
    baseline: "first third of the run",
    score: Math.max(worst, memoryRatio ?? 0),
    passed: (memoryRatio ?? Infinity) <= memoryRatioMax && worst <= ratioMax,
    figures: {
      ...{ seconds, "requests/s at most": most.perSecond, "requests/s asked": rate },
      ...{ "requests/s answered": load.perSecond, unsent: load.unsent, unanswered },
      ...{ "open orders, first third": orders.first, "open orders, last third": orders.last },
      ...{ "memory MB, first third": rss.first, "memory MB, last third": rss.last },
      ...{ "front delay ms, first third": delay.first, "front delay ms, last third": delay.last },
      ...{ "p50 ms, first third": p50.first, "p50 ms, last third": p50.last },
      ...{ "p99 ms, first third": p99.first, "p99 ms, last third": p99.last },
      ...{ "stream clients": clients, "stream frames": frames },
    },
    notes: [
      `${seconds} s at ${shortNumber(rate)} requests/s, half of the maximum measured before; ${clients} ` +
        `stream clients connected and disconnected; they received ${shortNumber(frames)} frames`,
      `medians of the first and of the last third: ${message("p99", p99, "ms")}, ` +
        `${message("longest delay of the front in a second", delay, "ms")}`,
      ...(unanswered > 0 ? [`${unanswered} requests were never answered`] : []),
    ],
  };
}

export const soakRows: readonly BenchRow[] = [
  {
    id: "K1",
    measure: "soak at half the maximum: last third compared with the first third",
    goal: `memory ≤ ${memoryRatioMax}×, delay, p50 and p99 ≤ ${ratioMax}×`,
    isSlow: true,
    run: soak,
  },
];
