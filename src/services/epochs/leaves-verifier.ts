// Verifies the leaves of a member in the sum trees of a statement: each is recomputed from the member's key, fingerprint
// and account, and leads to the root of its asset, while the sums on the way add up to the total (spec LIA-36, LIA-37).

import {
  asFields,
  expect,
  type Fields,
  hex,
  hexIn,
  integer,
  join,
  Malformed,
  type Sha256,
  same,
  text,
  u64,
} from "./proof-verifier.ts";
import { type Asset, amountText, sumEnd, sumIn } from "./stated-asset.ts";

/** An amount of an asset, in the asset's unit: "1250.5". */
export interface StatedAmount {
  readonly asset: string;
  readonly amount: string;
}

/** What the leaves must lead to. */
export interface StatedTrees {
  readonly epoch: bigint;
  readonly assets: readonly Asset[];
}

/** What the hash of a leaf binds beside its amount, and the key from which salt and split are derived. */
interface Member {
  readonly key: Uint8Array;
  readonly fingerprint: Uint8Array;
  readonly account: bigint;
}

/** The leaves are bound to the member's public key, if the reader says which it is. */
export function checkOwner(document: Fields, expected: string | undefined): string {
  expect(document["key"] !== undefined, "the document has no key, and so no leaves of yours");
  const { fingerprint, account } = memberOf(document);
  const shown = hex(fingerprint);
  if (expected === undefined) {
    return `The leaves are those of account ${account}, bound to the key with fingerprint ${shown}.`;
  }
  const isSame = shown === expected.toLowerCase();
  expect(isSame, `the leaves are bound to ${shown}, your key has ${expected}`);
  return `The leaves of account ${account} are bound to the fingerprint of your public key.`;
}

function memberOf(document: Fields): Member {
  const account = integer(document, "account");
  expect(account < 2n ** 32n, "account does not fit 32 bits");
  const [key, fingerprint] = [hexIn(document, "key", 32), hexIn(document, "fingerprint", 32)];
  return { key, fingerprint, account };
}

/** Checks every leaf of the member, and adds to `proved` what they have. */
export async function checkLeaves(
  document: Fields,
  trees: StatedTrees,
  proved: StatedAmount[],
  sha256: Sha256,
): Promise<string> {
  const list = document["assets"];
  if (!Array.isArray(list)) throw new Malformed("assets is not a list");
  const member = memberOf(document);
  const shown: string[] = [];
  for (const one of list) {
    const own = asFields(one, "assets");
    const name = text(own, "asset");
    const asset = trees.assets.find((stated) => stated.name === name);
    if (asset === undefined) throw new Malformed(`${name} is not in the statement`);
    const isNew = proved.every((amount) => amount.asset !== name);
    expect(isNew, `${name} is listed twice`);
    const amount = sumIn(own, "amount");
    const places = await checkParts(member, { own, asset, amount, epoch: trees.epoch }, sha256);
    proved.push({ asset: name, amount: amountText(amount, asset.decimals) });
    shown.push(
      `Your ${amountText(amount, asset.decimals)} ${name} are leaves ${places.join(" and ")} of ${asset.leaves}.`,
    );
  }
  if (shown.length > 0) return `${shown.join(" ")} They lead to the stated roots and totals.`;
  return "The venue states no amount above zero for you: nothing of yours is in the trees.";
}

interface OwnAmount {
  readonly own: Fields;
  readonly asset: Asset;
  readonly amount: bigint;
  readonly epoch: bigint;
}

/** An amount is in two leaves, split as the member's key says. Returns their indexes. */
async function checkParts(
  member: Member,
  { own, asset, amount, epoch }: OwnAmount,
  sha256: Sha256,
): Promise<bigint[]> {
  const { name, number } = asset;
  expect(amount > 0n, `${name} has the amount 0, for which there are no leaves`);
  const leaves = own["leaves"];
  if (!Array.isArray(leaves)) throw new Malformed("leaves is not a list");
  expect(leaves.length === 2, `${name} has ${leaves.length} leaves, not two`);
  // 0x06 ‖ key ‖ asset ‖ part: the leaf's salt, its tag, and of part 0 the ratio of the split.
  const shares = [
    await sha256(join([[6], member.key, [number, 0]])),
    await sha256(join([[6], member.key, [number, 1]])),
  ] as const;
  const ratio = BigInt(new DataView(Uint8Array.from(shares[0]).buffer).getUint32(24));
  const first = (amount * ratio) >> 32n;
  const places: bigint[] = [];
  for (const [part, share] of shares.entries()) {
    const leaf = asFields(leaves[part], "leaves");
    expect(integer(leaf, "part") === BigInt(part), `the leaves of ${name} are not parts 0 and 1`);
    const [given, sum] = [sumIn(leaf, "amount"), part === 0 ? first : amount - first];
    expect(given === sum, `part ${part} of ${name} has ${given}, your key gives it ${sum}`);
    // 0x04 ‖ epoch ‖ asset ‖ amount ‖ fingerprint ‖ account ‖ salt.
    const bound = [u128(sum), member.fingerprint, u64(member.account).subarray(4)];
    const data = join([[4], u64(epoch), [number], ...bound, share.subarray(0, 16)]);
    places.push(await checkPath({ hash: await sha256(data), sum }, leaf, asset, sha256));
  }
  expect(places[0] !== places[1], `both leaves of ${name} are at index ${places[0]}`);
  return places;
}

/** Climbs from a leaf to the root, adding up sums; returns the index of the leaf. */
async function checkPath(
  start: { readonly hash: Uint8Array; readonly sum: bigint },
  leaf: Fields,
  { name, leaves, root, total }: Asset,
  sha256: Sha256,
): Promise<bigint> {
  const index = integer(leaf, "index");
  expect(index < leaves, `index ${index} of ${name} is outside the ${leaves} leaves`);
  const path = leaf["path"];
  if (!Array.isArray(path)) throw new Malformed("path is not a list");
  const levels = leaves.toString(2).length - 1;
  expect(path.length === levels, `a path of ${name} has ${path.length} nodes, not ${levels}`);
  let { hash, sum } = start;
  for (const [level, one] of path.entries()) {
    const sibling = asFields(one, "path");
    const otherSum = sumIn(sibling, "sum");
    const [own, other] = [
      [hash, u128(sum)],
      [hexIn(sibling, "hash", 32), u128(otherSum)],
    ];
    const isRight = ((index >> BigInt(level)) & 1n) === 1n;
    // 0x05 ‖ left hash ‖ left sum ‖ right hash ‖ right sum.
    hash = await sha256(join([[5], ...(isRight ? [...other, ...own] : [...own, ...other])]));
    sum += otherSum;
    expect(sum < sumEnd, `a sum on a path of ${name} is 2^127 or more`);
  }
  expect(same(hash, root), `leaf ${index} of ${name} leads to ${hex(hash)}, not to the root`);
  expect(sum === total, `the path of leaf ${index} of ${name} adds up to ${sum}, not to ${total}`);
  return index;
}

function u128(value: bigint): Uint8Array {
  return join([u64(value >> 64n), u64(value & (2n ** 64n - 1n))]);
}
