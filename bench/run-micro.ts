// Runs micro benchmarks by name and remembers their figures.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { profiling } from "./report/profiling.ts";

const script = fileURLToPath(new URL("./micro-process.js", import.meta.url));

type Figures = Readonly<Record<string, number>>;

/** Runs `bench/micro/<name>.bench.ts` and answers its figures; a second asking costs nothing. */
export function microRunner(): (name: string) => Promise<Figures> {
  const results = new Map<string, Promise<Figures>>();
  return (name) => {
    const result = results.get(name) ?? runMicro(name);
    results.set(name, result);
    return result;
  };
}

function runMicro(name: string): Promise<Figures> {
  return new Promise((resolve, reject) => {
    const child = fork(script, [name], {
      stdio: "inherit",
      execArgv: ["--expose-gc", ...profiling],
    });
    child.once("message", (figures: Figures) => resolve(figures));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${name}: ended with ${code}`)));
  });
}
