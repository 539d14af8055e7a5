// The HTTP part of the fault proxy. A request is passed to the venue as it came, and its answer back; the applied profile
// may delay either, lose either, or answer in the venue's place. Requests of one connection reach the venue in their
// order, also if the client sends several at once. Bodies are streamed; only short ones are read.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type Dispatcher, Pool } from "undici";
import { clientName, type RequestPlan, undisturbed } from "./applied-faults.ts";
import { type FaultAnswer, httpAnswer, interruptionAnswer, skewAnswer } from "./fault-answers.ts";
import {
  apiKeyOf,
  logRequest,
  type ProxyContext,
  passedHeaders,
  peerOf,
  readAnswer,
  showHeader,
} from "./proxy-context.ts";
import {
  type AnswerFacts,
  httpFacts,
  isOutsideWindow,
  noAnswer,
  type RequestFacts,
  withServerTime,
} from "./request-facts.ts";

/** Bodies up to this length are read for their facts; longer ones are streamed unread. */
const readBytesMax = 65_536;
/** Requests of one connection that may wait for their turn; a client that sends more is cut. */
const waitingMax = 1_024;
const venueConnections = 256;
/** The venue answers every request by its own deadline of 30 s. */
const venueTimeoutMs = 45_000;

/** One request on its way. */
interface Passage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client's connection: a request that was destroyed has none any more. */
  readonly socket: Socket;
  readonly facts: RequestFacts;
  readonly key: string | null;
  readonly plan: RequestPlan;
  /** The body if it was read; null if it must be streamed. */
  readonly body: Buffer | null;
}

/** How the request went on: the status and facts of the venue's or the proxy's answer. */
interface Outcome {
  readonly status: number | null;
  readonly answer: AnswerFacts;
  readonly isLost: boolean;
}

const cut: Outcome = { status: null, answer: noAnswer, isLost: true };

/** A client's connection: its number, the end of its last request, and what to call when it is closed. */
interface Connection {
  readonly number: number;
  readonly whenClosed: Set<() => void>;
  last: Promise<void>;
  waiting: number;
}

interface Arrival {
  readonly connection: Connection;
  readonly socket: Socket;
  readonly startedMs: number;
}

export class HttpProxy {
  readonly #context: ProxyContext;
  readonly #pool: Pool;
  readonly #connections = new WeakMap<Socket, Connection>();
  #nextConnection = 1;

  /** Passes requests to the venue at `origin`. */
  constructor(context: ProxyContext, origin: string) {
    this.#context = context;
    this.#pool = new Pool(origin, {
      connections: venueConnections,
      headersTimeout: venueTimeoutMs,
      bodyTimeout: venueTimeoutMs,
    });
  }

  /** A number for a new connection of a client. */
  takeNumber(): number {
    return this.#nextConnection++;
  }

  /** Handles a request after the earlier ones of its connection. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connectionOf(request.socket);
    const { socket } = request;
    if (connection.waiting >= waitingMax) {
      socket.destroy();
      return;
    }
    connection.waiting++;
    const startedMs = this.#context.nowMs();
    const turn = connection.last.then(() =>
      this.#pass(request, response, { connection, socket, startedMs }),
    );
    connection.last = turn
      .catch((error: unknown) => cutAfter(error, socket))
      .finally(() => connection.waiting--);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #connectionOf(socket: Socket): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const whenClosed = new Set<() => void>();
    const made = { number: this.takeNumber(), whenClosed, last: Promise.resolve(), waiting: 0 };
    socket.once("close", () => {
      for (const closed of [...whenClosed]) closed();
    });
    this.#connections.set(socket, made);
    return made;
  }

  async #pass(
    request: IncomingMessage,
    response: ServerResponse,
    { connection, socket, startedMs }: Arrival,
  ): Promise<void> {
    const { faults, nowMs } = this.#context;
    const body = await shortBody(request);
    const { url = "/", method = "GET", headers } = request;
    const [path = "", query = ""] = url.split(/\?(.*)/s);
    const facts = httpFacts(method, { path, query }, body?.toString("utf8") ?? "");
    const key = apiKeyOf(headers["x-mbx-apikey"]);
    const client = { key, address: peerOf(request) };
    const applied = faults.of(client, nowMs());
    const plan = applied?.planRequest(facts, clientName(client), nowMs()) ?? undisturbed;
    applied?.count(plan.kinds);
    const delivered = whetherDelivered(connection, response);
    const outcome = await this.#answer({
      ...{ request, response, socket, facts, key, plan, body },
    }).catch((error: unknown) => {
      cutAfter(error, socket);
      return cut;
    });
    void delivered.then((isDelivered) => {
      logRequest(this.#context, {
        ...{ facts, key, connection: connection.number, startedMs },
        ...{ status: outcome.status, answer: outcome.answer },
        delivered: !outcome.isLost && isDelivered,
        ...{ profile: plan.profile, kinds: plan.kinds },
      });
    });
  }

  async #answer(passage: Passage): Promise<Outcome> {
    const { request, facts, plan } = passage;
    const { interruption, skewMs } = plan;
    const { nowMs } = this.#context;
    if (plan.delayInMs > 0) await sleep(plan.delayInMs);
    if (interruption !== null && interruption.kind !== "lose-answer") {
      request.resume();
      if ("after_ms" in interruption) await sleep(interruption.after_ms);
      return interrupted(passage, interruptionAnswer(interruption, nowMs()));
    }
    if (skewMs !== 0 && isOutsideWindow(facts, nowMs() + skewMs)) {
      request.resume();
      return interrupted(passage, skewAnswer);
    }
    const answered = await this.#request(passage);
    if (interruption === null) return this.#deliver(passage, answered);
    const bytes = await shortAnswer(answered);
    if (bytes === null) await answered.body.dump();
    const answer = readAnswer(this.#context, bytes, passage.key);
    await sleep(interruption.after_ms);
    const { status } = interrupted(passage, interruptionAnswer(interruption, nowMs()));
    return { status: status ?? answered.statusCode, answer, isLost: true };
  }

  #request({ request, body }: Passage): Promise<Dispatcher.ResponseData> {
    const { url = "/", method = "GET" } = request;
    return this.#pool.request({
      path: url,
      method: method as Dispatcher.HttpMethod,
      headers: passedHeaders(request),
      body: body === null ? passedOn(request) : body.length === 0 ? null : body,
    });
  }

  async #deliver(passage: Passage, answered: Dispatcher.ResponseData): Promise<Outcome> {
    const { response, socket, plan, key } = passage;
    const { statusCode: status, headers } = answered;
    const given = await shortAnswer(answered);
    const bytes = given === null || plan.skewMs === 0 ? given : withServerTime(given, plan.skewMs);
    if (plan.delayOutMs > 0) await sleep(plan.delayOutMs);
    if (socket.destroyed) {
      if (bytes === null) await answered.body.dump();
      return { status, answer: readAnswer(this.#context, bytes, key), isLost: true };
    }
    response.writeHead(status, { ...passedBack(headers, response, plan), ...shownFault(passage) });
    if (bytes === null) await pipeline(answered.body, response);
    else response.end(bytes);
    return { status, answer: readAnswer(this.#context, bytes, key), isLost: false };
  }
}

/**
 * The long body of a request as a stream of its own: the venue may answer before it has read everything, and its client
 * then ends the stream. The rest of the body is dropped, and the client still gets the answer.
 */
