// One machine of a cluster: a name, an address, a folder with its certificates, and the programs that run on it. All of
// them run in that folder, so that killing the host reaches their children as well.

import { execFile, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { HostCertificate } from "./certificates.ts";
import type { Network } from "./network.ts";
import { killAllIn, signalAllIn } from "./process-folder.ts";

const run = promisify(execFile);

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The operating system user of the servers. PostgreSQL refuses to run as root; null stands for this process's user. */
export type HostUser = string | null;

export interface HostParts {
  readonly name: string;
  readonly address: string;
  readonly folder: string;
  readonly certificate: HostCertificate;
  readonly network: Network;
  readonly user: HostUser;
}

export class Host {
  readonly name: string;
  readonly address: string;
  readonly folder: string;
  readonly certificate: HostCertificate;
  readonly #network: Network;
  readonly #user: HostUser;
  #programs: readonly Program[] = [];

  constructor(parts: HostParts) {
    this.name = parts.name;
    this.address = parts.address;
    this.folder = parts.folder;
    this.certificate = parts.certificate;
    this.#network = parts.network;
    this.#user = parts.user;
  }

  /** Gives the folder to the servers' user. */
  async prepare(): Promise<void> {
    await mkdir(join(this.folder, "log"), { recursive: true });
    if (this.#user !== null) await run("chown", ["-R", `${this.#user}:`, this.folder]);
  }

  /** Starts `programs`, which `start` starts again after a kill. Does not wait until they are ready. */
  async run(programs: readonly Program[]): Promise<void> {
    this.#programs = programs;
    await this.start();
  }

  /** Starts the host's programs, as a machine does that was switched on. */
  async start(): Promise<void> {
    for (const program of this.#programs) this.#spawn(program);
  }

  #spawn(program: Program): void {
    const [first = program.command, ...rest] = this.#words(program);
    const log = openSync(this.logFile, "a");
    const child = spawn(first, rest, {
      ...this.#place(program),
      detached: true,
      stdio: ["ignore", log, log],
    });
    child.on("error", () => undefined);
    child.unref();
    closeSync(log);
  }

  /** Runs a command to its end as the host's user, with the environment of its first program; returns its output. */
  async call(command: string, args: readonly string[], input = ""): Promise<string> {
    const environment = this.#programs[0]?.environment ?? {};
    const program = { command, args, environment };
    const [first = command, ...rest] = this.#words(program);
    const running = run(first, rest, this.#place(program));
    running.child.stdin?.end(input);
    return (await running).stdout;
  }

  /** The whole command line: in the host's network, as its user. */
  #words({ command, args }: Program): string[] {
    const user = this.#user;
    const as =
      user === null ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--init-groups"];
    return [...this.#network.within(this.name), ...as, command, ...args];
  }

  #place({ environment }: Program) {
    const path = "/usr/sbin:/usr/bin:/sbin:/bin";
    const own = { PATH: path, HOME: this.folder, LC_ALL: "C.UTF-8", TZ: "UTC" };
    return { cwd: this.folder, env: { ...own, ...environment } };
  }

  get logFile(): string {
    return join(this.folder, "log", "programs.log");
  }

  /** The end of what the host's programs wrote, for messages about a failed start. */
  async lastLines(): Promise<string> {
    return (await readFile(this.logFile, "utf8").catch(() => "")).slice(-3_000);
  }

  /** Words in front of a command that runs on this host, as the user of this process. */
  get within(): readonly string[] {
    return this.#network.within(this.name);
  }

  /** Ends all processes of the host at once, as a power failure does. */
  kill(): Promise<void> {
    return killAllIn(this.folder);
  }

  /** Ends only the processes whose working folder is `data`: on a database host PostgreSQL without Patroni. */
  killData(): Promise<void> {
    return killAllIn(join(this.folder, "data"));
  }

  /** Stops all processes without ending them. */
  pause(): Promise<void> {
    return signalAllIn(this.folder, "SIGSTOP");
  }

  /** Continues all processes. */
  resume(): Promise<void> {
    return signalAllIn(this.folder, "SIGCONT");
  }
}
