// Verifies a liabilities statement, and a member's leaves in it, without trusting the venue, and explains each step.
// Like the verifier of proofs, whose reading of documents it uses, it implements trees and encodings a second time.
// What it cannot know: whether the amount of a member is right, which the member compares, and whether the ledger
// has what is stated, which anybody reads from a ledger node (spec LIA-34 ff.).

import { checkLeaves, checkOwner, type StatedAmount, type StatedTrees } from "./leaves-verifier.ts";
import {
  asFields,
  canonicalJson,
  checkEpochRoot,
  expect,
  type Fields,
  fieldsIn,
  hex,
  hexIn,
  integer,
  isFields,
  Malformed,
  printable,
  type Sha256,
  type Step,
  same,
  stepOf,
  text,
  type Verdict,
  type VerifyOptions,
  verifyProof,
} from "./proof-verifier.ts";
import { type Asset, amountText, assetsOf, ledgerDecimals } from "./stated-asset.ts";

/** The result for one statement, with or without a member's leaves. */
export interface LiabilitiesVerdict extends Verdict {
  /** What is proved to be in the trees for the member; empty for a public statement. */
  readonly balances: readonly StatedAmount[];
  /** Assets of which the venue states less than it owes, with the missing amount. */
  readonly deficits: readonly StatedAmount[];
  /** Assets of which only a faucet's debt covers what is missing, with that debt. Only a development venue has one. */
  readonly faucetDebts: readonly StatedAmount[];
  /** Assets whose holdings the statement leaves open. */
  readonly unknown: readonly string[];
  /** The moment of the statement, in ms; null if the document does not prove it. */
  readonly atMs: number | null;
}

export interface LiabilitiesOptions extends VerifyOptions {
  /** The fingerprint of the member's public key, in hexadecimal digits; the leaves must be bound to it. */
  readonly fingerprint?: string;
}

/** What the steps find out on their way. */
interface Findings {
  statement: Fields;
  assets: readonly Asset[];
  balances: StatedAmount[];
  deficits: StatedAmount[];
  faucetDebts: StatedAmount[];
  unknown: string[];
  atMs: number | null;
  /** The last step of the entry's proof: whether the ledger has the epoch. */
  anchor: Step | null;
}

type Check = () => Promise<string> | string;

/** Longer than any statement: an asset takes about 400 characters. */
const statementCharsMax = 1_000_000;
/** The last moment that a Date can be, in ms. */
const momentMax = 8_640_000_000_000_000n;

const encoder = new TextEncoder();

/** Whether a document is one that `verifyLiabilities` checks. */
export function isLiabilities(document: unknown): boolean {
  return isFields(document) && typeof document["statement"] === "string";
}

/**
 * Checks a statement as `/v1/liabilities` gives it, and the leaves of a member as `/v1/liabilities/me` gives them, in
 * the published steps; stops at the first that fails. Never throws, whatever the document.
 */
export async function verifyLiabilities(
  document: unknown,
  options: LiabilitiesOptions,
): Promise<LiabilitiesVerdict> {
  const found: Findings = {
    ...{ statement: {}, assets: [], balances: [], deficits: [], faucetDebts: [], unknown: [] },
    ...{ atMs: null, anchor: null },
  };
  const all = isFields(document) ? document : {};
  const done: Step[] = [];
  for (const [name, check, isOpen] of stepsOf(all, options, found)) {
    const step = await stepOf(name, check);
    done.push(step.isOk && isOpen?.() ? { ...step, isOpen: true } : step);
    if (!step.isOk) break;
  }
  const isValid = done.every(({ isOk }) => isOk);
  const { deficits, faucetDebts, unknown } = found;
  const [balances, atMs] = isValid ? [found.balances, found.atMs] : [[], null];
  const title = printable(`liabilities at the end of epoch ${text(found.statement, "epoch", "?")}`);
  return { title, steps: done, isValid, balances, deficits, faucetDebts, unknown, atMs };
}