function passedOn(request: IncomingMessage): PassThrough {
  const through = new PassThrough();
  request.once("close", () => {
    if (!request.complete) through.destroy();
  });
  through.once("close", () => {
    request.unpipe(through);
    request.resume();
  });
  return request.pipe(through);
}

/** Whether the whole answer has left, once it has or the connection is closed. */
function whetherDelivered({ whenClosed }: Connection, response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const ended = () => {
      whenClosed.delete(ended);
      resolve(response.writableFinished);
    };
    whenClosed.add(ended);
    response.once("close", ended);
  });
}

/** Cuts the connection after a failure of the client's or the venue's connection, which have codes; others are bugs. */
function cutAfter(error: unknown, socket: Socket): void {
  if (!(error instanceof Error && "code" in error)) throw error;
  socket.destroy();
}

const perConnection: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
]);

/** The venue's headers, with its promise for how long an idle connection stays open, which this server keeps too. */
function passedBack(
  headers: Dispatcher.ResponseData["headers"],
  response: ServerResponse,
  { skewMs }: RequestPlan,
): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !perConnection.has(name)) passed[name] = value;
  const { date } = headers;
  if (skewMs !== 0 && typeof date === "string")
    passed["date"] = new Date(Date.parse(date) + skewMs).toUTCString();
  response.sendDate = false;
  const promise = headers["keep-alive"];
  if (headers["connection"] === "close" || promise === undefined) passed["connection"] = "close";
  else if (response.shouldKeepAlive) {
    passed["connection"] = "keep-alive";
    passed["keep-alive"] = promise;
  }
  return passed;
}

/** Answers in the venue's place, or cuts the connection if there is no answer. */
function interrupted(passage: Passage, answer: FaultAnswer | null): Outcome {
  const { response, socket, facts } = passage;
  if (answer === null) {
    socket.destroy();
    return cut;
  }
  const { headers, body } = httpAnswer(facts.path, answer);
  response.writeHead(answer.error.status, { ...headers, ...shownFault(passage) });
  response.end(body);
  const { status, code } = answer.error;
  return { status, answer: { ...noAnswer, code: code === 0 ? null : code }, isLost: false };
}

function shownFault({ request, plan }: Passage): Record<string, string> {
  if (request.headers[showHeader] !== "1" || plan.kinds.length === 0) return {};
  return { "x-rialto-fault": plan.kinds.map((kind) => `${plan.profile}/${kind}`).join(", ") };
}

/** The body if it is announced as short; null if it is longer or of unknown length. */
async function shortBody(request: IncomingMessage): Promise<Buffer | null> {
  const { "content-length": length, "transfer-encoding": coding } = request.headers;
  if (coding !== undefined || Number(length ?? 0) > readBytesMax) return null;
  if (Number(length ?? 0) === 0) return Buffer.alloc(0);
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** An answer that is short and not compressed; null if it must be streamed. */
async function shortAnswer({ headers, body }: Dispatcher.ResponseData): Promise<Buffer | null> {
  const length = Number(headers["content-length"] ?? Number.POSITIVE_INFINITY);
  const isReadable = length <= readBytesMax && headers["content-encoding"] === undefined;
  return isReadable ? Buffer.from(await body.arrayBuffer()) : null;
}
