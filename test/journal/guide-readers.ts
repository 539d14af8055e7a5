// Runs the programs of docs/guides/journal-export.md as their reader would: next to the code that flatc generates
// from the schema, in a folder without any other file of the project.

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { blocksIn } from "../guides/document-blocks.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const run = promisify(execFile);
const guide = "docs/guides/journal-export.md";

/**
 * Returns every balance above zero in an export file, for one account or for all, as lines such as `1002 spot USDC
 * 12.500000` in any order.
 */
export type ReadBalances = (file: string, account?: number) => Promise<string[]>;

export interface GuideReader {
  readonly balances: ReadBalances;
  close(): Promise<void>;
}

/** The guide's program in TypeScript, with code generated from the text of `schema`. */
export async function typescriptReader(schema: string): Promise<GuideReader> {
  const folder = await readerFolder("ts", schema);
  await build({
    entryPoints: [join(folder, "balances.ts")],
    outfile: join(folder, "balances.mjs"),
    ...{ bundle: true, platform: "node", format: "esm", logLevel: "error" },
    nodePaths: [join(projectRoot, "node_modules")],
  });
  return readerOf(folder, process.execPath, "balances.mjs");
}

/** The guide's program in Python, run by the interpreter `python`, which has the package flatbuffers. */
export async function pythonReader(schema: string, python: string): Promise<GuideReader> {
  return readerOf(await readerFolder("python", schema), python, "balances.py");
}

async function readerFolder(language: "ts" | "python", schema: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rialto-journal-reader-"));
  const [program] = blocksIn(guide, language);
  if (program === undefined || program.name === null)
    throw new Error(`${guide} has no program in ${language}`);
  await writeFile(join(folder, program.name), program.text);
  await writeFile(join(folder, "event.fbs"), schema);
  try {
    await run("flatc", [`--${language}`, "event.fbs"], { cwd: folder });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT")
      throw new Error("flatc is missing: install Debian's flatbuffers-compiler");
    throw error;
  }
  return folder;
}

function readerOf(folder: string, command: string, program: string): GuideReader {
  return {
    balances: async (file, account) => {
      const args = [program, file, ...(account === undefined ? [] : [`${account}`])];
      const { stdout } = await run(command, args, { cwd: folder, maxBuffer: 2 ** 26 });
      return stdout.split("\n").filter((line) => line !== "");
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
