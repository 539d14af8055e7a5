// Provides virtual environments for the Python programs that tests run. Each environment has exactly the packages that
// its requirements file pins, in a folder outside the project's sources. The first run creates it; it is created again
// when the file or the interpreter changes. Like pip, this needs access to a package index.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../support/tidy/tree.ts";

const run = promisify(execFile);

/** Python versions for which every pinned package has binaries or builds from source. */
const versions = ["3.12", "3.13"] as const;

/** Some environments build extensions from source, which takes a quarter of an hour on two slow cores. */
const installMs = 45 * 60_000;

const missing = `this test needs Python ${versions.join(" or ")} with its venv module: install it, or name it in PYTHON`;

/**
 * Returns the path of the Python interpreter of the virtual environment `name`, which has exactly the packages of
 * `requirements` (a path in the project; every line is `name==version`). Throws if no suitable Python version is
 * installed, and with pip's last output if pip fails. Calls with the same name must not overlap.
 */
export async function pythonEnvironment(name: string, requirements: string): Promise<string> {
  const folder = join(projectRoot, "node_modules/.python", name);
  const python = join(folder, "bin/python");
  const base = await interpreter();
  const pinned = await readFile(join(projectRoot, requirements), "utf8");
  const wanted = createHash("sha256").update(`${base.version}\n${pinned}`).digest("hex");
  const marker = join(folder, "installed");
  if ((await readFile(marker, "utf8").catch(() => "")) === wanted) return python;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await send(`a virtual environment for ${name}`, base.path, ["-m", "venv", folder]);
  const pip = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"];
  const packages = ["--prefer-binary", "--requirement", join(projectRoot, requirements)];
  await send(`the packages of ${requirements}`, python, [...pip, ...packages]);
  await writeFile(marker, wanted);
  return python;
}

interface Interpreter {
  readonly path: string;
  readonly version: string;
}

async function interpreter(): Promise<Interpreter> {
  const named = process.env["PYTHON"];
  const usual = [...versions.map((version) => `python${version}`), "python3"];
  const candidates = named === undefined ? [...usual, ...(await ofPyenv())] : [named];
  for (const path of candidates) {
    const version = await versionOf(path);
    if (versions.some((one) => version.startsWith(`${one}.`))) return { path, version };
  }
  throw new Error(`${missing}; looked at ${candidates.join(", ")}`);
}

/**
 * Returns the interpreters that pyenv has installed, by path, because pyenv's commands on the PATH start only the
 * selected version.
 */
async function ofPyenv(): Promise<string[]> {
  const lines = async (args: readonly string[]) => {
    const { stdout } = await run("pyenv", args).catch(() => ({ stdout: "" }));
    return stdout.split("\n").filter((line) => line !== "");
  };
  const names = await lines(["versions", "--bare"]);
  const usable = names.filter((name) => versions.some((one) => name.startsWith(`${one}.`)));
  const prefixes = usable.length === 0 ? [] : await lines(["prefix", usable.join(":")]);
  return prefixes.flatMap((line) => line.split(":")).map((prefix) => join(prefix, "bin/python"));
}

/** Returns the version of an interpreter, or an empty string if it does not start. */
async function versionOf(path: string): Promise<string> {
  const program = "import ensurepip, platform, venv; print(platform.python_version())";
  const { stdout } = await run(path, ["-c", program]).catch(() => ({ stdout: "" }));
  return stdout.trim();
}

async function send(what: string, command: string, args: readonly string[]): Promise<void> {
  try {
    await run(command, args, { timeout: installMs, maxBuffer: 2 ** 26 });
  } catch (error) {
    const { stderr = "", message } = error as Error & { readonly stderr?: string };
    throw new Error(`could not install ${what}: ${stderr.trim().slice(-2000) || message}`);
  }
}
