// Proves the two commands that check liabilities statements: `rialto verify-liabilities`, and the verifier that is one
// file, in a folder with nothing else.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  type SampleAccount,
  type SampleTerms,
  sampleDocument,
} from "../support/epochs/stated-sample.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { runCli } from "../support/venue/cli-process.ts";

const member: SampleAccount = {
  ...{ account: 21, fingerprint: "a1".repeat(32) },
  amounts: { USDC: 1_250_500_000n },
};
const ledger = {
  ...{ holdings: "1000.0000000000", in_flight: "0.0000000000", claims: "0.0000000000" },
  surplus: "-250.5000000000",
};
const terms: SampleTerms = {
  ...{ epoch: 29_922_618, seq: 512, venue: "venue", epochKey: Buffer.alloc(32, 9) },
  assets: [{ asset: "USDC", number: 1, decimals: 6, ledger }],
  accounts: [member],
};
const root = (sampleDocument(terms) as { entry: { epoch: { root: string } } }).entry.epoch.root;

let folder: string;
const at = (name: string) => join(folder, name);

before(() => {
  folder = mkdtempSync(join(tmpdir(), "rialto-verify-"));
  copyFileSync(join(projectRoot, "dist/pages/verify.mjs"), at("verify.mjs"));
  const own = JSON.stringify(sampleDocument(terms, member));
  writeFileSync(at("own.json"), own);
  writeFileSync(at("bent.json"), own.replace('"amount":"1250500000"', '"amount":"1250500001"'));
});
after(() => rmSync(folder, { recursive: true }));

interface Ran {
  readonly code: number | null;
  readonly printed: string;
  readonly complained: string;
}

/** Runs the one file with Node.js alone. */
function runFile(args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { PATH: process.env["PATH"] ?? "" };
    execFile(process.execPath, ["verify.mjs", ...args], { cwd: folder, env }, (fault, out, err) => {
      resolve({ code: fault === null ? 0 : Number(fault.code), printed: out, complained: err });
    });
  });
}

const programs: ReadonlyArray<readonly [string, (args: readonly string[]) => Promise<Ran>]> = [
  ["rialto verify-liabilities", (args) => runCli(["verify-liabilities", ...args], {})],
  ["verify.mjs", runFile],
];

for (const [name, run] of programs) {
  test(`LIA-39 ${name} explains the steps, what was owed, and a deficit`, async () => {
    const { code, printed } = await run([at("own.json"), "--fingerprint", member.fingerprint]);
    assert.equal(code, 0, printed);
    assert.match(printed, /^liabilities at the end of epoch 29922618\n {2}1\. ok {5}statement: /);
    assert.match(printed, /\n {2}8\. ok {5}anchor: /);
    assert.match(printed, /The venue stated that it owed you at 2026-\S+Z: 1250\.5 USDC\./);
    assert.match(printed, /DEFICIT: the venue itself states 250\.5 USDC less than it owes\./);
    assert.match(printed, /Verified\./);
  });

  test(`LIA-39 ${name} exits with 3 when a check fails, and names it`, async () => {
    const bent = await run([at("bent.json")]);
    assert.equal(bent.code, 3);
    assert.match(bent.printed, /5\. FAILED leaves: part [01] of USDC has/);
    assert.match(bent.printed, /Do not trust this statement\.\n$/);
    assert.doesNotMatch(bent.printed, /owed you/);
    const strange = await run([at("own.json"), "--fingerprint", "b2".repeat(32)]);
    assert.equal(strange.code, 3);
    assert.match(strange.printed, /4\. FAILED owner: /);
    assert.equal((await run([at("own.json"), "--trusted-root", root])).code, 0);
    const rooted = await run([at("own.json"), "--trusted-root", "00".repeat(32)]);
    assert.equal(rooted.code, 3);
    assert.match(rooted.printed, /6\. FAILED entry: anchor: the trusted root is/);
  });

  test(`LIA-39 ${name} says what it cannot read`, async () => {
    const unread = await run([at("nothing.json")]);
    assert.equal(unread.code, 1);
    assert.match(unread.complained, /^cannot read .*nothing\.json: ENOENT/);
  });

  test(`LIA-39 ${name} takes no empty fingerprint, as of a variable that is not set`, async () => {
    for (const option of ["--fingerprint", "--trusted-root"]) {
      const { code, printed, complained } = await run([at("own.json"), option, ""]);
      assert(code === 1 || code === 2, `${code}`);
      assert.equal(printed, "");
      assert.match(complained, /expected 64 hexadecimal digits/);
    }
  });

  test(`LIA-39 ${name} prints what an address answers without control characters`, async () => {
    const server = createServer((_, answer) => {
      answer.writeHead(500).end("\r\u001b[2K  Verified.\u001b[8m");
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address() as AddressInfo;
    const { code, complained } = await run([`http://127.0.0.1:${address.port}/`]);
    server.close();
    assert.equal(code, 1);
    assert.match(complained, /answered 500: \?\?\[2K {2}Verified\.\?\[8m/);
  });
}

test("LIA-39 the command takes JSON as output, and refuses a root that is none", async () => {
  const { code, printed } = await runCli(["verify-liabilities", at("own.json"), "--json"], {});
  assert.equal(code, 0);
  const verdict = JSON.parse(printed);
  assert.deepEqual([verdict.valid, verdict.unknown], [true, []]);
  assert.deepEqual(verdict.balances, [{ asset: "USDC", amount: "1250.5" }]);
  assert.deepEqual(verdict.deficits, [{ asset: "USDC", amount: "250.5" }]);
  assert.equal(verdict.at, new Date(29_922_619 * 60_000).toISOString());
  const wrong = await runCli(["verify-liabilities", at("own.json"), "--trusted-root", "1f"], {});
  assert.equal(wrong.code, 2);
});

test("LIA-39 the one file also checks proofs and chains, and takes nothing else", async () => {
  const vectors = join(projectRoot, "test/vectors");
  for (const name of ["epoch-proofs.json", "epoch-chain.json"]) {
    const { code, printed } = await runFile([join(vectors, name)]);
    assert.equal(code, 0);
    assert.match(printed, /Verified\.\n$/);
  }
  assert.equal((await runFile([join(vectors, "body-names.json")])).code, 3);
  const none = await runFile([]);
  assert.equal(none.code, 1);
  assert.match(none.complained, /^Usage: node verify\.mjs/);
  const asked = await runFile(["--help"]);
  assert.deepEqual([asked.code, asked.printed], [0, none.complained]);
});
