// Runs a load plan in its own process and returns its report.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { LoadPlan, LoadReport } from "./load-process.ts";

const script = fileURLToPath(new URL("./load-process.js", import.meta.url));

/** Runs `plan` in a child process; throws the child's error message if it fails. */
export function generateLoad(plan: LoadPlan): Promise<LoadReport> {
  return new Promise((resolve, reject) => {
    const child = fork(script, { stdio: "inherit" });
    child.once("message", (message: { report?: LoadReport; failure?: string }) => {
      if (message.report !== undefined) resolve(message.report);
      else reject(new Error(`load: ${message.failure ?? "no report"}`));
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the load process ended with ${code}`)));
    child.send(plan);
  });
}
