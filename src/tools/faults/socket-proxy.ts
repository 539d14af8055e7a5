// The WebSocket part of the fault proxy: accepts a client's connection once the venue has accepted its own, and refuses it
// with the venue's answer. The sockets that are open are looked at a few times a second, so that profiles end them in time.

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import { clientName, undisturbed } from "./applied-faults.ts";
import { httpAnswer, interruptionAnswer } from "./fault-answers.ts";
import type { HttpProxy } from "./http-proxy.ts";
import { apiKeyOf, logRequest, type ProxyContext, passedHeaders, peerOf } from "./proxy-context.ts";
import { httpFacts, listenKeyOf, noAnswer, type RequestFacts } from "./request-facts.ts";
import { SocketPair } from "./socket-pair.ts";

/** Longest frame of a client; the venue takes at most 16 KiB (STR-3). */
const clientFrameBytesMax = 65_536;
/** Longest frame of the venue: a whole book. */
const venueFrameBytesMax = 2 ** 25;
/** Longest answer that is passed on if the venue refuses a connection. */
const refusalBytesMax = 65_536;
const openTimeoutMs = 10_000;
const sweepMs = 50;
const socketsMax = 10_000;

/** For clients that try HTTP/2 without TLS; the parser has given the rest of the connection away. */
const onlyHttp1 = { headers: { "content-type": "text/plain" }, body: "expected HTTP/1.1\n" };

export class SocketProxy {
  readonly #context: ProxyContext;
  readonly #origin: string;
  readonly #takeNumber: HttpProxy["takeNumber"];
  readonly #pairs = new Set<SocketPair>();
  readonly #server = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false },
    maxPayload: clientFrameBytesMax,
    skipUTF8Validation: true,
    handleProtocols: (offered) => [...offered][0] ?? false,
  });
  readonly #sweeper: NodeJS.Timeout;

  constructor(context: ProxyContext, origin: string, takeNumber: () => number) {
    this.#context = context;
    this.#origin = origin.replace(/^http/, "ws");
    this.#takeNumber = takeNumber;
    this.#sweeper = setInterval(() => this.#sweep(), sweepMs);
  }

  /** Handles a client's request for a WebSocket. */
  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // A client that is gone before the venue has answered.
    socket.on("error", () => socket.destroy());
    if (this.#pairs.size >= socketsMax) {
      socket.destroy();
      return;
    }
    // An address with a host of its own would lead the proxy elsewhere.
    const isOfVenue = request.url?.startsWith("/") === true;
    if (!isOfVenue || request.headers.upgrade?.toLowerCase() !== "websocket") {
      refuse(socket, 400, onlyHttp1);
      return;
    }
    const { faults, listenKeys, nowMs } = this.#context;
    const startedMs = nowMs();
    const { url = "/", headers } = request;
    const [path = "", query = ""] = url.split(/\?(.*)/s);
    const facts = { ...httpFacts("CONNECT", { path, query: "" }, ""), stream: "" };
    const key = apiKeyOf(headers["x-mbx-apikey"]) ?? listenKeys.keyOf(listenKeyOf(path, query));
    const client = { key, address: peerOf(request) };
    const applied = faults.of(client, nowMs());
    const plan = applied?.planRequest(facts, clientName(client), nowMs()) ?? undisturbed;
    applied?.count(plan.kinds);
    const connection = this.#takeNumber();
    const log = (status: number | null) =>
      logRequest(this.#context, {
        ...{ facts, key, connection, startedMs, status, answer: noAnswer },
        delivered: status !== null && plan.interruption === null,
        ...{ profile: plan.profile, kinds: plan.kinds },
      });
    const { interruption } = plan;
    if (interruption !== null) {
      // A connection has no answer that could be lost alone, so a lost answer is a lost request.
      const answer = interruptionAnswer(interruption, nowMs());
      if (answer === null) socket.destroy();
      else refuse(socket, answer.error.status, httpAnswer(facts.path, answer));
      log(answer?.error.status ?? null);
      return;
    }
    const begin = () => this.#open({ request, socket, head, facts, client, connection, log });
    if (plan.delayInMs > 0) setTimeout(begin, plan.delayInMs);
    else begin();
  }

  /** Ends all connections. */
  close(): void {
    clearInterval(this.#sweeper);
    for (const pair of this.#pairs) pair.cut();
    this.#server.close();
  }

  #open(opening: Opening): void {
    const { request, socket, head, facts, client, connection, log } = opening;
    // The client may have left while its request was delayed.
    if (socket.destroyed) {
      log(null);
      return;
    }
    const offered = (request.headers["sec-websocket-protocol"] ?? "").split(/, */);
    const protocols = offered.filter((name) => name !== "");
    const headers = passedHeaders(request);
    for (const name of Object.keys(headers))
      if (name.startsWith("sec-websocket-")) delete headers[name];
    const venue = this.#connect(request, headers, protocols);
    if (venue === null) {
      socket.destroy();
      return;
    }
    const gone = () => venue.terminate();
    socket.once("close", gone);
    venue.on("error", () => socket.destroy());
    venue.once("unexpected-response", (_, answer) => {
      log(answer.statusCode ?? null);
      passRefusal(answer, socket).catch(() => socket.destroy());
    });
    venue.once("open", () => {
      this.#server.handleUpgrade(request, socket, head, (accepted) => {
        socket.off("close", gone);
        log(101);
        const pair = new SocketPair(this.#context, {
          ...{ client: accepted, venue, path: facts.path },
          ...{ address: client.address, key: client.key, connection },
        });
        this.#pairs.add(pair);
        pair.whenOver(() => this.#pairs.delete(pair));
      });
    });
  }

  /** A connection to the venue; null if the request's address or protocols are not valid. */
  #connect(
    request: IncomingMessage,
    headers: IncomingHttpHeaders,
    protocols: string[],
  ): WebSocket | null {
    const address = this.#origin + (request.url ?? "/");
    try {
      return new WebSocket(address, protocols, {
        ...{ headers, perMessageDeflate: false, autoPong: false, skipUTF8Validation: true },
        ...{ maxPayload: venueFrameBytesMax, handshakeTimeout: openTimeoutMs },
      });
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }

  #sweep(): void {
    if (this.#context.faults.isEmpty) return;
    for (const pair of this.#pairs) pair.endIfDue();
  }
}

interface Opening {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly facts: RequestFacts;
  readonly client: { readonly key: string | null; readonly address: string };
  readonly connection: number;
  readonly log: (status: number | null) => void;
}

function refuse(
  socket: Duplex,
  status: number,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} \r\n${lines.join("")}connection: close\r\n\r\n${body}`);
}

/** Passes on the answer with which the venue refuses a connection. */
async function passRefusal(answer: IncomingMessage, socket: Duplex): Promise<void> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > refusalBytesMax) break;
    parts.push(part);
  }
  const body = Buffer.concat(parts);
  const type = answer.headers["content-type"] ?? "text/plain";
  const headers = { "content-type": type, "content-length": `${body.length}` };
  refuse(socket, answer.statusCode ?? 502, { headers, body: body.toString("utf8") });
}
