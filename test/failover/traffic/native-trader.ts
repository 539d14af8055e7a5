// A trader of the native surface: a wallet that logged in, places orders with idempotency keys, and cancels them. A
// request without an answer is sent again with its key, to another gateway if the first is lost, as the guide advises.

import { setTimeout as sleep } from "node:timers/promises";
import { present } from "../../../src/core/assert.ts";
import { PublicIdKind, parsePublicId } from "../../../src/core/ids/public-id.ts";
import type { Endpoint } from "../../../src/tools/load/http-connection.ts";
import { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { type CrashMarket, marketOf } from "../../crash/crash-market.ts";
import { type DrawnOrder, drawOrder } from "../../crash/drawn-order.ts";
import { SignedClient } from "../../crash/signed-client.ts";
import { ToldHistory, type ToldOrder } from "../../crash/told-history.ts";
import { type NativeAnswer, NativeClient } from "../../support/client/native-client.ts";
import type { Trader } from "./trader.ts";

/** A session may place 50 orders in ten seconds. */
const restMs = 300;
const triesMax = 4;
const cancelPercent = 30;

interface NativeOrder {
  readonly told: ToldOrder;
  /** Its public id. */
  readonly id: string;
}

export interface NativeTraderParts {
  readonly place: number;
  readonly seed: number;
  readonly markets: readonly CrashMarket[];
  /** A gateway, another one at each call. */
  readonly endpoint: () => Endpoint;
}

export class NativeTrader implements Trader {
  readonly history: ToldHistory;
  readonly client: SignedClient;
  readonly #parts: NativeTraderParts;
  readonly #random: SeededRandom;
  readonly #open: NativeOrder[] = [];
  #user: NativeClient;
  acknowledged = 0;
  #orders = 0;
  #isActive = false;
  #loop: Promise<void> = Promise.resolve();

  /** Logs in with a new wallet, whose account has no money yet. */
  static async open(parts: NativeTraderParts): Promise<NativeTrader> {
    const user = userAt(parts.endpoint(), parts.place, "");
    await user.login();
    const named = present(parsePublicId(PublicIdKind.user, user.userId), "the id of the user");
    const { status, json, text } = await user.post("/v1/api-keys", { label: "audit" });
    if (status >= 300) throw new Error(`no key: ${status} ${text}`);
    const key = { account: named.number, key: json.key, secret: json.secret };
    const client = new SignedClient(key, parts.place, addressOf(parts.place), parts.endpoint);
    return new NativeTrader(parts, user, client, named.number);
  }

  private constructor(
    parts: NativeTraderParts,
    user: NativeClient,
    client: SignedClient,
    account: number,
  ) {
    this.#parts = parts;
    this.#user = user;
    this.client = client;
    this.history = new ToldHistory(account);
    this.#random = new SeededRandom(parts.seed + parts.place);
  }

  resume(): void {
    this.#isActive = true;
    this.#loop = this.#run();
  }

  async pause(): Promise<void> {
    this.#isActive = false;
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (this.#isActive) {
      const order = this.#open[this.#random.below(Math.max(1, this.#open.length))];
      const isCancel = order !== undefined && this.#random.below(100) < cancelPercent;
      await (isCancel ? this.#cancel(order) : this.#place());
      await sleep(restMs);
    }
  }

  async #place(): Promise<void> {
    const { markets, place } = this.#parts;
    const market = present(markets[this.#random.below(markets.length)], "a market of the trader");
    const drawn = drawOrder(this.#random, market, `n${place}-${++this.#orders}`);
    const told = this.history.sent(drawn.told);
    const body = bodyOf(drawn);
    for (let tries = 0; tries < triesMax; tries++) {
      const answer = await this.#send("POST", "/v1/orders", body);
      if (answer?.status === 200) return this.#take(told, answer);
      // Without an answer, and while an earlier request with the key is under way, the request is repeated.
      const isOpen = answer === null || answer.status === 408 || answer.status === 409;
      if (!isOpen) {
        // After an unknown outcome, the refusal of a repetition says nothing about the first request.
        if (tries === 0) told.outcome = answer.status === 503 ? "notExecuted" : "refused";
        return;
      }
      await sleep(restMs);
    }
  }

  #take(told: ToldOrder, { json }: NativeAnswer): void {
    const id = json.order_id as string;
    const { number } = present(parsePublicId(PublicIdKind.order, id), "the id of an order");
    this.acknowledged += 1;
    this.history.told(told, number, Number(json.filled_qty), json.status);
    if (["NEW", "PARTIALLY_FILLED"].includes(json.status)) this.#open.push({ told, id });
  }

  async #cancel(order: NativeOrder): Promise<void> {
    const answer = await this.#send("DELETE", `/v1/orders/${order.id}`);
    if (answer?.status === 503) return;
    this.#open.splice(this.#open.indexOf(order), 1);
    if (answer?.status !== 200) return;
    this.acknowledged += 1;
    const { filled_qty: filled, status } = answer.json;
    this.history.told(order.told, order.told.orderId, Number(filled), status);
  }

  /** Null if the connection was lost; the next request then goes to another gateway. */
  async #send(method: string, path: string, body?: object): Promise<NativeAnswer | null> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await this.#user.send(method, path, text).catch(() => null);
    if (answer === null) {
      const { endpoint, place } = this.#parts;
      this.#user = userAt(endpoint(), place, this.#user.token);
    }
    return answer;
  }
}

function bodyOf({ told, query }: DrawnOrder): object {
  const terms = new URLSearchParams(query);
  const isPostOnly = terms.get("type") === "LIMIT_MAKER" || terms.get("timeInForce") === "GTX";
  const time = isPostOnly ? null : terms.get("timeInForce");
  return {
    symbol: marketOf(told.symbol).symbol,
    side: told.side,
    type: told.price === null ? "MARKET" : "LIMIT",
    qty: told.qty,
    price: told.price,
    time_in_force: time,
    post_only: isPostOnly,
    idempotency_key: told.clientId,
  };
}

function userAt({ host, port }: Endpoint, place: number, token: string): NativeClient {
  const user = new NativeClient(`http://${host}:${port}`);
  return Object.assign(user, { address: addressOf(place), token });
}

function addressOf(place: number): string {
  return `10.9.0.${place + 1}`;
}