/** The steps in order: name, check, and whether a passed check leaves something for the reader to compare. */
function stepsOf(
  all: Fields,
  options: LiabilitiesOptions,
  found: Findings,
): [string, Check, (() => boolean)?][] {
  const given = [all["assets"], all["key"], options.fingerprint];
  const isOwn = given.some((one) => one !== undefined);
  const own: [string, Check][] = [
    ["owner", () => checkOwner(all, options.fingerprint)],
    ["leaves", () => checkLeaves(all, treesOf(found), found.balances, options.sha256)],
  ];
  return [
    ["statement", () => checkStatement(all, found, options.sha256)],
    ["totals", () => checkTotals(found)],
    ["assets", () => checkAssets(found), () => found.unknown.length > 0],
    ...(isOwn ? own : []),
    ["entry", () => checkEntry(all, found, options), () => found.anchor === null],
    ["epoch", () => checkEpoch(all, found, options.sha256), () => found.atMs === null],
    ["anchor", () => checkAnchor(found), () => found.anchor?.isOpen ?? true],
  ];
}

function treesOf({ statement, assets }: Findings): StatedTrees {
  return { epoch: integer(statement, "epoch"), assets };
}

/** The text is canonical, so that it can be read in one way only, and hashes to the digest. */
async function checkStatement(all: Fields, found: Findings, sha256: Sha256): Promise<string> {
  const given = text(all, "statement");
  expect(given.length <= statementCharsMax, "the text is too long to be a statement");
  const statement = asFields(parsed(given), "statement");
  expect(canonicalJson(statement) === given, "the text is not canonical JSON");
  expect(statement["version"] === 1, "its version is not 1");
  const digest = await sha256(encoder.encode(given));
  const stated = hexIn(all, "digest", 32);
  expect(same(digest, stated), `the text hashes to ${hex(digest)}, digest is ${hex(stated)}`);
  found.statement = statement;
  found.assets = assetsOf(statement);
  const [epoch, seq] = [integer(statement, "epoch"), integer(statement, "seq")];
  return `The text hashes to its digest ${hex(digest).slice(0, 16)}…. It is about journal entry ${seq}, the last of epoch ${epoch}.`;
}

/** What the venue owes is what the trees add up to, less the shortfall; nothing else may be taken off. */
function checkTotals({ assets }: Findings): string {
  for (const { name, total, shortfall, liabilities } of assets) {
    const rest = total - shortfall;
    expect(
      rest === liabilities,
      `${name}: total ${total} less shortfall ${shortfall} is ${rest}, liabilities is ${liabilities}`,
    );
  }
  const shown = assets.map((asset) => {
    const owed = `${asset.name} ${amountText(asset.total, asset.decimals)}`;
    if (asset.shortfall === 0n) return owed;
    return `${owed} less shortfall ${amountText(asset.shortfall, asset.decimals)}`;
  });
  return `For each asset, liabilities are the tree's total less the shortfall of accounts below zero: ${listed(shown)}.`;
}

/** Surplus = holdings + in flight − liabilities. A deficit does not fail: it is what the venue itself says. */
function checkAssets(found: Findings): string {
  const shown = found.assets.map((asset) => {
    const { name, ledger, liabilities, decimals, faucetDebt } = asset;
    if (ledger === null) {
      found.unknown.push(name);
      return `${name} unknown`;
    }
    const scale = 10n ** BigInt(ledgerDecimals - decimals);
    const rest = ledger.holdings + ledger.inFlight - liabilities * scale;
    expect(
      rest === ledger.surplus,
      `${name}: holdings and in flight less liabilities are ${amountText(rest, ledgerDecimals)}, surplus is ${amountText(ledger.surplus, ledgerDecimals)}`,
    );
    const covered = ledger.surplus + faucetDebt * scale;
    const amount = amountText(covered < 0n ? -covered : ledger.surplus, ledgerDecimals);
    if (covered < 0n) found.deficits.push({ asset: name, amount });
    const debt = amountText(faucetDebt, decimals);
    const isCovered = ledger.surplus < 0n && covered >= 0n;
    if (isCovered) found.faucetDebts.push({ asset: name, amount: debt });
    return `${name} ${covered < 0n ? "DEFICIT" : "surplus"} ${amount}${isCovered ? `, which only the faucet's debt of ${debt} covers` : ""}`;
  });
  const [what, unknown] = [
    "Surplus is holdings and money in flight, less liabilities",
    found.unknown,
  ];
  const open =
    unknown.length === 0
      ? "Compare the holdings with the ledger."
      : `The statement leaves open what the venue holds of ${listed(unknown)}.`;
  return `${what}: ${listed(shown)}. ${open}`;
}

