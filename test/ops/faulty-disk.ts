// A disk of a venue's own that can be filled, broken and mended, mounted where its PostgreSQL lives. It is in
// a mount namespace of the venue's, so that nothing of it is left behind; that takes the rights of root,
// Linux's `unshare` and, for one that breaks, a loop device.

import { execFile, execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** A new cluster takes some 45 MB. */
const diskBytes = 160 * 2 ** 20;
/** Waits until no file is open on a disk that is to be unmounted. */
const unmountTries = 400;

/** Why there can be none here, or null. */
export function hindrance(): string | null {
  if (process.getuid?.() !== 0) return "mounting a small disk takes the rights of root";
  const trial = "f=$(mktemp) && truncate -s 8M $f && mkfs.ext4 -q $f && mount -o loop $f /mnt";
  try {
    execFileSync("unshare", ["-m", "sh", "-c", `${trial}; s=$?; rm -f $f; exit $s`], {
      stdio: "ignore",
    });
    return null;
  } catch {
    return "this machine mounts no files in a namespace of one's own (unshare -m, mkfs.ext4, loop)";
  }
}

/** A command that mounts, by shell words, and then becomes the one behind it. */
export function within(mounting: string): readonly string[] {
  return ["unshare", "-m", "sh", "-c", `${mounting} && exec "$0" "$@"`];
}

export class FaultyDisk {
  readonly #image: string;
  readonly #place: string;

  /** A disk for the venue of `dataDir`, empty. */
  static async make(dataDir: string): Promise<FaultyDisk> {
    const image = join(dataDir, "disk.img");
    const place = join(dataDir, "postgres");
    await mkdir(place);
    await run("truncate", ["-s", `${diskBytes}`, image]);
    // Nothing is kept for root, who would find room where the server does not.
    await run("mkfs.ext4", ["-q", "-m", "0", image]);
    return new FaultyDisk(image, place);
  }

  private constructor(image: string, place: string) {
    this.#image = image;
    this.#place = place;
  }

  /** What begins a process that has the disk; `options` are those of mount. */
  within(options = "loop"): readonly string[] {
    return within(`mount -o ${options} '${this.#image}' '${this.#place}'`);
  }

  /** Uses up all that is free, as process `pid` sees the disk. */
  async fill(pid: number): Promise<void> {
    const filler = `of=${join(this.#place, "filler")}`;
    await this.#inside(pid, "dd", "if=/dev/zero", filler, "bs=16k").catch(() => undefined);
  }

  async free(pid: number): Promise<void> {
    await this.#inside(pid, "rm", join(this.#place, "filler"));
  }

  /** From now on nothing can be written: what a kernel does with a disk that it no longer trusts. */
  async break(pid: number): Promise<void> {
    await this.#inside(pid, "mount", "-o", "remount,abort", this.#place);
  }

  /** Unmounts the disk once it is unused, and mounts it again. */
  async mend(pid: number): Promise<void> {
    const place = `'${this.#place}'`;
    const away = `for i in $(seq ${unmountTries}); do umount ${place} && break; sleep 0.05; done`;
    const mount = `mount -o loop '${this.#image}' ${place}`;
    await this.#inside(pid, "sh", "-c", `${away} 2> /dev/null; ${mount}`);
  }

  #inside(pid: number, ...args: string[]): Promise<unknown> {
    return run("nsenter", ["-t", `${pid}`, "-m", ...args]);
  }
}
