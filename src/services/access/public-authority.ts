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
  /** As clients write them in a URL, by what they are compared as. */
  #names: ReadonlyMap<string, string>;

  /** `url` is where others reach it; null for wherever it listens. */
  constructor(url: string | null) {
    this.#names = namesOf(url === null ? [] : [url]);
  }

  /** It answers on an address of its own; changes nothing where a URL is configured. */
  listens(host: string, port: number): void {
    if (this.#names.size > 0) return;
    const isOwn = loopback.has(host) || everywhere.has(host);
    const bare = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
    const hosts = isOwn ? ["localhost", "127.0.0.1", "[::1]"] : [bare];
    this.#names = namesOf(hosts.map((name) => `http://${name}:${port}`));
  }

  /**
   * The name of its own that whoever asked under `authority` knows it by, as in a URL; the first where it is
   * none.
   */
  nameFor(authority: string): string {
    const [first = ""] = this.#names.values();
    return this.#names.get(authorityOf(authority)) ?? first;
  }

  /** Whether a request for `authority` is one for it. */
  has(authority: string): boolean {
    return this.#names.has(authorityOf(authority));
  }
}

function namesOf(urls: readonly string[]): ReadonlyMap<string, string> {
  const hosts = urls.map((url) => new URL(url).host);
  return new Map(hosts.map((host) => [authorityOf(host), host]));
}
