// A fixed loopback address that leads to a server, as HAProxy does in a deployment. Where it leads can change, and the
// way can be blocked in one direction or in both, as by a cut network: nothing passes and no connection ends. What was
// sent meanwhile passes later, as TCP's repetitions do.

import { connect, createServer, type Server, type Socket } from "node:net";

/** Up: from clients to the server. */
export type Blocked = "up" | "down" | "both";

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
}

export class AddressRelay {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #port: number;
  #blocked: Blocked | null = null;

  static async open(port: number): Promise<AddressRelay> {
    const server = createServer((client) => relay.#join(client));
    const relay = new AddressRelay(server, port);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return relay;
  }

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.#port = port;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  #join(client: Socket): void {
    const upstream = connect(this.#port, "127.0.0.1");
    const pair = { client, upstream };
    this.#pairs.add(pair);
    const end = () => {
      client.destroy();
      upstream.destroy();
      this.#pairs.delete(pair);
    };
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.on("close", end);
    }
    this.#connect(pair);
  }

  /** Lets pass what is not blocked. */
  #connect({ client, upstream }: Pair): void {
    const pass = (from: Socket, to: Socket, way: Blocked) => {
      from.unpipe();
      if (this.#blocked === way || this.#blocked === "both") from.pause();
      else from.pipe(to);
    };
    pass(client, upstream, "up");
    pass(upstream, client, "down");
  }

  /** Lets nothing pass in this direction until `unblock`, on open connections and on new ones. */
  block(blocked: Blocked): void {
    this.#blocked = blocked;
    for (const pair of this.#pairs) this.#connect(pair);
  }

  unblock(): void {
    this.#blocked = null;
    for (const pair of this.#pairs) this.#connect(pair);
  }

  /** Leads new connections to `port` and cuts the others. */
  lead(port: number): void {
    this.#port = port;
    this.cut();
  }

  /** Cuts all connections, or resets them; new ones are accepted. */
  cut(how: "cut" | "reset" = "cut"): void {
    for (const { client, upstream } of this.#pairs) {
      for (const socket of [client, upstream]) {
        if (how === "reset") socket.resetAndDestroy();
        else socket.destroy();
      }
    }
    this.#pairs.clear();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
