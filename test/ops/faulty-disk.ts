// A disk for one venue that the test can fill, break and repair, mounted where the venue's PostgreSQL stores its data.
// The mount is in the venue's own mount namespace, so it disappears when the venue's last process ends. This needs
// root, Linux's `unshare` and a loop device.

import { execFile, execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Size of the disk; a new PostgreSQL cluster takes about 45 MB. */
const diskBytes = 160 * 2 ** 20;
/** Number of attempts to unmount a disk, which fails while a file on it is open. */
const unmountTries = 2_400;

/** Returns why this machine cannot have such a disk, or null if it can. */
export function hindrance(): string | null {
  if (process.getuid?.() !== 0) return "mounting a small disk needs root";
  const trial = "f=$(mktemp) && truncate -s 8M $f && mkfs.ext4 -q $f && mount -o loop $f /mnt";
  try {
    execFileSync("unshare", ["-m", "sh", "-c", `${trial}; s=$?; rm -f $f; exit $s`], {
      stdio: "ignore",
    });
    return null;
  } catch {
    return "this machine cannot mount a file as a disk in its own mount namespace (unshare -m, mkfs.ext4, loop)";
  }
}

/**
 * Returns a command prefix that runs the shell command `mounting` in a new mount namespace, and then the command
 * that follows.
 */
export function within(mounting: string): readonly string[] {
  return ["unshare", "-m", "sh", "-c", `${mounting} && exec "$0" "$@"`];
}

export class FaultyDisk {
  readonly #image: string;
  readonly #place: string;

  /** Creates an empty disk for the venue of `dataDir`. */
  static async make(dataDir: string): Promise<FaultyDisk> {
    const image = join(dataDir, "disk.img");
    const place = join(dataDir, "postgres");
    await mkdir(place);
    await run("truncate", ["-s", `${diskBytes}`, image]);
    // Reserve no blocks for root. Otherwise root could still write where the server cannot.
    await run("mkfs.ext4", ["-q", "-m", "0", image]);
    return new FaultyDisk(image, place);
  }

  private constructor(image: string, place: string) {
    this.#image = image;
    this.#place = place;
  }

  /** Returns a command prefix that starts a process with the disk mounted; `options` are those of mount. */
  within(options = "loop"): readonly string[] {
    return within(`mount -o ${options} '${this.#image}' '${this.#place}'`);
  }

  /** Uses up all free space on the disk that process `pid` sees. */
  async fill(pid: number): Promise<void> {
    const filler = `of=${join(this.#place, "filler")}`;
    await this.#inside(pid, "dd", "if=/dev/zero", filler, "bs=16k").catch(() => undefined);
  }

  async free(pid: number): Promise<void> {
    await this.#inside(pid, "rm", join(this.#place, "filler"));
  }

  /** Makes the disk read-only, as the kernel does when it finds a disk faulty. */
  async break(pid: number): Promise<void> {
    await this.#inside(pid, "mount", "-o", "remount,abort", this.#place);
  }

  /** Unmounts the disk when no file on it is open, and mounts it again. */
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
