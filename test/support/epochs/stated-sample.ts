// A liabilities statement with its sum trees, built the slow and simple way from the published encodings, for tests
// of whoever reads statements. It shares no code with the venue or the verifier.

import { createHash, createHmac } from "node:crypto";

export interface SampleAccount {
  readonly account: number;
  /** 64 hexadecimal digits. */
  readonly fingerprint: string;
  /** Minor units by the name of the asset. */
  readonly amounts: Readonly<Record<string, bigint>>;
}

export interface SampleAsset {
  readonly asset: string;
  readonly number: number;
  readonly decimals: number;
  /** What the statement says beside the tree, as in the JSON. */
  readonly ledger?: Readonly<Record<"holdings" | "in_flight" | "claims" | "surplus", string>>;
  readonly faucetDebt?: bigint;
}

export interface SampleTerms {
  readonly epoch: number;
  readonly seq: number;
  readonly venue: string;
  readonly epochKey: Buffer;
  readonly assets: readonly SampleAsset[];
  readonly accounts: readonly SampleAccount[];
}

interface Node {
  readonly hash: Buffer;
  readonly sum: bigint;
}

interface Leaf extends Node {
  readonly tag: Buffer;
  readonly owner: string;
}

export interface SampleTree {
  readonly asset: SampleAsset;
  readonly leaves: readonly Leaf[];
  /** Nodes by level, from the leaves to the root. */
  readonly levels: readonly (readonly Node[])[];
  readonly shortfall: bigint;
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  return createHash("sha256").update(Buffer.concat(parts)).digest();
}

function number(value: bigint | number, bytes: number): Buffer {
  return Buffer.from(
    BigInt(value)
      .toString(16)
      .padStart(bytes * 2, "0"),
    "hex",
  );
}

export function accountKey({ epochKey }: SampleTerms, account: number): Buffer {
  return createHmac("sha256", epochKey).update(number(account, 4)).digest();
}

/** The two leaves of an amount, part 0 first; none of an amount that is not above zero. */
function leavesOf(terms: SampleTerms, asset: SampleAsset, account: SampleAccount): Leaf[] {
  const amount = account.amounts[asset.asset] ?? 0n;
  if (amount <= 0n) return [];
  const key = accountKey(terms, account.account);
  const [first, second] = [0, 1].map((part) =>
    sha256(number(6, 1), key, number(asset.number, 1), number(part, 1)),
  ) as [Buffer, Buffer];
  const split = (amount * BigInt(first.readUInt32BE(24))) >> 32n;
  return (
    [
      [first, split, 0],
      [second, amount - split, 1],
    ] as const
  ).map(([share, sum, part]) => ({
    sum,
    tag: share.subarray(16, 24),
    owner: `${account.account}/${part}`,
    hash: sha256(
      ...[number(4, 1), number(terms.epoch, 8), number(asset.number, 1), number(sum, 16)],
      ...[Buffer.from(account.fingerprint, "hex"), number(account.account, 4)],
      share.subarray(0, 16),
    ),
  }));
}

function padding({ epochKey }: SampleTerms, asset: SampleAsset, index: number): Leaf {
  const hash = sha256(number(7, 1), epochKey, number(asset.number, 1), number(index, 4));
  return { hash, sum: 0n, tag: hash.subarray(0, 8), owner: "" };
}

function above(nodes: readonly Node[]): Node[] {
  return Array.from({ length: nodes.length / 2 }, (_, place) => {
    const [left, right] = [nodes[2 * place], nodes[2 * place + 1]] as [Node, Node];
    const sums = [left, right].map(({ hash, sum }) => Buffer.concat([hash, number(sum, 16)]));
    return { hash: sha256(number(5, 1), ...sums), sum: left.sum + right.sum };
  });
}

export function treeOf(terms: SampleTerms, asset: SampleAsset): SampleTree {
  const real = terms.accounts.flatMap((account) => leavesOf(terms, asset, account));
  let count = 64;
  while (count < real.length) count *= 2;
  const fill = Array.from({ length: count - real.length }, (_, at) => padding(terms, asset, at));
  const leaves = [...real, ...fill].sort(
    (one, other) => Buffer.compare(one.tag, other.tag) || Buffer.compare(one.hash, other.hash),
  );
  const levels: Node[][] = [leaves];
  while ((levels.at(-1)?.length ?? 1) > 1) levels.push(above(levels.at(-1) ?? []));
  const below = terms.accounts.map(({ amounts }) => amounts[asset.asset] ?? 0n);
  const shortfall = below.reduce((sum, amount) => (amount < 0n ? sum - amount : sum), 0n);
  return { asset, leaves, levels, shortfall };
}

const noLedger = { holdings: null, in_flight: null, claims: null, surplus: null };

function statedAsset({ asset, leaves, levels, shortfall }: SampleTree): object {
  const root = levels.at(-1)?.[0] as Node;
  const { ledger = noLedger, faucetDebt = 0n, decimals } = asset;
  return {
    asset: asset.asset,
    ...{ claims: ledger.claims, decimals, faucet_debt: `${faucetDebt}` },
    ...{ holdings: ledger.holdings, in_flight: ledger.in_flight, insurance: "0" },
    leaves: leaves.length,
    liabilities: `${root.sum - shortfall}`,
    number: asset.number,
    root: root.hash.toString("hex"),
    shortfall: `${shortfall}`,
    surplus: ledger.surplus,
    total: `${root.sum}`,
  };
}

