// Locks a data folder for one living process at a time; a file in the folder names this process. Every command that
// starts or stops a program with data in the folder (PostgreSQL, the development ledger) takes the lock first, so that
// two starts never use one folder.
//
// A killed holder leaves its file behind. The file names the process by pid and start time, which together are unique,
// so a dead holder is recognised and its lock can be taken over. Checking and taking over happen under a second,
// short lock, which a library provides (docs/decisions/0049). Without the short lock, two processes could take over the
// lock of the same dead holder.

import { readFileSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lock } from "proper-lockfile";
import { startOf } from "../process-life.ts";

const fileName = "venue.lock";
const ownerOnly = 0o600;
/**
 * Age in milliseconds at which the short lock is stale. It is held only while a small file is read and written, so an
 * older lock belongs to a process that has ended.
 */
const staleMs = 3_000;
const lookMs = 20;
const looks = 500;
const unheldLookMs = 1_000;

/** Use of the folder: `venue` holds it as long as the venue runs, `command` only briefly. */
export type FolderUse = "venue" | "command";

export interface FolderHolder {
  readonly pid: number;
  /** Start time of the process in the system's format; it distinguishes processes with the same pid. */
  readonly start: string;
  readonly use: FolderUse;
}

/** Reports that the folder is locked by `holder`, a living process. */
export class FolderTaken extends Error {
  readonly holder: FolderHolder;

  constructor(folder: string, holder: FolderHolder) {
    const what =
      holder.use === "venue"
        ? `a venue is already running on ${folder} (process ${holder.pid}): stop it, or set DATA_DIR`
        : `another command is running on ${folder} (process ${holder.pid}): try again when it has ended`;
    super(what);
    this.holder = holder;
  }
}

export class FolderLock {
  readonly #path: string;
  readonly #text: string;

  private constructor(path: string, text: string) {
    this.#path = path;
    this.#text = text;
  }

  /**
   * Locks an existing folder until `release` or until this process ends. Throws FolderTaken if a living process holds
   * the lock, including this process.
   */
  static async take(folder: string, use: FolderUse): Promise<FolderLock> {
    const path = folderLockFile(folder);
    const text = linesOf({ pid: process.pid, start: (await startOf(process.pid)) ?? "", use });
    const retries = { retries: looks, factor: 1, minTimeout: lookMs, maxTimeout: lookMs };
    const release = await lock(path, { realpath: false, stale: staleMs, retries });
    try {
      const holder = await folderHolder(folder);
      if (holder !== null) throw new FolderTaken(folder, holder);
      const unfinished = `${path}.new`;
      await writeFile(unfinished, text, { mode: ownerOnly });
      await rename(unfinished, path);
    } finally {
      await release();
    }
    return new FolderLock(path, text);
  }

  /** Releases the lock. Idempotent. */
  async release(): Promise<void> {
    // Other processes never take over the lock of a living process. So the file either is ours or was already released.
    const text = await readFile(this.#path, "utf8").catch(() => "");
    if (text === this.#text) await rm(this.#path, { force: true });
  }
}

/** Returns the file in `folder` that names the holder: pid, start and use, one per line. */
export function folderLockFile(folder: string): string {
  return join(folder, fileName);
}

/** Returns the living process that holds the folder; null if there is none. */
export async function folderHolder(folder: string): Promise<FolderHolder | null> {
  const [pid = "", start = "", use = ""] = textOf(folderLockFile(folder)).split("\n");
  if (!/^[1-9]\d{0,9}$/.test(pid)) return null;
  const holder: FolderHolder = { pid: Number(pid), start, use: use === "venue" ? use : "command" };
  return (await startOf(holder.pid)) === start ? holder : null;
}

/**
 * Calls `tell` once the folder has had no living holder for `graceMs`. It is for processes that must end with their
 * venue. If a new venue takes the folder within that time, such a process keeps running.
 */
export function whenUnheld(folder: string, graceMs: number, tell: () => void): void {
  let heldMs = performance.now();
  const look = setInterval(async () => {
    if ((await folderHolder(folder)) !== null) heldMs = performance.now();
    if (performance.now() - heldMs < graceMs) return;
    clearInterval(look);
    tell();
  }, unheldLookMs);
  look.unref();
}

function linesOf({ pid, start, use }: FolderHolder): string {
  return `${pid}\n${start}\n${use}\n`;
}

/**
 * Returns the text of a small local file; empty if it cannot be read. It is read at once: an asynchronous read costs an
 * idle process five wake-ups.
 */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
