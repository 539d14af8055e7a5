// The host names of the venue. A signed request is valid only if it was signed for one of them. The Host header
// alone proves nothing, because a relay can choose it. The expected name is configured or, by default, the
// address on which the venue listens. Spec LPS-5.

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1", "[::1]"]);

/** Whether only programs on this machine reach a listener on that host. */
export function isLoopbackHost(host: string): boolean {
  return loopback.has(host);
}

/** Wildcard addresses. They are no host names, so a venue that listens on one of them accepts the loopback names. */
const everywhere: ReadonlySet<string> = new Set(["0.0.0.0", "::", "[::]"]);

/** The normalised form of a host (RFC 9421, 2.2.3): lower case, without port 80 or 443, which the scheme implies. */
export function authorityOf(host: string): string {
  return host.toLowerCase().replace(/:(?:80|443)$/, "");
}

export class PublicAuthority {
  /** The names as clients write them in a URL; the key is the normalised form. */
  #names: ReadonlyMap<string, string>;

  /** `url` is the public URL; null to use the address on which the venue listens, set later by `listens`. */
  constructor(url: string | null) {
    this.#names = namesOf(url === null ? [] : [url]);
  }

  /** Sets the address on which the venue listens; does nothing if a URL is configured. */
  listens(host: string, port: number): void {
    if (this.#names.size > 0) return;
    const isOwn = isLoopbackHost(host) || everywhere.has(host);
    const bare = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
    const hosts = isOwn ? ["localhost", "127.0.0.1", "[::1]"] : [bare];
    this.#names = namesOf(hosts.map((name) => `http://${name}:${port}`));
  }

  /** The venue's name that matches the requested `authority`, as in a URL; the first name if none matches. */
  nameFor(authority: string): string {
    const [first = ""] = this.#names.values();
    return this.#names.get(authorityOf(authority)) ?? first;
  }

  /** Whether `authority` is one of the venue's names. */
  has(authority: string): boolean {
    return this.#names.has(authorityOf(authority));
  }
}

function namesOf(urls: readonly string[]): ReadonlyMap<string, string> {
  const hosts = urls.map((url) => new URL(url).host);
  return new Map(hosts.map((host) => [authorityOf(host), host]));
}
