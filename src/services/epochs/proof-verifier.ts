// Verifies a proof without trusting the venue, and explains each step. It imports nothing: SHA-256 is injected, from
// node:crypto on the command line and from the browser on a page. Trees and encodings are deliberately implemented a
// second time here, so that a mistake in the venue's own code cannot hide.

/** SHA-256 of the bytes: 32 bytes, synchronously or as a promise. */
export type Sha256 = (data: Uint8Array) => Uint8Array | Promise<Uint8Array>;

export interface Step {
  readonly isOk: boolean;
  /** What was checked, and the result. */
  readonly message: string;
  /** Nothing was checked: the step repeats what the venue reports, and the reader must compare it. */
  readonly isOpen?: true;
}

/** The result for one proof or one list of epochs: every step up to the first that fails. */
export interface Verdict {
  readonly title: string;
  readonly steps: readonly Step[];
  readonly isValid: boolean;
  /** The document is an empty list of epochs: nothing was verified, and nothing is wrong. */
  readonly isEmpty?: boolean;
}

export interface VerifyOptions {
  readonly sha256: Sha256;
  /** The epoch's root in hexadecimal digits, read from a ledger node; the proof's root must equal it. */
  readonly trustedRoot?: string;
}

/** The fields of an object in a document, of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** A field is missing or invalid; the message names it. */
export class Malformed extends Error {}

/** Bodies are flat; deeper nesting is invalid and would only use up the stack. */
const bodyDepthMax = 16;
/** Longer than any message about a valid proof. */
const messageCharsMax = 2_000;

const encoder = new TextEncoder();

/**
 * Checks a proof document (`{proofs: […]}`), or that a list of epochs (`{items: […]}`) is an unbroken chain. Any
 * other document gets one failed verdict.
 */
export async function verifyDocument(
  document: unknown,
  options: VerifyOptions,
): Promise<readonly Verdict[]> {
  if (isFields(document) && Array.isArray(document["proofs"]) && document["proofs"].length > 0) {
    const verdicts: Verdict[] = [];
    for (const proof of document["proofs"]) verdicts.push(await verifyProof(proof, options));
    return verdicts;
  }
  if (isFields(document) && Array.isArray(document["items"]) && document["items"].length > 0) {
    return [await verifyChain(document["items"], options)];
  }
  if (isFields(document) && Array.isArray(document["items"])) {
    const message =
      "The list of epochs is empty: the first epoch is sealed within a minute of the first order.";
    return [
      { title: "document", steps: [{ isOk: false, message }], isValid: false, isEmpty: true },
    ];
  }
  const message =
    'The document contains neither a list of "proofs" nor a list of epochs ("items").';
  return [{ title: "document", steps: [{ isOk: false, message }], isValid: false }];
}

/** Checks one proof in the published steps; stops at the first that fails. */
export async function verifyProof(proof: unknown, options: VerifyOptions): Promise<Verdict> {
  const { sha256 } = options;
  const [all, leaf, epoch] = [proof, fieldsIn(proof, "leaf"), fieldsIn(proof, "epoch")];
  const steps: [string, (proof: Fields) => Promise<string> | string][] = [
    ["leaf data", () => checkLeafData(leaf)],
    ["body", () => checkBody(leaf, sha256)],
    ["leaf hash", () => checkLeafHash(leaf, sha256)],
    ["position", (fields) => checkPlace(fields, leaf, epoch)],
    ["audit path", (fields) => checkPath(fields, leaf, epoch, sha256)],
    ["epoch root", () => checkEpochRoot(epoch, sha256)],
    ["anchor", (fields) => checkAnchor(fields, epoch, options.trustedRoot)],
  ];
  // Without a trusted root there is nothing to compare the anchor with.
  const open = options.trustedRoot === undefined ? "anchor" : null;
  const title = titleOf(leaf, epoch);
  const done: Step[] = [];
  for (const [name, check] of steps) {
    const step = await stepOf(name, () => check(asFields(all, "proof")));
    done.push(step.isOk && name === open ? { ...step, isOpen: true } : step);
    if (!step.isOk) return { title, steps: done, isValid: false };
  }
  return { title, steps: done, isValid: true };
}

