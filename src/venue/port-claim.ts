// The port of the public API from the start of a venue or gateway until its fronts listen. Fronts share the port, so the
// system would let a second venue share it too: the start looks first whether it can have the port alone. A free port that
// the system chose is held meanwhile, because the system would give it to any other process; whoever connects there before
// the fronts listen is sent away.

import { createServer, type Server } from "node:net";

export class PortClaim {
  readonly port: number;
  #holder: Server | null;

  /** Claims `wanted`, or a free port if that is 0; throws if the port is taken. */
  static async of(host: string, wanted: number): Promise<PortClaim> {
    const holder = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve, reject) => {
      holder.once("error", reject);
      holder.listen({ host, port: wanted, exclusive: true }, resolve);
    });
    // A client that cannot be accepted is no fault of the holder.
    holder.on("error", () => undefined);
    // A start that fails leaves nothing that keeps its process alive.
    holder.unref();
    const address = holder.address();
    const claim = new PortClaim(
      typeof address === "object" && address !== null ? address.port : 0,
      holder,
    );
    // Clients know a port that was asked for, and must not reach what only holds it.
    if (wanted !== 0) await claim.release();
    return claim;
  }

  private constructor(port: number, holder: Server) {
    this.port = port;
    this.#holder = holder;
  }

  /** Frees the port, so that the fronts or the follower's server can listen on it. Idempotent. */
  async release(): Promise<void> {
    const holder = this.#holder;
    this.#holder = null;
    if (holder !== null) await new Promise<void>((resolve) => holder.close(() => resolve()));
  }
}
