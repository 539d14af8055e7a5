// Proves that documents from strangers (proofs and prepared transactions) are safe to check. The check of any
// document ends with a message, and a document with a changed hashed field never passes.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type Verdict, verifyDocument } from "../../src/services/epochs/proof-verifier.ts";
import { type KnownNetwork, unknownNetwork } from "../../src/services/swaps/known-network.ts";
import { checkPrepared } from "../../src/services/swaps/prepared-check.ts";
import { lockDocument } from "../../src/services/swaps/prepared-document.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { fuzz } from "./fuzz.ts";
import { spoiltText } from "./spoilt-bytes.ts";
import { spoiltJson } from "./spoilt-json.ts";

const sha256 = (data: Uint8Array) => createHash("sha256").update(data).digest();
const vector = (name: string): unknown =>
  JSON.parse(readFileSync(join(projectRoot, "test/vectors", name), "utf8"));
const documents = [vector("epoch-proofs.json"), vector("epoch-chain.json")];

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function assertSound(verdicts: readonly Verdict[]): void {
  assert.ok(verdicts.length > 0);
  for (const { title, steps, isValid } of verdicts) {
    assert.equal(typeof title, "string");
    assert.equal(isValid, steps.length > 0 && steps.every(({ isOk }) => isOk));
    assert.equal(
      steps.slice(0, -1).every(({ isOk }) => isOk),
      true,
      "the check must stop at the first failure",
    );
    // Messages are printed on a terminal, so a document must not be able to move the cursor or start another line.
    for (const { message } of [...steps, { message: title }])
      assert.doesNotMatch(message, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  }
}

const spoiltDocument = fc.oneof(
  ...documents.map(spoiltJson),
  spoiltText(fc.constantFrom(...documents.map((one) => JSON.stringify(one)))).map(jsonOf),
  fc.jsonValue(),
);

fuzz(
  "CHN-8 CHN-19 checking any document gives a verdict with one line per step",
  spoiltDocument,
  async (document) => {
    assertSound(await verifyDocument(document, { sha256 }));
  },
);

/** Names of a proof's hashed fields. */
const hashed = ["leaf_data", "leaf_hash", "body_hash", "merkle_root", "root", "prev_root"];

const forged = fc.record({
  proof: fc.nat(2),
  field: fc.constantFrom(...hashed),
  digit: fc.nat(63),
  by: fc.integer({ min: 1, max: 15 }),
});

fuzz(
  "CHN-8 a proof fails if one digit of a hash was changed",
  forged,
  async ({ proof, field, digit, by }) => {
    const text = JSON.stringify((documents[0] as { proofs: unknown[] }).proofs[proof]);
    const change = (_: string, lead: string, digits: string) => {
      const at = digit % digits.length;
      const other = ((Number.parseInt(digits[at] ?? "0", 16) + by) % 16).toString(16);
      return `${lead}${digits.slice(0, at)}${other}${digits.slice(at + 1)}`;
    };
    const changed = text.replace(new RegExp(`("${field}":")([0-9a-f]+)`), change);
    assert.notEqual(changed, text);
    const [verdict] = await verifyDocument({ proofs: [JSON.parse(changed)] }, { sha256 });
    assert.equal(verdict?.isValid, false);
  },
);

const party = `user::1220${"1".repeat(64)}`;
const provider = `maker::1220${"2".repeat(64)}`;
const swap = {
  swap_id: "0198f1c2-0000-7008-8000-000000000001",
  pair: "CC-USDC",
  side: "BUY",
  status: "accepted",
  accepted: { qty: "100.0", quote_qty: "15.03", provider_party: provider },
  allocate_before: "2026-09-21T14:15:30.000Z",
  settle_before: "2026-09-21T14:16:30.000Z",
  moves: [{ to: "trader_allocated", details: '{"proposal":"00ee","allocation":"00ef"}' }],
} as const;

const known: KnownNetwork = {
  operator: "venue",
  issuers: { USDC: "USDC-issuer", CC: "CC-issuer" },
  factories: { "USDC-issuer": "00ab" },
};
const payment = { sender: party, receiver: provider, asset: "USDC", amount: "15.03" } as const;
const own = { sender: provider, receiver: party, asset: "CC", amount: "100.0" } as const;
const agreed = {
  ...{ swapId: swap.swap_id, party, provider },
  pays: { legId: "quote", ...payment } as const,
  gets: { legId: "base", ...own } as const,
  ...{ allocateBefore: swap.allocate_before, settleBefore: swap.settle_before },
};
const shownContract = {
  ...{ templateId: "#t:T:T", contractId: "00ab", createdEventBlob: "e30=", synchronizerId: "sync" },
};
const free = {
  ...{ requestedAt: "2026-09-21T14:13:00.000Z", inputs: ["00cd"] },
  ...{ maxRecordTime: "2026-09-21T14:14:00.000Z", disclosed: [shownContract] },
};
const named = { operator: "venue", issuers: known.issuers, factory: "00ab" };
const lock = lockDocument(agreed, named, free);
const nowMs = Date.parse(free.requestedAt);

function preparedOf(text: string) {
  const bytes = Buffer.from(text, "utf8");
  const hash = sha256(Buffer.concat([Buffer.from("devnet-prepared-v1\0"), bytes]));
  return {
    prepared_transaction: bytes.toString("base64"),
    prepared_transaction_hash: hash.toString("base64"),
  };
}

const spoiltLock = fc.oneof(
  fc.constant(lock).map((one) => JSON.stringify(one)),
  spoiltJson(lock).map((one) => JSON.stringify(one) ?? ""),
  spoiltText(fc.constant(JSON.stringify(lock))),
);
const status = fc.constantFrom("accepted", "releasing", "settled");

fuzz(
  "RFQ-22 checking any prepared transaction gives a verdict of one line, and no exception",
  fc.tuple(spoiltLock, status, fc.boolean()),
  async ([text, now, isKnown]) => {
    const verdict = await checkPrepared(
      preparedOf(text),
      { ...swap, status: now },
      { sha256, party, known: isKnown ? known : unknownNetwork, nowMs },
    );
    assertSound([{ title: "", ...verdict }]);
    if (text === JSON.stringify(lock) && now === "accepted") assert.ok(verdict.isValid);
  },
);
