// One request and its one answer. Everything needed from the request is copied when it arrives, because the server's
// own objects become invalid at the first return to the event loop. Only the first answer is sent. Later answers, and
// answers after the client disconnected, are dropped.

import { spotSchema } from "../../../../schemas/sbe/schemas.ts";
import type { SignatureHeaders } from "../../../services/access/message-signature.ts";
import type { RateLimits } from "../../../services/access/rate-limiter.ts";
import type { RequestClaim } from "../orders/leader-counts.ts";
import { compatPrefix, type SurfaceView } from "../requests/surface-view.ts";
import type { Messages } from "../sbe/generated/spot-codec.ts";
import { type Encoded, encodedAnswer, encodedMessage, type SbeForm } from "../sbe/sbe-answer.ts";
import type { ClientAddress } from "./client-address.ts";
import { grantedHeaders, preflightHeaders } from "./cross-origin.ts";
import { inMicroseconds } from "./microseconds.ts";
import { pageHeaders } from "./page-headers.ts";

export type Method =
  | "GET"
  | "POST"
  | "PUT"
  | "DELETE"
  | "HEAD"
  | "PATCH"
  | "OPTIONS"
  | "TRACE"
  | "CONNECT"
  | "OTHER";

export const contentTypes = {
  json: "application/json",
  text: "text/plain; charset=utf-8",
  html: "text/html; charset=utf-8",
  metrics: "text/plain; version=0.0.4; charset=utf-8",
  svg: "image/svg+xml",
  sbe: "application/sbe",
} as const;
export type ContentType = (typeof contentTypes)[keyof typeof contentTypes];

/**
 * Seconds for which a client may rely on an idle connection. The server ends an idle connection 8 to 12 s after its
 * last answer; one second is reserved for the transit of the answer and of the next request (docs/decisions/0050).
 */
const idleSeconds = 7;

/** The header of an answer that keeps its connection open. */
export const keptOpen = ["keep-alive", `timeout=${idleSeconds}`] as const;

/** Each content type joined with the keep-alive header. Both are written with one call to the server library. */
const keptTypes: ReadonlyMap<ContentType, string> = new Map(
  Object.values(contentTypes).map((type) => [type, `${type}\r\n${keptOpen.join(": ")}`]),
);

/** Images change only with the venue's version, so clients need to revalidate them only once a day. */
const imageCaching = "public, max-age=86400";

const statusLines: ReadonlyMap<number, string> = new Map([
  [204, "204 No Content"],
  [304, "304 Not Modified"],
  [400, "400 Bad Request"],
  [401, "401 Unauthorized"],
  [403, "403 Forbidden"],
  [404, "404 Not Found"],
  [405, "405 Method Not Allowed"],
  [406, "406 Not Acceptable"],
  [408, "408 Request Timeout"],
  [409, "409 Conflict"],
  [410, "410 Gone"],
  [413, "413 Payload Too Large"],
  [414, "414 URI Too Long"],
  [422, "422 Unprocessable Entity"],
  [429, "429 Too Many Requests"],
  [500, "500 Internal Server Error"],
  [501, "501 Not Implemented"],
  [502, "502 Bad Gateway"],
  [503, "503 Service Unavailable"],
  [504, "504 Gateway Timeout"],
]);

/** The status line of a status code. */
export function statusLine(status: number): string {
  return statusLines.get(status) ?? `${status}`;
}

/** Gives a successful call its weight back before its answer is written. Spec LIM-34. */
export interface WeightRefund {
  giveBack(call: HttpCall): void;
}

/** The part of a call that is known before its headers are read. */
export interface CallHead {
  readonly method: Method;
  /** The path, without the query. */
  readonly path: string;
  readonly address: ClientAddress;
  readonly receivedMs: number;
}

/** Headers that request an answer format. Each is empty if it is missing. */
export interface WantedForm {
  readonly accept: string;
  readonly timeUnit: string;
  /** Schema id and version of SBE. */
  readonly sbe: string;
}

