// Stops the embedded PostgreSQL after its venue ended without stopping it, for example by SIGKILL. The server itself
// does not notice the venue's end. Therefore a small shell process watches a pipe that only the venue holds open, and
// that closes when the venue ends.
//
//   venue lives ──pipe ends──▶ grace ──a new venue holds the folder──▶ nothing to do: that venue has its own guard
//                                │
//                                └──no holder after some seconds──▶ fast stop of the server
//
// During the grace period, a venue that restarts at once can adopt the running server.

import { spawn } from "node:child_process";
import { Socket } from "node:net";

/** Time in seconds that the guard waits for the next venue before it stops the server. */
const graceSeconds = 10;

/**
 * Finds the server by its pid file and signals it only if its command line names the data folder, because pids are
 * reused. SIGINT makes the server stop fast, with a checkpoint. The script distinguishes a dead venue from the next one
 * by the first line of the holder file. The pid alone is not enough: an ended process keeps its pid until its parent
 * reads its exit status, and some parents never do.
 */
const script = `
cluster=$1; lock=$2; left=$3
watched=$(cat "$lock" 2>/dev/null)
read -r _
server() {
  pid=$(head -n 1 "$cluster/postmaster.pid" 2>/dev/null) || return 1
  [ -n "$pid" ] || return 1
  words=$(tr '\\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null || ps -o args= -p "$pid" 2>/dev/null)
  case $words in *"$cluster"*) return 0 ;; *) return 1 ;; esac
}
while server; do
  now=$(cat "$lock" 2>/dev/null)
  if [ "$now" != "$watched" ] && kill -0 "\${now%%[!0-9]*}" 2>/dev/null; then exit 0; fi
  if [ "$left" -le 0 ]; then kill -INT "$pid" 2>/dev/null; exit 0; fi
  left=$((left - 1))
  sleep 1
done
`;

export interface GuardedServer {
  /** Data folder of the server. */
  readonly cluster: string;
  /** A file whose first line names the process that holds the venue's folder; it may be missing. */
  readonly holderFile: string;
}

/**
 * Starts watching, which costs one sleeping process. Returns a function that ends the watch without stopping anything.
 */
export function guardPostgres({ cluster, holderFile }: GuardedServer): () => void {
  const args = ["-c", script, "rialto-guard", cluster, holderFile, String(graceSeconds)];
  // Run the guard in its own session, so that signals to the venue's process group do not end it first.
  const guard = spawn("/bin/sh", args, { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  // If the guard cannot be started, the venue runs without it; the next start still finds the server.
  guard.on("error", () => undefined);
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  return () => {
    guard.kill("SIGKILL");
  };
}
