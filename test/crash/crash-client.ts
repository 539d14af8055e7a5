// A trader that keeps running through crashes. It places, amends, replaces, cancels and queries orders in its
// markets, one request at a time, and records the answers.

import { setTimeout as sleep } from "node:timers/promises";
import { present } from "../../src/core/assert.ts";
import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import {
  type CrashMarket,
  isPerpetual,
  marketOf,
  orderPath,
  saysGone,
  symbolOf,
  tradesPath,
} from "./crash-market.ts";
import { drawList, mayRefuseList } from "./drawn-list.ts";
import { type DrawnOrder, drawOrder, pegged } from "./drawn-order.ts";
import {
  algoPath,
  amendTerms,
  drawAlgo,
  futuresBatchPath,
  isAlgo,
  threeQuarters,
} from "./futures-steps.ts";
import { MakerSteps } from "./maker-steps.ts";
import { type Answer, type Method, SignedClient, type TradingClient } from "./signed-client.ts";
import { type ToldFill, ToldHistory, type ToldOrder } from "./told-history.ts";

/**
 * Cumulative shares of the steps in percent: a draw below `makeBelow` is a step of a market maker, below `placeBelow`
 * places an order, and so on.
 */
const makeBelow = 6;
const placeBelow = 55;
const cancelBelow = 72;
const amendBelow = 78;
const replaceBelow = 86;
const lookBelow = 95;
/** Share of spot orders that are order lists, and of orders of perpetuals that are conditional, in percent. */
const specialShare = 8;
/** Share of other spot orders that take their price from the book, in percent. */
const pegShare = 8;
/** Number of orders in a batch of amends. */
const batchMax = 3;
/** Error codes of an unknown outcome, for answers that report on two operations. */
const unknownCodes = [-1000, -1001, -1006, -1007];

const openStatuses = ["NEW", "PENDING_NEW", "PARTIALLY_FILLED"];

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

interface FuturesBody extends OrderBody {
  readonly origQty: string;
  /** Of an element of a batch that was refused. */
  readonly code?: number;
}

interface AlgoBody {
  readonly algoId: number;
}

interface ListBody {
  readonly orderReports?: readonly (OrderBody & { readonly origClientOrderId?: string })[];
}

interface TradeBody {
  readonly id: number;
  readonly orderId: number;
  readonly price: string;
  readonly qty: string;
  readonly commission: string;
  /** Sent by the spot surface only. */
  readonly settlementStatus?: string;
  readonly cantonUpdateId?: string | null;
}

/** The body of a cancelReplace answer: the whole answer, or the `data` of an error. */
interface ReplaceBody {
  readonly cancelResult: "SUCCESS" | "FAILURE";
  readonly newOrderResult: "SUCCESS" | "FAILURE" | "NOT_ATTEMPTED";
  readonly cancelResponse: OrderBody;
  readonly newOrderResponse: (OrderBody & { readonly code?: number }) | null;
}

export interface CrashClientOptions {
  readonly seed: number;
  /** A market that is listed twice is used twice as often. */
  readonly markets: readonly CrashMarket[];
  /** Rest after each step in ms; by default none. */
  readonly restMs?: number;
}

export class CrashClient {
  readonly history: ToldHistory;
  readonly client: TradingClient;
  readonly #random: SeededRandom;
  readonly #maker: MakerSteps;
  readonly #name: string;
  readonly #markets: readonly CrashMarket[];
  readonly #restMs: number;
  /** Orders that may still be open, as far as this client knows. */
  readonly #open: ToldOrder[] = [];
  /** Number of orders, amendments and cancels acknowledged so far. */
  acknowledged = 0;
  /** Number of requests that were answered with 200, by route. */
  readonly done = new Map<string, number>();
  #orders = 0;
  #isActive = false;
  #loop: Promise<void> = Promise.resolve();

  /** A client of the documented paths over HTTP; `endpoint` is called at each connect. */
  static overHttp(
    key: LoadKey,
    place: number,
    options: CrashClientOptions,
    endpoint: () => Endpoint,
  ): CrashClient {
    const client = new SignedClient(key, place, `10.9.0.${place + 1}`, endpoint);
    return new CrashClient(client, key.account, place, options);
  }