/** Host and signature headers of a request that is signed as a whole. Each is empty if it is missing. */
export interface SignedHeaders extends SignatureHeaders {
  readonly host: string;
}

/** Callbacks with which the server tracks unanswered calls. */
export interface CallWatch {
  answered(call: HttpCall, status: number): void;
  /**
   * Returns whether the server must send the answer to `call`, because the answer does not come from the call's own
   * handler. The server then calls `flush`, now or in a later turn of the loop.
   */
  defers(call: HttpCall): boolean;
}

/** The destination of an answer: the server's response, or a frame of a connection. */
export interface CallResponse {
  cork(write: () => void): unknown;
  writeStatus(line: string): unknown;
  writeHeader(name: string, value: string): unknown;
  end(body: string | Uint8Array, closes: boolean): unknown;
  endWithoutBody(): unknown;
}

/** The source of a body. Pausing and resuming it restarts the timeout of the server library. */
interface BodySource {
  pause(): unknown;
  resume(): unknown;
}

export class HttpCall {
  readonly method: Method;
  /** The path, without the query. */
  readonly path: string;
  readonly address: ClientAddress;
  readonly receivedMs: number;
  // The server sets query, headers and body as it reads them; each is empty if absent.
  /** The query as received: not decoded. */
  query = "";
  apiKey = "";
  authorization = "";
  /** The User-Agent header of a native request that changes something, such as a log-in. */
  userAgent = "";
  /** The If-None-Match header of a GET or HEAD. */
  ifNoneMatch = "";
  /** The signature headers, for requests that are signed as a whole; otherwise null. */
  signed: SignedHeaders | null = null;
  /** The headers that request an answer format; null if the server did not read them. */
  wanted: WantedForm | null = null;
  /**
   * The origin that may read the answer. Null means only the venue's own pages; undefined means that the answer has no
   * CORS header.
   */
  grant: string | null | undefined = undefined;
  /** True if times in the answer are microseconds. */
  usesMicroseconds = false;
  /** The form of the caller's SBE answers; null if it wants JSON. */
  sbe: SbeForm | null = null;
  /** End in Unix microseconds of the time window in which the client allows the call to be executed. */
  untilUs = Number.POSITIVE_INFINITY;
  /** The call's orders that the leader counts; null if this process counts them, or there are none. */
  orderClaim: RequestClaim | null = null;
  /**
   * The connections that cancel on disconnect and carry the call, by account: orders of these accounts belong to them.
   * Null if the call's connection has declared none.
   */
  connections: ReadonlyMap<number, number> | null = null;
  /** The view through which the call came; set when its route is found. */
  view: SurfaceView = "root";
  /** The rate limits against which the call counts; null before the check. */
  limits: RateLimits | null = null;
  /** Gives back the call's weight if the call succeeds; null if a successful call costs its weight too. */
  refund: WeightRefund | null = null;
  /** True if the call counts against the limits on orders too, not only against the limit on weight. */
  placesOrders = false;
  /** Raw text of the body; empty until it has arrived, and for methods without a body. */
  body = "";
  /** True if the call may be answered with a page, because a browser opened its path. */
  wantsPage = false;
  /** Whether the answer is a page or JSON by what the client accepts, which caches must know. */
  hasTwoForms = false;
  /** True once the call is answered or the client has disconnected. */
  isOver = false;
  /** True once the client has disconnected; the response must not be used after that. */
  isGone = false;
  /** Links to the neighbours in the server's list of unanswered calls. */
  earlier: HttpCall | null = null;
  later: HttpCall | null = null;
  isListed = false;
  /** The source of the body parts that have not arrived yet; null if there are none. */
  bodySource: BodySource | null = null;
  readonly #response: CallResponse;
  readonly #watch: CallWatch;
  /** Status of the deferred answer; the fields below hold its other parts. */
  #status = 0;
  #type: ContentType = contentTypes.json;
  #text: string | Uint8Array = "";
  #closes = false;
  #isDeferred = false;
  /** Value of the Cache-Control header; `#etag` is the quoted ETag. If a value is empty, its header is omitted. */
  #caching = "";
  #etag = "";
  /** Methods of the path for the Allow header. If the text is empty, the header is omitted. */
  #methods = "";
  #usedWeight = -1;
  #ordersPer10s = 0;
  #ordersPerMinute = 0;

