// Documents about liabilities statements as the venue's routes give them, built the slow and simple way from the
// published encodings, for tests of whoever reads statements. They share no code with the venue or the verifier.

import { createHash } from "node:crypto";
import { accountKeyOf, bigEndian, NaiveSumTree } from "./naive-liabilities.ts";

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
  /** The end of the stated epoch in ms, if it is not the one that follows from its number. */
  readonly endMs?: bigint;
  /** Epochs from the stated one to that of its entry; 1 if not given. */
  readonly entryAfter?: number;
}

/** One asset with its tree. */
export interface SampleTree {
  readonly asset: SampleAsset;
  readonly tree: NaiveSumTree;
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  return createHash("sha256").update(Buffer.concat(parts)).digest();
}

export function treeOf(terms: SampleTerms, asset: SampleAsset): SampleTree {
  const amounts = terms.accounts.map(({ account, fingerprint, amounts: byName }) => {
    const amount = byName[asset.asset] ?? 0n;
    return { account, fingerprint: Buffer.from(fingerprint, "hex"), amount };
  });
  return { asset, tree: new NaiveSumTree(terms, asset.number, amounts) };
}

const noLedger = { holdings: null, in_flight: null, claims: null, surplus: null };

function statedAsset({ asset, tree }: SampleTree): object {
  const { root, shortfall, leaves } = tree;
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
    key: accountKeyOf(terms.epochKey, account).toString("hex"),
    assets: own.map(({ asset, tree }) => ({
      asset: asset.asset,
      number: asset.number,
      amount: `${amounts[asset.asset]}`,
      leaves: [0, 1].map((part) => {
        const index = tree.leaves.findIndex(
          ({ of }) => of?.account === account && of.part === part,
        );
        const path = tree.path(index).map(({ hash, sum }) => ({
          hash: hash.toString("hex"),
          sum: `${sum}`,
        }));
        return { part, index, amount: `${tree.leaves[index]?.sum}`, path };
      }),
    })),
  };
}

/** The epoch with the statement's last entry, empty of everything else, and the next one, which has only the event. */
export function sealedSample(terms: SampleTerms, statement: string) {
  const { epoch, seq, venue, entryAfter = 1, endMs } = terms;
  const empty = { root: sha256(), count: 0, before: "00".repeat(32) };
  const stated = sealed({ venue, epoch, seq, ...empty, ...(endMs !== undefined && { endMs }) });
  const body = {
    account: 0,
    digest: digestOf(statement),
    epoch: `${epoch}`,
    event: "LIABILITIES_STATED",
    stated_seq: `${seq}`,
  };
  const nonce = Buffer.alloc(16, 7);
  const hash = sha256(bigEndian(3, 1), nonce, Buffer.from(JSON.stringify(body)));
  const tsUs = (epoch + 1) * 60_000_000 + 1_000;
  const data = Buffer.concat([
    ...[
      Buffer.from("VJL1"),
      bigEndian(1, 1),
      bigEndian(seq + 1, 8),
      bigEndian(tsUs, 8),
      bigEndian(66, 2),
    ],
    ...[bigEndian(0, 1), hash],
  ]);
  const leafHash = sha256(bigEndian(0, 1), data);
  const next = sealed({
    ...{
      venue,
      epoch: epoch + entryAfter,
      seq: seq + 1,
      root: leafHash,
      count: 1,
      before: stated.root,
    },
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
  readonly endMs?: bigint;
}

function sealed({ venue, epoch, seq, root, count, before, ...given }: SealedTerms) {
  const startMs = epoch * 60_000;
  const endMs = given.endMs ?? BigInt(startMs + 60_000);
  const numbers = [epoch, startMs, endMs, seq + 1 - count, seq, count, 0];
  const header = Buffer.concat([
    ...[Buffer.from("VEH1"), bigEndian(venue.length, 1), Buffer.from(venue)],
    ...numbers.map((value) => bigEndian(value, 8)),
    ...[root, Buffer.from(before, "hex")],
  ]);
  return {
    ...{ venue, epoch: `${epoch}`, start_ms: `${startMs}`, end_ms: `${endMs}` },
    ...{ first_seq: `${seq + 1 - count}`, last_seq: `${seq}`, journal_count: `${count}` },
    ...{ fill_count: "0", merkle_root: root.toString("hex"), prev_root: before },
    root: sha256(bigEndian(2, 1), header).toString("hex"),
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
