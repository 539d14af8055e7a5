// Proves what the page makes of answers that are no statement, or not that of the member who asked.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkedStatement } from "../../web/src/statement-check.ts";
import { type SampleTerms, sampleDocument } from "../support/epochs/stated-sample.ts";

const terms: SampleTerms = {
  ...{ epoch: 29_922_618, seq: 512, venue: "venue", epochKey: Buffer.alloc(32, 9) },
  assets: [{ asset: "USDC", number: 1, decimals: 6 }],
  accounts: [{ account: 21, fingerprint: "a1".repeat(32), amounts: { USDC: 5n } }],
};

test("LIA-40 an answer that is no statement fails, whatever it is", async () => {
  for (const answer of [null, 1, "", [], {}]) {
    const { verdict, isOwn, rows } = await checkedStatement(answer, null);
    assert.deepEqual([verdict.isValid, isOwn, rows], [false, false, []]);
  }
});

test("LIA-40 totals do not pass for a member's leaves", async () => {
  const document = sampleDocument(terms);
  assert((await checkedStatement(document, null)).verdict.isValid);
  const { verdict } = await checkedStatement(document, Buffer.alloc(32, 1).toString("base64"));
  assert.equal(verdict.isValid, false);
  assert.match(verdict.steps.at(-1)?.message ?? "", /^owner: the document has no key/);
});
