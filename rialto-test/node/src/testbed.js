// Finds the test bed that runs on this machine, or starts one: `rialto testbed --idle 60`, which outlives this process and
// ends by itself. Two programs that start one at the same time both use the first.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { controlCall, NotAnswered, RialtoTestError } from "./control-call.js";

/** The first start of a program's version makes the image, which takes some seconds; a busy machine takes longer. */
const startMsMax = 180_000;
const lookMs = 50;
const idleSeconds = 60;
/** The longest path of a socket, as in the program. */
const socketBytesMax = 100;
/** A test bed may end between the moment it was found and the call. */
const callsMax = 3;

/** The test bed's folder: RIALTO_TESTBED, or the one that `rialto testbed` takes. */
function testbedFolder() {
  const { RIALTO_TESTBED, XDG_CACHE_HOME } = process.env;
  if (RIALTO_TESTBED) return resolve(RIALTO_TESTBED);
  return resolve(XDG_CACHE_HOME || join(homedir(), ".cache"), "rialto", "testbed");
}

function socketOf(folder) {
  const path = join(folder, "control.sock");
  if (Buffer.byteLength(path) <= socketBytesMax) return path;
  const digest = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  return join(tmpdir(), `rialto-${digest}.sock`);
}

/** Makes a call of the test bed; starts one if none runs. */
export async function testbedCall(name, parameters) {
  const folder = testbedFolder();
  const path = socketOf(folder);
  for (let calls = 1; ; calls += 1) {
    try {
      return await controlCall(path, name, parameters);
    } catch (error) {
      if (!(error instanceof NotAnswered) || calls === callsMax) throw error;
      await startTestbed(folder, path);
    }
  }
}

/** The program and its first arguments: RIALTO, separated by spaces, or `rialto` on the PATH. */
function commandWords() {
  return (process.env.RIALTO || "rialto").split(" ").filter((word) => word !== "");
}

async function startTestbed(folder, path) {
  const [program, ...words] = commandWords();
  const logFolder = mkdtempSync(join(tmpdir(), "rialto-test-"));
  const logFile = join(logFolder, "testbed.log");
  const log = openSync(logFile, "w", 0o600);
  const args = [...words, "testbed", "--folder", folder, "--idle", String(idleSeconds)];
  const child = spawn(program, args, { detached: true, stdio: ["ignore", log, log] });
  closeSync(log);
  let ended = null;
  child.once("error", (error) => {
    ended = error.code === "ENOENT" ? `there is no program ${program}` : error.message;
  });
  const noteEnd = (code) => {
    ended = readFileSync(logFile, "utf8").trim() || `it ended with ${code}`;
  };
  child.once("exit", noteEnd);
  child.unref();
  try {
    for (const untilMs = performance.now() + startMsMax; !(await isAnswered(path)); ) {
      // Another program was faster: its test bed answers soon.
      const isOurs = ended === null || ended.includes("a test bed is already running");
      if (!isOurs) throw new RialtoTestError(`the test bed did not start: ${ended}\n${advice}`);
      if (performance.now() > untilMs)
        throw new RialtoTestError(`no test bed answers at ${path} after ${startMsMax / 1000} s`);
      await sleep(lookMs);
    }
  } finally {
    // Its end is nobody's business from now on, and its log is gone.
    child.off("exit", noteEnd);
    rmSync(logFolder, { recursive: true, force: true });
  }
}

const advice =
  'Install rialto on the PATH, or set RIALTO to its command, such as RIALTO="node /path/to/rialto.js".';

function isAnswered(path) {
  return controlCall(path, "ping").then(
    () => true,
    (error) => {
      if (error instanceof NotAnswered) return false;
      throw error;
    },
  );
}
