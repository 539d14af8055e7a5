// Proves that the verifier accepts a statement and a member's leaves that were built by other code from the published
// encodings, and that it rejects and names every change in them.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { verifyLiabilities } from "../../src/services/epochs/liability-verifier.ts";
import {
  digestOf,
  type SampleAccount,
  type SampleTerms,
  sampleDocument,
  sealedSample,
} from "../support/epochs/stated-sample.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const sha256 = (data: Uint8Array) => createHash("sha256").update(data).digest();

const member: SampleAccount = {
  account: 21,
  fingerprint: "a1".repeat(32),
  amounts: { USDC: 1_250_500_000n, BTC: 1n },
};
const others: readonly SampleAccount[] = [
  { account: 4, fingerprint: "00".repeat(32), amounts: { USDC: 3n } },
  { account: 22, fingerprint: "b2".repeat(32), amounts: { USDC: 1_250_500_000n, BTC: 70_000n } },
  { account: 23, fingerprint: "c3".repeat(32), amounts: { USDC: -40_000_000n } },
];
const ledger = {
  ...{ holdings: "3000.0000000000", in_flight: "-10.5000000000", claims: "0.0000000000" },
  surplus: "528.4999970000",
};
const terms: SampleTerms = {
  ...{ epoch: 29_922_618, seq: 512, venue: "venue", epochKey: Buffer.alloc(32, 9) },
  assets: [
    { asset: "USDC", number: 1, decimals: 6, ledger },
    { asset: "BTC", number: 2, decimals: 8 },
  ],
  accounts: [member, ...others],
};
const own = sampleDocument(terms, member);
const shared = sampleDocument(terms);

function check(document: unknown, more: object = {}) {
  return verifyLiabilities(document, { sha256, ...more });
}

function namesOf(steps: readonly { readonly message: string }[]): string[] {
  return steps.map(({ message }) => message.slice(0, message.indexOf(":")));
}

/** A document whose statement is another text, with the digest of that text. */
function restated(document: object, change: (statement: object) => object): object {
  const { statement } = document as { readonly statement: string };
  const text = JSON.stringify(change(JSON.parse(statement)));
  return { ...document, statement: text, digest: digestOf(text) };
}

/** A document with another value at `path`. */
function bent(document: object, path: string, bend: (value: unknown) => unknown): object {
  const copy = structuredClone(document);
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const holder = keys.reduce((inner: object, key) => Reflect.get(inner, key), copy);
  Reflect.set(holder, last, bend(Reflect.get(holder, last)));
  return copy;
}

async function failure(document: unknown, more: object = {}): Promise<string> {
  const { isValid, steps, balances } = await check(document, more);
  assert.equal(isValid, false);
  assert.deepEqual(balances, []);
  return steps.at(-1)?.message ?? "";
}

test("LIA-34 the verifier explains each step of a member's check", async () => {
  const verdict = await check(own, { fingerprint: member.fingerprint });
  assert(verdict.isValid, JSON.stringify(verdict));
  assert.deepEqual(namesOf(verdict.steps), [
    "statement",
    "totals",
    "assets",
    "owner",
    "leaves",
    "entry",
    "epoch",
    "anchor",
  ]);
  assert.deepEqual(verdict.balances, [
    { asset: "USDC", amount: "1250.5" },
    { asset: "BTC", amount: "0.00000001" },
  ]);
  assert.deepEqual([verdict.deficits, verdict.unknown], [[], ["BTC"]]);
  assert.equal(verdict.atMs, 29_922_619 * 60_000);
  assert.match(verdict.steps[1]?.message ?? "", /USDC 2501\.000003 less shortfall 40,/);
  assert.match(
    verdict.steps[4]?.message ?? "",
    /^leaves: Your 1250\.5 USDC are leaves \d+ and \d+ of 64\./,
  );
});

