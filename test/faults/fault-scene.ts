// A whole venue with the fault proxy in front of it, and two traders. Profiles are applied by the calls that the command
// line makes.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FaultTarget } from "../../schemas/fault-profile.ts";
import { callControl, controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import type { FaultChange, FaultLogLine } from "../../src/tools/faults/fault-log.ts";
import { FaultProxy } from "../../src/tools/faults/fault-proxy.ts";
import { until } from "../epochs/epoch-waits.ts";
import { quietLog } from "../support/quiet-log.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

export const everybody: FaultTarget = { all: true };

export class FaultScene {
  readonly venue: VenueFixture;
  readonly trader: Trader;
  readonly other: Trader;
  readonly #proxy: FaultProxy;

  private constructor(venue: VenueFixture, proxy: FaultProxy, traders: readonly [Trader, Trader]) {
    this.venue = venue;
    this.#proxy = proxy;
    [this.trader, this.other] = traders;
  }

  static async open(settings: Readonly<Record<string, string>> = {}): Promise<FaultScene> {
    const venue = await VenueFixture.open({
      ...{ TRUSTED_PROXIES: "127.0.0.1", RATE_LIMIT_WS_CONNS_PER_IP: "100" },
      ...settings,
    });
    const proxy = await FaultProxy.open({
      ...{ venue: venue.address, host: "127.0.0.1", port: 0 },
      ...{ dataDir: venue.dataDir, log: quietLog },
    });
    return new FaultScene(venue, proxy, [await venue.trader(), await venue.trader()]);
  }

  get port(): number {
    return this.#proxy.port;
  }

  /** The address with faults. */
  get address(): string {
    return `http://127.0.0.1:${this.#proxy.port}`;
  }

  get wsAddress(): string {
    return `ws://127.0.0.1:${this.#proxy.port}`;
  }

  /** Applies the faults to a target in place of what it had. */
  apply(faults: readonly object[], target: FaultTarget = everybody, seed = 1): Promise<unknown> {
    const profile = { name: "test", faults };
    return this.call("apply", { profile, target, seed, forMs: null });
  }

  clear(): Promise<unknown> {
    return this.call("clear", { target: null });
  }

  async call(call: string, request: object): Promise<unknown> {
    const path = controlSocketPath(join(this.venue.dataDir, "faults"));
    const answer = await callControl(path, call, request);
    if (!answer.isOk) throw new Error(answer.error);
    return answer.result;
  }

  /** Waits until the log has a line of a request or an event that fits, and returns it. */
  logged(fits: (line: FaultLogLine) => boolean): Promise<FaultLogLine> {
    const find = async () => this.requests().find(fits) ?? null;
    return until("the line in the log", find, 60_000);
  }

  /** The lines of requests and events that the log has. */
  requests(): FaultLogLine[] {
    const isRequest = (line: FaultLogLine | FaultChange): line is FaultLogLine => "path" in line;
    return this.lines().filter(isRequest);
  }

  /** Waits until the log has a line of an applied or cleared profile that fits. */
  async changed(fits: (line: FaultChange) => boolean): Promise<void> {
    const isChange = (line: FaultLogLine | FaultChange): line is FaultChange => "target" in line;
    const find = async () => this.lines().filter(isChange).find(fits) ?? null;
    await until("the change in the log", find, 60_000);
  }

  lines(): (FaultLogLine | FaultChange)[] {
    const text = readFileSync(join(this.venue.dataDir, "faults.jsonl"), "utf8");
    const lines = text.split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as FaultLogLine | FaultChange);
  }

  /** The open orders that the venue itself tells, past the proxy. */
  async openOrders(trader = this.trader): Promise<readonly { readonly clientOrderId: string }[]> {
    const { json } = await this.venue.signed(trader, "GET", "/compat/api/v3/openOrders");
    return json as readonly { readonly clientOrderId: string }[];
  }

  async close(): Promise<void> {
    await this.#proxy.close();
    await this.venue.close();
  }
}

/** A small order that rests in an empty book. */
export function restingOrder(newClientOrderId: string) {
  return {
    ...{ symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" },
    ...{ quantity: "100", price: "0.1", newClientOrderId },
  };
}
