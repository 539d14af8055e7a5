// A reader of the REST reference: starts the venue that `make run` starts, with its fleet, its ledger and its provider,
// sets up an account as the guide says, and runs the examples of one language after another with this account.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "../support/client/json.ts";
import { CliProcess } from "../support/venue/cli-process.ts";
import { endRemains } from "../support/venue/venue-remains.ts";
import { blocksIn } from "./document-blocks.ts";
import {
  type PrintedExample,
  printedExamples,
  type RanExample,
  ranInShell,
  shellBlocks,
} from "./printed-examples.ts";
import { ShellSession } from "./shell-session.ts";

/** A language other than the shell. */
export interface ExampleLanguage {
  /** Label of its examples. */
  readonly label: string;
  /** Document and language of the block with its functions. */
  readonly guide: readonly [path: string, language: string];
  /** Name of the program's file. */
  readonly file: string;
  /** The line that runs an example, so that a failure is printed after `failed:` and does not end the program. */
  wrapped(line: string): string;
  /** Prints a text on a line of its own. */
  printed(text: string): string;
  /** Joins functions and lines to the program. */
  program(functions: string, lines: readonly string[]): string;
  /** The command that runs the program. */
  readonly command: readonly string[];
}

interface Keys {
  readonly KEY: string;
  readonly SECRET: string;
  readonly TOKEN: string;
}

const waitMsMax = 120_000;
/** The examples of one language use most of a minute's request weight, and a reader is slower than this test. */
const minuteMs = 61_000;
const tell = 'echo "{\\"KEY\\":\\"$KEY\\",\\"SECRET\\":\\"$SECRET\\",\\"TOKEN\\":\\"$TOKEN\\"}"';
const [functions = "", login = "", account = ""] = blocksIn(
  "docs/guides/run-the-examples.md",
  "sh",
).map(({ text }) => text);

export class ExampleReader {
  readonly #dataDir: string;
  readonly #venue: CliProcess;
  readonly #shell: ShellSession;
  readonly #address: string;
  readonly #document: unknown;
  #keys: Keys = { KEY: "", SECRET: "", TOKEN: "" };

  private constructor(parts: {
    readonly dataDir: string;
    readonly venue: CliProcess;
    readonly address: string;
    readonly document: unknown;
  }) {
    this.#dataDir = parts.dataDir;
    this.#venue = parts.venue;
    this.#address = parts.address;
    this.#document = parts.document;
    this.#shell = new ShellSession({ address: parts.address, env: { V: parts.address } });
  }

  /** Starts the venue, and waits until its fleet quotes and an epoch is sealed. */
  static async start(): Promise<ExampleReader> {
    const dataDir = mkdtempSync(join(tmpdir(), "rialto-examples-"));
    // A minute's epoch would only lengthen the test.
    const settings = { DATA_DIR: dataDir, PORT: "0", DEV_FLEET: "1", EPOCH_SECONDS: "5" };
    const venue = new CliProcess(["start"], settings);
    const [, address = ""] = await venue.untilPrinted(/^Rialto is open at (http:\S+)$/m);
    const document = await (await fetch(`${address}/openapi.json`)).json();
    const reader = new ExampleReader({ dataDir, venue, address, document });
    try {
      await reader.#awaitLife();
    } catch (fault) {
      await reader.close();
      throw fault;
    }
    return reader;
  }

  async #awaitLife(): Promise<void> {
    for (const path of ["/api/v3/depth?symbol=CC-USDC", "/fapi/v1/depth?symbol=BTCUSDT"]) {
      await this.#until(path, ({ bids, asks }) => bids.length > 4 && asks.length > 4);
    }
    await this.#until("/v1/chain/proof?seq=1", () => true);
  }

  async #until(path: string, isSo: (answer: Json) => boolean): Promise<void> {
    const untilMs = Date.now() + waitMsMax;
    for (;;) {
      const answer = await fetch(this.#address + path);
      if (answer.ok && isSo((await answer.json()) as Json)) return;
      assert.ok(Date.now() < untilMs, `${path} in time`);
      await sleep(200);
    }
  }

  /** Runs the examples of the shell from the first page to the last. */
  async runShell(): Promise<RanExample[]> {
    const examples = printedExamples(this.#document, "curl");
    const proof = `until own GET "/v1/chain/proof/me?ref_id=o-$(signed GET /api/v3/myTrades symbol=CC-USDC | field [0].orderId)" > /dev/null 2>&1; do sleep 1; done`;
    const before = [functions, login, account, tell, `${proof}`];
    const { code, printed, complained } = await this.#shell.run([
      ...before,
      ...shellBlocks(examples),
    ]);
    assert.equal(code, 0, `${complained}\n${printed.at(-1)}`);
    this.#keys = JSON.parse(printed[3] ?? "");
    return ranInShell(examples, printed.slice(before.length));
  }

  /** Logs in again, since the examples before ended the session, and runs the examples of another language. */
  async run(language: ExampleLanguage): Promise<RanExample[]> {
    await sleep(minuteMs);
    const { code, printed, complained } = await this.#shell.run([
      functions,
      login,
      "KEY= SECRET=",
      tell,
    ]);
    assert.equal(code, 0, complained);
    const { TOKEN } = JSON.parse(printed.at(-1) ?? "") as Keys;
    this.#keys = { ...this.#keys, TOKEN };
    const examples = printedExamples(this.#document, language.label);
    const said = await this.#output(language, examples);
    assert.equal(said.length, examples.length);
    return examples.map((example, at) => {
      const text = said[at] ?? "";
      return { ...example, printed: text, isDone: !text.startsWith("failed:") };
    });
  }

  /** Returns what each example printed. */
  async #output(
    { guide, file, wrapped, printed, program, command }: ExampleLanguage,
    examples: readonly PrintedExample[],
  ): Promise<string[]> {
    const { folder } = this.#shell;
    const [own] = blocksIn(...guide);
    const lines = examples.flatMap(({ line }) => [printed("== next"), wrapped(line)]);
    writeFileSync(join(folder, file), program(own?.text ?? "", lines));
    const [run = "", ...args] = command;
    const env = { ...process.env, V: this.#address, ...this.#keys };
    const options = { cwd: folder, env, timeout: 900_000, maxBuffer: 2 ** 26 };
    const text = await new Promise<string>((resolve, reject) => {
      execFile(run, args, options, (fault, stdout, stderr) => {
        if (fault === null) resolve(stdout);
        else reject(new Error(`${stderr}\n${stdout.slice(-500)}`, { cause: fault }));
      });
    });
    return text.split("== next\n").slice(1);
  }

  async close(): Promise<void> {
    this.#shell.close();
    this.#venue.signal("SIGTERM");
    await this.#venue.ended;
    await endRemains(this.#dataDir);
    rmSync(this.#dataDir, { recursive: true, force: true });
  }
}
