// A thin wrapper of uWebSockets.js. It delivers complete requests (first line, the headers that are needed, body as
// text) or refuses them for transport faults (too large, too slow, not text). By the deadline, every request is
// answered or its connection is closed. The wrapper gives no meaning to paths.

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
import type { ServerLibrary } from "./server-library.ts";
import { AnswerQueue, RequestQueue } from "./turns.ts";

/** Reasons for refusing a request before its content is examined. */
export type TransportFault = "bodyTooLarge" | "queryTooLong" | "bodyNotText" | "deadline";

export interface UwsServerOptions {
  readonly library: ServerLibrary;
  readonly deadlineMs: number;
  readonly bodyBytesMax: number;
  readonly queryBytesMax: number;
  readonly addresses: ClientAddresses;
  /** Number of answers since the start, by status. */
  readonly answers: Float64Array;
  /** Returns whether requests to the path are signed as a whole, so that their signature headers must be kept. */
  isSigned(path: string): boolean;
  /** Returns whether requests to the path may carry a bearer token, so that its header must be kept. */
  readsToken(path: string): boolean;
  /** Returns whether the path notes the caller's device, so that its header must be kept; it reads a token. */
  readsDevice(path: string): boolean;
  /** Returns whether requests to the path may request an answer format, so that the headers for this must be kept. */
  readsWantedForm(path: string): boolean;
  /** Returns whether a browser that finds nothing at the path gets a page, so that the Accept header must be read. */
  isPagePath(path: string): boolean;
  /** Decides which pages of other sites may read answers. */
  readonly crossOrigin: CrossOrigin;
  /** True if several fronts share one address. Otherwise listening on an address in use fails. */
  readonly sharesAddress: boolean;
  nowMs(): number;
  /** Receives a complete request, and may answer it now or later. */
  handle(call: HttpCall): void;
  /** Receives a request that must be refused now because of `fault`. */
  refuse(call: HttpCall, fault: TransportFault): void;
}

/** The library's codes for sharing the listening address with other processes and threads, or not. */
const listenOptions = { shared: 0, exclusive: 1 } as const;

/** Methods whose requests may be handled in a later turn of the loop. */
const slicedMethods: ReadonlySet<Method> = new Set(["POST", "PUT", "DELETE"]);

/** The library's function for listening on a host; the library's typings omit it. */
interface HostListener {
  listen(
    host: string,
    port: number,
    options: number,
    done: (socket: uWS.us_listen_socket | false) => void,
  ): unknown;
}

/**
 * Maximum number of bytes that are read and dropped of a body that is too large: as much as a client might send by
 * mistake.
 */
const drainedBytesMax = 2 ** 25;

/**
 * The longest interval between deadline checks. The interval is a quarter of the time limit, but at most this value, so
 * that a late request is refused soon after its deadline.
 */
const sweepMsMax = 1000;

/**
 * Interval at which the library's timeout is restarted for every body still arriving, half of the shortest timeout. The
 * library ends a body that has not arrived after 10 s, counted in steps of 4 s, so possibly after 8 s; only each
 * further 160 KiB gives the body more time. Pausing and resuming the body restarts the timeout. Therefore a slow body
 * is ended by the venue's deadline and not by the library.
 */
const bodyRenewalMs = 4000;

