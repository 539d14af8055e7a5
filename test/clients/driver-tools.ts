// Prepares drivers: installs or builds each with its language's own tool, into a folder outside the project. Files next
// to each driver pin its dependencies.

import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../support/tidy/tree.ts";
import type { Command } from "./driver-process.ts";
import { pythonEnvironment } from "./python-environment.ts";

const run = promisify(execFile);
const buildMs = 10 * 60_000;

/** A Rust driver is compiled with all its dependencies, which takes a quarter of an hour on two slow cores. */
const cargoMs = 45 * 60_000;

/** Installs what a driver in Python requires. Python must be installed, in a version that `pythonEnvironment` takes. */
export async function pythonDriver(folder: string): Promise<Command> {
  const drivers = join(projectRoot, "test/clients");
  return {
    program: await pythonEnvironment(folder, `test/clients/${folder}/requirements.txt`),
    words: [join(drivers, folder, "driver.py")],
    environment: { PYTHONPATH: join(drivers, "python"), PYTHONDONTWRITEBYTECODE: "1" },
  };
}

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

/**
 * Builds a Rust crate, with the toolchain that its folder pins. rustup must be installed; it downloads the toolchain
 * where it is missing.
 */
export async function cargoDriver(folder: string): Promise<Command> {
  const source = join(projectRoot, "test/clients", folder);
  const output = await outputOf(folder);
  await built("rustup", "Rust (rustup.rs)", ["toolchain", "install"], source);
  const args = ["build", "--quiet", "--locked", "--target-dir", output];
  await built("cargo", "Rust (rustup.rs)", args, source, cargoMs);
  return { program: join(output, "debug/driver"), words: [] };
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
  timeout = buildMs,
): Promise<void> {
  try {
    await run(tool, args, { cwd, timeout, maxBuffer: 2 ** 26 });
  } catch (error) {
    const fault = error as NodeJS.ErrnoException & { stdout?: string; stderr?: string };
    if (fault.code === "ENOENT") throw new Error(`this client needs ${named}: ${tool} is missing`);
    const said = `${fault.stdout ?? ""}${fault.stderr ?? ""}`.trim().slice(-2000);
    throw new Error(`could not build ${cwd}: ${said || fault.message}`);
  }
}
