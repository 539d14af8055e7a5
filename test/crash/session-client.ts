// A trader's connection over an order session. It takes the same requests as over HTTP, and sends those for which a
// session has no method over HTTP, as a client of both does.

import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import { OrderSession, type SessionOptions } from "./order-session.ts";
import type { Answer, Method, SignedClient, TradingClient } from "./signed-client.ts";

const methods: Readonly<Record<string, string>> = {
  "POST /api/v3/order": "order.place",
  "POST /api/v3/orderList/oco": "orderList.place.oco",
  "POST /api/v3/orderList/oto": "orderList.place.oto",
  "POST /api/v3/orderList/otoco": "orderList.place.otoco",
  "POST /api/v3/orderList/opo": "orderList.place.opo",
  "POST /api/v3/orderList/opoco": "orderList.place.opoco",
  "DELETE /api/v3/order": "order.cancel",
  "GET /api/v3/order": "order.status",
  "PUT /api/v3/order/amend/keepPriority": "order.amend.keepPriority",
  "POST /api/v3/order/cancelReplace": "order.cancelReplace",
  "GET /api/v3/myTrades": "myTrades",
  "POST /fapi/v1/order": "order.place",
  "DELETE /fapi/v1/order": "order.cancel",
  "GET /fapi/v1/order": "order.status",
  "PUT /fapi/v1/order": "order.modify",
  "POST /compat/fapi/v1/algoOrder": "algoOrder.place",
  "DELETE /compat/fapi/v1/algoOrder": "algoOrder.cancel",
  "POST /api/v3/massQuote": "order.massQuote",
  "DELETE /api/v3/massCancel": "openOrders.massCancel",
  "POST /api/v3/mmpSet": "mmp.set",
  "POST /api/v3/mmpReset": "mmp.reset",
  "POST /fapi/v1/massQuote": "order.massQuote",
  "DELETE /fapi/v1/massCancel": "openOrders.massCancel",
  "POST /fapi/v1/mmpSet": "mmp.set",
  "POST /fapi/v1/mmpReset": "mmp.reset",
};

export class SessionClient implements TradingClient {
  readonly #http: SignedClient;
  readonly #key: LoadKey;
  readonly #url: () => string;
  readonly #options: SessionOptions;
  #session: OrderSession | null = null;

  /** `url` of the sessions of one surface, called at each connect. */
  constructor(key: LoadKey, http: SignedClient, url: () => string, options: SessionOptions) {
    this.#key = key;
    this.#http = http;
    this.#url = url;
    this.#options = options;
  }

  async isConnected(): Promise<boolean> {
    return (await this.#connected()) !== null;
  }

  async send(method: Method, path: string, query: string): Promise<Answer | null> {
    const name = methods[`${method} ${path}`];
    if (name === undefined) return this.#http.send(method, path, query);
    const session = await this.#connected();
    return session?.request(name, Object.fromEntries(new URLSearchParams(query))) ?? null;
  }

  /** Reads over HTTP, so that an audit sees what the other surface shows. */
  read(path: string, query: string, withinMs?: number): Promise<Answer> {
    return this.#http.read(path, query, withinMs);
  }

  close(): void {
    this.#session?.close();
    this.#http.close();
  }

  async #connected(): Promise<OrderSession | null> {
    if (this.#session !== null && !this.#session.isLost) return this.#session;
    this.#session = await OrderSession.open(this.#url(), this.#key, this.#options);
    return this.#session;
  }
}
