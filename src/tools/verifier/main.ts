// The verifier that is one file: the build bundles this to `verify.mjs`, which a member saves, reads and runs with
// Node.js alone. It checks proofs, lists of epochs, liabilities statements and a member's leaves (spec LIA-39).

import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { isLiabilities, verifyLiabilities } from "../../services/epochs/liability-verifier.ts";
import { type Verdict, verifyDocument } from "../../services/epochs/proof-verifier.ts";
import { documentAt, isHash } from "./document-source.ts";
import { meaningLines, stepLines } from "./verdict-lines.ts";

const usage = `Usage: node verify.mjs <file, url or -> [--trusted-root <hex>] [--fingerprint <hex>]

Checks a JSON document of a Rialto venue without trusting the venue: /v1/chain/proof, /v1/chain/epochs, /v1/liabilities,
/v1/liabilities/me. Exits with 0 if all of it verifies, with 3 if not, and with 1 if there is nothing to verify.
  --trusted-root  the root of the epoch, from a ledger node you trust
  --fingerprint   the fingerprint of your wallet's public key, to which your leaves must be bound`;

const sha256 = (data: Uint8Array): Uint8Array => createHash("sha256").update(data).digest();

const unpainted = (_: boolean, mark: string): string => mark;

interface Given {
  readonly trustedRoot?: string;
  readonly fingerprint?: string;
}

/** Returns the lines to print, and whether everything verified. */
async function verified(document: unknown, given: Given) {
  if (isLiabilities(document)) {
    const verdict = await verifyLiabilities(document, { sha256, ...given });
    const lines = [...stepLines(verdict, unpainted), ...meaningLines(verdict)];
    return { lines, isValid: verdict.isValid };
  }
  const verdicts = await verifyDocument(document, { sha256, ...given });
  const isValid = verdicts.every((verdict) => verdict.isValid);
  const ending = (verdict: Verdict) => (verdict.isValid ? "  Verified." : "  Not verified.");
  const lines = verdicts.flatMap((verdict) => [...stepLines(verdict, unpainted), ending(verdict)]);
  return { lines, isValid };
}

/** The value of an option; throws if it is no hash, such as the empty text of a variable that is not set. */
function hashOf(name: string, value: string | undefined): string | undefined {
  if (value === undefined || isHash(value)) return value;
  throw new Error(`--${name} ${value.slice(0, 80)}: expected 64 hexadecimal digits`);
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      "trusted-root": { type: "string" },
      fingerprint: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const [location, ...more] = positionals;
  if (location === undefined || more.length > 0) throw new Error(usage);
  const trustedRoot = hashOf("trusted-root", values["trusted-root"]);
  const fingerprint = hashOf("fingerprint", values.fingerprint);
  const given = { ...(trustedRoot && { trustedRoot }), ...(fingerprint && { fingerprint }) };
  const { lines, isValid } = await verified(await documentAt(location), given);
  process.stdout.write(`${lines.join("\n")}\n`);
  return isValid ? 0 : 3;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (fault: Error) => {
    process.stderr.write(`${fault.message}\n`);
    process.exitCode = 1;
  },
);
