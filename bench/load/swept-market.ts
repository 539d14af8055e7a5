// Fills one side of a market with one order per price, placed by many makers in turn, and takes all of them with a
// single order.

import { formatScaled } from "../../src/core/money/amounts.ts";
import {
  type ConnectionListener,
  type Endpoint,
  HttpConnection,
} from "../../src/tools/load/http-connection.ts";
import {
  type LoadKey,
  RequestSigner,
  virtualAddress,
} from "../../src/tools/load/signed-requests.ts";
import type { FlowMarket } from "../../src/tools/load/spot-flow.ts";

export interface SweptMarketOptions {
  readonly endpoint: Endpoint;
  readonly market: FlowMarket;
  /** Path to which orders are sent. */
  readonly path: "/api/v3/order" | "/fapi/v1/order";
  readonly makers: readonly LoadKey[];
  readonly taker: LoadKey;
}

/** Number of connections that fill a side; each has one request in flight at a time. */
const linesMax = 16;

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Listens to a connection that has at most one request in flight. */
class Line implements ConnectionListener {
  #hear: (answer: Answer) => void = () => undefined;

  /** Returns the body of a 200 answer; throws the venue's error for any other status. */
  async send(connection: HttpConnection, request: string): Promise<string> {
    const { status, body } = await new Promise<Answer>((resolve) => {
      this.#hear = resolve;
      if (!connection.send(request)) this.onLost();
    });
    if (status !== 200) throw new Error(`${status} ${body}`);
    return body;
  }

  onResponse(_: HttpConnection, status: number, body: Buffer): void {
    this.#hear({ status, body: body.toString("latin1") });
  }

  onLost(): void {
    this.#hear({ status: 0, body: "the connection is lost" });
  }
}

type SendRequest = (request: string) => Promise<string>;

/** Opens a connection that has at most one request in flight. */
async function openLine(endpoint: Endpoint, place: number): Promise<[SendRequest, HttpConnection]> {
  const line = new Line();
  const connection = await HttpConnection.open(endpoint, place, line);
  return [(request) => line.send(connection, request), connection];
}

export class SweptMarket {
  readonly #options: SweptMarketOptions;
  readonly #lines: readonly (readonly [SendRequest, HttpConnection])[];
  readonly #makers: readonly RequestSigner[];
  readonly #taker: RequestSigner;
  #turn = 0;

  static async open(options: SweptMarketOptions): Promise<SweptMarket> {
    const places = Array.from({ length: linesMax }, (_, place) => place);
    const lines = await Promise.all(places.map((place) => openLine(options.endpoint, place)));
    return new SweptMarket(options, lines);
  }

  private constructor(
    options: SweptMarketOptions,
    lines: readonly (readonly [SendRequest, HttpConnection])[],
  ) {
    this.#options = options;
    this.#lines = lines;
    const { endpoint, makers, taker } = options;
    const host = `${endpoint.host}:${endpoint.port}`;
    const signerOf = (key: LoadKey, place: number) =>
      new RequestSigner(key, host, virtualAddress(place));
    this.#makers = makers.map(signerOf);
    this.#taker = signerOf(taker, makers.length);
  }

  /**
   * Places an order at each of `levels` prices and takes all of them with one MARKET order, which is a buy in one call
   * and a sell in the next. Returns the latency of the MARKET order in milliseconds.
   */
  async sweep(levels: number): Promise<number> {
    const isBuy = this.#turn++ % 2 === 0;
    await Promise.all(
      this.#lines.map(async ([call], line) => {
        for (let level = line; level < levels; level += linesMax) {
          await call(this.#rest(level, isBuy));
        }
      }),
    );
    const { market } = this.#options;
    const terms = `type=MARKET&side=${isBuy ? "BUY" : "SELL"}`;
    const request = this.#request(this.#taker, terms, levels * market.qtyLotsMin);
    const began = performance.now();
    const body = await (this.#lines[0] as readonly [SendRequest, HttpConnection])[0](request);
    const ms = performance.now() - began;
    if (!body.includes('"status":"FILLED"')) throw new Error(`not filled: ${body.slice(0, 300)}`);
    return ms;
  }

  close(): void {
    for (const [, connection] of this.#lines) connection.close();
  }

  /**
   * Returns a maker's order at the price `level` ticks beyond the best one, on the side that the taker trades against.
   */
  #rest(level: number, isTakerBuying: boolean): string {
    const { market } = this.#options;
    const ticks = market.middleTicks + (isTakerBuying ? 1 + level : -1 - level);
    const price = formatScaled(ticks, market.tickDecimals);
    const terms = `type=LIMIT&timeInForce=GTC&price=${price}&side=${isTakerBuying ? "SELL" : "BUY"}`;
    const maker = this.#makers[level % this.#makers.length] as RequestSigner;
    return this.#request(maker, terms, market.qtyLotsMin);
  }

  #request(signer: RequestSigner, terms: string, lots: number): string {
    const { market, path } = this.#options;
    const quantity = formatScaled(lots, market.lotDecimals);
    const query = `symbol=${market.symbol}&${terms}&quantity=${quantity}&newOrderRespType=RESULT`;
    return signer.request("POST", path, query);
  }
}