test("LIA-34 a public statement verifies without leaves, and one without a sealed entry is open", async () => {
  const verdict = await check(shared);
  assert(verdict.isValid, JSON.stringify(verdict));
  assert.deepEqual(namesOf(verdict.steps), [
    "statement",
    "totals",
    "assets",
    "entry",
    "epoch",
    "anchor",
  ]);
  const early = await check({ ...shared, entry: null });
  assert(early.isValid, JSON.stringify(early));
  assert.deepEqual(
    early.steps.map(({ isOpen = false }) => isOpen),
    [false, false, true, true, true, true],
  );
  assert.equal(early.atMs, null, "nothing links the stated epoch, and so its time, to the chain");
  // In a minute there is a newer statement, so the reader must know which one to ask for.
  assert.match(
    early.steps[3]?.message ?? "",
    /the statement of epoch 29922618 again in a minute\.$/,
  );
});

test("LIA-36 a reader who names a key is not content with a document without leaves", async () => {
  const { fingerprint } = member;
  assert.match(await failure(shared, { fingerprint }), /^owner: the document has no key/);
});

test("LIA-38 the moment of a statement is that of an epoch in the chain, and a moment", async () => {
  for (const endMs of [2n ** 64n - 1n, 8_640_000_000_000_001n]) {
    const message = await failure(sampleDocument({ ...terms, endMs }, member));
    assert.match(message, /^epoch: end_ms of the stated epoch is no moment/);
  }
  const later = await check(sampleDocument({ ...terms, entryAfter: 2 }, member));
  assert(later.isValid, JSON.stringify(later));
  assert.deepEqual([later.atMs, later.steps[6]?.isOpen], [null, true]);
  assert.match(later.steps[6]?.message ?? "", /compare its root with the list of epochs/);
});

test("LIA-34 a trusted root decides, also about an entry that is not sealed yet", async () => {
  const { root } = (own as { entry: { epoch: { root: string } } }).entry.epoch;
  assert((await check(own, { trustedRoot: root })).isValid);
  const other = root.replace(/^../, "00");
  assert.match(await failure(own, { trustedRoot: other }), /^entry: anchor: the trusted root is/);
  assert.match(await failure({ ...own, entry: null }, { trustedRoot: root }), /^entry: /);
});

/** The paths of all texts and numbers of a document. */
function places(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== "object" || value === null) return [path.join(".")];
  return Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]));
}

test("LIA-36 for every change in a member's document a step fails and is reported", async () => {
  // The anchor says what the venue claims about the ledger; the asset's number and the epoch beside the statement
  // repeat what the statement says, and nobody reads them.
  const unread = /^(entry\.anchor\.|epoch$|assets\.\d+\.number$)/;
  const change = (value: unknown) => {
    if (typeof value === "number") return value ^ 1;
    if (typeof value === "boolean") return !value;
    const text = String(value);
    return text.slice(0, -1) + (text.endsWith("0") ? "1" : "0");
  };
  for (const path of places(own).filter((place) => !unread.test(place))) {
    await failure(bent(own, path, change)).catch((fault) => assert.fail(`${path}: ${fault}`));
  }
});

test("LIA-35 totals, bounds and arithmetic of a statement are checked", async () => {
  const cases: readonly [string, unknown, RegExp][] = [
    ["liabilities", "2501000003", /^totals: USDC: total 2501000003 less shortfall 40000000 is/],
    ["shortfall", "-1", /^statement: shortfall is below zero/],
    ["total", `${2n ** 127n}`, /^statement: total is 2\^127 or more/],
    ["total", 2501000003, /^statement: total is not a whole number as text/],
    ["leaves", 96, /^statement: USDC has 96 leaves/],
    ["leaves", 32, /^statement: USDC has 32 leaves/],
    ["number", 2, /^statement: two assets have the same number/],
    ["asset", "BTC", /^statement: two assets have the same name/],
    [
      "surplus",
      "528.4999970001",
      /^assets: USDC: holdings and in flight less liabilities are 528\.499997/,
    ],
    ["surplus", null, /^statement: USDC has only some of holdings/],
    ["surplus", "528.499997", /^statement: surplus is not a number with ten decimals/],
  ];
  for (const [key, value, message] of cases) {
    const document = restated(shared, (statement) =>
      bent(statement, `assets.0.${key}`, () => value),
    );
    assert.match(await failure(document), message);
  }
  const spaced = bent(shared, "statement", (text) => String(text).replace(":", ": "));
  assert.match(await failure(spaced), /^statement: the text is not canonical JSON/);
  const twice = (text: string) => text.replace('"version":1', '"version":1,"version":1');
  assert.match(
    await failure(bent(shared, "statement", (text) => twice(String(text)))),
    /canonical/,
  );
  const later = restated(shared, (statement) => ({ ...statement, version: 2 }));
  assert.match(await failure(later), /^statement: its version is not 1/);
});

