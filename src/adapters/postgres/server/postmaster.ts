// Finds a running PostgreSQL server by the pid file in its data folder. Pids are reused, so a process is adopted or
// signalled only if it is a server whose working folder is this data folder.

import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { isAlive } from "../../process-life.ts";

const run = promisify(execFile);

/** Contents of a running server's pid file. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Folder of the server's socket, or the address on which it listens. */
  readonly host: string;
  readonly status: "starting" | "ready" | "stopping";
}

/**
 * Result of a search. `none`: there is no pid file. `dead`: the file's process has ended; a new server can start,
 * because it replaces such a file. `foreign`: the file does not name a server of this folder.
 */
export type PostmasterFinding = Postmaster | "none" | "dead" | "foreign";

/** Looks for a running server of this data folder. */
export async function findPostmaster(cluster: string): Promise<PostmasterFinding> {
  const text = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => null);
  if (text === null) return "none";
  // The file's lines are: pid, data folder, start time, port, socket folder, address, shared memory, status.
  const lines = text.split("\n").map((line) => line.trim());
  const pid = Math.abs(Number.parseInt(lines[0] ?? "", 10));
  if (!Number.isSafeInteger(pid) || pid === 0) return "foreign";
  if (!isAlive(pid)) return "dead";
  if (!(await isServerOf(pid, cluster))) return isAlive(pid) ? "foreign" : "dead";
  const status = lines[7] ?? "";
  return {
    pid,
    port: Number.parseInt(lines[3] ?? "", 10),
    host: lines[4] || lines[5] || "127.0.0.1",
    status: status === "ready" || status === "stopping" ? status : "starting",
  };
}

/** True if `pid` is a PostgreSQL server whose data folder is `cluster`. */
export async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  if (process.platform !== "linux") {
    const { stdout } = await run("ps", ["-o", "args=", "-p", String(pid)]).catch(() => ({
      stdout: "",
    }));
    return stdout.includes("postgres") && stdout.includes(cluster);
  }
  try {
    // A server changes into its data folder at start and stays there.
    const folder = await readlink(`/proc/${pid}/cwd`);
    const program = await readlink(`/proc/${pid}/exe`);
    return folder === cluster && basename(program).startsWith("postgres");
  } catch {
    return false;
  }
}
