// Starts a test bed, lets it end, and goes on.

import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openVenue } from "rialto-test";

const { RIALTO_TESTBED: folder = "" } = process.env;
const ping = () =>
  new Promise((resolve, reject) => {
    const options = { socketPath: join(folder, "control.sock"), path: "/ping", method: "POST" };
    const outgoing = request(options, async (incoming) => {
      let text = "";
      for await (const part of incoming) text += part;
      resolve(JSON.parse(text).result);
    });
    outgoing.on("error", reject);
    outgoing.end("{}");
  });
const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const venue = await openVenue();
await venue.close();
const { pid } = await ping();
process.kill(pid, "SIGTERM");
while (isAlive(pid)) await sleep(20);
// Its end is told after it was noticed.
await sleep(200);
process.stdout.write("the test bed has ended\n");