export class UwsServer implements CallWatch {
  readonly #options: UwsServerOptions;
  /** The rules for pages of other sites. Null if no such page may read anything, so that requests need no check. */
  readonly #crossOrigin: CrossOrigin | null;
  readonly #app: uWS.TemplatedApp;
  #listenSocket: uWS.us_listen_socket | null = null;
  #sweeper: NodeJS.Timeout | null = null;
  #oldest: HttpCall | null = null;
  #newest: HttpCall | null = null;
  #unanswered = 0;
  #sweepsToRenewal = 0;
  /**
   * The call whose handler is running. Only its connection is corked: what is written there is buffered and sent as one
   * packet.
   */
  #handled: HttpCall | null = null;
  readonly #answers = new AnswerQueue();
  readonly #requests = new RequestQueue<HttpCall>(
    (call) => this.#handle(call),
    (call) => this.#handleLater(call),
  );

  constructor(options: UwsServerOptions) {
    this.#options = options;
    this.#app = options.library.App();
    this.#crossOrigin = options.crossOrigin.isUsed ? options.crossOrigin : null;
    // One handler per method: the server has already parsed the method, and one common handler would have to look it up
    // again as text.
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
    if (!peer.isTrusted) return peer;
    readLines(request);
    return addresses.behind(peer, lines.forwardedFor);
  }

  /** Number of unanswered calls. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Opens the listener and returns its port: `port`, or a free port if `port` is 0. Rejects if the port is taken. */
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
          reject(new Error(`cannot listen on ${host}:${port}`));
          return;
        }
        this.#listenSocket = socket;
        resolve(this.#options.library.us_socket_local_port(socket));
      });
    });
  }

  /** Stops accepting connections; open connections stay open. */
  stopListening(): void {
    if (this.#listenSocket !== null) {
      this.#options.library.us_listen_socket_close(this.#listenSocket);
    }
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
    const { answers } = this.#options;
    answers[status] = (answers[status] ?? 0) + 1;
    this.#unlist(call);
  }

  /**
   * Returns false for an answer from the call's own handler, which is sent immediately. Every other answer is queued.
   * It may still be sent in this turn, but not while another call's handler is running, because each piece of it would
   * then be a separate packet.
   */
  defers(call: HttpCall): boolean {
    if (this.#handled === call) return false;
    if (this.#handled === null) this.#answers.addFree(call);
    else this.#answers.add(call);
    return true;
  }

  /** Reads the headers by which the native surface knows its caller. */
  #readCaller(call: HttpCall, request: uWS.HttpRequest): void {
    if (!this.#options.readsToken(call.path)) return;
    call.authorization = request.getHeader("authorization");
    if (this.#options.readsDevice(call.path)) call.userAgent = request.getHeader("user-agent");
  }

  #take(response: uWS.HttpResponse, request: uWS.HttpRequest, method: Method): void {
    const address = this.#readLinesOf(response, request, method);
    if (lines.lengthLines > 1) {
      // Close without an answer: after an answer, the server would keep reading and parse the rest of the body as
      // another request.
      response.close();
      return;
    }
    const path = request.getUrl();
    const receivedMs = this.#options.nowMs();
    const call = new HttpCall(response, this, { method, path, address, receivedMs });
    call.query = request.getQuery() ?? "";
    call.apiKey = lines.apiKey ?? "";
    this.#readCaller(call, request);
    if (isReading(method)) {
      call.ifNoneMatch = request.getHeader("if-none-match");
      call.wantsPage =
        this.#options.isPagePath(path) && request.getHeader("accept").includes("text/html");
    }
    if (this.#options.readsWantedForm(path)) call.wanted = wantedFormOf(request);
    if (this.#options.isSigned(path)) call.signed = signedHeadersOf(request);
    const crossOrigin = this.#crossOrigin;
    if (crossOrigin !== null) call.grant = crossOrigin.grant(request.getHeader("origin"));
    if (call.query.length > this.#options.queryBytesMax) {
      this.#refuse(call, "queryTooLong");
    } else if (!isReading(method) && hasBody(lines)) {
      this.#readBody(call, response, Number(lines.length ?? ""));
    } else {
      this.#admit(call);
    }
    if (!call.isOver) this.#list(call, response);
  }

  /** Reads the header lines of a request; returns its client. */
  #readLinesOf(
    response: uWS.HttpResponse,
    request: uWS.HttpRequest,
    method: Method,
  ): ClientAddress {
    const { addresses } = this.#options;
    const peer = addresses.ofPeer(response.getRemoteAddress());
    if (peer.isTrusted) readLines(request);
    else readSingly(request, method);
    return addresses.behind(peer, lines.forwardedFor);
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
      // The chunk's memory belongs to the server again after this callback, so copy data that must wait.
      if (!isLast) earlier.push(Buffer.from(part));
      else this.#deliver(call, earlier.length === 0 ? part : Buffer.concat([...earlier, part]));
    });
  }

  /**
   * Refuses a body that is too large: drops incoming data and answers at the end of the body. A client that is still
   * sending would not read an earlier answer, but report that the connection was reset. If the body is announced as
   * longer than `drainedBytesMax`, it is refused immediately. If it has not ended by the deadline, it is refused then.
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
   * Handles a complete request. Requests that change something can wait for their turn. Reads must not wait, because a
   * connection can send several at once, and the server ends a connection whose next request arrives before the
   * previous one is answered.
   */
  #admit(call: HttpCall): void {
    if (slicedMethods.has(call.method)) this.#requests.add(call);
    else this.#handle(call);
  }

  /**
   * Handles a call that has waited. If its deadline has passed, it was refused and must not be executed. If its client
   * has disconnected, it is still executed. Its connection is no longer corked, so the handler's answer is deferred.
   */
  #handleLater(call: HttpCall): void {
    if (!call.isOver || call.isGone) this.#run(call);
  }

  /** Handles a call at once, while its connection is still corked: an answer of the handler needs no deferral. */
  #handle(call: HttpCall): void {
    this.#handled = call;
    this.#run(call);
    this.#handled = null;
  }

  /**
   * Passes the call to its handler. A thrown error is a bug: it is thrown again in a microtask, so that it ends the
   * thread as an uncaught exception instead of passing through the library's code.
   */
  #run(call: HttpCall): void {
    try {
      this.#options.handle(call);
    } catch (bug) {
      queueMicrotask(() => {
        throw bug;
      });
    }
  }

  /**
   * Refuses a call and sends the answer immediately. A call that is not yet in the list of unanswered calls has no
   * handler for a disconnection, so a deferred answer could use a closed connection.
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

function hasBody({ length, encoding }: HeaderLines): boolean {
  return ((length ?? "") !== "" && length !== "0") || (encoding ?? "") !== "";
}

function wantedFormOf(request: uWS.HttpRequest): WantedForm {
  return {
    accept: request.getHeader("accept"),
    timeUnit: request.getHeader("x-mbx-time-unit"),
    sbe: request.getHeader("x-mbx-sbe"),
  };
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

/**
 * Headers that the server itself reads. If a header has several lines, the first one counts, unless its field says
 * otherwise.
 */
