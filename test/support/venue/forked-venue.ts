// A fork in a folder of its own, made by the command line and started as a process, with the keys that were issued for it.

import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signedFetch } from "../client/signed-fetch.ts";
import { CliProcess, runCli, type Settings } from "./cli-process.ts";

export interface ForkKey {
  readonly key_id: number;
  readonly account: number;
  readonly label: string | null;
  readonly api_key: string;
  readonly secret?: string;
}

export interface KeyPair {
  readonly key: string;
  readonly secret: string;
}

/** A folder below which forks are made, and which the server's user can pass through. */
export async function forkParentFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rialto-fork-"));
  await chmod(folder, 0o711);
  return folder;
}

export class ForkedVenue {
  readonly dataDir: string;
  readonly settings: Settings;
  #process: CliProcess | null = null;
  #address = "";

  constructor(dataDir: string) {
    this.dataDir = dataDir;
    this.settings = { DATA_DIR: dataDir, PORT: "0", FRONT_THREADS: "1" };
  }

  get address(): string {
    return this.#address;
  }

  async start(flags: readonly string[] = ["--rewind", "--step"]): Promise<void> {
    this.#process = new CliProcess(["start", ...flags], this.settings);
    const [, address = ""] = await this.#process.untilPrinted(/^Rialto is open at (http:\S+)$/m);
    this.#address = address;
  }

  async stop(): Promise<void> {
    this.#process?.signal("SIGTERM");
    await this.#process?.ended;
    this.#process = null;
  }

  run(args: readonly string[]) {
    return runCli(args, this.settings);
  }

  /** The keys that were issued for the fork. */
  async keys(): Promise<ForkKey[]> {
    return JSON.parse(await readFile(join(this.dataDir, "fork-keys.json"), "utf8"));
  }

  /** The key that the fork has for an account. */
  async keyOf(account: number): Promise<KeyPair> {
    const found = (await this.keys()).find((one) => one.account === account);
    return { key: found?.api_key ?? "", secret: found?.secret ?? "" };
  }

  async signed<Shape>(
    key: KeyPair,
    method: "GET" | "POST" | "DELETE",
    path: string,
    parameters: Readonly<Record<string, string | number>> = {},
  ) {
    return signedFetch<Shape>(this.#address, key, { method, path, parameters });
  }

  /** Stops it and removes its data. */
  async remove(): Promise<void> {
    await this.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
