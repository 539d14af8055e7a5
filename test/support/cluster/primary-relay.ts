// A fixed loopback address that leads to whichever server is the primary, as HAProxy does in a deployment. Connections
// to the previous primary are cut when it changes.

import { connect, createServer, type Server, type Socket } from "node:net";

export class PrimaryRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port: number;

  static async open(port: number): Promise<PrimaryRelay> {
    const server = createServer((client) => relay.#join(client));
    const relay = new PrimaryRelay(server, port);
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
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
    }
    client.pipe(upstream);
    upstream.pipe(client);
    const end = () => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        this.#sockets.delete(socket);
      }
    };
    client.on("close", end);
    upstream.on("close", end);
  }

  /** Leads new connections to `port` and cuts the others. */
  lead(port: number): void {
    this.#port = port;
    this.cut();
  }

  /** Cuts all connections, or resets them; new ones are accepted. */
  cut(how: "cut" | "reset" = "cut"): void {
    for (const socket of this.#sockets) {
      if (how === "reset") socket.resetAndDestroy();
      else socket.destroy();
    }
    this.#sockets.clear();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
