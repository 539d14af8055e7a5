// A venue that was started with --rewind, as a process of its own on a test database, and members who trade in it.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createLoadKey,
  type Funding,
  fundLoadAccount,
} from "../../../src/tools/load/load-accounts.ts";
import { signedFetch } from "../client/signed-fetch.ts";
import { createTestDatabase, type TestDatabase } from "../database/postgres.ts";
import { CliProcess, runCli, type Settings } from "./cli-process.ts";

const memberMoney: readonly Funding[] = [
  ["perp", "USDC", "10000000"],
  ["spot", "USDC", "10000000"],
  ["spot", "CBTC", "100"],
];

type Parameters = Readonly<Record<string, string | number>>;

/** A member's account and how it calls the venue. */
export interface Member {
  readonly account: number;
  readonly key: { readonly key: string; readonly secret: string };
  call<Shape>(
    method: "GET" | "POST" | "DELETE",
    path: string,
    parameters: Parameters,
  ): Promise<Shape>;
}

export class RewindVenue {
  readonly dataDir: string;
  readonly settings: Settings;
  readonly address: string;
  readonly #process: CliProcess;
  readonly #database: TestDatabase;

  private constructor(
    settings: Settings,
    address: string,
    parts: { readonly process: CliProcess; readonly database: TestDatabase },
  ) {
    this.settings = settings;
    this.dataDir = settings["DATA_DIR"] ?? "";
    this.address = address;
    this.#process = parts.process;
    this.#database = parts.database;
  }

  /** Starts one; without `--rewind` if `flags` say so. */
  static async start(flags: readonly string[] = ["--rewind"]): Promise<RewindVenue> {
    const database = await createTestDatabase();
    const settings = {
      ...{ DEV_TOOLS: "1", PORT: "0", LEDGER_PROFILE: "none" },
      DATABASE_URL: database.url,
      DATA_DIR: await mkdtemp(join(tmpdir(), "rialto-rewind-")),
    };
    const process = new CliProcess(["start", ...flags], settings);
    const [, address = ""] = await process.untilPrinted(/^Rialto is open at (http:\S+)$/m);
    return new RewindVenue(settings, address, { process, database });
  }

  /** Runs one command with the venue's environment. */
  run(args: readonly string[]) {
    return runCli(args, this.settings, this.dataDir);
  }

  /** Starts a command that runs beside the test. */
  begin(args: readonly string[]): CliProcess {
    return new CliProcess(args, this.settings, this.dataDir);
  }

  async member(): Promise<Member> {
    const key = await createLoadKey(this.dataDir, { type: "standard", label: "member" });
    await fundLoadAccount(this.dataDir, key.account, memberMoney);
    return {
      account: key.account,
      key,
      call: async <Shape>(
        method: "GET" | "POST" | "DELETE",
        path: string,
        parameters: Parameters,
      ) => {
        const answer = await signedFetch<Shape>(this.address, key, { method, path, parameters });
        if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.json)}`);
        return answer.json;
      },
    };
  }

  async get<Shape>(path: string): Promise<Shape> {
    return (await (await fetch(this.address + path)).json()) as Shape;
  }

  /** Stops the venue in order; its data stay until `close`. */
  async stop(): Promise<void> {
    this.#process.signal("SIGTERM");
    await this.#process.ended;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#database.drop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
