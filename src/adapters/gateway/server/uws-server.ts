// A thin wrapper of uWebSockets.js: it delivers complete requests (line, needed headers, body as text) or
// refuses them for transport faults (too large, too slow, not text). Every request is answered, or its
// connection closed, by the deadline. Paths have no meaning here.

import type * as uWS from "uWebSockets.js";
import { isUtf8 } from "node:buffer";
import type { ClientAddress, ClientAddresses } from "./client-address.ts";
import type { CrossOrigin } from "./cross-origin.ts";
import {
  type CallWatch,
  HttpCall,
  type Method,
  type SignedHeaders,
  type WantedForm,
} from "./http-call.ts";
import { loadServerLibrary } from "./server-library.ts";
import { AnswerQueue, RequestQueue } from "./turns.ts";

const { library } = await loadServerLibrary();

/** Reasons for refusing a request before its content is examined. */
export type TransportFault = "bodyTooLarge" | "queryTooLong" | "bodyNotText" | "deadline";

export interface UwsServerOptions {
  readonly deadlineMs: number;
  readonly bodyBytesMax: number;
  readonly queryBytesMax: number;
  readonly addresses: ClientAddresses;
  /** Whether requests to the path are signed as a whole: their signature headers are kept. */
  isSigned(path: string): boolean;
  /** Whether requests to the path may request an answer format: the headers that do are kept. */
  readsWantedForm(path: string): boolean;
  /** Which pages of other sites may read answers. */
  readonly crossOrigin: CrossOrigin;
  /** True if several fronts share one address; otherwise an address in use is refused. */
  readonly sharesAddress: boolean;
  nowMs(): number;
  /** A complete request; it may be answered now or later. */
  handle(call: HttpCall): void;
  /** A request that must be answered with a refusal now. */
  refuse(call: HttpCall, fault: TransportFault): void;
}

/** Whether other processes and threads may listen on the same address; the library's codes. */
const listenOptions = { shared: 0, exclusive: 1 } as const;

/** Methods whose requests may be handled in a later turn of the loop. */
const slicedMethods: ReadonlySet<Method> = new Set(["POST", "PUT", "DELETE"]);

/** A way of listening that the library's typings omit. */
interface HostListener {
  listen(
    host: string,
    port: number,
    options: number,
    done: (socket: uWS.us_listen_socket | false) => void,
  ): unknown;
}

/** How much of a body that is too large is read and dropped: as much as a client might send by mistake. */
const drainedBytesMax = 2 ** 25;

/** The longest interval of deadline checks; a request is late by at most a quarter of its time. */
const sweepMsMax = 1000;

/**
 * The library gives a body 10 s, in steps of 4 s, and more time only for each 160 KiB of it. Pausing and resuming
 * restarts its 10 s, so that our deadline ends a slow body. The interval is half of the shortest timeout, 8 s.
 */
const bodyRenewalMs = 4000;

