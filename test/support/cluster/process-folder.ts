// Processes are known by their working folder: each server of a cluster starts in a folder of its own, and so do its
// children, also those that a server starts in the background. A signal therefore reaches a whole "machine" and no
// process of anybody else. A guard ends what is left if the test process dies.

import { spawn } from "node:child_process";
import { readdir, readlink } from "node:fs/promises";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Passes over the process list; each pass finds children that were started during the previous one. */
const passesMax = 100;
const passMs = 20;
/** Longest end of killed processes in ms: one that writes to a busy disk ends only when it has written. */
const endMsMax = 60_000;

/** Returns the ids of all living processes whose working folder is `folder` or inside it. */
export async function processesIn(folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // The folder of a process that ended, or of another user's process, cannot be read.
    const place = await readlink(`/proc/${name}/cwd`).catch(() => "");
    if (place === folder || place.startsWith(`${folder}/`)) found.push(Number(name));
  }
  return found;
}

/** Ends every process in the folder at once, as a power failure does; resolves when none is left. */
export async function killAllIn(folder: string): Promise<void> {
  for (const endMs = performance.now() + endMsMax; performance.now() < endMs; ) {
    const pids = await processesIn(folder);
    if (pids.length === 0) return;
    for (const pid of pids) signalIfThere(pid, "SIGKILL");
    await sleep(passMs);
  }
  throw new Error(`processes in ${folder} do not end`);
}

/** Stops or continues every process in the folder; resolves when no process is left that did not get the signal. */
export async function signalAllIn(folder: string, signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
  const reached = new Set<number>();
  for (let pass = 0; pass < passesMax; pass += 1) {
    const fresh = (await processesIn(folder)).filter((pid) => !reached.has(pid));
    if (fresh.length === 0) return;
    for (const pid of fresh) {
      signalIfThere(pid, signal);
      reached.add(pid);
    }
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended by itself.
  }
}

/** Reads a pipe that only the test process holds open; after its end, kills what works in the folder and removes it. */
const guardScript = `
read -r _
for pass in 1 2 3 4 5; do
  for entry in /proc/[0-9]*; do
    case $(readlink "$entry/cwd" 2>/dev/null) in
      "$1"|"$1"/*) kill -KILL "\${entry#/proc/}" 2>/dev/null ;;
    esac
  done
  sleep 0.1
done
rm -rf "$1"
`;

/** Watches over `folder` until this process ends. Returns a function that ends the watch. */
export function guardFolder(folder: string): () => void {
  const args = ["-c", guardScript, "rialto-folder-guard", folder];
  // Run the guard in its own session, so that Ctrl-C does not end it before the test process.
  const guard = spawn("/bin/sh", args, {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  return () => {
    guard.kill("SIGKILL");
  };
}
