// A file that a command makes: it is written beside its name and gets that name when it is whole, so that
// whoever finds the name finds all of it. What is left half done is taken away, by a signal too.

import { rmSync } from "node:fs";
import { type FileHandle, open, realpath, rename, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Where a command's bytes go, one piece after the other. */
export interface Output {
  write(bytes: Uint8Array): Promise<void>;
  /** Everything is written: makes it last, and gives it its name. */
  close(): Promise<void>;
  /** Nothing of it is to stay; also after `close`, where it does nothing. */
  discard(): Promise<void>;
}

export interface OutputOptions {
  /** The option that names the file, for messages. */
  readonly option: string;
  /** Whether a file that is there may be replaced. */
  readonly replaces: boolean;
}

/** `path`, or standard output for `-`. Refuses what is there already, and what is no regular file. */
export async function openOutput(path: string, options: OutputOptions): Promise<Output> {
  return path === "-" ? standardOutput() : OutputFile.open(path, options);
}

/** A pipe takes what its reader takes: each piece is waited for. */
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

  static async open(given: string, { option, replaces }: OutputOptions): Promise<OutputFile> {
    const refused = (why: string) => new Error(`${option} ${given}: ${why}`);
    const there = await stat(given).catch(() => null);
    if (there !== null && !there.isFile()) throw refused("is there and is no regular file");
    if (there !== null && !replaces) throw refused("is there already; --force replaces it");
    // A link stays a link to the new file.
    const path = there === null ? resolve(given) : await realpath(given);
    const partPath = `${path}.part-${process.pid}`;
    try {
      return new OutputFile(await open(partPath, "wx"), path, partPath);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw refused(code === "ENOENT" ? `there is no folder ${dirname(path)}` : String(error));
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
