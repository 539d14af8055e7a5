// What the HTTP and the WebSocket part of the fault proxy share: the applied profiles, the log, and which key a listen key
// belongs to.

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { AppliedFaults } from "./applied-faults.ts";
import type { FaultLog, FaultLogLine } from "./fault-log.ts";
import {
  type AnswerFacts,
  answerFacts,
  isListenKey,
  jsonOf,
  type RequestFacts,
} from "./request-facts.ts";

/** Listen keys that are remembered; the oldest is forgotten first. */
const listenKeysMax = 10_000;
/** Keys that are not of this form are not keys of the venue, and would fill the log. */
const keyForm = /^[A-Za-z0-9]{1,64}$/;
const mappedPrefix = /^::ffff:(?=\d+\.)/i;

export interface ProxyContext {
  readonly faults: AppliedFaults;
  readonly log: FaultLog;
  readonly listenKeys: ListenKeys;
  /** Unix time in ms. */
  nowMs(): number;
}

/** Which API key each listen key belongs to, as the answers that passed have told. */
export class ListenKeys {
  readonly #keys = new Map<string, string>();

  keyOf(listenKey: string | null): string | null {
    return listenKey === null ? null : (this.#keys.get(listenKey) ?? null);
  }

  /** Remembers the listen key in an answer to a request of `key`. */
  learn(answer: unknown, key: string | null): void {
    const listenKey = (answer as { readonly listenKey?: unknown } | null)?.listenKey;
    if (key === null || !isListenKey(listenKey)) return;
    if (this.#keys.size >= listenKeysMax) {
      const [oldest = ""] = this.#keys.keys();
      this.#keys.delete(oldest);
    }
    this.#keys.set(listenKey, key);
  }
}

/** The API key in a header or a parameter; null if there is none, or it has no key's form. */
export function apiKeyOf(text: unknown): string | null {
  return typeof text === "string" && keyForm.test(text) ? text : null;
}

/** The address of the client that sent a request. */
export function peerOf(request: IncomingMessage): string {
  return (request.socket.remoteAddress ?? "::").replace(mappedPrefix, "");
}

/** The header by which a client wants to be told which fault happened. */
export const showHeader = "x-rialto-fault-show";

const connectionHeaders: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding"],
  ...["upgrade", "expect", "x-forwarded-for", showHeader],
]);

/**
 * The headers with which a request is passed on: those of the client, without those of its connection, and with its
 * address.
 */
export function passedHeaders(request: IncomingMessage): IncomingHttpHeaders {
  const passed: IncomingHttpHeaders = {};
  for (const [name, value] of Object.entries(request.headers))
    if (!connectionHeaders.has(name)) passed[name] = value;
  const earlier = request.headers["x-forwarded-for"];
  const peer = peerOf(request);
  passed["x-forwarded-for"] = earlier === undefined ? peer : `${earlier}, ${peer}`;
  return passed;
}

export interface Handled {
  readonly facts: RequestFacts;
  readonly key: string | null;
  readonly connection: number;
  readonly startedMs: number;
  readonly status: number | null;
  readonly answer: AnswerFacts;
  readonly delivered: boolean;
  readonly profile: string | null;
  readonly kinds: readonly string[];
}

/** Writes the line of one request to the log, or a line for each order of a batch or a list. */
export function logRequest({ log, nowMs }: ProxyContext, handled: Handled): void {
  const { facts, key, connection, startedMs, kinds } = handled;
  const count = Math.max(facts.batch.length, handled.answer.batch.length, 1);
  for (let at = 0; at < count; at++) {
    const sent = facts.batch[at] ?? facts;
    const answer = handled.answer.batch[at] ?? handled.answer;
    const line: FaultLogLine = {
      ...{ at_ms: startedMs, key, connection, method: facts.method, path: facts.path },
      symbol: sent.market,
      client_order_id: sent.clientOrderId ?? answer.clientOrderId,
      order_id: answer.orderId ?? sent.orderId,
      ...{ status: handled.status, code: answer.code, delivered: handled.delivered },
      fault: kinds.length === 0 ? null : handled.profile,
      kind: kinds.length === 0 ? null : kinds.join("+"),
      latency_ms: nowMs() - startedMs,
      ...(answer.orderStatus === null ? {} : { order_status: answer.orderStatus }),
      ...(answer.filledQty === null ? {} : { filled_qty: answer.filledQty }),
      ...(answer.message === null ? {} : { message: answer.message }),
    };
    log.write(line);
  }
}

/** The facts of an answer, from which a listen key is learned; null if the answer was not read. */
export function readAnswer(
  context: ProxyContext,
  bytes: Buffer | null,
  key: string | null,
): AnswerFacts {
  const answer = bytes === null ? null : jsonOf(bytes.toString("utf8"));
  context.listenKeys.learn(answer, key);
  return answerFacts(answer);
}