test("LIA-35 a deficit is named and does not hide behind a valid statement", async () => {
  const short = { ...ledger, holdings: "2400.0000000000", surplus: "-71.5000030000" };
  const [usdc, btc] = terms.assets;
  assert(usdc !== undefined && btc !== undefined);
  const owed = { ...terms, assets: [{ ...usdc, ledger: short }, btc] };
  const verdict = await check(sampleDocument(owed, member));
  assert(verdict.isValid, JSON.stringify(verdict));
  assert.deepEqual(verdict.deficits, [{ asset: "USDC", amount: "71.500003" }]);
  assert.match(verdict.steps[2]?.message ?? "", /USDC DEFICIT 71\.500003/);
  const faucet = { ...terms, assets: [{ ...usdc, ledger: short, faucetDebt: 71_500_003n }, btc] };
  const covered = await check(sampleDocument(faucet));
  assert.deepEqual([covered.deficits, verdict.faucetDebts], [[], []]);
  assert.deepEqual(covered.faucetDebts, [{ asset: "USDC", amount: "71.500003" }]);
  assert.match(
    covered.steps[2]?.message ?? "",
    /USDC surplus -71\.500003, which only the faucet's debt of 71\.500003 covers/,
  );
});

test("LIA-36 leaves of another key, member, epoch, split or asset do not pass", async () => {
  const strange = "d4".repeat(32);
  assert.match(
    await failure(own, { fingerprint: strange }),
    /^owner: the leaves are bound to a1a1/,
  );
  assert.match(await failure(bent(own, "key", () => strange)), /^leaves: part 0 of USDC has/);
  assert.match(
    await failure(bent(own, "fingerprint", () => strange)),
    /not to the root$|not to the root\.$/,
  );
  assert.match(await failure(bent(own, "account", () => 22)), /not to the root\.$/);
  const next = restated(own, (statement) => ({ ...statement, epoch: "29922619" }));
  assert.match(await failure(next), /^leaves: leaf \d+ of USDC leads to/);
  const swapped = bent(own, "assets.0.leaves", (leaves) => [...(leaves as object[])].reverse());
  assert.match(await failure(swapped), /^leaves: the leaves of USDC are not parts 0 and 1/);
  const twice = bent(own, "assets.0.leaves", (leaves) => [
    (leaves as object[])[0],
    (leaves as object[])[0],
  ]);
  assert.match(await failure(twice), /^leaves: the leaves of USDC are not parts 0 and 1/);
  const repeated = bent(own, "assets", (assets) => [
    (assets as object[])[0],
    (assets as object[])[0],
  ]);
  assert.match(await failure(repeated), /^leaves: USDC is listed twice/);
  const unknown = bent(own, "assets.1.asset", () => "ETH");
  assert.match(await failure(unknown), /^leaves: ETH is not in the statement/);
});

