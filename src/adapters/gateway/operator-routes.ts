// What operators ask the public door: /health for everybody, /metrics for this machine and trusted
// networks only. Figures are read when asked; nothing on the hot path keeps them.

import { Gauge, Registry } from "prom-client";
import { type ClientAddress, isLoopback } from "./server/client-address.ts";
import { contentTypes, type HttpCall } from "./server/http-call.ts";

/** How the venue is, as /health shows it. */
export interface Health {
  readonly isOk: boolean;
  /** Last seq given out, and last seq that is durable. */
  readonly seq: number;
  readonly committedSeq: number;
  /** Milliseconds that the oldest event not yet durable has waited. */
  readonly lagMs: number;
}

export interface OperatorParts {
  /** Name of this front, a label of everything it counts by itself. */
  readonly front: string;
  health(): Health;
  /** Figures by name, in Prometheus' form without the prefix; asked at every scrape. */
  figures(): Readonly<Record<string, number>>;
  /** Answers by status since the start. */
  answersByStatus(): ReadonlyMap<number, number>;
  isTrusted(address: string): boolean;
  /** Metrics of the whole venue, as Prometheus text. */
  venueMetrics(): Promise<string>;
}

const prefix = "rialto_";

export class OperatorRoutes {
  readonly #parts: OperatorParts;
  readonly #registry = new Registry();
  readonly #gauges = new Map<string, Gauge>();
  readonly #answers: Gauge<"status">;

  constructor(parts: OperatorParts) {
    this.#parts = parts;
    // Each front counts what it did itself; which one answers a scrape is the kernel's choice.
    this.#registry.setDefaultLabels({ front: parts.front });
    this.#answers = new Gauge({
      name: `${prefix}http_answers`,
      help: "Answers since the start, by status",
      labelNames: ["status"],
      registers: [this.#registry],
    });
  }

  /** Answers a call to one of the operator's paths; false for any other path. */
  answer(call: HttpCall): boolean {
    if (call.method !== "GET" && call.method !== "HEAD") return false;
    if (call.path === "/health") this.#answerHealth(call);
    else if (call.path === "/metrics") void this.#answerMetrics(call);
    else return false;
    return true;
  }

  #answerHealth(call: HttpCall): void {
    const { isOk, seq, committedSeq, lagMs } = this.#parts.health();
    const status = isOk ? "ok" : "unavailable";
    const body = `{"status":"${status}","seq":${seq},"committed_seq":${committedSeq},"lag_ms":${lagMs}}`;
    call.answer(isOk ? 200 : 503, contentTypes.json, body);
  }

  async #answerMetrics(call: HttpCall): Promise<void> {
    if (!this.#mayScrape(call.address)) {
      call.answer(403, contentTypes.text, "metrics are for trusted networks");
      return;
    }
    for (const [status, count] of this.#parts.answersByStatus()) {
      this.#answers.set({ status }, count);
    }
    for (const [name, value] of Object.entries(this.#parts.figures())) {
      this.#gaugeOf(name).set(value);
    }
    const [own, venue] = await Promise.all([this.#registry.metrics(), this.#parts.venueMetrics()]);
    call.answer(200, contentTypes.metrics, `${own}\n${venue}`);
  }

  #mayScrape(address: ClientAddress): boolean {
    return isLoopback(address) || this.#parts.isTrusted(address.text);
  }

  #gaugeOf(name: string): Gauge {
    const known = this.#gauges.get(name);
    if (known !== undefined) return known;
    const help = name.replaceAll("_", " ");
    const gauge = new Gauge({ name: `${prefix}${name}`, help, registers: [this.#registry] });
    this.#gauges.set(name, gauge);
    return gauge;
  }
}
