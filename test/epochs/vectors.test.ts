// Proves that the venue's encoders produce the published vectors of epochs and proofs, and that the verifier accepts
// these vectors and rejects every altered one.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { encodeEpochHeader, epochRoot } from "../../src/engine/epochs/epoch-header.ts";
import { LeafKind, LeafWriter } from "../../src/engine/epochs/leaf.ts";
import { TreeHasher } from "../../src/engine/epochs/tree-hash.ts";
import { sha256Into } from "../../src/services/epochs/leaf-hasher.ts";
import { canonicalJson, verifyDocument } from "../../src/services/epochs/proof-verifier.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { projectRoot } from "../support/tidy/tree.ts";

type Epoch = Readonly<
  Record<
    | "venue"
    | "epoch"
    | "start_ms"
    | "end_ms"
    | "first_seq"
    | "last_seq"
    | "journal_count"
    | "fill_count"
    | "merkle_root"
    | "prev_root"
    | "root",
    string
  >
>;

type Leaf = Readonly<
  Record<"kind" | "seq" | "ts_us" | "ref_id" | "body_hash" | "leaf_data" | "leaf_hash", string>
> & { readonly type: number; readonly nonce: string; readonly body: unknown };

interface Proof {
  readonly leaf: Leaf;
  readonly audit_path: readonly string[];
  readonly epoch: Epoch;
}

function vectors<Shape>(name: string): Shape {
  return JSON.parse(readFileSync(join(projectRoot, "test/vectors", name), "utf8")) as Shape;
}

const proofs = vectors<{ readonly proofs: readonly [Proof, Proof, Proof] }>("epoch-proofs.json");
const chain = vectors<{ readonly items: readonly [Epoch, Epoch] }>("epoch-chain.json");
const sha256 = (data: Uint8Array) => createHash("sha256").update(data).digest();
const hasher = new TreeHasher(sha256Into);
const writer = new LeafWriter(hasher, testMarkets);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

test("EPO-2 leaves, root and header of the vectors have the fixed values", () => {
  const [first, second, fill] = proofs.proofs;
  assert.equal(
    first.leaf.leaf_data,
    "564a4c3101000000000000000100065bfeda25e0010001036f2d31" +
      "04c0578608fc89769181f452995f0b9b9d9bc5666d7864ad6fdb61a4335f416f",
  );
  assert.deepEqual(
    [first, second, fill].map(({ leaf }) => leaf.leaf_hash),
    [
      "9a7400cc4fc2ca01378fe6ec54002ecacba7fe344bf02b7516c05f9320655f41",
      "50e0fd7d79667053ab52ce11eee7f15d564a8adf155d6a7096b2d5a9904b343d",
      "69efe8b6bafea07561b6f703f5b4697aae196de4c4b568f0aa8410b5b1e995fd",
    ],
  );
  assert.deepEqual(second.audit_path, [first.leaf.leaf_hash, fill.leaf.leaf_hash]);
  const [empty, full] = chain.items;
  assert.equal(
    full.merkle_root,
    "cc036441d1e8c3527130cab7e4669fe0531a73d3959366a9356adbef46f76000",
  );
  assert.equal(full.root, "883ff0f3e8320f69d4a538785bb999eb40dbe6075f7b8d45396cc0f19bfaf234");
  assert.equal(empty.root, "5840ae805944fc87b060a08e239fc82affffe7e359ecf60ac3ec3e9361b67320");
});

test("EPO-2 the venue's encoders produce the vectors", () => {
  for (const { leaf } of proofs.proofs) {
    const kind = leaf.kind === "fill" ? LeafKind.fill : LeafKind.journal;
    const letter: "o" | "t" = leaf.ref_id.startsWith("o") ? "o" : "t";
    const fields = {
      kind,
      number: Number(leaf.seq),
      tsUs: Number(leaf.ts_us),
      type: leaf.type,
      ref: { letter, number: Number(leaf.ref_id.slice(2)) },
    };
    const [bodyHash, leafHash] = [new Uint8Array(32), new Uint8Array(32)];
    const nonce = Buffer.from(leaf.nonce, "hex");
    writer.begin().text(canonicalJson(leaf.body));
    writer.bodyHash(nonce, bodyHash, 0);
    writer.leafHash(fields, nonce, leafHash, 0);
    assert.deepEqual([hex(bodyHash), hex(leafHash)], [leaf.body_hash, leaf.leaf_hash]);
    assert.equal(hex(writer.leafData(fields, bodyHash)), leaf.leaf_data);
  }
  for (const epoch of chain.items) {
    const header = {
      venue: epoch.venue,
      epoch: Number(epoch.epoch),
      startMs: Number(epoch.start_ms),
      endMs: Number(epoch.end_ms),
      firstSeq: Number(epoch.first_seq),
      lastSeq: Number(epoch.last_seq),
      journalCount: Number(epoch.journal_count),
      fillCount: Number(epoch.fill_count),
      merkleRoot: Buffer.from(epoch.merkle_root, "hex"),
      prevRoot: Buffer.from(epoch.prev_root, "hex"),
    };
    assert.equal(encodeEpochHeader(header).length, 137);
    assert.equal(hex(epochRoot(header, hasher)), epoch.root);
  }
});

