// Probes a running venue for Binance's names, as a client would use them, and says how each is refused that the venue
// does not have. Every answer must be JSON: a client must never have to read a page of HTML.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { routesOf } from "../../../src/adapters/gateway/routes.ts";
import { StreamClient } from "../../streams/stream-client.ts";
import { signedQuery } from "../../support/client/signed-fetch.ts";
import type { SurfaceName } from "./binance-names.ts";

/** A refusal as the page shows it, or undefined if the venue has the name. */
export type Refusal = string | undefined;

interface Subject {
  readonly address: string;
  readonly trader: { readonly key: string; readonly secret: string };
}

interface Reply {
  readonly status: number;
  readonly code: number | undefined;
  readonly msg: string;
}

type Parameters = Readonly<Record<string, string>>;

const sessionPaths = { spot: "ws-api/v3", usdm: "ws-fapi/v1" } as const;
const streamPaths = { spot: "/ws", usdm: "/market/ws" } as const;
const surfacePaths = { spot: "/api/", usdm: "/fapi/" } as const;

/** Values for the placeholders in the names of streams. */
const samples: Readonly<Record<SurfaceName, Readonly<Record<string, string>>>> = {
  spot: { symbol: "cc-usdc", interval: "1m", levels: "5", updateSpeed: "100ms", windowSize: "1h" },
  usdm: {
    ...{ symbol: "btcusdt", pair: "btcusdt", contractType: "perpetual", interval: "1m" },
    ...{ levels: "5", updateSpeed: "100ms" },
  },
};

const unknownPathCode = -5000;
const unknownParameterCode = -1103;

function shown({ status, code }: Reply): string {
  return `${status} ${code}`;
}

export class VenueProbe {
  readonly #subject: Subject;
  readonly #sessions = new Map<SurfaceName, StreamClient>();
  #nextId = 1;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close();
  }

  /** Probes a route such as `GET /api/v3/ping` by a signed request without parameters. */
  async route(name: string): Promise<Refusal> {
    const reply = await this.#request(name, {});
    return reply.code === unknownPathCode ? shown(reply) : undefined;
  }

  /** Probes the parameters of a route; returns the refusal of each that the venue does not have. */
  async parametersOfRoute(name: string, parameters: readonly string[]) {
    const reads = routesOf(false).find((route) => route.name === name)?.reads;
    // Klines read their times outside the schema, because the root view ignores even invalid ones.
    const times = /klines$/i.test(name) ? ["startTime", "endTime"] : [];
    const known = new Set([...Object.keys(reads?.shape ?? {}), ...times]);
    return this.#parameters((sent) => this.#request(name, sent), parameters, known);
  }

  /** Probes a method of the WebSocket API. */
  async method(surface: SurfaceName, name: string): Promise<Refusal> {
    const reply = await this.#call(surface, name, {});
    return reply.code === unknownPathCode ? shown(reply) : undefined;
  }

  async parametersOfMethod(surface: SurfaceName, name: string, parameters: readonly string[]) {
    const { reads } =
      routesOf(false).find(
        ({ session, path }) => session === name && path.startsWith(surfacePaths[surface]),
      ) ?? {};
    // The session's own methods have no route; they take what they need.
    const known = reads === undefined ? new Set(parameters) : new Set(Object.keys(reads.shape));
    return this.#parameters((sent) => this.#call(surface, name, sent), parameters, known);
  }

  /** Probes a stream, with sample values for its placeholders, by subscribing to it. */
  async stream(surface: SurfaceName, name: string): Promise<Refusal> {
    const values = samples[surface];
    const isMark = name.includes("markPrice");
    const stream = name.replace(/<(\w+)>/g, (_, placeholder: string) =>
      isMark && placeholder === "updateSpeed" ? "1s" : (values[placeholder] ?? ""),
    );
    const client = await StreamClient.open(this.#socket(streamPaths[surface]));
    client.send({ id: 1, method: "SUBSCRIBE", params: [stream] });
    const { error } = await client.next(({ id }) => id === 1);
    client.close();
    return error === undefined ? undefined : `error ${error.code}`;
  }

  /** Probes an event of user data: whether the venue's own description of its streams has it. */
  async event(name: string): Promise<Refusal> {
    const response = await fetch(`${this.#subject.address}/asyncapi.json`);
    return (await response.text()).includes(`"${name}"`) ? undefined : "never sent";
  }

  /**
   * Asks with all parameters at once. A route that refuses unknown parameters names one of them, which is then left out
   * of the next request; any other route ignores what is not in `known`.
   */
  async #parameters(
    ask: (sent: Parameters) => Promise<Reply>,
    parameters: readonly string[],
    known: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, string>> {
    const refusals = new Map<string, string>();
    const left = new Set(parameters);
    const isStrict = (await ask({ unheardOf: "x" })).code === unknownParameterCode;
    if (!isStrict) {
      for (const name of parameters) if (!known.has(name)) refusals.set(name, "ignored");
      return refusals;
    }
    while (left.size > 0) {
      const reply = await ask(Object.fromEntries([...left].map((name) => [name, "x"])));
      if (reply.code !== unknownParameterCode) break;
      const named = /'(\w+)'/.exec(reply.msg)?.[1] ?? "";
      assert.ok(left.delete(named), `${reply.msg} names no parameter that was sent`);
      refusals.set(named, shown(reply));
    }
    return refusals;
  }

  async #request(name: string, sent: Parameters): Promise<Reply> {
    const [method = "", path = ""] = name.split(" ");
    const { address, trader } = this.#subject;
    const headers = { "X-MBX-APIKEY": trader.key };
    const query = signedQuery(trader.secret, sent);
    const response = await fetch(`${address}/compat${path}?${query}`, { method, headers });
    const text = await response.text();
    const type = response.headers.get("content-type") ?? "";
    const isText = type.startsWith("text/plain") && /klines$/i.test(path);
    assert.ok(isText || type.startsWith("application/json"), `${name} answered ${type}`);
    const json = isText ? {} : JSON.parse(text);
    const isProbed = response.status < 500 && response.status !== 429;
    assert.ok(isProbed, `${name} answered ${response.status} ${text}`);
    return { status: response.status, code: json.code, msg: json.msg ?? "" };
  }

  async #call(surface: SurfaceName, method: string, sent: Parameters): Promise<Reply> {
    const session = await this.#session(surface);
    const { key, secret } = this.#subject.trader;
    const all: Record<string, string> = {
      ...{ recvWindow: "60000", ...sent },
      apiKey: key,
      timestamp: String(Date.now()),
    };
    const text = Object.keys(all)
      .sort()
      .map((name) => `${name}=${all[name]}`)
      .join("&");
    const signature = createHmac("sha256", secret).update(text).digest("hex");
    const requestId = this.#nextId++;
    session.send({ id: requestId, method, params: { ...all, signature } });
    const { status, error } = await session.next(({ id }) => id === requestId);
    assert.ok(status < 500 && status !== 429, `${method} answered ${status} ${error?.msg}`);
    return { status, code: error?.code, msg: error?.msg ?? "" };
  }

  async #session(surface: SurfaceName): Promise<StreamClient> {
    const known = this.#sessions.get(surface);
    if (known !== undefined) return known;
    const opened = await StreamClient.open(this.#socket(`/${sessionPaths[surface]}`));
    this.#sessions.set(surface, opened);
    return opened;
  }

  #socket(path: string): string {
    return `${this.#subject.address.replace("http", "ws")}/compat${path}`;
  }
}
