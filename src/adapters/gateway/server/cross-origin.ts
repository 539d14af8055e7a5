// Decides which pages of other sites may read the venue's answers (CORS). A browser asks for permission before it sends
// a key or a token, and withholds answers that are not allowed here. Other clients ignore CORS. The venue has no
// cookies, so a page can only send credentials that it was given.

/** Request headers that a page of another site may send, besides the standard ones. */
const headersTaken = [
  "authorization",
  "content-type",
  "if-none-match",
  "x-mbx-apikey",
  "x-mbx-time-unit",
].join(", ");

/** Response headers that a page of another site may read, besides the standard ones. */
const headersShown = [
  "etag",
  "x-mbx-order-count-10s",
  "x-mbx-order-count-1m",
  "x-mbx-used-weight",
  "x-mbx-used-weight-1m",
].join(", ");

/** Seconds for which a browser may cache the preflight answer. */
const preflightMaxAgeSeconds = 600;

type Headers = ReadonlyArray<readonly [name: string, value: string]>;

export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;
  readonly #isAny: boolean;

  /**
   * `origins` in the form browsers send (`https://desk.example`), or `*` for all; an empty list allows none.
   */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
    this.#isAny = this.#origins.has("*");
  }

  /** True if any origin is allowed. If no origin is allowed, requests need no check. */
  get isUsed(): boolean {
    return this.#origins.size > 0;
  }

  /**
   * Returns the origin (or `*`) that the answer must name, so that a page of `origin` may read it. Returns null if only
   * the venue's own pages may read the answer. `origin` is empty for a request without an origin.
   */
  grant(origin: string): string | null {
    if (this.#isAny) return "*";
    return this.#origins.has(origin) ? origin : null;
  }
}

/**
 * The CORS headers of an answer; if `grant` is null, they grant no access. Unless every origin has access, they include
 * Vary, so that caches store one answer per origin.
 */
export function grantedHeaders(grant: string | null): Headers {
  if (grant === null) return [["vary", "origin"]];
  const shared: Headers = [
    ["access-control-allow-origin", grant],
    ["access-control-expose-headers", headersShown],
  ];
  return grant === "*" ? shared : [...shared, ["vary", "origin"]];
}

/** Headers of the answer to a preflight request; `methods` are the methods of the requested path. */
export function preflightHeaders(methods: string): Headers {
  return [
    ["access-control-allow-methods", methods],
    ["access-control-allow-headers", headersTaken],
    ["access-control-max-age", `${preflightMaxAgeSeconds}`],
  ];
}
