// Tests the lock of a data folder across processes: with a holder that lives, with a holder that is dead, and with
// several processes that find the same dead holder.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { FolderLock, FolderTaken, folderHolder, folderLockFile } from "./folder-lock.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-lock-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Returns the pid of a process that has just ended. */
async function deadPid(): Promise<number> {
  const child = spawn("true");
  await once(child, "exit");
  return child.pid ?? 0;
}

test("OPS-31 one process holds a folder until it releases it", async () => {
  const first = await FolderLock.take(folder, "venue");
  await assert.rejects(FolderLock.take(folder, "command"), FolderTaken);
  const { pid, use } = (await folderHolder(folder)) ?? assert.fail("the folder must have a holder");
  assert.deepEqual([pid, use], [process.pid, "venue"]);
  await first.release();
  assert.equal(await folderHolder(folder), null);
  const second = await FolderLock.take(folder, "command");
  // A second release of the first lock must not release the next holder's lock.
  await first.release();
  assert.notEqual(await folderHolder(folder), null);
  await second.release();
});

test("OPS-31 exactly one of several concurrent starts takes over the folder of a dead process", async () => {
  await writeFile(folderLockFile(folder), `${await deadPid()}\n1 2\nvenue\n`);
  assert.equal(await folderHolder(folder), null);
  const tries = Array.from({ length: 8 }, () => FolderLock.take(folder, "venue"));
  const ended = await Promise.allSettled(tries);
  assert.equal(ended.filter(({ status }) => status === "fulfilled").length, 1);
});

test("OPS-31 a lock file whose pid another process now has does not hold the folder", async () => {
  await FolderLock.take(folder, "venue");
  const text = await readFile(folderLockFile(folder), "utf8");
  const [pid, start, use] = text.split("\n");
  await writeFile(folderLockFile(folder), [pid, `${start}0`, use, ""].join("\n"));
  assert.equal(await folderHolder(folder), null);
  await FolderLock.take(folder, "venue");
});

test("OPS-31 a torn lock file does not hold the folder", async () => {
  for (const text of ["", "\n", "12", "-1\nx\nvenue\n", "0\n\n\n"]) {
    await writeFile(folderLockFile(folder), text);
    assert.equal(await folderHolder(folder), null, JSON.stringify(text));
  }
});
