// Reads prices over HTTP: one GET of a URL that the operator configures, answered with JSON like Binance's
// `ticker/price`: {"symbol","price","time"?} or a list of them. Time and size of an answer are limited. Redirects are
// not followed, and the resolved address is checked when connecting, so that a source's host name cannot lead into the
// operator's network.

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import * as z from "zod";
import type { Clock } from "../../ports/clock.ts";
import type { PriceAnswer, PriceReading, PriceSource } from "../../ports/price-source.ts";
import { guardedLookup, literalFault } from "../network/guarded-lookup.ts";

export interface HttpPriceSourceOptions {
  /** URL of the source: http or https, without a user name. */
  readonly url: string;
  readonly timeoutMs: number;
  /** Maximum number of bytes in an answer. */
  readonly bytesMax: number;
  /** Returns whether connections to an address are allowed. */
  readonly mayReach: (address: string) => boolean;
  readonly clock: Clock;
}

const reading = z.object({
  symbol: z.string().min(1).max(32),
  price: z
    .string()
    .regex(/^\d{1,15}(?:\.\d{1,18})?$/)
    .refine((text) => /[1-9]/.test(text)),
  time: z.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional(),
});
const answer = z.union([z.array(reading), reading.transform((one) => [one])]);

export class HttpPriceSource implements PriceSource {
  readonly name: string;
  readonly #options: HttpPriceSourceOptions;
  readonly #url: URL;
  readonly #agent: HttpAgent;
  readonly #lookup: LookupFunction;

  constructor(options: HttpPriceSourceOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    this.#lookup = guardedLookup(options.mayReach);
    this.name = this.#url.host;
    const agentOptions = { keepAlive: true, maxSockets: 1 };
    this.#agent =
      this.#url.protocol === "https:" ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  }

  async read(): Promise<PriceAnswer> {
    try {
      return { kind: "prices", readings: this.#readingsOf(await this.#fetch()) };
    } catch (error) {
      return { kind: "fault", message: messageOf(error) };
    }
  }

  /** Returns the body of the answer; throws on any fault. */
  #fetch(): Promise<string> {
    const { timeoutMs, mayReach } = this.#options;
    const closed = literalFault(this.#url, mayReach);
    if (closed !== null) throw new Error(closed);
    const signal = AbortSignal.timeout(timeoutMs);
    const request = this.#url.protocol === "https:" ? httpsRequest : httpRequest;
    const headers = { accept: "application/json", "accept-encoding": "identity" };
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, lookup: this.#lookup, headers, signal };
      const outgoing = request(this.#url, options, (incoming) => {
        this.#bodyOf(incoming).then(resolve, reject);
      });
      outgoing.on("error", (error) =>
        reject(signal.aborted ? new Error("no answer in time") : error),
      );
      outgoing.end();
    });
  }

  async #bodyOf(incoming: IncomingMessage): Promise<string> {
    const { bytesMax } = this.#options;
    const parts: Buffer[] = [];
    let bytes = 0;
    try {
      if (incoming.statusCode !== 200) throw new Error(`answered ${incoming.statusCode}`);
      for await (const part of incoming) {
        bytes += (part as Buffer).length;
        if (bytes > bytesMax) throw new Error(`the answer is longer than ${bytesMax} bytes`);
        parts.push(part as Buffer);
      }
    } catch (error) {
      incoming.destroy();
      const isLate = error instanceof Error && error.name === "AbortError";
      throw isLate ? new Error("no answer in time") : error;
    }
    return Buffer.concat(parts).toString("utf8");
  }

  #readingsOf(body: string): PriceReading[] {
    const nowMs = this.#options.clock.nowMs();
    const rows = answer.safeParse(jsonOf(body));
    if (!rows.success) throw new Error("the answer is not a list of symbols with prices");
    const names = new Set(rows.data.map(({ symbol }) => symbol));
    if (names.size < rows.data.length) throw new Error("a symbol is listed twice");
    return rows.data.map(({ symbol, price, time }) => ({ symbol, price, atMs: time ?? nowMs }));
  }
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Error("the answer is not JSON");
  }
}

/** Returns a fault's message, never with the URL, because its query may contain a key. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message : `failed with ${code}`;
}
