// The requests of one order session on their way through the fault proxy. A request and its answer belong together by their
// id; the profile treats them like a request over HTTP. Answers in SBE are passed on as they are, because their ids are not
// read: faults that need the answer do not happen to them.

import { clientName, type RequestPlan, undisturbed } from "./applied-faults.ts";
import type { DelayLine } from "./delay-line.ts";
import { interruptionAnswer, sessionAnswer, skewAnswer } from "./fault-answers.ts";
import { apiKeyOf, logRequest, type ProxyContext } from "./proxy-context.ts";
import {
  type AnswerFacts,
  answerFacts,
  isOutsideWindow,
  noAnswer,
  type RequestFacts,
  recordOf,
  sessionFacts,
  withServerTime,
} from "./request-facts.ts";

/** Requests that may be without an answer; of more, the oldest is forgotten, and its answer passes undisturbed. */
const unansweredMax = 1_024;
/** Longest id and method of a request that is read. */
const textMax = 64;

interface Unanswered {
  readonly facts: RequestFacts;
  readonly plan: RequestPlan;
  readonly key: string | null;
  readonly startedMs: number;
}

export interface SessionParts {
  readonly path: string;
  readonly address: string;
  readonly connection: number;
  readonly toClient: DelayLine;
  readonly toVenue: DelayLine;
  cut(): void;
}

type Json = Readonly<Record<string, unknown>>;

/** How long an interruption keeps the client waiting. */
function lateMs({ interruption }: RequestPlan): number {
  return interruption !== null && "after_ms" in interruption ? interruption.after_ms : 0;
}

export class SessionRequests {
  readonly #context: ProxyContext;
  readonly #parts: SessionParts;
  readonly #unanswered = new Map<string, Unanswered>();

  constructor(context: ProxyContext, parts: SessionParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Handles a frame of the client; `sessionKey` is the key with which its session was logged on. */
  request({ id, method, params }: Json, data: Buffer, sessionKey: string | null): void {
    const { path, address, toVenue } = this.#parts;
    if (typeof method !== "string" || method.length > textMax) {
      toVenue.send(data, false);
      return;
    }
    const startedMs = this.#context.nowMs();
    const facts = sessionFacts(path, method, params);
    const own = apiKeyOf((params as { readonly apiKey?: unknown } | undefined)?.apiKey);
    const client = { key: own ?? sessionKey, address };
    const applied = this.#context.faults.of(client, startedMs);
    const plan = applied?.planRequest(facts, clientName(client), startedMs) ?? undisturbed;
    applied?.count(plan.kinds);
    const sent: Unanswered = { facts, plan, key: client.key, startedMs };
    const { interruption, skewMs } = plan;
    if (interruption !== null && interruption.kind !== "lose-answer") this.#interrupt(id, sent);
    else if (skewMs !== 0 && isOutsideWindow(facts, startedMs + skewMs))
      this.#answerInstead(id, sent, skewAnswer);
    else {
      this.#remember(id, sent);
      toVenue.send(data, false, plan.delayInMs);
    }
  }

  /** Handles a frame of the venue if it answers a request; returns false for other frames. */
  answer(data: Buffer, isBinary: boolean, isEvent: boolean): boolean {
    if (isBinary || isEvent || this.#unanswered.size === 0) return false;
    const frame = recordOf(data.toString("utf8"));
    if (frame === null || frame["id"] === undefined || frame["status"] === undefined) return false;
    const name = JSON.stringify(frame["id"]);
    const sent = this.#unanswered.get(name);
    if (sent === undefined) return false;
    this.#unanswered.delete(name);
    this.#context.listenKeys.learn(frame["result"], sent.key);
    const answer = answerFacts(frame["result"] ?? frame["error"]);
    const status = typeof frame["status"] === "number" ? frame["status"] : null;
    const { interruption, delayOutMs, skewMs } = sent.plan;
    if (interruption !== null) {
      this.#log(sent, { status, answer, delivered: false });
      this.#interruptAnswer(frame["id"], sent);
      return true;
    }
    const told = () => this.#log(sent, { status, answer, delivered: true });
    const shown = skewMs === 0 ? data : withServerTime(data, skewMs);
    this.#parts.toClient.send(shown, false, delayOutMs, told);
    return true;
  }

  /** Notes the requests that stay without an answer, because the connection has ended. */
  end(): void {
    for (const sent of this.#unanswered.values())
      this.#log(sent, { status: null, answer: noAnswer, delivered: false });
    this.#unanswered.clear();
  }

  /** Answers in the venue's place, or cuts the connection, without sending the request to the venue. */
  #interrupt(id: unknown, sent: Unanswered): void {
    const { interruption } = sent.plan;
    const answer = interruption && interruptionAnswer(interruption, this.#context.nowMs());
    if (answer !== null) {
      this.#answerInstead(id, sent, answer);
      return;
    }
    this.#log(sent, { status: null, answer: noAnswer, delivered: false });
    this.#cut(sent.plan.delayInMs + lateMs(sent.plan));
  }

  /** Cuts the connection after a time; frames pass until then. */
  #cut(afterMs: number): void {
    if (afterMs === 0) this.#parts.cut();
    else setTimeout(() => this.#parts.cut(), afterMs);
  }

  #interruptAnswer(id: unknown, { plan }: Unanswered): void {
    const { interruption } = plan;
    const nowMs = this.#context.nowMs();
    const answer = interruption && interruptionAnswer(interruption, nowMs);
    if (answer === null) this.#cut(lateMs(plan));
    else this.#send(sessionAnswer(id, answer, nowMs), lateMs(plan), () => undefined);
  }

  #answerInstead(id: unknown, sent: Unanswered, answer: Parameters<typeof sessionAnswer>[1]): void {
    const { status, code } = answer.error;
    const told = () => this.#log(sent, { status, answer: { ...noAnswer, code }, delivered: true });
    const afterMs = sent.plan.delayInMs + lateMs(sent.plan);
    this.#send(sessionAnswer(id, answer, this.#context.nowMs()), afterMs, told);
  }

  #send(text: string, afterMs: number, told: () => void): void {
    this.#parts.toClient.send(Buffer.from(text), false, afterMs, told);
  }

  #remember(id: unknown, sent: Unanswered): void {
    if (this.#unanswered.size >= unansweredMax) {
      const [oldest = ""] = this.#unanswered.keys();
      this.#unanswered.delete(oldest);
    }
    this.#unanswered.set(JSON.stringify(id ?? null), sent);
  }

  #log(
    { facts, plan, key, startedMs }: Unanswered,
    seen: {
      readonly status: number | null;
      readonly answer: AnswerFacts;
      readonly delivered: boolean;
    },
  ): void {
    const { connection } = this.#parts;
    const { profile, kinds } = plan;
    logRequest(this.#context, { facts, key, connection, startedMs, ...seen, profile, kinds });
  }
}
