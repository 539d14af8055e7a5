// A trader that lives through crashes: places, cancels and looks, one request at a time, and writes
// down what it was told. Prices lie close together, so that most orders meet somebody.

import { setTimeout as sleep } from "node:timers/promises";
import type { Endpoint } from "../../src/venue/load/http-connection.ts";
import { SeededRandom } from "../../src/venue/load/seeded-random.ts";
import type { LoadKey } from "../../src/venue/load/signed-requests.ts";
import { type Answer, SignedClient } from "./signed-client.ts";
import { type ToldFill, ToldHistory, type ToldOrder } from "./told-history.ts";

const symbol = "CC-USDC";
const middle = 1500;
const spread = 4;
/** Shares of the steps in percent: below the first place, below the next cancel, and so on. */
const placeBelow = 60;
const cancelBelow = 85;
const lookBelow = 95;

interface OrderBody {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly executedQty: string;
  readonly status: string;
  readonly fills?: readonly {
    readonly tradeId: number;
    readonly price: string;
    readonly qty: string;
    readonly commission: string;
  }[];
}

interface TradeBody {
  readonly id: number;
  readonly orderId: number;
  readonly price: string;
  readonly qty: string;
  readonly commission: string;
  readonly settlementStatus: string;
  readonly cantonUpdateId: string | null;
}

export class CrashClient {
  readonly history: ToldHistory;
  readonly client: SignedClient;
  readonly #random: SeededRandom;
  readonly #name: string;
  /** Orders that may still be open, as far as this client knows. */
  readonly #open: ToldOrder[] = [];
  /** Orders and cancels acknowledged so far. */
  acknowledged = 0;
  #orders = 0;
  #isActive = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(key: LoadKey, place: number, seed: number, endpoint: () => Endpoint) {
    this.history = new ToldHistory(key.account);
    this.client = new SignedClient(key, place, `10.9.0.${place + 1}`, endpoint);
    this.#random = new SeededRandom(seed + place);
    this.#name = `c${place}`;
  }

  resume(): void {
    this.#isActive = true;
    this.#loop = this.#run();
  }

  /** Answers when the request that is out, if any, has been answered or lost. */
  async pause(): Promise<void> {
    this.#isActive = false;
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (this.#isActive) {
      // Without a connection nothing is sent, and what is not sent has no unknown outcome.
      const isAnswered = (await this.client.isConnected()) && (await this.#step());
      if (!isAnswered) await sleep(20);
    }
  }

  /** One request; false when there was no answer, or one that asks to come back later. */
  async #step(): Promise<boolean> {
    const dice = this.#random.below(100);
    if (dice < placeBelow || this.#open.length === 0) return this.#place();
    const order = this.#open[this.#random.below(this.#open.length)];
    if (order === undefined) return true;
    if (dice < cancelBelow) return this.#cancel(order);
    if (dice < lookBelow) return this.#look(order);
    return this.#lookAtTrades();
  }

  async #place(): Promise<boolean> {
    const random = this.#random;
    const order = this.history.sent({
      clientId: `${this.#name}-${++this.#orders}`,
      symbol,
      side: random.next() < 0.5 ? "BUY" : "SELL",
      price: ((middle - spread + random.below(2 * spread + 1)) / 10_000).toFixed(4),
      qty: (100 + random.below(100)).toFixed(1),
    });
    const answer = await this.client.ask(
      "POST",
      "/api/v3/order",
      `symbol=${symbol}&side=${order.side}&type=LIMIT&timeInForce=GTC&quantity=${order.qty}` +
        `&price=${order.price}&newClientOrderId=${order.clientId}`,
    );
    if (answer?.status === 200) {
      this.acknowledged += 1;
      this.#open.push(order);
      this.#takeOrder(order, answer.body as OrderBody);
    } else if (answer?.status === 503) order.outcome = "notExecuted";
    else if (answer !== null && answer.status !== 408) this.#takeRefusal(order, answer);
    return isUseful(answer);
  }

  async #cancel(order: ToldOrder): Promise<boolean> {
    const query = `symbol=${symbol}&origClientOrderId=${order.clientId}`;
    const answer = await this.client.ask("DELETE", "/api/v3/order", query);
    if (answer?.status === 200) {
      const body = answer.body as OrderBody;
      this.acknowledged += 1;
      this.history.told(order, body.orderId, Number(body.executedQty), body.status);
    }
    // Refused: it had traded or gone. Lost: it may be gone. Either way it is not tried again.
    if (answer === null || answer.status === 200 || answer.status === 422) this.#forget(order);
    return isUseful(answer);
  }

  async #look(order: ToldOrder): Promise<boolean> {
    const query = `symbol=${symbol}&orderId=${order.orderId}`;
    const answer = await this.client.ask("GET", "/api/v3/order", query);
    if (answer?.status === 200) {
      this.#takeOrder(order, answer.body as OrderBody);
    } else if (answer?.status === 422) {
      const again = await this.client.ask("GET", "/api/v3/order", query);
      order.denied =
        `asked for order ${order.orderId} by ${new Date().toISOString()}, ` +
        `told ${JSON.stringify(answer.body)}, then ${again?.status}`;
    }
    return isUseful(answer);
  }

  async #lookAtTrades(): Promise<boolean> {
    const answer = await this.client.ask("GET", "/api/v3/myTrades", `symbol=${symbol}&limit=100`);
    if (answer?.status === 200) {
      for (const trade of answer.body as TradeBody[]) {
        const { id, orderId, price, qty, commission } = trade;
        this.history.toldFill({ tradeId: id, orderId, price, qty, commission });
        this.history.toldSettlement(id, trade.settlementStatus, trade.cantonUpdateId ?? "");
      }
    }
    return isUseful(answer);
  }

  #takeOrder(order: ToldOrder, body: OrderBody): void {
    this.history.told(order, body.orderId, Number(body.executedQty), body.status);
    if (body.status === "FILLED" || body.status === "CANCELED") this.#forget(order);
    for (const { tradeId, price, qty, commission } of body.fills ?? []) {
      const fill: ToldFill = { tradeId, orderId: body.orderId, price, qty, commission };
      this.history.toldFill(fill);
    }
  }

  #takeRefusal(order: ToldOrder, answer: Answer): void {
    order.outcome = "refused";
    // Limits and balances are wide enough: any other refusal is news.
    if (answer.status !== 429) {
      this.history.contradictions.push(
        `${order.clientId}: refused with ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    }
  }

  #forget(order: ToldOrder): void {
    const at = this.#open.indexOf(order);
    if (at >= 0) this.#open.splice(at, 1);
  }
}

function isUseful(answer: Answer | null): boolean {
  return answer !== null && answer.status !== 503 && answer.status !== 429;
}
