// Turns a request of an order session into a call for the request pipeline, with the same checks, routes and limits as
// over HTTP. The call is answered by a frame. The parameters of the request, sorted by name, become the text whose
// signature is checked, as on Binance's connections.

import { codeSets } from "../../../../../schemas/sbe/codes.ts";
import type { WebSocketResponseRateLimits } from "../../sbe/generated/spot-codec.ts";
import { encodedMessage } from "../../sbe/sbe-answer.ts";
import {
  type CallResponse,
  type CallWatch,
  contentTypes,
  HttpCall,
  type Method,
} from "../../server/http-call.ts";
import type { StreamConnection } from "../stream-connection.ts";
import type { SessionId } from "./session-request.ts";

/** Writes an answer as a frame: status, result or error, and the limits used. */
class FrameResponse implements CallResponse {
  readonly #connection: StreamConnection;
  readonly #id: SessionId;
  readonly #showsLimits: boolean;
  /** The call being answered. */
  call: HttpCall | null = null;
  #isJson = false;
  #status = 200;

  constructor(connection: StreamConnection, id: SessionId, showsLimits: boolean) {
    this.#connection = connection;
    this.#id = id;
    this.#showsLimits = showsLimits;
  }

  cork(write: () => void): void {
    write();
  }

  writeStatus(line: string): void {
    this.#status = Number.parseInt(line, 10);
  }

  writeHeader(name: string, value: string): void {
    if (name === "content-type") this.#isJson = value.startsWith(contentTypes.json);
  }

  end(body: string | Uint8Array): void {
    const { sbe } = this.#connection;
    if (sbe !== null) {
      this.#connection.answer(
        encodedMessage(sbe, "WebSocketResponse", {
          sbeSchemaIdVersionDeprecated: sbe.isDeprecated,
          status: this.#status,
          rateLimits: this.#showsLimits ? limitMessages(this.call) : [],
          id: this.#id === null ? "" : String(this.#id),
          result: typeof body === "string" ? Buffer.from(body) : body,
        }).bytes,
      );
      return;
    }
    const text = this.#isJson ? body : JSON.stringify(body);
    const field = this.#status === 200 ? "result" : "error";
    const limits = this.#showsLimits ? `,"rateLimits":[${limitRows(this.call)}]` : "";
    this.#connection.answer(
      `{"id":${JSON.stringify(this.#id)},"status":${this.#status},"${field}":${text}${limits}}`,
    );
  }

  endWithoutBody(): void {
    this.end("");
  }
}

const { codes: limitTypes } = codeSets.rateLimitType;
const { codes: intervals } = codeSets.rateLimitInterval;

/** The rows of `limitRows` in SBE. */
function limitMessages(call: HttpCall | null): readonly WebSocketResponseRateLimits[] {
  if (call === null || call.limits === null) return [];
  const { weightPerMinute, ordersPer10s, ordersPerMinute } = call.limits;
  const orders = limitTypes.ORDERS;
  const weight = {
    ...{ rateLimitType: limitTypes.REQUEST_WEIGHT, interval: intervals.MINUTE, intervalNum: 1 },
    ...{ rateLimit: weightPerMinute, current: call.usedWeight },
  };
  if (!call.placesOrders) return [weight];
  return [
    {
      ...{ rateLimitType: orders, interval: intervals.SECOND, intervalNum: 10 },
      ...{ rateLimit: ordersPer10s, current: call.ordersPer10s },
    },
    {
      ...{ rateLimitType: orders, interval: intervals.MINUTE, intervalNum: 1 },
      ...{ rateLimit: ordersPerMinute, current: call.ordersPerMinute },
    },
    weight,
  ];
}

/** Begins a row of limits: its type and interval. */
const rowHeads = {
  orders10s: '{"rateLimitType":"ORDERS","interval":"SECOND","intervalNum":10',
  orders1m: '{"rateLimitType":"ORDERS","interval":"MINUTE","intervalNum":1',
  weight: '{"rateLimitType":"REQUEST_WEIGHT","interval":"MINUTE","intervalNum":1',
} as const;

/** The limits against which a call counts, in Binance's order: first orders, if the call may place any, then weight. */
function limitRows(call: HttpCall | null): string {
  if (call === null || call.limits === null) return "";
  const { weightPerMinute, ordersPer10s, ordersPerMinute } = call.limits;
  const weight = `${rowHeads.weight},"limit":${weightPerMinute},"count":${call.usedWeight}}`;
  if (!call.placesOrders) return weight;
  return (
    `${rowHeads.orders10s},"limit":${ordersPer10s},"count":${call.ordersPer10s}},` +
    `${rowHeads.orders1m},"limit":${ordersPerMinute},"count":${call.ordersPerMinute}},${weight}`
  );
}

export interface SessionCallTerms {
  readonly id: SessionId;
  readonly method: Method;
  readonly path: string;
  readonly query: string;
  readonly apiKey: string;
  /** True if the answer includes the rate limits. */
  readonly showsLimits: boolean;
}

/** Makes the call for one request of a connection, received at `receivedMs`. */
export function sessionCall(
  connection: StreamConnection,
  watch: CallWatch,
  { id, showsLimits, method, path, query, apiKey }: SessionCallTerms,
  receivedMs: number,
): HttpCall {
  const response = new FrameResponse(connection, id, showsLimits);
  const { address } = connection;
  const call = new HttpCall(response, watch, { method, path, address, receivedMs });
  call.query = query;
  call.apiKey = apiKey;
  call.view = "compat";
  call.usesMicroseconds = connection.usesMicroseconds;
  call.sbe = connection.sbe;
  response.call = call;
  return call;
}
