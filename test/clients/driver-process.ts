// Runs one driver: a program in its client's language that tests the client against the venue. The driver gets the
// venue's address and keys in its environment. It prints one line of JSON per step, and a last line when it has
// finished.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** The features that a driver can prove, in the order of the published matrix. */
export const driverFeatures = [
  "market data",
  "streams",
  "book",
  "orders",
  "order lists",
  "fills",
  "user data",
  "account",
  "trading",
] as const;

export type DriverFeature = (typeof driverFeatures)[number];

export interface DriverStep {
  readonly feature: DriverFeature;
  readonly name: string;
  /** The error message; empty if the step passed. */
  readonly error: string;
}

export interface DriverReport {
  readonly steps: readonly DriverStep[];
  /** Hosts other than this machine that the client tried to reach, in languages where this can be observed. */
  readonly outside: readonly string[];
  /** Why the driver did not finish; empty if it finished. */
  readonly fault: string;
}

export interface Command {
  readonly program: string;
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const noiseMax = 4000;

/** Runs a driver in a folder to its end. After `timeoutMs`, kills the driver and all processes that it started. */
export function runDriver(
  { program, words: text, environment = {} }: Command,
  settings: Readonly<Record<string, string>>,
  { cwd, timeoutMs }: { readonly cwd: string; readonly timeoutMs: number },
): Promise<DriverReport> {
  const env = { ...process.env, ...environment, ...settings };
  const child = spawn(program, text, {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const steps: DriverStep[] = [];
  let outside: readonly string[] | null = null;
  let noise = "";
  const note = (text: string) => {
    noise = `${noise}${text}`.slice(-noiseMax);
  };
  createInterface({ input: child.stdout }).on("line", (line) => {
    const row = rowOf(line);
    if (row === null) note(`${line}\n`);
    else if ("outside" in row) outside = row.outside;
    else steps.push(row);
  });
  child.stderr.setEncoding("utf8").on("data", note);
  const end = () => {
    // Kill the driver's process group, which includes the processes that the driver started. If the group is empty,
    // kill throws, which is fine.
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {}
  };
  const timer = setTimeout(end, timeoutMs);
  return new Promise((resolve) => {
    child.once("error", (error) => note(error.message));
    child.once("close", (code) => {
      clearTimeout(timer);
      end();
      const fault = outside === null ? `the driver ended early (${code}): ${noise}` : "";
      resolve({ steps, outside: outside ?? [], fault });
    });
  });
}

/** Parses a line that the driver printed; returns null for a line that the client printed. */
function rowOf(line: string): DriverStep | { readonly outside: readonly string[] } | null {
  if (!line.startsWith('{"')) return null;
  try {
    const row: unknown = JSON.parse(line);
    const isRow = typeof row === "object" && row !== null && ("outside" in row || "feature" in row);
    return isRow ? (row as DriverStep) : null;
  } catch {
    return null;
  }
}