export class UwsServer implements CallWatch {
  readonly #options: UwsServerOptions;
  /** Null if no page of another site may read anything: requests then need no check. */
  readonly #crossOrigin: CrossOrigin | null;
  readonly #app = library.App();
  #listenSocket: uWS.us_listen_socket | null = null;
  #sweeper: NodeJS.Timeout | null = null;
  #oldest: HttpCall | null = null;
  #newest: HttpCall | null = null;
  #unanswered = 0;
  #sweepsToRenewal = 0;
  /** The call whose handler is running. Its connection holds the only buffer for corked writes. */
  #handled: HttpCall | null = null;
  readonly #answers = new AnswerQueue();
  readonly #requests = new RequestQueue<HttpCall>(
    (call) => this.#handle(call),
    (call) => this.#handleLater(call),
  );
  /** Answers by status since the start. */
  readonly answersByStatus = new Map<number, number>();

  constructor(options: UwsServerOptions) {
    this.#options = options;
    this.#crossOrigin = options.crossOrigin.isUsed ? options.crossOrigin : null;
    // One handler per method: the server has parsed the method already, and as text it would be looked up
    // again.
    const app = this.#app;
    const take = (method: Method) => (response: uWS.HttpResponse, request: uWS.HttpRequest) =>
      this.#take(response, request, method);
    app.get("/*", take("GET")).post("/*", take("POST")).put("/*", take("PUT"));
    app.del("/*", take("DELETE")).head("/*", take("HEAD")).patch("/*", take("PATCH"));
    app.options("/*", take("OPTIONS")).trace("/*", take("TRACE")).connect("/*", take("CONNECT"));
    app.any("/*", take("OTHER"));
  }

  /** Lets `use` mount additional handlers on the server, such as pages and streams, before it listens. */
  attach(use: (app: uWS.TemplatedApp) => void): void {
    use(this.#app);
  }

  /** The client of a request or an upgrade. */
  addressOf(response: uWS.HttpResponse, request: uWS.HttpRequest): ClientAddress {
    const { addresses } = this.#options;
    const peer = addresses.ofPeer(response.getRemoteAddress());
    return peer.isTrusted ? addresses.behind(peer, forwardedFor(request)) : peer;
  }

  /** Number of unanswered calls. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Opens the listener; returns the port, which is `port` unless that was 0. Rejects if it is taken. */
  listen(host: string, port: number): Promise<number> {
    const everyMs = Math.max(Math.min(this.#options.deadlineMs / 4, sweepMsMax), 1);
    this.#sweeper = setInterval(() => {
      this.#sweep();
      if (this.#sweepsToRenewal-- > 0) return;
      this.#sweepsToRenewal = Math.floor(bodyRenewalMs / everyMs);
      this.#renewBodies();
    }, everyMs);
    const listener = this.#app as unknown as HostListener;
    const options = this.#options.sharesAddress ? listenOptions.shared : listenOptions.exclusive;
    return new Promise((resolve, reject) => {
      listener.listen(host, port, options, (socket) => {
        if (socket === false) {
          reject(new Error(`${host}:${port} cannot be listened on`));
          return;
        }
        this.#listenSocket = socket;
        resolve(library.us_socket_local_port(socket));
      });
    });
  }

  /** Accepts no new connections; open ones stay. */
  stopListening(): void {
    if (this.#listenSocket !== null) library.us_listen_socket_close(this.#listenSocket);
    this.#listenSocket = null;
  }

  /** Closes every connection after sending finished answers. */
  close(): void {
    this.#requests.clear();
    this.#answers.sendAll();
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    this.#sweeper = null;
    this.#listenSocket = null;
    this.#app.close();
  }

  answered(call: HttpCall, status: number): void {
    this.answersByStatus.set(status, (this.answersByStatus.get(status) ?? 0) + 1);
    this.#unlist(call);
  }

  /** A call's own handler answers at once; inside another's, each piece of the answer would be a packet. */
  defers(call: HttpCall): boolean {
    if (this.#handled === call) return false;
    if (this.#handled === null) this.#answers.addFree(call);
    else this.#answers.add(call);
    return true;
  }

  #take(response: uWS.HttpResponse, request: uWS.HttpRequest, method: Method): void {
    forwarded.lengthLines = 0;
    const address = this.addressOf(response, request);
    if (forwarded.lengthLines > 1) {
      // Close without an answer: after an answer, the server would keep reading and parse the rest of the body as
      // another request.
      response.close();
      return;
    }
    const path = request.getUrl();
    const receivedMs = this.#options.nowMs();
    const call = new HttpCall(response, this, { method, path, address, receivedMs });
    call.query = request.getQuery() ?? "";
    call.apiKey = request.getHeader("x-mbx-apikey");
    call.authorization = request.getHeader("authorization");
    if (isReading(method)) call.ifNoneMatch = request.getHeader("if-none-match");
    if (this.#options.readsWantedForm(path)) call.wanted = wantedFormOf(request);
    if (this.#options.isSigned(path)) call.signed = signedHeadersOf(request);
    const crossOrigin = this.#crossOrigin;
    if (crossOrigin !== null) call.grant = crossOrigin.grant(request.getHeader("origin"));
    if (call.query.length > this.#options.queryBytesMax) {
      this.#refuse(call, "queryTooLong");
    } else if (hasBody(call.method, request)) {
      this.#readBody(call, response, Number(request.getHeader("content-length")));
    } else {
      this.#admit(call);
    }
    if (!call.isOver) this.#list(call, response);
  }

  #readBody(call: HttpCall, response: uWS.HttpResponse, announcedBytes: number): void {
    const { bodyBytesMax } = this.#options;
    if (announcedBytes > bodyBytesMax) {
      this.#refuseUnread(call, response, announcedBytes);
      return;
    }
    let earlier: Buffer[] = [];
    let bytes = 0;
    call.bodySource = response;
    response.onData((chunk, isLast) => {
      if (call.isOver) return;
      bytes += chunk.byteLength;
      if (bytes > bodyBytesMax) {
        earlier = [];
        this.#refuse(call, "bodyTooLarge");
        return;
      }
      const part = Buffer.from(chunk);
      // The chunk's memory returns to the server when this returns: copy what must wait.
      if (!isLast) earlier.push(Buffer.from(part));
      else this.#deliver(call, earlier.length === 0 ? part : Buffer.concat([...earlier, part]));
    });
  }

  /**
   * Drops incoming data and answers at the end of the body, because a client that is still sending would see
   * an answer as a reset. Bodies that are longer, or do not end, are cut off without an answer.
   */
  #refuseUnread(call: HttpCall, response: uWS.HttpResponse, announcedBytes: number): void {
    const isDrained = announcedBytes <= drainedBytesMax;
    call.bodySource = response;
    response.onData((_, isLast) => {
      if (isDrained && isLast && !call.isOver) this.#refuse(call, "bodyTooLarge");
    });
    if (!isDrained) this.#refuse(call, "bodyTooLarge");
  }

  #deliver(call: HttpCall, body: Buffer): void {
    call.bodySource = null;
    if (body.length > 0 && !isUtf8(body)) {
      this.#refuse(call, "bodyNotText");
      return;
    }
    call.body = body.toString("utf8");
    this.#admit(call);
  }

  /**
   * Requests that change something may wait for their turn. Reads may not: a connection may send several at
   * once, and the server ends a connection whose next request comes before an answer.
   */
  #admit(call: HttpCall): void {
    if (slicedMethods.has(call.method)) this.#requests.add(call);
    else this.#handle(call);
  }

  /**
   * A call past its deadline has been refused and must not be executed; a call whose client has disconnected is
   * executed.
   */
  #handleLater(call: HttpCall): void {
    if (!call.isOver || call.isGone) call.cork(() => this.#handle(call));
  }

  /** Passes the call on. A thrown error is a bug and must reach the thread, not the library's code. */
  #handle(call: HttpCall): void {
    this.#handled = call;
    try {
      this.#options.handle(call);
    } catch (bug) {
      queueMicrotask(() => {
        throw bug;
      });
    } finally {
      this.#handled = null;
    }
  }

  /**
   * Answers now: a call refused before it is in the list of unanswered calls has no handler for the disconnection of
   * its client.
   */
  #refuse(call: HttpCall, fault: TransportFault): void {
    this.#handled = call;
    this.#options.refuse(call, fault);
    this.#handled = null;
  }

  #list(call: HttpCall, response: uWS.HttpResponse): void {
    response.onAborted(() => {
      call.isOver = true;
      call.isGone = true;
      this.#unlist(call);
    });
    call.isListed = true;
    call.earlier = this.#newest;
    if (this.#newest === null) this.#oldest = call;
    else this.#newest.later = call;
    this.#newest = call;
    this.#unanswered++;
  }

  #unlist(call: HttpCall): void {
    if (!call.isListed) return;
    call.isListed = false;
    this.#unanswered--;
    if (call.earlier === null) this.#oldest = call.later;
    else call.earlier.later = call.later;
    if (call.later === null) this.#newest = call.earlier;
    else call.later.earlier = call.earlier;
    call.earlier = null;
    call.later = null;
  }

  /** Refuses calls past their deadline. All deadlines are equally long, so the oldest come first. */
  #sweep(): void {
    const before = this.#options.nowMs() - this.#options.deadlineMs;
    while (this.#oldest !== null && this.#oldest.receivedMs <= before) {
      this.#options.refuse(this.#oldest, "deadline");
    }
  }

  /** Restarts the library's timeout for every body still arriving. */
  #renewBodies(): void {
    for (let call = this.#oldest; call !== null; call = call.later) {
      call.bodySource?.pause();
      call.bodySource?.resume();
    }
  }
}

