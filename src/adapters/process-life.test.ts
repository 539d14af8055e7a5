// Proves that processes are told apart, and that an ended one counts as ended although its pid is still taken.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, startOf } from "./process-life.ts";

test("a running process is alive and has a start time", async () => {
  assert.equal(isAlive(process.pid), true);
  assert.equal(await startOf(process.pid), await startOf(process.pid));
  assert.notEqual(await startOf(process.pid), null);
  assert.notEqual(await startOf(process.pid), await startOf(process.ppid));
});

test("no process has a pid that the system never gives", async () => {
  assert.equal(isAlive(999_999_999), false);
  assert.equal(await startOf(999_999_999), null);
});

const onlyLinux = process.platform === "linux" ? false : "only Linux tells an ended process";

test("OPS-32 an ended process is not alive while no parent waits for it", {
  skip: onlyLinux,
}, async (t) => {
  const shell = spawn("/bin/sh", ["-c", "sleep 600 & echo $!; exec sleep 600"], { stdio: "pipe" });
  t.after(() => shell.kill("SIGKILL"));
  const [printed] = (await once(shell.stdout, "data")) as [Buffer];
  const pid = Number(printed.toString("utf8"));
  const untilMs = performance.now() + 60_000;
  // A shell would wait for the process; a sleep does not.
  while ((await readFile(`/proc/${shell.pid}/comm`, "utf8")) !== "sleep\n") {
    assert(performance.now() < untilMs, "the shell must become a sleep");
    await sleep(10);
  }
  assert.equal(isAlive(pid), true);
  process.kill(pid, "SIGKILL");
  while (isAlive(pid)) {
    assert(performance.now() < untilMs, "the process must end");
    await sleep(10);
  }
  // Signals still find it.
  assert.doesNotThrow(() => process.kill(pid, 0));
  assert.equal(await startOf(pid), null);
});
