// Runs the examples of the REST reference in a language other than the shell: the functions of its guide, followed by the
// example of every route, in one program against one venue.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { surfaces } from "../../web/portal/rest-topics.ts";
import { until } from "../epochs/epoch-waits.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { blocksIn } from "./document-blocks.ts";
import { refused } from "./refused-examples.ts";
import { ShellSession } from "./shell-session.ts";

interface Sample {
  readonly label: string;
  readonly source: string;
}

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

/** Routes whose examples end the session that others use. */
const needShell: ReadonlySet<string> = new Set(["POST /v1/wallet/logout"]);

/** Runs every example of the language; throws unless each works or is refused as in the shell. */
export async function runExamples(language: ExampleLanguage): Promise<void> {
  const venue = await VenueFixture.open({ DEV_TOOLS: "1", EPOCH_SECONDS: "1" });
  const shell = new ShellSession({ address: venue.address, env: { V: venue.address } });
  try {
    await venue.trader();
    await until("the first proof", async () => {
      const { status } = await fetch(`${venue.address}/v1/chain/proof?seq=1`);
      return status === 200 ? status : null;
    });
    const login = blocksIn("docs/guides/run-the-examples.md", "sh").map(({ text }) => text);
    const tell = 'echo "[\\"$KEY\\", \\"$SECRET\\", \\"$TOKEN\\"]"';
    const { printed, complained } = await shell.run([...login, tell]);
    const [KEY = "", SECRET = "", TOKEN = ""] = JSON.parse(printed.at(-1) ?? complained);
    const samples = samplesIn((await venue.get("/openapi.json")).json, language.label);
    const env = { ...process.env, V: venue.address, KEY, SECRET, TOKEN };
    const said = await output(language, samples, { env, folder: shell.folder });
    check(samples, said);
  } finally {
    shell.close();
    await venue.close();
  }
}

type Named = readonly [name: string, line: string];

function samplesIn(document: unknown, label: string): Named[] {
  const { paths } = document as {
    paths: Record<string, Record<string, { "x-codeSamples"?: readonly Sample[] }>>;
  };
  return surfaces
    .flatMap(({ topics }) => topics.flatMap(({ routes }) => routes))
    .filter((name) => !needShell.has(name))
    .flatMap((name) => {
      const [method = "", path = ""] = name.split(" ");
      const samples = paths[path]?.[method.toLowerCase()]?.["x-codeSamples"] ?? [];
      return samples
        .filter((sample) => sample.label === label)
        .map(({ source }): Named => [name, source]);
    });
}

/** Returns what each example printed. */
async function output(
  { guide, file, wrapped, printed, program, command }: ExampleLanguage,
  samples: readonly Named[],
  { env, folder }: { readonly env: NodeJS.ProcessEnv; readonly folder: string },
): Promise<string[]> {
  const [functions] = blocksIn(...guide);
  const lines = samples.flatMap(([, line]) => [printed("== next"), wrapped(line)]);
  writeFileSync(join(folder, file), program(functions?.text ?? "", lines));
  const [run = "", ...args] = command;
  const options = { cwd: folder, env, timeout: 240_000, maxBuffer: 2 ** 26 };
  const text = await new Promise<string>((resolve, reject) => {
    execFile(run, args, options, (fault, stdout, stderr) => {
      if (fault === null) resolve(stdout);
      else reject(new Error(`${stderr}\n${stdout.slice(-500)}`, { cause: fault }));
    });
  });
  return text.split("== next\n").slice(1);
}

function check(samples: readonly Named[], said: readonly string[]): void {
  assert.equal(said.length, samples.length);
  assert.ok(samples.length > 100, `${samples.length} examples`);
  const faults = samples.flatMap(([name, line], at) => {
    const text = said[at] ?? "";
    const message = refused[name];
    const isFailed = text.startsWith("failed:");
    const isGood = message === undefined ? !isFailed : isFailed && text.includes(message);
    return isGood ? [] : [`${name}: ${line}\n${text.slice(0, 300)}`];
  });
  assert.deepEqual(faults, []);
}