/** The canonical text of the statement; the keys above are sorted. */
export function statementText(terms: SampleTerms, trees: readonly SampleTree[]): string {
  return JSON.stringify({
    assets: trees.map(statedAsset),
    epoch: `${terms.epoch}`,
    ledger_offset: null,
    marks: [{ market: "BTC-PERP", price: "60000.00", ticks: 6_000_000 }],
    seq: `${terms.seq}`,
    venue: terms.venue,
    version: 1,
  });
}

export function digestOf(statement: string): string {
  return sha256(Buffer.from(statement)).toString("hex");
}

function pathTo({ levels }: SampleTree, index: number): object[] {
  return levels.slice(0, -1).map((nodes, level) => {
    const { hash, sum } = nodes[(index >> level) ^ 1] as Node;
    return { hash: hash.toString("hex"), sum: `${sum}` };
  });
}

/** The part of `/v1/liabilities/me` that is the member's own. */
export function ownPart(
  terms: SampleTerms,
  trees: readonly SampleTree[],
  member: SampleAccount,
): object {
  const { account, fingerprint, amounts } = member;
  const own = trees.filter(({ asset }) => (amounts[asset.asset] ?? 0n) > 0n);
  return {
    ...{ epoch: `${terms.epoch}`, account, fingerprint },
    key: accountKey(terms, account).toString("hex"),
    assets: own.map((tree) => ({
      asset: tree.asset.asset,
      number: tree.asset.number,
      amount: `${amounts[tree.asset.asset]}`,
      leaves: [0, 1].map((part) => {
        const index = tree.leaves.findIndex(({ owner }) => owner === `${account}/${part}`);
        const amount = `${tree.leaves[index]?.sum}`;
        return { part, index, amount, path: pathTo(tree, index) };
      }),
    })),
  };
}

/** The epoch with the statement's last entry, empty of everything else, and the next one, which has only the event. */
export function sealedSample(terms: SampleTerms, statement: string) {
  const { epoch, seq, venue } = terms;
  const stated = sealed({ venue, epoch, seq, root: sha256(), count: 0, before: "00".repeat(32) });
  const body = {
    digest: digestOf(statement),
    epoch: `${epoch}`,
    event: "LIABILITIES_STATED",
    stated_seq: `${seq}`,
    unit_end: true,
  };
  const nonce = Buffer.alloc(16, 7);
  const hash = sha256(number(3, 1), nonce, Buffer.from(JSON.stringify(body)));
  const tsUs = (epoch + 1) * 60_000_000 + 1_000;
  const data = Buffer.concat([
    ...[Buffer.from("VJL1"), number(1, 1), number(seq + 1, 8), number(tsUs, 8), number(66, 2)],
    ...[number(0, 1), hash],
  ]);
  const leafHash = sha256(number(0, 1), data);
  const next = sealed({
    ...{ venue, epoch: epoch + 1, seq: seq + 1, root: leafHash, count: 1, before: stated.root },
  });
  const entry = {
    leaf: {
      ...{ kind: "journal", seq: `${seq + 1}`, ts_us: `${tsUs}`, type: 66, ref_id: "" },
      body_hash: hash.toString("hex"),
      leaf_data: data.toString("hex"),
      leaf_hash: leafHash.toString("hex"),
      ...{ nonce: nonce.toString("hex"), body },
    },
    ...{ leaf_index: 0, tree_size: 1, audit_path: [], epoch: next },
    anchor: { status: "sealed" },
  };
  return { stated, entry };
}

interface SealedTerms {
  readonly venue: string;
  readonly epoch: number;
  /** The last entry. */
  readonly seq: number;
  readonly root: Buffer;
  readonly count: number;
  readonly before: string;
}

function sealed({ venue, epoch, seq, root, count, before }: SealedTerms) {
  const [startMs, endMs] = [epoch * 60_000, (epoch + 1) * 60_000];
  const numbers = [epoch, startMs, endMs, seq + 1 - count, seq, count, 0];
  const header = Buffer.concat([
    ...[Buffer.from("VEH1"), number(venue.length, 1), Buffer.from(venue)],
    ...numbers.map((value) => number(value, 8)),
    ...[root, Buffer.from(before, "hex")],
  ]);
  return {
    ...{ venue, epoch: `${epoch}`, start_ms: `${startMs}`, end_ms: `${endMs}` },
    ...{ first_seq: `${seq + 1 - count}`, last_seq: `${seq}`, journal_count: `${count}` },
    ...{ fill_count: "0", merkle_root: root.toString("hex"), prev_root: before },
    root: sha256(number(2, 1), header).toString("hex"),
  };
}

/** A whole document of `/v1/liabilities`, or of a member with `own`. */
export function sampleDocument(terms: SampleTerms, member: SampleAccount | null = null): object {
  const trees = terms.assets.map((asset) => treeOf(terms, asset));
  const statement = statementText(terms, trees);
  const { stated, entry } = sealedSample(terms, statement);
  const shared = { statement, digest: digestOf(statement), entry, stated_epoch: stated };
  return member === null ? shared : { ...shared, ...ownPart(terms, trees, member) };
}
