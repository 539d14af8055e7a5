// Measures outages as clients see them. Several lanes send small orders at fixed times, whether or not earlier ones were
// answered, each over an order session at one gateway; a lane whose connection is lost goes on at the next gateway. The
// time from the last acknowledgement before a fault to the first after it is the outage.

import { setTimeout as sleep } from "node:timers/promises";
import { formatScaled } from "../../../src/core/money/amounts.ts";
import type { LoadKey } from "../../../src/tools/load/signed-requests.ts";
import { ccUsdc, symbolOf } from "../../crash/crash-market.ts";
import { OrderSession } from "../../crash/order-session.ts";
import { SignedClient, type TradingClient } from "../../crash/signed-client.ts";
import { ToldHistory } from "../../crash/told-history.ts";
import type { ClientOptions } from "../../streams/stream-client.ts";
import type { GatewayRing } from "./gateway-ring.ts";
import type { Trader } from "./trader.ts";

/** Pause between the orders of a lane in ms: a key may place 200 in ten seconds, and 1,200 in a minute. */
const laneMs = 60;
const reconnectMs = 20;

interface OrderAnswer {
  readonly orderId: number;
  readonly executedQty: string;
  readonly status: string;
}

/** What a probe saw of one fault. */
export interface Outage {
  /** Longest time in ms in which no lane had an acknowledgement. */
  readonly allMs: number;
  /** Longest time in ms in which some lane had none. */
  readonly oneMs: number;
  /** Number of orders without an acknowledgement, by status; "lost" without an answer. */
  readonly others: ReadonlyMap<string, number>;
}

export class ProbeLane implements Trader {
  readonly history: ToldHistory;
  readonly client: Pick<TradingClient, "read" | "close">;
  readonly #key: LoadKey;
  readonly #name: string;
  readonly #gateways: GatewayRing;
  readonly #options: ClientOptions;
  /** Times of acknowledgements since the last `begin`. */
  times: number[] = [];
  others = new Map<string, number>();
  acknowledged = 0;
  #orders = 0;
  #isActive = false;
  #session: OrderSession | null = null;
  #loop: Promise<void> = Promise.resolve();
  readonly #open = new Set<Promise<void>>();

  constructor(key: LoadKey, place: number, gateways: GatewayRing) {
    this.#key = key;
    this.#name = `p${place}`;
    this.#gateways = gateways;
    const address = `10.9.1.${place + 1}`;
    this.#options = { headers: { "x-forwarded-for": address } };
    this.client = new SignedClient(key, place, address, () => gateways.next());
    this.history = new ToldHistory(key.account);
  }

  resume(): void {
    this.#isActive = true;
    this.#loop = this.#run();
  }

  async pause(): Promise<void> {
    this.#isActive = false;
    await this.#loop;
    await Promise.all(this.#open);
  }

  async #run(): Promise<void> {
    let dueMs = performance.now();
    while (this.#isActive) {
      if (this.#session === null || this.#session.isLost) {
        const { host, port } = this.#gateways.next();
        const url = `ws://${host}:${port}/compat/ws-api/v3`;
        this.#session = await OrderSession.open(url, this.#key, this.#options);
        if (this.#session === null) await sleep(reconnectMs);
        continue;
      }
      const sent = this.#place(this.#session);
      this.#open.add(sent);
      void sent.finally(() => this.#open.delete(sent));
      dueMs = Math.max(dueMs + laneMs, performance.now());
      await sleep(dueMs - performance.now());
    }
  }

  /** Places an order that cannot match, and ends at once. */
  async #place(session: OrderSession): Promise<void> {
    const { market, middle, lotsMin } = ccUsdc;
    const price = formatScaled(Math.floor(middle / 2), market.tickDecimals);
    const qty = formatScaled(2 * lotsMin, market.lotDecimals);
    const clientId = `${this.#name}-${++this.#orders}`;
    const terms = { clientId, symbol: symbolOf(market), side: "BUY", price, qty } as const;
    const told = this.history.sent(terms);
    const answer = await session.request("order.place", {
      ...{ symbol: terms.symbol, side: terms.side, type: "LIMIT", timeInForce: "IOC" },
      ...{ quantity: qty, price, newClientOrderId: clientId },
    });
    if (answer?.status === 200) {
      const { orderId, executedQty, status } = answer.body as OrderAnswer;
      this.history.told(told, orderId, Number(executedQty), status);
      this.acknowledged += 1;
      this.times.push(performance.now());
      return;
    }
    if (answer?.status === 503) told.outcome = "notExecuted";
    else if (answer !== null && answer.status !== 408) told.outcome = "refused";
    const status = String(answer?.status ?? "lost");
    this.others.set(status, (this.others.get(status) ?? 0) + 1);
  }

  close(): void {
    this.#session?.close();
    this.client.close();
  }
}

export class OpenLoopProbe {
  readonly lanes: readonly ProbeLane[];

  constructor(lanes: readonly ProbeLane[]) {
    this.lanes = lanes;
  }

  /** From now on acknowledgements belong to the next fault. */
  begin(): void {
    for (const lane of this.lanes) {
      lane.times = lane.times.slice(-1);
      lane.others = new Map();
    }
  }

  /** What was seen since `begin`. */
  get outage(): Outage {
    const each = this.lanes.map(({ times }) => longestRest(times));
    const all = this.lanes.flatMap(({ times }) => times).sort((one, other) => one - other);
    const others = new Map<string, number>();
    for (const lane of this.lanes)
      for (const [status, count] of lane.others)
        others.set(status, (others.get(status) ?? 0) + count);
    return { allMs: longestRest(all), oneMs: Math.max(...each), others };
  }
}

function longestRest(times: readonly number[]): number {
  return times.reduce((most, atMs, index) => Math.max(most, atMs - (times[index - 1] ?? atMs)), 0);
}
