// The commands of the guide about proofs, taken from the page itself and run against a venue.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { projectRoot } from "../support/tree.ts";
import { VenueFixture } from "../support/venue-fixture.ts";
import { until } from "./epoch-waits.ts";

const page = readFileSync(join(projectRoot, "docs/guides/proofs.md"), "utf8");
const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, words = ""]) => words);
const cli = fileURLToPath(new URL("../../bundle/src/venue/rialto.js", import.meta.url));
const verifier = fileURLToPath(
  new URL("../../src/services/epochs/proof-verifier.js", import.meta.url),
);

let fixture: VenueFixture;
let folder: string;

before(async () => {
  fixture = await VenueFixture.open({ EPOCH_SECONDS: "1" });
  await fixture.trader();
  await until("the first proof", async () => {
    const { status } = await fetch(`${fixture.address}/v1/chain/proof?seq=1`);
    return status === 200 ? status : null;
  });
  // A folder with nothing of the venue but the one file.
  folder = await mkdtemp(join(tmpdir(), "rialto-proof-"));
  await copyFile(verifier, join(folder, "proof-verifier.js"));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
});

after(async () => {
  await fixture.close();
  await rm(folder, { recursive: true });
});

async function run(words: string): Promise<{ code: number; printed: string }> {
  const here = words.replaceAll("http://127.0.0.1:8080", fixture.address);
  const script = `set -o pipefail; rialto() { ${process.execPath} ${cli} "$@"; }; ${here}`;
  try {
    const { stdout } = await promisify(execFile)("bash", ["-c", script], { cwd: folder });
    return { code: 0, printed: stdout };
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string };
    return { code, printed: stdout };
  }
}

test("CHN-10 the commands of the guide do what it says", async () => {
  assert.equal(commands.length, 3);
  const [first = "", chain = "", alone = ""] = commands;
  const proof = await run(first);
  assert.equal(proof.code, 0, proof.printed);
  assert.match(proof.printed, /^journal entry 1 in epoch \d+\n {2}1\. ok {5}leaf data/);
  assert.match(proof.printed, /7\. ok {5}anchor: Not on the ledger yet[^\n]*\n {2}This holds\.\n$/);
  const epochs = await run(chain);
  assert.equal(epochs.code, 0, epochs.printed);
  assert.match(epochs.printed, /^\d+ epochs\n/);
  const standAlone = await run(alone);
  assert.equal(standAlone.code, 0, standAlone.printed);
  assert.match(standAlone.printed, /^leaf data: [\s\S]*\nholds\n$/);
});

test("CHN-10 a proof that does not hold names its first bad step and ends with 3", async () => {
  const bend = `curl -s "${fixture.address}/v1/chain/proof?seq=1" | sed 's/"ts_us":"1/"ts_us":"2/'`;
  const { code, printed } = await run(`${bend} | rialto verify-proof -`);
  assert.equal(code, 3);
  assert.match(printed, /1\. FAILED leaf data: .*\n {2}This does not hold/);
  const root = await run(`rialto verify-proof "${fixture.address}/v1/chain/proof?seq=1" --root 1f`);
  assert.equal(root.code, 1);
  const gone = await run(`rialto verify-proof "${fixture.address}/v1/chain/proof?seq=99999999"`);
  assert.equal(gone.code, 1);
});
