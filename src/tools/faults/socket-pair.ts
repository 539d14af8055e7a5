// One client's WebSocket and the venue's behind it. Frames, pings, pongs and closes pass in both directions; the applied
// profile delays, drops, doubles or reorders the frames of streams, and treats the requests of an order session like
// requests over HTTP.

import type { WebSocket } from "ws";
import {
  type AppliedProfile,
  clientName,
  type Disconnection,
  type FramePlan,
  undisturbed,
} from "./applied-faults.ts";
import { DelayLine } from "./delay-line.ts";
import { type FrameFacts, frameFacts, mayReportOrder } from "./frame-facts.ts";
import { apiKeyOf, type ProxyContext } from "./proxy-context.ts";
import { isListenKey, recordOf } from "./request-facts.ts";
import { SessionRequests } from "./session-requests.ts";

/** Codes that a close frame cannot carry. */
const noCode: ReadonlySet<number> = new Set([1005, 1006, 1015]);
/** How long a client has to answer a close frame. */
const closeMsMax = 2_000;

export interface SocketPairParts {
  readonly client: WebSocket;
  readonly venue: WebSocket;
  /** The path without tokens. */
  readonly path: string;
  readonly address: string;
  /** The key of the connection, as far as it is known at its start. */
  readonly key: string | null;
  readonly connection: number;
}

export class SocketPair {
  readonly #context: ProxyContext;
  readonly #parts: SocketPairParts;
  readonly #sinceMs: number;
  readonly #toClient: DelayLine;
  readonly #toVenue: DelayLine;
  /** Null for a connection of streams. */
  readonly #session: SessionRequests | null;
  #key: string | null;
  #over: (() => void) | null = null;
  #isOver = false;

