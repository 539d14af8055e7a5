// `verify-proof`: reads a proof from a file, a URL or standard input and checks it with the stand-alone verifier.
// It needs no venue, no database and no settings.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Command, InvalidArgumentError } from "commander";
import { type Verdict, verifyDocument } from "../../services/epochs/proof-verifier.ts";
import { ExitCode, say, show, speaksJson } from "./terminal/output.ts";
import { paint } from "./terminal/paint.ts";

/** A proof takes 3 KiB; fifty proofs, or a list of a thousand epochs, fit easily. */
const documentBytesMax = 4 * 2 ** 20;
const fetchTimeoutMs = 10_000;

const sha256 = (data: Uint8Array): Uint8Array => createHash("sha256").update(data).digest();

interface VerifyOptions {
  readonly root?: string;
}

export function addProofCommands(program: Command): void {
  program
    .command("verify-proof")
    .description("verify a proof, or a list of epochs, without trusting the venue")
    .argument("<file or url>", "the JSON document; - is standard input")
    .option("--root <hex>", "the epoch's root as reported by a ledger node you trust")
    .addHelpText(
      "after",
      "\nExamples:\n  $ rialto verify-proof http://127.0.0.1:8080/v1/chain/proof?seq=1" +
        "\n  $ rialto verify-proof proof.json --root 883ff0f3e832…",
    )
    .action((location: string, options: VerifyOptions) => verify(location, options));
}

async function verify(location: string, { root }: VerifyOptions): Promise<void> {
  if (root !== undefined && !/^[0-9a-f]{64}$/i.test(root)) {
    throw new InvalidArgumentError(`--root ${root.slice(0, 80)}: expected 64 hexadecimal digits`);
  }
  const document = parsed(await textAt(location), location);
  const options = root === undefined ? { sha256 } : { sha256, trustedRoot: root };
  const verdicts = await verifyDocument(document, options);
  const isValid = verdicts.every((verdict) => verdict.isValid);
  if (speaksJson()) show({ valid: isValid, verdicts: verdicts.map(shown) });
  else for (const verdict of verdicts) sayVerdict(verdict);
  if (!isValid) process.exitCode = ExitCode.differs;
}

/** Returns a verdict with the field names of the printed document, where the message of a step is called `words`. */
function shown({ title, steps, isValid }: Verdict): object {
  return { title, steps: steps.map(({ isOk, message: words }) => ({ isOk, words })), isValid };
}

function sayVerdict({ title, steps, isValid, isEmpty = false }: Verdict): void {
  say(title);
  for (const [location, { isOk, message }] of steps.entries()) {
    const mark = paint(isOk ? "green" : "red", isOk ? "ok    " : "FAILED", process.stdout);
    say(`  ${location + 1}. ${mark} ${message}`);
  }
  const failed = isEmpty
    ? "Nothing to verify yet."
    : "Verification failed. Do not trust this proof.";
  say(`  ${isValid ? "Verified." : failed}`);
}

async function textAt(location: string): Promise<string> {
  if (location === "-") return boundedText(process.stdin);
  if (!/^https?:\/\//.test(location))
    return readFile(location, "utf8").catch((error) => failed(`cannot read ${location}`, error));
  const answer = await fetch(location, { signal: AbortSignal.timeout(fetchTimeoutMs) }).catch(
    (error) => failed(`no answer from ${location}`, error),
  );
  if (!answer.ok) {
    const message = (await answer.text()).slice(0, 200);
    throw new Error(`${location} answered ${answer.status}: ${message}`);
  }
  return answer.body === null ? "" : boundedText(answer.body);
}

/** Throws an error that says what failed before the system's reason. */
function failed(what: string, error: unknown): never {
  const { message, cause } = error as Error;
  throw new Error(`${what}: ${cause instanceof Error ? cause.message || cause : message}`);
}

async function boundedText(source: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of source) {
    bytes += part.length;
    if (bytes > documentBytesMax) throw new Error("the document is too large to be a proof");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function parsed(text: string, location: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${location} is not valid JSON`);
  }
}
