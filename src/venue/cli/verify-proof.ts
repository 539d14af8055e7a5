// `verify-proof` and `verify-liabilities`: read a document from a file, a URL or standard input and check it with the
// stand-alone verifiers. They need no venue, no database and no settings.

import { createHash } from "node:crypto";
import { type Command, InvalidArgumentError } from "commander";
import {
  type LiabilitiesVerdict,
  verifyLiabilities,
} from "../../services/epochs/liability-verifier.ts";
import { type Verdict, verifyDocument } from "../../services/epochs/proof-verifier.ts";
import { documentAt, isHash } from "../../tools/verifier/document-source.ts";
import { meaningLines, stepLines } from "../../tools/verifier/verdict-lines.ts";
import { ExitCode, say, show, speaksJson } from "./terminal/output.ts";
import { paint } from "./terminal/paint.ts";

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
  program
    .command("verify-liabilities")
    .description("verify a liabilities statement, or your leaves in it, without trusting the venue")
    .argument("<file or url>", "the JSON document; - is standard input")
    .option("--trusted-root <hex>", "the root of the entry's epoch, from a ledger node you trust")
    .option("--fingerprint <hex>", "the fingerprint of your wallet's public key")
    .addHelpText(
      "after",
      "\nExamples:\n  $ rialto verify-liabilities http://127.0.0.1:8080/v1/liabilities" +
        "\n  $ rialto verify-liabilities my-leaves.json --fingerprint 5c1e0b77…",
    )
    .action((location: string, options: LiabilityOptions) => verifyStatement(location, options));
}

async function verify(location: string, { root }: VerifyOptions): Promise<void> {
  expectHash("--root", root);
  const document = await documentAt(location);
  const options = root === undefined ? { sha256 } : { sha256, trustedRoot: root };
  const verdicts = await verifyDocument(document, options);
  const isValid = verdicts.every((verdict) => verdict.isValid);
  if (speaksJson()) show({ valid: isValid, verdicts: verdicts.map(shown) });
  else for (const verdict of verdicts) sayVerdict(verdict);
  if (!isValid) process.exitCode = ExitCode.differs;
}

function expectHash(name: string, value: string | undefined): void {
  if (value === undefined || isHash(value)) return;
  throw new InvalidArgumentError(`${name} ${value.slice(0, 80)}: expected 64 hexadecimal digits`);
}

/** Returns a verdict with the field names of the printed document, where the message of a step is called `words`. */
function shown({ title, steps, isValid }: Verdict) {
  return { title, steps: steps.map(({ isOk, message: words }) => ({ isOk, words })), isValid };
}

function sayVerdict(verdict: Verdict): void {
  const { isValid, isEmpty = false } = verdict;
  for (const line of stepLines(verdict, painted)) say(line);
  const failed = isEmpty
    ? "Nothing to verify yet."
    : "Verification failed. Do not trust this proof.";
  say(`  ${isValid ? "Verified." : failed}`);
}

function painted(isOk: boolean, mark: string): string {
  return paint(isOk ? "green" : "red", mark, process.stdout);
}

interface LiabilityOptions {
  readonly trustedRoot?: string;
  readonly fingerprint?: string;
}

async function verifyStatement(location: string, options: LiabilityOptions): Promise<void> {
  const { trustedRoot, fingerprint } = options;
  expectHash("--trusted-root", trustedRoot);
  expectHash("--fingerprint", fingerprint);
  const given = { ...(trustedRoot && { trustedRoot }), ...(fingerprint && { fingerprint }) };
  const verdict = await verifyLiabilities(await documentAt(location), { sha256, ...given });
  if (speaksJson()) show(shownStatement(verdict));
  else for (const line of [...stepLines(verdict, painted), ...meaningLines(verdict)]) say(line);
  if (!verdict.isValid) process.exitCode = ExitCode.differs;
}

function shownStatement(verdict: LiabilitiesVerdict): object {
  const { isValid: valid, balances, deficits, unknown, atMs } = verdict;
  const { title, steps } = shown(verdict);
  const at = atMs === null ? null : new Date(atMs).toISOString();
  return { valid, title, steps, balances, deficits, unknown, at };
}
