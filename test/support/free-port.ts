// Finds a port that is currently unused, for a venue that must restart at the same address.

import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ports that the kernel gives to connections and to servers that let it choose: until a test binds its port, and
 * while its server is down, only another call of this function can take it.
 */
const [lowest, highest] = [12_000, 32_000];
const triesMax = 100;

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries++) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port from ${lowest} to ${highest}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
