// The folder of a venue's data, made step by step. The runtime's own recursive call never ends where a
// folder cannot exist, as under /proc; and what is wrong is told with the name of the setting.

import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** PostgreSQL's own user must be able to pass through to its part of the folder; nobody may list it. */
const folderMode = 0o711;

/** Makes `dataDir` (absolute) and what is missing above it; throws words for the operator. */
export async function makeDataFolder(dataDir: string): Promise<void> {
  const missing: string[] = [];
  try {
    for (let path = dataDir; !(await isFolder(path)); path = dirname(path)) missing.push(path);
    for (const path of missing.reverse()) await makeOne(path);
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`DATA_DIR cannot be ${dataDir}: ${words}; set it to a folder of yours`);
  }
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