/** Checks that epochs, in ascending or descending order, have no gap and that each links to the root before it. */
export async function verifyChain(
  epochs: readonly unknown[],
  { sha256 }: VerifyOptions,
): Promise<Verdict> {
  const sorted = [...epochs].reverse();
  const isAscending = numberOf(sorted[0], "epoch") <= numberOf(sorted.at(-1), "epoch");
  const ascending = isAscending ? sorted : [...epochs];
  const title = `${ascending.length} epochs`;
  const steps: Step[] = [];
  let before: Fields | null = null;
  for (const epoch of ascending) {
    const previous: Fields | null = before;
    const name = printable(`epoch ${text(epoch, "epoch", "?")}`);
    const step = await stepOf(name, async () => {
      const fields = asFields(epoch, "epoch");
      const message = await checkEpochRoot(fields, sha256);
      if (previous === null) return message;
      return `${message} ${checkLink(previous, fields)}`;
    });
    steps.push(step);
    if (!step.isOk) return { title, steps, isValid: false };
    before = asFields(epoch, "epoch");
  }
  return { title, steps, isValid: true };
}

function checkLink(before: Fields, epoch: Fields): string {
  const [last, own] = [integer(before, "epoch"), integer(epoch, "epoch")];
  expect(own === last + 1n, `it follows epoch ${last}: an epoch between them is missing`);
  const root = hexIn(before, "root", 32);
  expect(same(hexIn(epoch, "prev_root", 32), root), `its prev_root is not the root of ${last}`);
  const firstSeq = integer(before, "last_seq") + 1n;
  expect(integer(epoch, "first_seq") === firstSeq, `its first entry is not ${firstSeq}`);
  expect(
    integer(epoch, "start_ms") === integer(before, "end_ms"),
    "its start_ms is not the end_ms of the epoch before",
  );
  return `Its prev_root is the root of epoch ${last}.`;
}

/** Step 1: the leaf's bytes from its public fields. */
function checkLeafData(leaf: Fields): string {
  const rebuilt = leafData(leaf);
  const given = hexIn(leaf, "leaf_data", null);
  expect(same(rebuilt, given), `the fields encode to ${hex(rebuilt)}, the proof has ${hex(given)}`);
  return `The fields of the leaf encode to the ${rebuilt.length} bytes of leaf_data.`;
}

/** Step 1 for an owner, whose proof contains body and nonce: the body hash. */
async function checkBody(leaf: Fields, sha256: Sha256): Promise<string> {
  if (leaf["body"] === undefined) {
    return "The proof contains only body_hash. The owner can request body and nonce.";
  }
  const body = asFields(leaf["body"], "body");
  const hash = await bodyHash(hexIn(leaf, "nonce", 16), body, sha256);
  const given = hexIn(leaf, "body_hash", 32);
  expect(same(hash, given), `nonce and body hash to ${hex(hash)}, body_hash is ${hex(given)}`);
  const side = await checkSide(leaf, body, sha256);
  return `Nonce and body hash to body_hash: the body is what the venue recorded.${side}`;
}

/** A trade's body contains its sides as hashes; an owner receives their own side. */
async function checkSide(leaf: Fields, body: Fields, sha256: Sha256): Promise<string> {
  if (leaf["sides"] === undefined) return "";
  const sides = leaf["sides"];
  if (!Array.isArray(sides)) throw new Malformed("sides is not a list");
  for (const side of sides) {
    const own = asFields(side, "sides");
    const role = text(own, "role");
    const hash = await bodyHash(hexIn(own, "nonce", 16), asFields(own["body"], "body"), sha256);
    expect(
      hex(hash) === body[role],
      `the ${role}'s side hashes to ${hex(hash)}, the body has another hash`,
    );
  }
  return " Your side of the trade hashes to the value in the body.";
}

/** Step 2: the hash of the leaf data. */
async function checkLeafHash(leaf: Fields, sha256: Sha256): Promise<string> {
  const hash = await sha256(join([[0], hexIn(leaf, "leaf_data", null)]));
  const given = hexIn(leaf, "leaf_hash", 32);
  expect(same(hash, given), `leaf_data hashes to ${hex(hash)}, the proof has ${hex(given)}`);
  return `leaf_data hashes to leaf_hash ${short(hash)}.`;
}

/** The index of a journal entry must follow from its seq, and fills must come after all entries. */
function checkPlace(proof: Fields, leaf: Fields, epoch: Fields): string {
  const index = integer(proof, "leaf_index");
  const size = integer(proof, "tree_size");
  const entries = integer(epoch, "journal_count");
  const fills = integer(epoch, "fill_count");
  expect(size === entries + fills, `the tree has ${size} leaves, the epoch has ${entries + fills}`);
  if (text(leaf, "kind") === "journal") {
    const place = integer(leaf, "seq") - integer(epoch, "first_seq");
    expect(place >= 0n && place < entries, "the seq of the entry is outside the epoch");
    expect(index === place, `the entry is at index ${index}; its seq requires ${place}`);
  } else {
    expect(index >= entries && index < size, "a fill must come after the journal entries");
  }
  const first = counted(entries, "journal entry", "journal entries");
  return `The leaf has index ${index} of ${size}: ${first}, then ${counted(fills, "fill", "fills")}.`;
}

