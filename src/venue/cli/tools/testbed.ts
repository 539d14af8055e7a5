// `rialto testbed`: holds a test bed, from which the packages of rialto-test open venues. It ends on Ctrl-C, or after
// it was idle for the time that it was given.

import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command, InvalidArgumentError } from "commander";
import { controlSocketPath, openControlSocket } from "../../../adapters/runtime/control-socket.ts";
import { type FolderLock, FolderTaken } from "../../../adapters/runtime/folder-lock.ts";
import { createLog } from "../../../adapters/telemetry/log.ts";
import { venueTurn } from "../../folder-turn.ts";
import { programVersion } from "../../program-version.ts";
import type { Testbed } from "../../testbed/testbed.ts";
import { say, show, speaksJson } from "../terminal/output.ts";
import { integer } from "./arguments.ts";

interface TestbedOptions {
  readonly folder?: string;
  readonly idle?: number;
}

const idleSecondsMax = 86_400;
const lookMs = 250;

const examples = `
Examples:
  $ rialto testbed                       until Ctrl-C, in the folder that rialto-test uses
  $ rialto testbed --idle 60             ends by itself a minute after its last venue was closed

A test bed holds one PostgreSQL and the image of a venue. Test programs open venues from it in about a second, each
with books, accounts and data of its own, and their data is dropped when they end. The packages of rialto-test start
one themselves if none runs. docs/guides/test-your-bot.md shows how tests use it.
`;

export function testbedCommand(): Command {
  return new Command("testbed")
    .description("hold a test bed, from which tests open venues quickly")
    .option("--folder <path>", "the test bed's folder (default: in the user's cache)")
    .option(
      "--idle <seconds>",
      "end when no venue was open for this long (default: never)",
      integer(1, idleSecondsMax),
    )
    .addHelpText("after", examples)
    .action(run);
}

async function run({ folder: given, idle }: TestbedOptions): Promise<void> {
  if (process.env["NODE_ENV"] === "production")
    throw new InvalidArgumentError("rialto testbed: expected NODE_ENV other than production");
  // A signal counts from the begin: making the image takes a while, and its venue is a process of its own.
  const over = endingSignal();
  const { Testbed } = await import("../../testbed/testbed.ts");
  const { testbedCalls, testbedFolder } = await import("../../testbed/testbed-calls.ts");
  const folder = given === undefined ? testbedFolder(process.env) : resolve(given);
  const path = controlSocketPath(folder);
  const lock = await bedTurn(folder);
  try {
    const [, program = ""] = process.argv;
    const log = createLog(process.env["LOG_LEVEL"] ?? "warn", "testbed");
    const parts = { folder, program, programId: programIdOf(program), log };
    const bed = await Testbed.open(parts, over);
    if (bed === null) return;
    try {
      const server = await openControlSocket(path, testbedCalls(bed));
      if (speaksJson()) show({ control: path, folder });
      else say(`A test bed is open: venues start from ${folder}. Ctrl-C ends it.`);
      await ended(bed, over, idle === undefined ? Number.POSITIVE_INFINITY : idle * 1000);
      server.close();
      server.closeAllConnections();
    } finally {
      await bed.close();
    }
  } finally {
    await lock.release();
  }
}

/** Locks the folder for a test bed; throws if one runs or starts there. */
async function bedTurn(folder: string): Promise<FolderLock> {
  try {
    return await venueTurn(folder);
  } catch (error) {
    if (!(error instanceof FolderTaken)) throw error;
    throw new Error(
      `a test bed is already running on ${folder} (process ${error.holder.pid}): use it, or choose another --folder`,
    );
  }
}

/** Is aborted by the first signal that ends the process; another one does nothing more. */
function endingSignal(): AbortSignal {
  const over = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => over.abort());
  return over.signal;
}

/** Resolves on a signal, or when the test bed was idle for `idleMs`. */
async function ended(bed: Testbed, signal: AbortSignal, idleMs: number): Promise<void> {
  while (!signal.aborted && bed.idleMs < idleMs)
    await sleep(lookMs, undefined, { signal }).catch(() => undefined);
}

/** Names the built program: another build has another image. */
function programIdOf(program: string): string {
  const { mtimeMs, size } = statSync(program);
  const words = `${programVersion()} ${mtimeMs} ${size}`;
  return createHash("sha256").update(words).digest("hex").slice(0, 12);
}
