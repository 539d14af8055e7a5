// Builds and runs container images with podman, which needs no daemon. Images are in a folder of their own. If no registry answers, the base image is made here instead, under the same name,
// from Debian's and npm's packages: so the container file itself is built unchanged in both cases.

import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { installPrograms } from "./programs.ts";

const run = promisify(execFile);
const outputMax = 2 ** 26;
const pullMsMax = 120_000;
const bootstrapMsMax = 25 * 60_000;
const buildMsMax = 30 * 60_000;
/** A container is a copy of its image: seconds on a quiet disk. */
const commandMsMax = 300_000;

const packageByPath: Readonly<Record<string, string>> = {
  "/usr/bin/podman": "podman",
  "/usr/sbin/runc": "runc",
  "/usr/sbin/debootstrap": "debootstrap",
};

/** Where a machine keeps the certificates that its packages' registries show. */
const authorities = "/etc/ssl/certs/ca-certificates.crt";

/** How a base image came here. */
export type Origin = "pulled" | "made here";

/** Installs the builder if it is missing; returns what is missing then. */
export async function installBuilder(): Promise<string[]> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return ["Linux, and root"];
  return installPrograms(packageByPath);
}

export class ContainerBuilder {
  readonly folder: string;
  #debian: Promise<string> | null = null;

  static async open(): Promise<ContainerBuilder> {
    return new ContainerBuilder(await mkdtemp(join(tmpdir(), "rialto-image-")));
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Runs podman; returns what it prints. Throws with its complaint if it fails. */
  async podman(words: readonly string[], timeout = commandMsMax): Promise<string> {
    const { stdout } = await run("podman", [...this.#options(), ...words], {
      ...{ timeout, maxBuffer: outputMax },
    });
    return stdout;
  }

  /** Pulls the base image, or makes it: Debian, and with `node` its version from npm. */
  async provideBase(image: string, node: string | null): Promise<Origin> {
    const pulled = await this.podman(["pull", "--quiet", image], pullMsMax).catch(() => null);
    if (pulled !== null) return "pulled";
    this.#debian ??= this.#makeDebian();
    const debian = await this.#debian;
    const root = node === null ? debian : `${debian}-${node}`;
    if (node !== null) {
      await run("cp", ["-a", debian, root]);
      await putNode(root, node);
    }
    await this.#import(root, image);
    return "made here";
  }

  /** Builds the container file in the context; its steps run in a chroot, on the network of this machine. */
  async build(image: string, file: string, context: string): Promise<void> {
    const options = ["--isolation=chroot", "--network=host", "--pull=never", "--format=docker"];
    const words = ["build", "--quiet", "--layers=false", ...options, `--file=${file}`];
    await this.podman([...words, `--tag=${image}`, context], buildMsMax);
  }

  /** Starts a container on a read-only root; it runs the command, or that of its image, and goes on. */
  async start(
    name: string,
    image: string,
    { options = [], command = [] }: { options?: readonly string[]; command?: readonly string[] },
  ): Promise<void> {
    const words = ["run", "--detach", `--name=${name}`, ...onReadOnlyRoot, ...options];
    await this.podman([...words, image, ...command]);
  }

  /** Runs a command in a container, as its user; returns what it prints. */
  run(name: string, ...command: readonly string[]): Promise<string> {
    return this.podman(["exec", name, ...command]);
  }

  /** Removes all containers and images. */
  async close(): Promise<void> {
    await this.podman(["rm", "--all", "--force", "--time=0"]).catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Puts the packages of Debian's image into a folder; returns the folder. */
  async #makeDebian(): Promise<string> {
    const root = join(this.folder, "debian");
    const words = ["--variant=minbase", "bookworm", root];
    await run("debootstrap", words, { timeout: bootstrapMsMax, maxBuffer: outputMax });
    await cp(authorities, join(root, authorities));
    return root;
  }

  /** Makes an image of a folder. */
  async #import(root: string, image: string): Promise<void> {
    const change = `ENV=NODE_EXTRA_CA_CERTS=${authorities}`;
    const words = [...this.#options(), "import", "--quiet", "--change", change, "-", image];
    const piped = 'tar -C "$0" -c . | podman "$@"';
    await run("sh", ["-c", piped, root, ...words], { timeout: bootstrapMsMax });
  }

  #options(): string[] {
    const storage = ["--root", join(this.folder, "storage"), "--runroot", join(this.folder, "run")];
    // The driver that works on every file system. Debian's default runtime refuses machines with both kinds of cgroups.
    const kinds = ["--storage-driver=vfs", "--runtime=runc", "--cgroup-manager=cgroupfs"];
    return [...storage, ...kinds, "--events-backend=none"];
  }
}

/** As docs/ops/Containerfile says; limits that every machine grants, also one that may not raise them. */
const onReadOnlyRoot = [
  ...["--read-only", "--tmpfs=/tmp", "--network=host"],
  ...["--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096"],
];

/** Puts Node.js of a major version, and this machine's npm, to where the official image has them. */
async function putNode(root: string, major: string): Promise<void> {
  const folder = join(root, "usr/local");
  const name = `node-linux-${process.arch}`;
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  const scratch = join(root, "tmp/node");
  const install = ["install", "--prefix", scratch, ...quiet, `${name}@${major}`];
  await run("npm", install, { timeout: bootstrapMsMax });
  await mkdir(join(folder, "lib/node_modules"), { recursive: true });
  await cp(join(scratch, "node_modules", name, "bin/node"), join(folder, "bin/node"));
  await rm(scratch, { recursive: true });
  const { stdout } = await run("npm", ["root", "--global"]);
  await cp(join(stdout.trim(), "npm"), join(folder, "lib/node_modules/npm"), { recursive: true });
  for (const tool of ["npm", "npx"])
    await symlink(`../lib/node_modules/npm/bin/${tool}-cli.js`, join(folder, "bin", tool));
}
