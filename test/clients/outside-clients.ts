// The clients of other languages that are driven against a venue: what each is called, which published
// packages it is, at which versions, and how its driver is started. Everything is fetched by the language's
// own tool, from files beside the driver that pin it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/tree.ts";
import type { Command } from "./driver-process.ts";
import { pythonEnvironment } from "./python-environment.ts";

export interface OutsideClient {
  readonly title: string;
  readonly language: string;
  /** Below test/clients. */
  readonly folder: string;
  /** Its packages, each with its version. */
  readonly packages: readonly string[];
  readonly timeoutMs: number;
  /** Fetches and builds what is missing; throws with what a user has to install. */
  prepare(): Promise<Command>;
}

const minuteMs = 60_000;

function python(title: string, folder: string, names: readonly string[]): OutsideClient {
  const requirements = `test/clients/${folder}/requirements.txt`;
  const pinned = readFileSync(join(projectRoot, requirements), "utf8").split("\n");
  const packages = names.map((name) => {
    const line = pinned.find((one) => one.toLowerCase().startsWith(`${name}==`));
    if (line === undefined) throw new Error(`${requirements} does not pin ${name}`);
    return line.replace("==", " ");
  });
  return {
    title,
    language: "Python",
    folder,
    packages,
    timeoutMs: 15 * minuteMs,
    prepare: async () => ({
      program: await pythonEnvironment(folder, requirements),
      words: [join(projectRoot, "test/clients", folder, "driver.py")],
      environment: {
        PYTHONPATH: join(projectRoot, "test/clients/python"),
        PYTHONDONTWRITEBYTECODE: "1",
      },
    }),
  };
}

export const outsideClients: readonly OutsideClient[] = [
  python("python-binance", "python-binance", ["python_binance"]),
];
