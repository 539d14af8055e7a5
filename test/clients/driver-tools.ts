// Builds drivers in compiled languages with the language's own tool, into a folder outside the project. Files next
// to each driver pin its dependencies.

import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../support/tidy/tree.ts";
import type { Command } from "./driver-process.ts";

const run = promisify(execFile);
const buildMs = 10 * 60_000;

/** Builds a Go module. `go` must be installed in the version that the module names. */
export async function goDriver(folder: string): Promise<Command> {
  const source = join(projectRoot, "test/clients", folder);
  const program = join(await outputOf(folder), "driver");
  await built("go", "Go (go.dev/dl)", ["build", "-o", program, "."], source);
  return { program, words: [] };
}

/** Compiles a Maven project. `mvn` and a JDK of version 17 or newer must be installed. */
export async function mavenDriver(folder: string, main: string): Promise<Command> {
  const source = join(projectRoot, "test/clients", folder);
  const output = await outputOf(folder);
  const args = ["-q", "-B", "compile", `-Ddriver.output=${output}`];
  await built("mvn", "Maven and a JDK of 17 or newer (Debian: maven, default-jdk)", args, source);
  const libraries = (await readFile(join(output, "classpath"), "utf8")).trim();
  const path = `${join(output, "classes")}:${libraries}`;
  return { program: "java", words: ["-cp", path, main] };
}

async function outputOf(folder: string): Promise<string> {
  const output = join(projectRoot, "node_modules/.drivers", folder);
  await mkdir(output, { recursive: true });
  return output;
}

async function built(
  tool: string,
  named: string,
  args: readonly string[],
  cwd: string,
): Promise<void> {
  try {
    await run(tool, args, { cwd, timeout: buildMs, maxBuffer: 2 ** 26 });
  } catch (error) {
    const fault = error as NodeJS.ErrnoException & { stdout?: string; stderr?: string };
    if (fault.code === "ENOENT") throw new Error(`this client needs ${named}: ${tool} is missing`);
    const said = `${fault.stdout ?? ""}${fault.stderr ?? ""}`.trim().slice(-2000);
    throw new Error(`could not build ${cwd}: ${said || fault.message}`);
  }
}
