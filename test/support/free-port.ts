// Finds a port that is currently unused, for a venue that must restart at the same address.

import { createServer } from "node:net";

/**
 * Below the ports that the kernel chooses for connections and listeners, so that none of these takes the port while its
 * owner starts or restarts.
 */
const lowest = 10_000;
const count = 20_000;

/** Processes begin far apart, so that two of them rarely try the same port. */
let tried = (process.pid * 97) % count;

export async function freePort(): Promise<number> {
  for (let left = count; left > 0; left--) {
    const port = lowest + tried;
    tried = (tried + 1) % count;
    if (await isFree(port)) return port;
  }
  throw new Error("every port is in use");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
