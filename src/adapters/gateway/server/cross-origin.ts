// Which pages of other sites may read the venue's answers (CORS). A browser asks before it sends a key or
// a token, and shows a page nothing that is not allowed here; other clients take no notice. The venue has no
// cookies, so a page can send nothing that it was not given itself.

/** What such a page may send, besides what any page may. */
const headersTaken = [
  "authorization",
  "content-type",
  "if-none-match",
  "x-mbx-apikey",
  "x-mbx-time-unit",
].join(", ");

/** What it may read of an answer, besides what any page may. */
const headersShown = [
  "etag",
  "x-mbx-order-count-10s",
  "x-mbx-order-count-1m",
  "x-mbx-used-weight",
  "x-mbx-used-weight-1m",
].join(", ");

/** Seconds for which a browser need not ask again. */
const preflightMaxAgeSeconds = 600;

type Headers = ReadonlyArray<readonly [name: string, value: string]>;

export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;
  readonly #isAny: boolean;

  /** `origins` as browsers write them (`https://desk.example`), or `*` for all; none allows nobody. */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
    this.#isAny = this.#origins.has("*");
  }

  /** Whether anybody is allowed anything: else no request need be looked at. */
  get isUsed(): boolean {
    return this.#origins.size > 0;
  }

  /** Who may read an answer to a page of `origin`, empty without one; null for the venue's own pages alone. */
  grant(origin: string): string | null {
    if (this.#isAny) return "*";
    return this.#origins.has(origin) ? origin : null;
  }
}

/** What an answer says of who may read it. Caches keep one for each origin, also where it grants nothing. */
export function grantedHeaders(grant: string | null): Headers {
  if (grant === null) return [["vary", "origin"]];
  const shared: Headers = [
    ["access-control-allow-origin", grant],
    ["access-control-expose-headers", headersShown],
  ];
  return grant === "*" ? shared : [...shared, ["vary", "origin"]];
}

/** Headers of the answer to what a browser asks before it sends a page's request; `methods` the path takes. */
export function preflightHeaders(methods: string): Headers {
  return [
    ["access-control-allow-methods", methods],
    ["access-control-allow-headers", headersTaken],
    ["access-control-max-age", `${preflightMaxAgeSeconds}`],
  ];
}
