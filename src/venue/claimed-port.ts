// The port of a venue's public door, asked for before anything is started that would need it.

import { createServer } from "node:net";

/**
 * The port for the fronts: `wanted`, or one that is free now. They share it, which the system would
 * let a second venue do too, so it is asked for alone first; throws if somebody has it.
 */
export function claimedPort(host: string, wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ host, port: wanted, exclusive: true }, () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