function counted(count: bigint, one: string, many: string): string {
  return `${count} ${count === 1n ? one : many}`;
}

/** Steps 3 and 4: the audit path from the leaf to the Merkle root, by RFC 9162, 2.1.3.2. */
async function checkPath(
  proof: Fields,
  leaf: Fields,
  epoch: Fields,
  sha256: Sha256,
): Promise<string> {
  const path = proof["audit_path"];
  if (!Array.isArray(path)) throw new Malformed("audit_path is not a list");
  const given = hexIn(epoch, "merkle_root", 32);
  let place = integer(proof, "leaf_index");
  let last = integer(proof, "tree_size") - 1n;
  let hash: Uint8Array = hexIn(leaf, "leaf_hash", 32);
  for (const [at, one] of path.entries()) {
    const sibling = hexIn({ audit_path: one }, "audit_path", 32);
    expect(last > 0n, `the path has ${path.length} hashes, the tree needs ${at}`);
    if ((place & 1n) === 1n || place === last) {
      hash = await sha256(join([[1], sibling, hash]));
      while ((place & 1n) === 0n && place !== 0n) {
        place >>= 1n;
        last >>= 1n;
      }
    } else {
      hash = await sha256(join([[1], hash, sibling]));
    }
    place >>= 1n;
    last >>= 1n;
  }
  expect(last === 0n, `the path of ${path.length} hashes does not reach the root`);
  expect(same(hash, given), `the path leads to ${hex(hash)}, the epoch has ${hex(given)}`);
  return `${path.length} hashes lead from the leaf to the Merkle root ${short(hash)}.`;
}

/** Step 5: the root of the epoch is the hash of its header. */
export async function checkEpochRoot(epoch: Fields, sha256: Sha256): Promise<string> {
  const count = integer(epoch, "journal_count");
  const [first, last] = [integer(epoch, "first_seq"), integer(epoch, "last_seq")];
  expect(last - first + 1n === count, `entries ${first} to ${last} are not ${count} entries`);
  const root = await sha256(join([[2], headerOf(epoch)]));
  const given = hexIn(epoch, "root", 32);
  expect(same(root, given), `the header hashes to ${hex(root)}, the proof has ${hex(given)}`);
  return `The header of epoch ${integer(epoch, "epoch")} hashes to its root ${short(root)}.`;
}

/** Step 6: the anchor, as far as it can be checked without a ledger node. */
function checkAnchor(proof: Fields, epoch: Fields, trustedRoot: string | undefined): string {
  const root = text(epoch, "root");
  if (trustedRoot !== undefined) {
    expect(
      root === trustedRoot.toLowerCase(),
      `the trusted root is ${trustedRoot}, the proof has ${root}`,
    );
    return "The root matches the trusted root.";
  }
  const anchor = asFields(proof["anchor"], "anchor");
  const status = text(anchor, "status");
  if (status !== "confirmed") {
    return `Not confirmed on the ledger yet (${status}). Compare the root with the ledger later.`;
  }
  const id = text(anchor, "update_id");
  return `The venue reports ledger update ${id} of ${text(anchor, "network")}. Read it from a ledger node you trust and compare the root.`;
}

/** "VJL1" │ kind │ number │ µs │ type │ reference │ body hash. */
function leafData(leaf: Fields): Uint8Array {
  const kind = text(leaf, "kind");
  if (kind !== "journal" && kind !== "fill") throw new Malformed(`kind ${kind} is not known`);
  const type = integer(leaf, "type");
  if (type > 65_535n) throw new Malformed("type is above 65535");
  const ref = encoder.encode(text(leaf, "ref_id"));
  return join([
    encoder.encode("VJL1"),
    [kind === "journal" ? 1 : 2],
    u64(integer(leaf, "seq")),
    u64(integer(leaf, "ts_us")),
    [Number(type >> 8n), Number(type & 255n)],
    str8(ref, "ref_id"),
    hexIn(leaf, "body_hash", 32),
  ]);
}

/** "VEH1" │ venue │ seven numbers │ merkle root │ root of the epoch before. */
function headerOf(epoch: Fields): Uint8Array {
  const numbers = [
    "epoch",
    "start_ms",
    "end_ms",
    "first_seq",
    "last_seq",
    "journal_count",
    "fill_count",
  ];
  return join([
    encoder.encode("VEH1"),
    str8(encoder.encode(text(epoch, "venue")), "venue"),
    ...numbers.map((name) => u64(integer(epoch, name))),
    hexIn(epoch, "merkle_root", 32),
    hexIn(epoch, "prev_root", 32),
  ]);
}

