// Whether a process runs, and since when. An ended process keeps its pid until its parent waits for it, and signals still
// find it; in some containers no parent ever does. Such a process counts as ended here.

import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { bootId } from "./runtime/system-clock.ts";

const run = promisify(execFile);

/** True while a process of any user with this pid runs. Elsewhere than on Linux, also until its parent waits for it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  return process.platform !== "linux" || fieldsOf(pid) !== null;
}

/**
 * Returns the start time of a process as text, for comparison only; null if it does not run. Together with its pid it
 * names a process.
 */
export async function startOf(pid: number): Promise<string | null> {
  if (process.platform === "linux") {
    // The start in ticks is field 22.
    const fields = fieldsOf(pid);
    return fields ? `${bootId() ?? ""} ${fields[19] ?? ""}` : null;
  }
  const { stdout } = await run("ps", ["-o", "lstart=", "-p", String(pid)]).catch(() => ({
    stdout: "",
  }));
  return stdout.trim() === "" ? null : stdout.trim();
}

/**
 * Returns what the kernel says of a process, from field 3 on, its state; null if it has ended, undefined if that cannot be
 * read, as without free descriptors.
 */
function fieldsOf(pid: number): readonly string[] | null | undefined {
  try {
    // An asynchronous read costs an idle process five wake-ups.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Skip the program's name, which may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] !== "Z" && fields[0] !== "X") return fields;
    // The first thread of a process may end before the others, which still write.
    return readdirSync(`/proc/${pid}/task`).length > 1 ? fields : null;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    return code === "ENOENT" || code === "ESRCH" ? null : undefined;
  }
}