/** The journal has the digest in an entry of a later epoch, and that entry's proof leads to the epoch's root. */
async function checkEntry(
  all: Fields,
  found: Findings,
  options: LiabilitiesOptions,
): Promise<string> {
  const proof = all["entry"];
  if (proof === null && options.trustedRoot === undefined) {
    const epoch = integer(found.statement, "epoch");
    return `The epoch that contains the statement's journal entry is not sealed yet. Check the statement of epoch ${epoch} again in a minute.`;
  }
  const { steps } = await verifyProof(proof, options);
  const failed = steps.find(({ isOk }) => !isOk);
  if (failed !== undefined) throw new Malformed(failed.message.replace(/\.$/, ""));
  const [leaf, epoch] = [fieldsIn(proof, "leaf"), fieldsIn(proof, "epoch")];
  const body = fieldsIn(leaf, "body");
  const [{ statement }, digest] = [found, hex(hexIn(all, "digest", 32))];
  expect(body["event"] === "LIABILITIES_STATED", "the entry is not that of a statement");
  expect(text(body, "digest") === digest, `the entry has the digest ${text(body, "digest")}`);
  for (const [own, stated] of [
    ["epoch", "epoch"],
    ["stated_seq", "seq"],
  ] as const) {
    const [one, other] = [integer(body, own), integer(statement, stated)];
    expect(one === other, `${own} of the entry is ${one}, the statement has ${other}`);
  }
  expect(text(epoch, "venue") === text(statement, "venue"), "the entry is that of another venue");
  const isLater = integer(epoch, "epoch") > integer(statement, "epoch");
  expect(isLater, "the entry's epoch is not later than the stated one");
  found.anchor = steps.at(-1) ?? null;
  return `Journal entry ${text(leaf, "seq")} records this digest; its ${steps.length - 1} checks lead to the root of epoch ${text(epoch, "epoch")}.`;
}

/** The stated epoch ends with the stated entry, which gives the moment of the statement. */
async function checkEpoch(all: Fields, found: Findings, sha256: Sha256): Promise<string> {
  if ((all["stated_epoch"] ?? null) === null) {
    return "The document does not contain the stated epoch. Compare its last_seq with the statement.";
  }
  const [stated, { statement }] = [asFields(all["stated_epoch"], "stated_epoch"), found];
  const message = await checkEpochRoot(stated, sha256);
  for (const [own, other] of [
    ["epoch", "epoch"],
    ["last_seq", "seq"],
  ] as const) {
    const [one, said] = [integer(stated, own), integer(statement, other)];
    expect(one === said, `${own} of the stated epoch is ${one}, the statement has ${said}`);
  }
  expect(text(stated, "venue") === text(statement, "venue"), "it is an epoch of another venue");
  const endMs = integer(stated, "end_ms");
  expect(endMs <= momentMax, "end_ms of the stated epoch is no moment");
  const next = fieldsIn(all["entry"], "epoch");
  if (integer(stated, "epoch") + 1n !== numberOr(next, "epoch", 0n)) {
    return `${message} Nothing here links it to the entry's epoch: compare its root with the list of epochs.`;
  }
  const isLinked = text(next, "prev_root") === text(stated, "root");
  expect(isLinked, "the entry's epoch does not link to the root of the stated epoch");
  found.atMs = Number(endMs);
  return `${message} The entry's epoch links to it.`;
}

function checkAnchor({ anchor }: Findings): string {
  if (anchor === null) return "There is no root to compare with the ledger yet.";
  return anchor.message.replace(/^anchor: /, "");
}

function parsed(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    throw new Malformed("the text is not JSON");
  }
}

function numberOr(fields: Fields, name: string, fallback: bigint): bigint {
  return fields[name] === undefined ? fallback : integer(fields, name);
}

function listed(items: readonly string[]): string {
  return items.length === 0 ? "none" : items.join(", ");
}
