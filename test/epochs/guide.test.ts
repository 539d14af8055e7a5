// Proves that the commands in the guide about proofs work against a venue. The commands are read from the page.

import assert from "node:assert/strict";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { blocksIn } from "../guides/document-blocks.ts";
import { ShellSession } from "../guides/shell-session.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { until } from "./epoch-waits.ts";

const commands = blocksIn("docs/guides/proofs.md", "sh").map(({ text }) => text);
const verifier = fileURLToPath(
  new URL("../../src/services/epochs/proof-verifier.js", import.meta.url),
);

let fixture: VenueFixture;
let session: ShellSession;

before(async () => {
  fixture = await VenueFixture.open({ EPOCH_SECONDS: "1" });
  await fixture.trader();
  await until("the first proof", async () => {
    const { status } = await fetch(`${fixture.address}/v1/chain/proof?seq=1`);
    return status === 200 ? status : null;
  });
  // The session's folder contains only the verifier, and no other part of the venue.
  session = new ShellSession({ address: fixture.address, env: {} });
  copyFileSync(verifier, join(session.folder, "proof-verifier.js"));
  writeFileSync(join(session.folder, "package.json"), '{"type":"module"}');
});

after(async () => {
  await fixture.close();
  session.close();
});

async function run(message: string): Promise<{ code: number; printed: string }> {
  const { code, printed } = await session.run([message]);
  return { code, printed: printed.join("") };
}

test("CHN-10 the commands of the guide do what the guide says", async () => {
  assert.equal(commands.length, 3);
  const [first = "", chain = "", alone = ""] = commands;
  const proof = await run(first);
  assert.equal(proof.code, 0, proof.printed);
  assert.match(proof.printed, /^journal entry 1 in epoch \d+\n {2}1\. ok {5}leaf data/);
  assert.match(
    proof.printed,
    /7\. ok {5}anchor: Not confirmed on the ledger yet[^\n]*\n {2}Verified\.\n$/,
  );
  const epochs = await run(chain);
  assert.equal(epochs.code, 0, epochs.printed);
  assert.match(epochs.printed, /^\d+ epochs\n/);
  const standAlone = await run(alone);
  assert.equal(standAlone.code, 0, standAlone.printed);
  assert.match(standAlone.printed, /^leaf data: [\s\S]*\nverified\n$/);
});

test("CHN-10 verifying an invalid proof names its first failed step and exits with 3", async () => {
  const bend = `curl -s "${fixture.address}/v1/chain/proof?seq=1" | sed 's/"ts_us":"1/"ts_us":"2/'`;
  const { code, printed } = await run(`${bend} | rialto verify-proof -`);
  assert.equal(code, 3);
  assert.match(printed, /1\. FAILED leaf data: .*\n {2}Verification failed/);
  const document = await run(`${bend} | rialto --json verify-proof -`);
  const { valid, verdicts } = JSON.parse(document.printed);
  assert.deepEqual([valid, Object.keys(verdicts[0])], [false, ["title", "steps", "isValid"]]);
  assert.deepEqual(Object.keys(verdicts[0].steps[0]), ["isOk", "words"]);
  const root = await run(`rialto verify-proof "${fixture.address}/v1/chain/proof?seq=1" --root 1f`);
  assert.equal(root.code, 2);
  const gone = await run(`rialto verify-proof "${fixture.address}/v1/chain/proof?seq=99999999"`);
  assert.equal(gone.code, 1);
});
