// The data folder of a fork while it is made: new or empty, and held by this process. Of a fork that fails, nothing is left.

import { mkdir, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FolderLock } from "../../adapters/runtime/folder-lock.ts";
import { commandTurn } from "../folder-turn.ts";
import { WrongValue } from "../operator/operator-commands.ts";
import { beginForkFile } from "./fork-file.ts";

export class ForkFolder {
  readonly path: string;
  readonly #isNew: boolean;
  readonly #lock: FolderLock;

  private constructor(path: string, isNew: boolean, lock: FolderLock) {
    this.path = path;
    this.#isNew = isNew;
    this.#lock = lock;
  }

  /** Takes `path` (absolute). Throws a WrongValue if something is in it. */
  static async take(path: string): Promise<ForkFolder> {
    const entries = await entriesOf(path);
    if (entries !== null && entries.length > 0) throw notEmpty(path);
    const lock = await commandTurn(path);
    if (lock === null) throw notEmpty(path);
    const folder = new ForkFolder(path, entries === null, lock);
    try {
      await beginForkFile(path);
    } catch (error) {
      await folder.discard();
      throw error;
    }
    return folder;
  }

  /** Keeps what was made. */
  async keep(): Promise<void> {
    await this.#lock.release();
  }

  /** Removes what was made; an empty folder that was there before stays. */
  async discard(): Promise<void> {
    await this.#lock.release();
    // The server's files may be elsewhere, behind a link.
    const server = await realpath(join(this.path, "postgres")).catch(() => null);
    if (server !== null) await rm(server, { recursive: true, force: true });
    await rm(this.path, { recursive: true, force: true });
    if (!this.#isNew) await mkdir(this.path);
  }
}

function notEmpty(path: string): WrongValue {
  return new WrongValue(
    `--data-dir ${path}: expected a folder that does not exist yet, or an empty one`,
  );
}

/** The names in a folder; null if it does not exist. */
async function entriesOf(path: string): Promise<string[] | null> {
  try {
    return await readdir(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT") return null;
    if (code === "ENOTDIR") throw notEmpty(path);
    throw error;
  }
}