function isReading(method: Method): boolean {
  return method === "GET" || method === "HEAD";
}

function hasBody(method: Method, request: uWS.HttpRequest): boolean {
  if (isReading(method)) return false;
  const length = request.getHeader("content-length");
  return (length !== "" && length !== "0") || request.getHeader("transfer-encoding") !== "";
}

function wantedFormOf(request: uWS.HttpRequest): WantedForm {
  return { accept: request.getHeader("accept"), timeUnit: request.getHeader("x-mbx-time-unit") };
}

function signedHeadersOf(request: uWS.HttpRequest): SignedHeaders {
  return {
    host: request.getHeader("host"),
    "content-digest": request.getHeader("content-digest"),
    "venue-idempotency-key": request.getHeader("venue-idempotency-key"),
    "signature-input": request.getHeader("signature-input"),
    signature: request.getHeader("signature"),
  };
}

/** All X-Forwarded-For lines as one: a proxy may add a line after one the client made up. */
function forwardedFor(request: uWS.HttpRequest): string {
  forwarded.hops = "";
  request.forEach(takeHops);
  return forwarded.hops;
}

/** Of a request from a trusted proxy: its forwarded addresses, and the number of Content-Length lines. */
const forwarded = { hops: "", lengthLines: 0 };

/** One function serves all requests, because a closure per request would create garbage. */
function takeHops(name: string, value: string): void {
  // If there are several Content-Length lines, the server uses the first but a proxy may use another, so what follows
  // the body could be another client's request (request smuggling). Without a proxy only the client itself would be
  // affected.
  if (name === "content-length") forwarded.lengthLines++;
  if (name !== "x-forwarded-for") return;
  forwarded.hops = forwarded.hops === "" ? value : `${forwarded.hops},${value}`;
}
