// What the fault proxy reads of a stream's frame: its event, stream and market, and the order that it reports. A frame that
// it cannot read is passed on unread.

import type { FaultSubject } from "./fault-match.ts";
import { type AnswerFacts, isListenKey, noAnswer, recordOf } from "./request-facts.ts";

export interface FrameFacts extends FaultSubject {
  readonly order: AnswerFacts;
  /** Whether the frame reports an event of an account's order. */
  readonly isOfOrder: boolean;
}

/** Template ids of the messages with levels in the SBE streams (schemas/sbe/stream-events.ts). */
const sbeDepthTemplates: ReadonlySet<number> = new Set([10_002, 10_003]);
const sbeHeaderBytes = 8;
/** Frames that are longer are not events of orders. */
const orderFrameBytesMax = 16_384;
/** Where the type of an event is, at the latest: behind the name of the stream or the number of a subscription. */
const headBytes = 160;
const orderEvents = /"e":"(executionReport|ORDER_TRADE_UPDATE|ALGO_UPDATE|listStatus)"/;

type Json = Readonly<Record<string, unknown>>;

/** Whether the frame reports an event of an order; found without parsing the whole. */
export function mayReportOrder(data: Buffer, isBinary: boolean): boolean {
  if (isBinary || data.length > orderFrameBytesMax) return false;
  return orderEvents.test(data.toString("latin1", 0, headBytes));
}

/** The facts of a frame that the venue sent on a connection with this path. */
export function frameFacts(data: Buffer, isBinary: boolean, path: string): FrameFacts {
  const about = { method: "STREAM", path, order: noAnswer, isOfOrder: false };
  if (isBinary) {
    const template = data.length >= sbeHeaderBytes ? data.readUInt16LE(2) : 0;
    const isDepth = sbeDepthTemplates.has(template);
    return { ...about, market: null, event: "", stream: `${template}`, isDepth };
  }
  const frame = recordOf(data.toString("utf8"));
  const stream = text(frame?.["stream"]);
  const event = objectOf(frame?.["data"]) ?? objectOf(frame?.["event"]) ?? frame ?? {};
  const kind = text(event["e"]);
  const order = objectOf(event["o"]) ?? event;
  const market = text(event["s"]) || text(order["s"]) || (/^([^@]+)@/.exec(stream)?.[1] ?? "");
  const isOfOrder = orderEvents.test(`"e":"${kind}"`);
  return {
    ...about,
    market: market === "" ? null : market.toUpperCase(),
    event: kind,
    // A listen key is new in each venue, and a stream names its draws.
    stream: stream === "" || isListenKey(stream) ? `${market}@${kind}` : stream,
    isDepth: kind === "depthUpdate" || ("lastUpdateId" in event && "bids" in event),
    isOfOrder,
    order: isOfOrder ? orderFacts(order) : noAnswer,
  };
}

function orderFacts(order: Json): AnswerFacts {
  // A cancel has a client order id of its own in c; C is that of the order.
  const clientOrderId = text(order["C"]) || text(order["c"]) || text(order["caid"]);
  const id = order["i"] ?? order["aid"];
  return {
    ...noAnswer,
    orderId: typeof id === "number" || typeof id === "string" ? String(id) : null,
    clientOrderId: clientOrderId === "" ? null : clientOrderId,
    orderStatus: text(order["X"]) || null,
    filledQty: text(order["z"]) || null,
  };
}

function objectOf(value: unknown): Json | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Json)
    : null;
}

function text(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 64) : "";
}