interface HeaderLines {
  apiKey: string | undefined;
  length: string | undefined;
  encoding: string | undefined;
  /** All X-Forwarded-For lines joined into one, because a proxy may add its line after one that the client made up. */
  forwardedFor: string;
  /** Number of Content-Length lines of a request from a trusted proxy. */
  lengthLines: number;
}

/**
 * The headers of the request being read. One object and one function serve all requests, because new ones for each
 * request would create garbage.
 */
const lines: HeaderLines = {
  apiKey: undefined,
  length: undefined,
  encoding: undefined,
  forwardedFor: "",
  lengthLines: 0,
};

/** Reads only the needed headers, each by its name, because a client may send many others. */
function readSingly(request: uWS.HttpRequest, method: Method): void {
  lines.apiKey = request.getHeader("x-mbx-apikey");
  lines.forwardedFor = "";
  lines.lengthLines = 0;
  if (isReading(method)) return;
  lines.length = request.getHeader("content-length");
  lines.encoding = request.getHeader("transfer-encoding");
}

/** Reads all lines of a request from a trusted proxy, because several lines of one header matter there. */
function readLines(request: uWS.HttpRequest): void {
  lines.apiKey = undefined;
  lines.length = undefined;
  lines.encoding = undefined;
  lines.forwardedFor = "";
  lines.lengthLines = 0;
  request.forEach(takeLine);
}

function takeLine(name: string, value: string): void {
  switch (name) {
    case "x-forwarded-for":
      lines.forwardedFor = lines.forwardedFor === "" ? value : `${lines.forwardedFor},${value}`;
      break;
    case "x-mbx-apikey":
      lines.apiKey ??= value;
      break;
    case "transfer-encoding":
      lines.encoding ??= value;
      break;
    case "content-length":
      // If there are several Content-Length lines, the server uses the first but a proxy may use another one. The data
      // after the body could then be another client's request (request smuggling). Without a proxy only the client
      // itself would be affected.
      lines.lengthLines++;
      lines.length ??= value;
      break;
    default:
      break;
  }
}