  constructor(response: CallResponse, watch: CallWatch, head: CallHead) {
    this.#response = response;
    this.#watch = watch;
    this.method = head.method;
    this.path = head.path;
    this.address = head.address;
    this.receivedMs = head.receivedMs;
  }

  /**
   * Sets the figures of the answer's headers: weight used this minute, and orders placed in the current 10 s and the
   * current minute.
   */
  reportUse(weight: number, ordersPer10s = 0, ordersPerMinute = 0): void {
    this.#usedWeight = weight;
    this.#ordersPer10s = ordersPer10s;
    this.#ordersPerMinute = ordersPerMinute;
  }

  get hasReportedUse(): boolean {
    return this.#usedWeight >= 0;
  }

  /** Weight used this minute, including this call. */
  get usedWeight(): number {
    return this.#usedWeight;
  }

  /** Orders that the call's key has placed in the current 10 s, including this call. */
  get ordersPer10s(): number {
    return this.#ordersPer10s;
  }

  /** Orders that the call's key has placed in the current minute, including this call. */
  get ordersPerMinute(): number {
    return this.#ordersPerMinute;
  }

  /** Adds the Allow header to the answer: the methods of the path's routes, HEAD if GET is one of them, and OPTIONS. */
  allows(routed: readonly Method[]): void {
    const head: readonly Method[] = routed.includes("GET") ? ["HEAD"] : [];
    this.#methods = [...routed, ...head, "OPTIONS"].join(", ");
  }

  /** Adds caching headers to a successful answer: the Cache-Control value, and the quoted ETag unless it is empty. */
  keepFor(caching: string, etag: string): void {
    this.#caching = caching;
    this.#etag = etag;
  }

  /** Answers 200 with a JSON text, or 304 if the client already has the answer's ETag. */
  json(body: string): void {
    this.#answerKept(contentTypes.json, body);
  }

  /** Answers 200 with an SBE message, in the caller's form. */
  message<T extends keyof Messages>(form: SbeForm, template: T, message: Messages[T]): void {
    this.#finish(encodedMessage(form, template, message), contentTypes.sbe);
  }

  /** Answers 200 with plain text, or 304 if the client already has the answer's ETag. */
  text(body: string): void {
    this.#answerKept(contentTypes.text, body);
  }

  /** Answers 204, which has no body. */
  done(): void {
    this.answer(204, contentTypes.text, "");
  }

  /** The method whose route answers the call. HEAD is answered by the route of GET, without the body. */
  get routedMethod(): Method {
    return this.method === "HEAD" ? "GET" : this.method;
  }

  /** Answers 204 with the methods of the path in the Allow header. */
  options(routed: readonly Method[]): void {
    this.allows(routed);
    this.done();
  }

  /** Answers with an SVG image, or 304 if the client already has this quoted ETag. */
  image(svg: string, etag: string): void {
    this.keepFor(imageCaching, etag);
    this.#answerKept(contentTypes.svg, svg);
  }

  /** Answers with a page of HTML. */
  page(status: number, html: Uint8Array): void {
    this.#finish({ status, bytes: html }, contentTypes.html);
  }

  #answerKept(type: ContentType, body: string): void {
    if (this.#isKnown()) this.answer(304, type, "");
    else this.answer(200, type, body);
  }