  constructor(
    client: TradingClient,
    account: number,
    place: number,
    { seed, markets, restMs = 0 }: CrashClientOptions,
  ) {
    this.#markets = markets;
    this.#restMs = restMs;
    this.history = new ToldHistory(account);
    this.client = client;
    this.#random = new SeededRandom(seed + place);
    const send = this.#send.bind(this);
    this.#maker = new MakerSteps({ send }, this.history, this.#random);
    this.#name = `c${place}`;
  }

  /** Sends a request, and counts it if it is done. */
  async #send(method: Method, path: string, query: string): Promise<Answer | null> {
    const answer = await this.client.send(method, path, query);
    const route = `${method} ${path}`;
    if (answer?.status === 200) this.done.set(route, (this.done.get(route) ?? 0) + 1);
    return answer;
  }

  resume(): void {
    this.#isActive = true;
    this.#loop = this.#run();
  }

  /** Resolves when the pending request, if any, has been answered or lost. */
  async pause(): Promise<void> {
    this.#isActive = false;
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (this.#isActive) {
      // While disconnected, send nothing, because only a request that was sent may have an unknown outcome.
      const isAnswered = (await this.client.isConnected()) && (await this.#step());
      const restMs = isAnswered ? this.#restMs : Math.max(this.#restMs, 20);
      if (restMs > 0) await sleep(restMs);
    }
  }

  /** Takes one step, which is usually one request. Returns false if no answer came or the request must be repeated. */
  async #step(): Promise<boolean> {
    const dice = this.#random.below(100);
    if (dice < makeBelow) return this.#make();
    if (dice < placeBelow || this.#open.length === 0) return this.#place();
    const order = this.#open[this.#random.below(this.#open.length)];
    if (order === undefined) return true;
    if (dice < cancelBelow) return this.#cancel(order);
    const isSpot = !isPerpetual(marketOf(order.symbol));
    if (dice < amendBelow) return isSpot ? this.#amend(order) : this.#amendFutures(order);
    if (dice < replaceBelow) return isSpot ? this.#replace(order) : this.#amendBatch();
    if (dice < lookBelow) return this.#look(order);
    return this.#lookAtTrades();
  }

  /** Takes a step as a market maker. */
  async #make(): Promise<boolean> {
    const answer = await this.#maker.step(this.#anyMarket());
    if (answer?.status === 200) this.acknowledged += 1;
    return isUseful(answer);
  }

  #draw(place: CrashMarket): { drawn: DrawnOrder; order: ToldOrder } {
    const plain = drawOrder(this.#random, place, `${this.#name}-${++this.#orders}`);
    const isPegged = !isPerpetual(place.market) && this.#random.below(100) < pegShare;
    const drawn = isPegged ? pegged(plain) : plain;
    return { drawn, order: this.history.sent(drawn.told) };
  }

  #anyMarket(): CrashMarket {
    const { length } = this.#markets;
    return present(this.#markets[this.#random.below(length)], "a market of the client");
  }

  async #place(): Promise<boolean> {
    const place = this.#anyMarket();
    const isSpecial = this.#random.below(100) < specialShare;
    if (isSpecial)
      return isPerpetual(place.market) ? this.#placeAlgo(place) : this.#placeList(place);
    const { drawn, order } = this.#draw(place);
    const answer = await this.#send("POST", orderPath(place.market), drawn.query);
    if (answer?.status === 200) {
      this.acknowledged += 1;
      this.#open.push(order);
      this.#takeOrder(order, answer.body as OrderBody);
    } else if (answer?.status === 503) order.outcome = "notExecuted";
    else if (answer !== null && answer.status !== 408) {
      this.#takeRefusal(order, answer, drawn.mayRefuse);
    }
    return isUseful(answer);
  }

  /** Places an order list: all of its orders exist from then on, or none of them. */
  async #placeList(place: CrashMarket): Promise<boolean> {
    const { path, told, query } = drawList(this.#random, place, `${this.#name}-${++this.#orders}`);
    const orders = told.map((one) => this.history.sent(one));
    const answer = await this.#send("POST", path, query);
    for (const [at, order] of orders.entries()) {
      if (answer?.status === 200) {
        const report = (answer.body as Required<ListBody>).orderReports[at];
        this.acknowledged += 1;
        this.#open.push(order);
        this.#takeOrder(order, present(report, "a report of each order of the list"));
      } else if (answer?.status === 503) order.outcome = "notExecuted";
      else if (answer !== null && answer.status !== 408)
        this.#takeRefusal(order, answer, mayRefuseList);
    }
    return isUseful(answer);
  }

  /** Places a conditional order of a perpetual. */
  async #placeAlgo(place: CrashMarket): Promise<boolean> {
    const drawn = drawAlgo(this.#random, place, `${this.#name}-${++this.#orders}`);
    const order = this.history.sent(drawn.told);
    const answer = await this.#send("POST", algoPath, drawn.query);
    if (answer?.status === 200) {
      this.acknowledged += 1;
      this.#open.push(order);
      this.history.told(order, (answer.body as AlgoBody).algoId, 0, "NEW");
    } else if (answer?.status === 503) order.outcome = "notExecuted";
    else if (answer !== null && answer.status !== 408)
      this.#takeRefusal(order, answer, drawn.mayRefuse);
    return isUseful(answer);
  }

  /** Amends an open order of a perpetual to three quarters of its quantity. */
  async #amendFutures(order: ToldOrder): Promise<boolean> {
    if (order.price === null) return this.#look(order);
    const query = new URLSearchParams(amendTerms(order)).toString();
    const answer = await this.#send("PUT", orderPath(marketOf(order.symbol)), query);
    if (answer?.status === 200) this.#takeAmended(order, answer.body as FuturesBody);
    return isUseful(answer);
  }

  /** Amends some of the open orders of perpetuals. */
  async #amendBatch(): Promise<boolean> {
    const priced = this.#open.filter(
      ({ symbol, price }) => price !== null && isPerpetual(marketOf(symbol)),
    );
    const orders = priced.slice(0, batchMax);
    if (orders.length === 0) return true;
    const batch = JSON.stringify(orders.map(amendTerms));
    const query = `batchOrders=${encodeURIComponent(batch)}`;
    const answer = await this.#send("PUT", futuresBatchPath, query);
    if (answer?.status === 200)
      for (const [at, body] of (answer.body as readonly FuturesBody[]).entries())
        if (body.code === undefined)
          this.#takeAmended(present(orders[at], "an amended order"), body);
    return isUseful(answer);
  }

  #takeAmended(order: ToldOrder, body: FuturesBody): void {
    this.acknowledged += 1;
    this.#takeOrder(order, body);
    order.amendedQty = body.origQty;
  }

  /** Amends an open order to three quarters of its quantity. */
  async #amend(order: ToldOrder): Promise<boolean> {
    const newQty = threeQuarters(order);
    const answer = await this.#send(
      "PUT",
      "/api/v3/order/amend/keepPriority",
      `symbol=${order.symbol}&origClientOrderId=${order.clientId}&newQty=${newQty}`,
    );
    if (answer?.status === 200) {
      const { amendedOrder } = answer.body as { amendedOrder: OrderBody & { qty: string } };
      const { status, qty } = amendedOrder;
      this.acknowledged += 1;
      this.#takeOrder(order, amendedOrder);
      // If the order has already traded the new quantity or more, the amendment cancels it and does not change its
      // quantity.
      order.amendedQty = qty;
      if (openStatuses.includes(status) && Number(qty) !== Number(newQty)) {
        this.history.contradictions.push(
          `${order.clientId}: amended to ${newQty}, but reported with ${qty}`,
        );
      }
    }
    return isUseful(answer);
  }

  /** Cancels one order and places another in its market. */
  async #replace(order: ToldOrder): Promise<boolean> {
    const place = this.#markets.find(({ market }) => symbolOf(market) === order.symbol);
    const { drawn, order: next } = this.#draw(
      present(place, "the market of the order among the client's markets"),
    );
    const answer = await this.#send(
      "POST",
      "/api/v3/order/cancelReplace",
      `${drawn.query}&cancelReplaceMode=STOP_ON_FAILURE&cancelOrigClientOrderId=${order.clientId}`,
    );
    if (answer === null || answer.status === 408) {
      this.#forget(order);
      return isUseful(answer);
    }
    const data = answer.status === 200 ? answer.body : (answer.body as { data?: unknown }).data;
    if (data !== undefined) this.#takeReplaced(order, next, data as ReplaceBody);
    else if (answer.status === 503) next.outcome = "notExecuted";
    else this.#takeRefusal(next, answer, drawn.mayRefuse);
    return isUseful(answer);
  }

  #takeReplaced(order: ToldOrder, next: ToldOrder, data: ReplaceBody): void {
    const { cancelResult, cancelResponse, newOrderResult, newOrderResponse } = data;
    this.#forget(order);
    if (cancelResult === "SUCCESS") {
      this.acknowledged += 1;
      const { orderId, executedQty, status } = cancelResponse;
      this.history.told(order, orderId, Number(executedQty), status);
    }
    if (newOrderResult === "SUCCESS" && newOrderResponse !== null) {
      this.acknowledged += 1;
      this.#open.push(next);
      this.#takeOrder(next, newOrderResponse);
    } else if (!unknownCodes.includes(newOrderResponse?.code ?? 0)) next.outcome = "refused";
  }

  async #cancel(order: ToldOrder): Promise<boolean> {
    const market = marketOf(order.symbol);
    const [path, name] = isAlgo(order)
      ? [algoPath, "clientAlgoId"]
      : [orderPath(market), "origClientOrderId"];
    const query = `symbol=${order.symbol}&${name}=${order.clientId}`;
    const answer = await this.#send("DELETE", path, query);
    if (answer?.status === 200 && isAlgo(order)) {
      this.acknowledged += 1;
      // It trades at the market when it triggers, so one that can be cancelled has not traded.
      this.history.told(order, (answer.body as AlgoBody).algoId, 0, "CANCELED");
    } else if (answer?.status === 200) {
      this.acknowledged += 1;
      const { orderReports } = answer.body as ListBody;
      if (orderReports === undefined) this.#takeOrder(order, answer.body as OrderBody);
      else this.#takeCancelled(orderReports);
    }
    // Forget the order in each of these cases: the cancel was executed, it was refused because the order had ended
    // before, or its answer was lost, so that the order may have ended.
    if (answer === null || answer.status === 200 || saysGone(answer)) this.#forget(order);
    return isUseful(answer);
  }

  /** The cancel of one order of a list is answered with all orders that it has cancelled. */
  #takeCancelled(reports: Required<ListBody>["orderReports"]): void {
    for (const report of reports) {
      const order = this.history.orders.get(report.origClientOrderId ?? "");
      if (order !== undefined) this.#takeOrder(order, report);
    }
  }

  async #look(order: ToldOrder): Promise<boolean> {
    const query = `symbol=${order.symbol}&orderId=${order.orderId}`;
    const path = orderPath(marketOf(order.symbol));
    const answer = await this.#send("GET", path, query);
    if (answer?.status === 200) {
      this.#takeOrder(order, answer.body as OrderBody);
    } else if (answer !== null && saysGone(answer)) {
      const again = await this.#send("GET", path, query);
      order.denied =
        `a query for order ${order.orderId} at ${new Date().toISOString()} ` +
        `was answered ${JSON.stringify(answer.body)}, then ${again?.status}`;
    }
    return isUseful(answer);
  }

  async #lookAtTrades(): Promise<boolean> {
    const { market } = this.#anyMarket();
    const query = `symbol=${symbolOf(market)}&limit=100`;
    const answer = await this.#send("GET", tradesPath(market), query);
    if (answer?.status === 200) {
      for (const trade of answer.body as TradeBody[]) {
        const { id, orderId, price, qty, commission } = trade;
        this.history.toldFill({ tradeId: id, orderId, price, qty, commission });
        const { settlementStatus: settled } = trade;
        if (settled !== undefined) {
          this.history.toldSettlement(id, settled, trade.cantonUpdateId ?? "");
        }
      }
    }
    return isUseful(answer);
  }

  #takeOrder(order: ToldOrder, body: OrderBody): void {
    this.history.told(order, body.orderId, Number(body.executedQty), body.status);
    if (!openStatuses.includes(body.status)) this.#forget(order);
    for (const { tradeId, price, qty, commission } of body.fills ?? []) {
      const fill: ToldFill = { tradeId, orderId: body.orderId, price, qty, commission };
      this.history.toldFill(fill);
    }
  }

  #takeRefusal(order: ToldOrder, answer: Answer, mayRefuse: readonly number[]): void {
    order.outcome = "refused";
    const { code = 0 } = answer.body as { readonly code?: number };
    // Balances and limits suffice for every order, so any other refusal is unexpected.
    if (answer.status !== 429 && !mayRefuse.includes(code)) {
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