test("CHN-8 the verifier accepts the vectors and explains every step", async () => {
  for (const verdict of await verifyDocument(proofs, { sha256 })) {
    assert(verdict.isValid, JSON.stringify(verdict));
    assert.deepEqual(
      verdict.steps.map(({ message }) => message.split(":")[0]),
      ["leaf data", "body", "leaf hash", "position", "audit path", "epoch root", "anchor"],
    );
    assert.match(verdict.steps[3]?.message ?? "", /: 2 journal entries, then 1 fill\.$/);
  }
  const [linked] = await verifyDocument(chain, { sha256 });
  assert(linked?.isValid, JSON.stringify(linked));
});

test("CHN-8 a trusted root from another source decides the last step", async () => {
  const { root } = proofs.proofs[0].epoch;
  const [right] = await verifyDocument(proofs, { sha256, trustedRoot: root.toUpperCase() });
  assert.equal(right?.isValid, true);
  const [wrong] = await verifyDocument(proofs, { sha256, trustedRoot: root.replace(/^../, "00") });
  assert.match(wrong?.steps.at(-1)?.message ?? "", /^anchor: the trusted root is/);
});

/** Returns the paths of all texts and numbers in a document, each as a list of keys. */
function places(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [[...path]];
  return Object.entries(value).flatMap(([key, one]) => places(one, [...path, key]));
}

/** Returns a copy of the document in which `bend` has replaced the value at `path`. */
function bent(document: object, path: readonly string[], bend: (value: unknown) => unknown) {
  const copy = structuredClone(document);
  let holder: object = copy;
  for (const key of path.slice(0, -1)) {
    const inner: unknown = Reflect.get(holder, key);
    assert(typeof inner === "object" && inner !== null, "the path must lie inside the document");
    holder = inner;
  }
  const key = path.at(-1) ?? "";
  Reflect.set(holder, key, bend(Reflect.get(holder, key)));
  return copy;
}

test("CHN-8 for every change in a proof a step fails and is reported", async () => {
  const [, proof] = proofs.proofs;
  // The anchor is excluded: it says what the venue claims about the ledger, which the proof itself does not prove.
  const proved = places(proof).filter(([first]) => first !== "anchor");
  const change = (value: unknown) => {
    if (typeof value === "number") return value + 1;
    const text = String(value);
    return text.slice(0, -1) + (text.endsWith("0") ? "1" : "0");
  };
  for (const path of proved) {
    const [verdict] = await verifyDocument({ proofs: [bent(proof, path, change)] }, { sha256 });
    assert.equal(verdict?.isValid, false, path.join("."));
    assert.equal(verdict?.steps.at(-1)?.isOk, false);
  }
});

test("CHN-8 a chain with a changed, missing or swapped epoch is reported as broken", async () => {
  const [empty, full] = chain.items;
  for (const path of places(chain)) {
    if (path[0] !== "items") continue;
    const items = bent(chain, path, (value) =>
      String(value).replace(/.$/, String(value).endsWith("1") ? "2" : "1"),
    );
    const [verdict] = await verifyDocument(items, { sha256 });
    assert.equal(verdict?.isValid, false, path.join("."));
  }
  const late = { ...empty, epoch: "29833335" };
  const [gap] = await verifyDocument({ items: [late, full] }, { sha256 });
  assert.equal(gap?.isValid, false);
});

test("CHN-8 CHN-19 the verifier never throws, whatever the document", async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...places(proofs)),
    fc.jsonValue(),
    async (path, value) => {
      const verdicts = await verifyDocument(
        bent(proofs, path, () => value),
        { sha256 },
      );
      assert(verdicts.length > 0);
    },
  );
  await fc.assert(property, { numRuns: 300 });
  for (const value of [
    null,
    1,
    "",
    [],
    {},
    { proofs: [null] },
    { items: [1, 2] },
    { proofs: [] },
  ]) {
    const [verdict] = await verifyDocument(value, { sha256 });
    assert.equal(verdict?.isValid, false);
  }
  assert.deepEqual(await verifyDocument({ items: [] }, { sha256 }), [
    {
      title: "document",
      steps: [
        {
          isOk: false,
          message:
            "The list of epochs is empty: the first epoch is sealed within a minute of the first order.",
        },
      ],
      isValid: false,
      isEmpty: true,
    },
  ]);
});

test("CHN-9 canonical JSON sorts keys by UTF-16 units and contains no number that could be rounded", () => {
  assert.equal(
    canonicalJson({ b: 1, a: [true, null, "é\n"], "\u{1F600}": 2, ﬀ: 3 }),
    '{"a":[true,null,"é\\n"],"b":1,"\u{1F600}":2,"ﬀ":3}',
  );
  assert.throws(() => canonicalJson({ a: 0.5 }));
  assert.throws(() => canonicalJson({ a: 2 ** 53 }));
});