  #isKnown(): boolean {
    if (this.#etag === "" || this.ifNoneMatch === "") return false;
    const known = this.ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    return known.includes(this.#etag) || known.includes("*");
  }

  /**
   * Sends the call's only answer. `closes` ends the connection after it, for requests that were not read completely.
   */
  answer(status: number, type: ContentType, body: string, closes = false): void {
    if (this.isOver) return;
    if (this.sbe !== null && type === contentTypes.json) {
      const path = this.path.startsWith(compatPrefix)
        ? this.path.slice(compatPrefix.length)
        : this.path;
      const name = `${this.routedMethod} ${path}`;
      this.#finish(encodedAnswer(this.sbe, { name, status }, body), contentTypes.sbe, closes);
      return;
    }
    const isScaled = this.usesMicroseconds && type === contentTypes.json;
    this.#finish({ status, bytes: isScaled ? inMicroseconds(body) : body }, type, closes);
  }

  #finish(
    { status, bytes }: Encoded | { readonly status: number; readonly bytes: string },
    type: ContentType,
    closes = false,
  ): void {
    if (this.isOver) return;
    this.isOver = true;
    if (status === 200) this.refund?.giveBack(this);
    this.#status = status;
    this.#type = type;
    this.#text = bytes;
    this.#closes = closes;
    // Set before `defers` is called, because the server may call `flush` immediately.
    this.#isDeferred = true;
    if (!this.#watch.defers(this)) {
      this.#isDeferred = false;
      this.#write();
    }
    this.#watch.answered(this, status);
  }

  /** Sends the deferred answer in one packet (corked), unless the client has disconnected. */
  flush(): void {
    if (!this.#isDeferred) return;
    this.#isDeferred = false;
    if (!this.isGone) this.#response.cork(() => this.#write());
  }

  #write(): void {
    const response = this.#response;
    const status = this.#status;
    if (status !== 200) response.writeStatus(statusLine(status));
    if (status < 400) this.#writeCaching();
    if (this.grant !== undefined) this.#writeAll(grantedHeaders(this.grant));
    if (this.#methods !== "") this.#writeMethods();
    if (this.hasTwoForms) response.writeHeader("vary", "accept");
    if (status === 204 || status === 304) {
      response.writeHeader(...keptOpen);
      response.endWithoutBody();
      return;
    }
    const type = this.#type;
    if (type === contentTypes.html) this.#writeAll(pageHeaders);
    const kept = this.#closes ? type : (keptTypes.get(type) ?? type);
    response.writeHeader("content-type", kept + this.#useFields());
    if (this.sbe?.isDeprecated === true) {
      response.writeHeader("x-mbx-sbe-deprecated", `${spotSchema.id}:${this.sbe.version}`);
    }
    if (this.method === "HEAD") {
      // An answer to HEAD has a length but no body. endWithoutBody() completes it; otherwise the server would treat the
      // call as unanswered.
      response.writeHeader("content-length", `${Buffer.byteLength(this.#text)}`);
      response.endWithoutBody();
    } else {
      response.end(this.#text, this.#closes);
    }
  }

  /** The headers of the reported use, to be appended to another header's value: one library call writes them all. */
  #useFields(): string {
    const weight = this.#usedWeight;
    if (weight < 0) return "";
    return (
      `\r\nx-mbx-used-weight: ${weight}\r\nx-mbx-used-weight-1m: ${weight}` +
      `\r\nx-mbx-order-count-10s: ${this.#ordersPer10s}\r\nx-mbx-order-count-1m: ${this.#ordersPerMinute}`
    );
  }

  #writeMethods(): void {
    this.#response.writeHeader("allow", this.#methods);
    if (typeof this.grant === "string") this.#writeAll(preflightHeaders(this.#methods));
  }

  #writeAll(headers: ReadonlyArray<readonly [name: string, value: string]>): void {
    for (const [name, value] of headers) this.#response.writeHeader(name, value);
  }

  #writeCaching(): void {
    if (this.#etag !== "") this.#response.writeHeader("etag", this.#etag);
    if (this.#caching !== "") this.#response.writeHeader("cache-control", this.#caching);
  }
}
