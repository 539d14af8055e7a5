// A file that a command writes. It has a temporary name until it is complete, so that a file with the final name is
// never incomplete. An incomplete file is removed, also on a signal.

import { rmSync } from "node:fs";
import { type FileHandle, open, realpath, rename, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** The destination of a command's bytes. */
export interface Output {
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the written bytes durable and renames the file to its final name. */
  close(): Promise<void>;
  /** Removes an incomplete file; does nothing after `close`. */
  discard(): Promise<void>;
}

export interface OutputOptions {
  /** The option that names the file, for messages. */
  readonly option: string;
  /** Whether an existing file may be replaced. */
  readonly replaces: boolean;
  /** Whether only its owner may read the file, whatever the umask says. */
  readonly isPrivate: boolean;
}

/** Opens `path`, or standard output for `-`. Refuses an existing file without `replaces`, and a non-regular file. */
export async function openOutput(path: string, options: OutputOptions): Promise<Output> {
  return path === "-" ? standardOutput() : OutputFile.open(path, options);
}

/** Each write waits until the data is accepted, because a pipe is only as fast as its reader. */
function standardOutput(): Output {
  const { stdout } = process;
  const written = (bytes: Uint8Array) =>
    new Promise<void>((done, fail) => {
      stdout.write(bytes, (error) => (error ? fail(error) : done()));
    });
  return { write: written, close: async () => undefined, discard: async () => undefined };
}

const endings = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

class OutputFile implements Output {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #partPath: string;
  #isOver = false;
  readonly #endedBy = (signal: NodeJS.Signals): void => {
    this.#removePart();
    process.kill(process.pid, signal);
  };

  static async open(given: string, options: OutputOptions): Promise<OutputFile> {
    const { option, replaces, isPrivate } = options;
    const refused = (why: string) => new Error(`${option} ${given}: ${why}`);
    const there = await stat(given).catch(() => null);
    if (there !== null && !there.isFile()) throw refused("exists and is not a regular file");
    if (there !== null && !replaces) throw refused("already exists; pass --force to replace it");
    // If `path` is a symbolic link, replace the file it points to, so that the link stays.
    const path = there === null ? resolve(given) : await realpath(given);
    const partPath = `${path}.part-${process.pid}`;
    try {
      return new OutputFile(await open(partPath, "wx", isPrivate ? 0o600 : 0o666), path, partPath);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw refused(code === "ENOENT" ? `no folder ${dirname(path)}` : String(error));
    }
  }

  private constructor(handle: FileHandle, path: string, partPath: string) {
    this.#handle = handle;
    this.#path = path;
    this.#partPath = partPath;
    for (const signal of endings) process.once(signal, this.#endedBy);
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#handle.appendFile(bytes);
  }

  async close(): Promise<void> {
    await this.#handle.sync();
    await this.#handle.close();
    await rename(this.#partPath, this.#path);
    this.#letGo();
  }

  async discard(): Promise<void> {
    if (this.#isOver) return;
    await this.#handle.close().catch(() => undefined);
    this.#removePart();
    this.#letGo();
  }

  #removePart(): void {
    rmSync(this.#partPath, { force: true });
  }

  #letGo(): void {
    this.#isOver = true;
    for (const signal of endings) process.off(signal, this.#endedBy);
  }
}
