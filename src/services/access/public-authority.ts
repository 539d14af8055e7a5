// The names under which somebody is asked: a signed request counts only where it was signed for one of them.
// The Host header says whom the sender's connection reached, which whoever relays a request may choose; so
// what is expected is configured, and where it is not, it is the address listened on. Spec LPS-5.

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1", "[::1]"]);
/** Listening on all addresses says nothing about names: this machine's own are left. */
const everywhere: ReadonlySet<string> = new Set(["0.0.0.0", "::", "[::]"]);

/** RFC 9421, 2.2.3: in lower case, without a port that the scheme implies. */
export function authorityOf(host: string): string {
  return host.toLowerCase().replace(/:(?:80|443)$/, "");
}

export class PublicAuthority {
  #names: ReadonlySet<string>;

  /** `url` is where others reach it; null for wherever it listens. */
  constructor(url: string | null) {
    this.#names = new Set(url === null ? [] : [authorityOf(new URL(url).host)]);
  }

  /** It answers on an address of its own; changes nothing where a URL is configured. */
  listens(host: string, port: number): void {
    if (this.#names.size > 0) return;
    const isOwn = loopback.has(host) || everywhere.has(host);
    const bare = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
    const hosts = isOwn ? ["localhost", "127.0.0.1", "[::1]"] : [bare];
    this.#names = new Set(hosts.map((name) => authorityOf(`${name}:${port}`)));
  }

  /** The name of its own that whoever asked under `authority` knows it by; the first where it is none. */
  nameFor(authority: string): string {
    const [first = ""] = this.#names;
    return this.has(authority) ? authorityOf(authority) : first;
  }

  /** Whether a request for `authority` is one for it. */
  has(authority: string): boolean {
    return this.#names.has(authorityOf(authority));
  }
}