async function bodyHash(nonce: Uint8Array, body: Fields, sha256: Sha256): Promise<Uint8Array> {
  return sha256(join([[3], nonce, encoder.encode(canonicalJson(body))]));
}

/** Keys sorted by UTF-16 code unit, no spaces; strings, booleans, null, safe integers, lists, objects. */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > bodyDepthMax) throw new Malformed(`body is deeper than ${bodyDepthMax}`);
  if (value === null || typeof value === "boolean" || typeof value === "string") {
    return JSON.stringify(value);
  }
  if (typeof value === "number") {
    if (Number.isSafeInteger(value)) return String(value);
    throw new Malformed(`${value} is not a whole number below 2^53`);
  }
  if (Array.isArray(value)) {
    return `[${value.map((each) => canonicalJson(each, depth + 1)).join(",")}]`;
  }
  const fields = asFields(value, "body");
  // The default sort of strings is by UTF-16 code unit.
  const keys = Object.keys(fields).sort();
  const pairs = keys.map(
    (key) => `${JSON.stringify(key)}:${canonicalJson(fields[key], depth + 1)}`,
  );
  return `{${pairs.join(",")}}`;
}

export async function stepOf(name: string, check: () => Promise<string> | string): Promise<Step> {
  try {
    return { isOk: true, message: `${name}: ${printable(await check())}` };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return { isOk: false, message: `${name}: ${printable(error.message)}.` };
  }
}

function titleOf(leaf: Fields, epoch: Fields): string {
  const what = leaf["kind"] === "fill" ? "fill" : "journal entry";
  const ref = text(leaf, "ref_id", "");
  const number = text(leaf, "seq", "?");
  return printable(
    `${what} ${number}${ref === "" ? "" : ` (${ref})`} in epoch ${text(epoch, "epoch", "?")}`,
  );
}

/** Makes untrusted text printable on one line: control characters could overwrite the verdict on a terminal. */
export function printable(message: string): string {
  return message.slice(0, messageCharsMax).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
}

export function expect(isTrue: boolean, message: string): void {
  if (!isTrue) throw new Malformed(message);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asFields(value: unknown, name: string): Fields {
  if (!isFields(value)) throw new Malformed(`${name} is not an object`);
  return value;
}

/** The object in a field; empty if missing, so that its fields are reported as missing. */
export function fieldsIn(value: unknown, name: string): Fields {
  const found = isFields(value) ? value[name] : undefined;
  return isFields(found) ? found : {};
}

export function text(value: unknown, name: string, fallback?: string): string {
  const found = isFields(value) ? value[name] : undefined;
  if (typeof found === "string") return found;
  if (typeof found === "number" && Number.isSafeInteger(found)) return String(found);
  if (fallback !== undefined) return fallback;
  throw new Malformed(`${name} is missing or not a text`);
}

/** An integer from 0, as a JSON number or as digits. */
export function integer(value: unknown, name: string): bigint {
  const digits = text(value, name);
  if (!/^(0|[1-9]\d{0,19})$/.test(digits)) throw new Malformed(`${name} is not a whole number`);
  return BigInt(digits);
}

function numberOf(value: unknown, name: string): bigint {
  try {
    return integer(value, name);
  } catch {
    return 0n;
  }
}

export function hexIn(value: Fields, name: string, bytes: number | null): Uint8Array {
  const digits = text(value, name);
  const isHex = /^([0-9a-f]{2})*$/.test(digits) && digits.length <= 8192;
  if (!isHex) throw new Malformed(`${name} is not lower-case hexadecimal`);
  if (bytes !== null && digits.length !== bytes * 2) {
    throw new Malformed(`${name} has ${digits.length / 2} bytes, not ${bytes}`);
  }
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function short(bytes: Uint8Array): string {
  return `${hex(bytes).slice(0, 16)}…`;
}

export function same(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, place) => byte === other[place]);
}

export function u64(value: bigint): Uint8Array {
  if (value >= 2n ** 64n) throw new Malformed(`${value} does not fit 64 bits`);
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}

function str8(bytes: Uint8Array, name: string): Uint8Array {
  if (bytes.length > 255) throw new Malformed(`${name} has more than 255 bytes`);
  return join([[bytes.length], bytes]);
}

export function join(parts: readonly ArrayLike<number>[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((bytes, { length }) => bytes + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