test("LIA-37 a sum that is bent, negative or too large stops the climb at its step", async () => {
  const path = "assets.0.leaves.0.path.0.sum";
  assert.match(await failure(bent(own, path, () => "-1")), /^leaves: sum is below zero/);
  const large = `${2n ** 127n - 1n}`;
  assert.match(
    await failure(bent(own, path, () => large)),
    /^leaves: a sum on a path of USDC is 2\^127/,
  );
  assert.match(
    await failure(bent(own, path, () => `${2n ** 127n}`)),
    /^leaves: sum is 2\^127 or more/,
  );
  const short = bent(own, "assets.0.leaves.0.path", (nodes) => (nodes as object[]).slice(1));
  assert.match(await failure(short), /^leaves: a path of USDC has 5 nodes, not 6/);
  const outside = bent(own, "assets.0.leaves.0.index", () => 64);
  assert.match(await failure(outside), /^leaves: index 64 of USDC is outside/);
  // The total alone is changed: the paths' hashes still lead to the root, and their sums no longer to the total.
  const total = restated(own, (statement) =>
    bent(
      bent(statement, "assets.1.total", () => "70000"),
      "assets.1.liabilities",
      () => "70000",
    ),
  );
  assert.match(await failure(total), /^leaves: the path of leaf \d+ of BTC adds up to 70001/);
});

test("LIA-38 an entry of another kind, statement, seq, venue or time does not pass", async () => {
  const cases: readonly [object, RegExp][] = [
    [bent(own, "entry.leaf.body", () => undefined), /^entry: the entry is not that of a statement/],
    [{ ...own, entry: undefined }, /^entry: leaf data: /],
    [
      restated(own, (statement) => ({ ...statement, marks: [] })),
      /^entry: the entry has the digest/,
    ],
  ];
  for (const [document, message] of cases) assert.match(await failure(document), message);
  const { statement } = own as { readonly statement: string };
  // Entries that are proved as they should be, but say something else.
  const moved: readonly [Partial<SampleTerms>, RegExp][] = [
    [{ seq: 511 }, /^entry: stated_seq of the entry is 511, the statement has 512/],
    [{ epoch: 29_922_617 }, /^entry: epoch of the entry is 29922617/],
    [{ venue: "other" }, /^entry: the entry is that of another venue/],
  ];
  for (const [change, message] of moved) {
    const { entry } = sealedSample({ ...terms, ...change }, statement);
    assert.match(await failure({ ...own, entry }), message);
  }
});

test("LIA-34 a member without an amount is told so, and the stated epoch may be left out", async () => {
  const none: SampleAccount = { account: 30, fingerprint: "e5".repeat(32), amounts: {} };
  const verdict = await check(sampleDocument(terms, none));
  assert(verdict.isValid, JSON.stringify(verdict));
  assert.match(verdict.steps[4]?.message ?? "", /no amount above zero for you/);
  const bare = await check({ ...own, stated_epoch: undefined });
  assert.deepEqual([bare.isValid, bare.atMs, bare.steps[6]?.isOpen], [true, null, true]);
});

test("LIA-34 the verifier never throws, whatever the document", async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...places(own)),
    fc.jsonValue(),
    async (path, value) => {
      const { steps } = await check(bent(own, path, () => value));
      assert(steps.length > 0);
    },
  );
  await fc.assert(property, { numRuns: 300 });
  for (const value of [
    null,
    1,
    "",
    [],
    {},
    { statement: 1 },
    { statement: "[1]" },
    { assets: [] },
  ]) {
    await failure(value);
  }
});

test("LIA-34 the published vectors verify, as far as they go", async () => {
  const page = join(projectRoot, "test/vectors/liabilities.json");
  const vectors = JSON.parse(readFileSync(page, "utf8"));
  const { statement, digest, epoch } = vectors;
  for (const { account, fingerprint, key, assets } of vectors.accounts) {
    const leaves = assets.filter((one: { leaves: unknown[] }) => one.leaves.length > 0);
    const own = { epoch, account, fingerprint, key, assets: leaves };
    const { steps, balances } = await check({ statement, digest, entry: null, ...own });
    assert.deepEqual(
      steps.at(-1)?.message,
      "anchor: There is no root to compare with the ledger yet.",
    );
    assert.equal(balances.length, leaves.length);
  }
});
