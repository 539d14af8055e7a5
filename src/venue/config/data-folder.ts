// Creates the data folder level by level, because the runtime's recursive mkdir never returns where no folder can be
// created, as under /proc. Errors name the setting DATA_DIR.

import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * PostgreSQL's user must be able to enter the folder to reach its own subfolder; other users cannot list the folder.
 */
const folderMode = 0o711;

/** Advice for errors of the disk. */
const remedies: Readonly<Record<string, string>> = {
  EROFS: "mount its disk writable, or ",
  ENOSPC: "free space on its disk, or ",
};

/** Creates `dataDir` (absolute) and its missing parents; throws an error with a message for the operator. */
export async function makeDataFolder(dataDir: string): Promise<void> {
  const missing: string[] = [];
  try {
    for (let path = dataDir; !(await isFolder(path)); path = dirname(path)) missing.push(path);
    for (const path of missing.reverse()) await makeOne(path);
  } catch (cause) {
    throw dataFolderFault(dataDir, cause);
  }
}

/** Returns an error that says what is wrong with DATA_DIR and what to do. */
export function dataFolderFault(dataDir: string, cause: unknown): Error {
  const message = cause instanceof Error ? cause.message : String(cause);
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const remedy = remedies[code] ?? "";
  return new Error(
    `DATA_DIR cannot be ${dataDir}: ${message}; ${remedy}set it to a folder you can write to`,
  );
}

/** Throws if `path` exists and is not a folder. */
async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
  throw new Error(`${path} is not a folder`);
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: folderMode });
  } catch (error) {
    // Two concurrent starts may create the same folder.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
