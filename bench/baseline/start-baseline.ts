// Starts a baseline server as a child process and returns its address.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import type { BaselinePlan } from "./baseline-process.ts";

const script = fileURLToPath(new URL("./baseline-process.js", import.meta.url));

export interface Baseline {
  readonly endpoint: Endpoint;
  readonly pid: number;
  stop(): void;
}

/** Starts the server of `plan` in a child process; throws if that process ends before the server answers. */
export function startBaseline(plan: BaselinePlan): Promise<Baseline> {
  return new Promise((resolve, reject) => {
    const child = fork(script, { stdio: "inherit" });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the baseline server ended with ${code}`)));
    child.once("message", ({ port }: { port: number }) => {
      child.removeAllListeners("exit");
      const pid = child.pid ?? 0;
      resolve({ endpoint: { host: "127.0.0.1", port }, pid, stop: () => child.disconnect() });
    });
    child.send(plan);
  });
}
