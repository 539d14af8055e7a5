// Proves that the swap guide works: its shell blocks run in order against a development venue with its liquidity
// provider, and its printed vector is correct.

import assert from "node:assert/strict";
import { createPrivateKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { projectRoot } from "../support/tidy/tree.ts";
import { DevVenue } from "../support/venue/dev-venue.ts";
import { blocksIn } from "./document-blocks.ts";
import { ShellSession } from "./shell-session.ts";

const path = "docs/guides/swap.md";
const blocks = blocksIn(path, "sh").map(({ text }) => text);

let venue: DevVenue;
let session: ShellSession;

before(async () => {
  venue = await DevVenue.start();
  session = new ShellSession({ address: venue.address, env: venue.settings });
});
after(async () => {
  await venue.close();
  session.close();
});

test("DOC-9 RFQ-13 RFQ-21 the guide's swap works line by line, by command and by curl", {
  timeout: 1_200_000,
}, async () => {
  const { code, printed, complained } = await session.run(blocks);
  assert.equal(code, 0, `${complained}\n${printed.at(-1)}`);
  const [byCommand, party, coins, taken, toSign, executed, settled, proof, details] = printed;
  assert.match(byCommand ?? "", /7 of 7 steps of the swap verified/);
  assert.match(party ?? "", /user::1220[0-9a-f]{64}/);
  assert.match(coins ?? "", /"wallet":"ledger","asset":"USDC","amount":"100","party_id":"user::/);
  assert.match(taken ?? "", /price: '0\.1503'/);
  assert.match(toSign ?? "", /"choice": "AllocationFactory_Allocate"/);
  assert.match(executed ?? "", /^accepted|trader_allocated/m);
  assert.match(settled ?? "", /1220[0-9a-f]{64}/);
  assert.match(proof ?? "", /^\d+ executing settled$[\s\S]*Verified\./m);
  const [own, recorded] = (details ?? "").trim().split("\n");
  assert.match(own ?? "", /^[0-9a-f]{32}$/);
  assert.equal(own, recorded);
});

test("RFQ-13 the guide's vector is the signature over the decoded hash", () => {
  const page = readFileSync(join(projectRoot, path), "utf8");
  const cell = (label: string) =>
    new RegExp(`^\\| ${label} \\| \`(.*)\` \\|$`, "m").exec(page)?.[1] ?? "";
  const lead = "302e020100300506032b657004220420";
  const der = Buffer.from(`${lead}${cell("seed, hexadecimal")}`, "hex");
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const hash = Buffer.from(cell("prepared_transaction_hash"), "base64");
  assert.equal(hash.toString("hex"), cell("what is signed, hexadecimal"));
  assert.equal(sign(null, hash, key).toString("base64"), cell("signature"));
});
