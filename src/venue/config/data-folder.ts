// The folder of a venue's data, made step by step. The runtime's own recursive call never ends where a
// folder cannot exist, as under /proc; and what is wrong is told with the name of the setting.

import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** PostgreSQL's own user must be able to pass through to its part of the folder; nobody may list it. */
const folderMode = 0o711;

/** What can be done about the disk itself. */
const remedies: Readonly<Record<string, string>> = {
  EROFS: "mount its disk so that it can be written, or ",
  ENOSPC: "make room on its disk, or ",
};

/** Makes `dataDir` (absolute) and what is missing above it; throws words for the operator. */
export async function makeDataFolder(dataDir: string): Promise<void> {
  const missing: string[] = [];
  try {
    for (let path = dataDir; !(await isFolder(path)); path = dirname(path)) missing.push(path);
    for (const path of missing.reverse()) await makeOne(path);
  } catch (cause) {
    throw dataFolderFault(dataDir, cause);
  }
}

/** What is wrong with the folder of DATA_DIR and what can be done, in words for the operator. */
export function dataFolderFault(dataDir: string, cause: unknown): Error {
  const message = cause instanceof Error ? cause.message : String(cause);
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const remedy = remedies[code] ?? "";
  return new Error(
    `DATA_DIR cannot be ${dataDir}: ${message}; ${remedy}set it to a folder of yours`,
  );
}

/** Throws for what is there and no folder. */
async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
  throw new Error(`${path} is no folder`);
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: folderMode });
  } catch (error) {
    // Two starts at once make the same folder.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