  constructor(context: ProxyContext, parts: SocketPairParts) {
    this.#context = context;
    this.#parts = parts;
    this.#key = parts.key;
    this.#sinceMs = context.nowMs();
    const { client, venue, path, connection } = parts;
    this.#toClient = new DelayLine(venue, client);
    this.#toVenue = new DelayLine(client, venue);
    this.#session = /\/ws-f?api\//.test(path)
      ? new SessionRequests(context, {
          ...{ path, connection, address: parts.address },
          ...{ toClient: this.#toClient, toVenue: this.#toVenue },
          cut: () => this.cut(),
        })
      : null;
    client.on("message", (data, isBinary) => this.#fromClient(bytesOf(data), isBinary));
    venue.on("message", (data, isBinary) => this.#fromVenue(bytesOf(data), isBinary));
    for (const [from, to] of [
      [client, venue],
      [venue, client],
    ] as const) {
      from.on("ping", (data) => isOpen(to) && to.ping(data));
      from.on("pong", (data) => isOpen(to) && to.pong(data));
      from.on("error", () => from.terminate());
      from.on("close", (code, reason) => this.#closed(to, code, reason));
    }
  }

  /** Calls `over` once both sides are being closed. */
  whenOver(over: () => void): void {
    if (this.#isOver) over();
    else this.#over = over;
  }

  /** Cuts both connections without a close frame. */
  cut(): void {
    this.#parts.client.terminate();
    this.#parts.venue.terminate();
  }

  /** Ends the connection if the client's profile says so now. */
  endIfDue(): void {
    const nowMs = this.#context.nowMs();
    const applied = this.#applied();
    if (applied === null || this.#isOver) return;
    const about = { method: "CONNECT", market: null, event: "", stream: "", isDepth: false };
    const open = { connection: this, client: clientName(this.#client()), sinceMs: this.#sinceMs };
    const due = applied.disconnection({ ...about, path: this.#parts.path }, open, nowMs);
    if (due === null) return;
    applied.count([due.kind]);
    this.#end(due);
  }

  #end({ profile, kind, closeCode }: Disconnection): void {
    this.#write({ method: "CONNECT", profile, kinds: [kind], delivered: false });
    const { client, venue } = this.#parts;
    if (closeCode === null || noCode.has(closeCode)) {
      this.cut();
      return;
    }
    client.close(closeCode);
    venue.terminate();
    setTimeout(() => client.terminate(), closeMsMax).unref();
  }

  #client() {
    return { key: this.#key, address: this.#parts.address };
  }

  #applied(): AppliedProfile | null {
    return this.#context.faults.of(this.#client(), this.#context.nowMs());
  }

  #fromClient(data: Buffer, isBinary: boolean): void {
    const frame = isBinary ? null : recordOf(data.toString("utf8"));
    this.#learnKey(frame);
    if (this.#session !== null && frame !== null) this.#session.request(frame, data, this.#key);
    else this.#toVenue.send(data, isBinary);
  }

  /** A log-on, or a listen key that is subscribed, tells whose connection this is. */
  #learnKey(frame: Readonly<Record<string, unknown>> | null): void {
    const { method, params } = frame ?? {};
    if (isKeyed(method) && typeof params === "object" && params !== null)
      this.#key = apiKeyOf((params as { readonly apiKey?: unknown }).apiKey) ?? this.#key;
    if (method === "SUBSCRIBE" && Array.isArray(params))
      this.#key = this.#context.listenKeys.keyOf(params.find(isListenKey) ?? null) ?? this.#key;
  }

  #fromVenue(data: Buffer, isBinary: boolean): void {
    const isReport = mayReportOrder(data, isBinary);
    if (this.#session?.answer(data, isBinary, isReport) === true) return;
    const applied = this.#applied();
    if (applied === null && !isReport) {
      this.#toClient.send(data, isBinary);
      return;
    }
    const facts = frameFacts(data, isBinary, this.#parts.path);
    const client = clientName(this.#client());
    const plan = applied?.planFrame(facts, client, this.#context.nowMs()) ?? undisturbed;
    applied?.count(plan.kinds);
    this.#passFrame(data, isBinary, { facts, plan });
  }

  #passFrame(
    data: Buffer,
    isBinary: boolean,
    { facts, plan }: { readonly facts: FrameFacts; readonly plan: FramePlan },
  ): void {
    const startedMs = this.#context.nowMs();
    const { isDropped, isDoubled, isReordered, delayMs, profile, kinds } = plan;
    // Delays of public frames are not written: there would be as many lines as frames.
    const isTold = facts.isOfOrder || isDropped || isDoubled || isReordered;
    const told = (delivered: boolean) => () => {
      if (isTold) this.#write({ method: "STREAM", facts, profile, kinds, delivered, startedMs });
    };
    if (isDropped) told(false)();
    else if (isReordered) this.#toClient.holdBack(data, isBinary, told(true));
    else this.#toClient.send(data, isBinary, delayMs, told(true));
    if (isDoubled && !isDropped) this.#toClient.send(data, isBinary, delayMs);
  }

  #write(told: ToldFrame): void {
    const { method, facts, profile, kinds, delivered } = told;
    const nowMs = this.#context.nowMs();
    const startedMs = told.startedMs ?? nowMs;
    const status = facts?.order.orderStatus ?? null;
    const filled = facts?.order.filledQty ?? null;
    this.#context.log.write({
      ...{ at_ms: startedMs, key: this.#key, connection: this.#parts.connection, method },
      ...{ path: this.#parts.path, symbol: facts?.market ?? null },
      client_order_id: facts?.order.clientOrderId ?? null,
      order_id: facts?.order.orderId ?? null,
      ...{ status: null, code: null, delivered },
      fault: kinds.length === 0 ? null : profile,
      kind: kinds.length === 0 ? null : kinds.join("+"),
      latency_ms: nowMs - startedMs,
      ...(facts === undefined ? {} : { event: facts.event }),
      ...(status === null ? {} : { order_status: status }),
      ...(filled === null ? {} : { filled_qty: filled }),
    });
  }

  #closed(other: WebSocket, code: number, reason: Buffer): void {
    this.#toClient.end();
    this.#toVenue.end();
    this.#session?.end();
    this.#isOver = true;
    this.#over?.();
    this.#over = null;
    if (!isOpen(other)) return;
    if (code === 1006) other.terminate();
    else if (noCode.has(code)) other.close();
    else other.close(code, reason);
    setTimeout(() => other.terminate(), closeMsMax).unref();
  }
}

/** Whether a session's request tells whose events and requests its connection carries. */
function isKeyed(method: unknown): boolean {
  return (
    method === "session.logon" ||
    (typeof method === "string" && method.startsWith("userDataStream.subscribe"))
  );
}

interface ToldFrame {
  readonly method: string;
  readonly facts?: FrameFacts;
  readonly profile: string | null;
  readonly kinds: readonly string[];
  readonly delivered: boolean;
  readonly startedMs?: number;
}

function isOpen(socket: WebSocket): boolean {
  return socket.readyState === socket.OPEN;
}

function bytesOf(data: WebSocket.RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
