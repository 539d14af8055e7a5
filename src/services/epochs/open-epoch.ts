// The open epoch: entries are hashed as they commit, so that little remains to do when it closes. It is plain data
// between two steps, so that each step can run on any thread.
//
//   entries ──hash──▶ tree of their leaves, full tiles out ──┐
//          └──trades─▶ leaf hashes of fills, kept ───────────┴──seal──▶ the tree of both, header, root

import { assert } from "../../core/assert.ts";
import { EventKind, type VenueEvent } from "../../core/generated/events.ts";
import { type EpochHeader, epochRoot, noRoot } from "../../engine/epochs/epoch-header.ts";
import { hashBytes } from "../../engine/epochs/tree-hash.ts";
import { noTree, type OpenTree, type Tile, TreeBuilder } from "../../engine/epochs/tree-tiles.ts";
import type { EpochRecord, EpochTerms, EpochTile } from "../../ports/journal/epoch-store.ts";
import type { LeafHasher } from "./leaf-hasher.ts";

/** An unsealed epoch whose entries before `nextSeq` are hashed. */
export interface OpenEpoch {
  readonly epoch: number;
  readonly firstSeq: number;
  readonly nextSeq: number;
  readonly firstTrade: number;
  /** Number of trades hashed. */
  readonly fills: number;
  /** Root of the previous epoch. */
  readonly prevRoot: string;
  /** Leaves of the journal entries; fills are appended when the epoch is sealed. */
  readonly tree: OpenTree;
}

/** The first epoch of a venue, or the one after `sealed`. */
export function openAfter(sealed: EpochRecord | null, firstEpoch: number): OpenEpoch {
  const firstSeq = sealed === null ? 1 : sealed.lastSeq + 1;
  return {
    epoch: sealed === null ? firstEpoch : sealed.epoch + 1,
    firstSeq,
    nextSeq: firstSeq,
    firstTrade: sealed === null ? 1 : sealed.firstTrade + sealed.fillCount,
    fills: 0,
    prevRoot: sealed === null ? hexOf(noRoot) : sealed.root,
    tree: noTree,
  };
}

/** Hashes entries of an open epoch. */
export class EntryHasher {
  readonly #leaves: LeafHasher;
  readonly #open: OpenEpoch;
  readonly #builder: TreeBuilder;
  readonly #tiles: Tile[] = [];
  readonly #leaf = new Uint8Array(hashBytes);
  #fillHashes = Buffer.alloc(256 * hashBytes);
  #newFills = 0;
  #nextSeq: number;

  constructor(leaves: LeafHasher, open: OpenEpoch) {
    this.#leaves = leaves;
    this.#open = open;
    this.#nextSeq = open.nextSeq;
    this.#builder = new TreeBuilder(leaves.tree, (tile) => this.#tiles.push(tile), open.tree);
  }

  /** Adds the next entry; asserts that none is skipped. */
  add(event: VenueEvent): void {
    assert(
      event.seq === this.#nextSeq,
      "journal entries must be hashed without a gap in their seqs",
    );
    this.#nextSeq++;
    this.#leaves.hashJournal(event, this.#leaf, 0);
    this.#builder.append(this.#leaf, 0);
    if (event.kind !== EventKind.traded) return;
    assert(event.tradeId === this.#nextTrade, "trades must be hashed without a gap in their ids");
    this.#leaves.hashFill(event, this.#roomForFill(), this.#newFills * hashBytes);
    this.#newFills++;
  }

  /** The epoch including all added entries. */
  open(): OpenEpoch {
    const fills = this.#open.fills + this.#newFills;
    return { ...this.#open, nextSeq: this.#nextSeq, fills, tree: this.#builder.open() };
  }

  /** The tiles that must be stored. */
  get tiles(): readonly EpochTile[] {
    return this.#tiles;
  }

  /** Leaf hashes of the added trades, concatenated, as a copy. */
  get fillHashes(): Uint8Array {
    return new Uint8Array(this.#fillHashes.subarray(0, this.#newFills * hashBytes));
  }

  /** Seals the epoch after the added entries; `earlierFills` are the hashes of earlier steps. */
  seal(terms: EpochTerms, earlierFills: readonly Uint8Array[]): EpochRecord {
    const { epoch, firstSeq, firstTrade, prevRoot } = this.#open;
    const fillCount = this.#nextTrade - firstTrade;
    for (const hashes of [...earlierFills, this.fillHashes]) {
      for (let at = 0; at < hashes.length; at += hashBytes) this.#builder.append(hashes, at);
    }
    const journalCount = this.#nextSeq - firstSeq;
    assert(
      this.#builder.size === journalCount + fillCount,
      "the tree must have one leaf for each journal entry and fill",
    );
    const merkleRoot = hexOf(this.#builder.finish());
    const startMs = epoch * terms.epochMs;
    const record = {
      epoch,
      startMs,
      endMs: startMs + terms.epochMs,
      firstSeq,
      lastSeq: this.#nextSeq - 1,
      firstTrade,
      journalCount,
      fillCount,
      merkleRoot,
      prevRoot,
    };
    return { ...record, root: rootOf(record, terms.venue, this.#leaves) };
  }

  get #nextTrade(): number {
    return this.#open.firstTrade + this.#open.fills + this.#newFills;
  }

  #roomForFill(): Uint8Array {
    if ((this.#newFills + 1) * hashBytes > this.#fillHashes.length) {
      this.#fillHashes = Buffer.concat([this.#fillHashes, Buffer.alloc(this.#fillHashes.length)]);
    }
    return this.#fillHashes;
  }
}

/** The empty epochs after `sealed`, up to and including number `last`. */
export function emptyEpochs(
  sealed: EpochRecord,
  last: number,
  terms: EpochTerms,
  leaves: LeafHasher,
): EpochRecord[] {
  const emptyRoot = hexOf(leaves.tree.empty());
  const records: EpochRecord[] = [];
  let before = sealed;
  for (let epoch = sealed.epoch + 1; epoch <= last; epoch++) {
    const startMs = epoch * terms.epochMs;
    const record = {
      epoch,
      startMs,
      endMs: startMs + terms.epochMs,
      firstSeq: sealed.lastSeq + 1,
      lastSeq: sealed.lastSeq,
      firstTrade: sealed.firstTrade + sealed.fillCount,
      journalCount: 0,
      fillCount: 0,
      merkleRoot: emptyRoot,
      prevRoot: before.root,
    };
    before = { ...record, root: rootOf(record, terms.venue, leaves) };
    records.push(before);
  }
  return records;
}

/** The root that commits to an epoch: the hash of its header, computed from the other fields of its record. */
export function rootOf(
  record: Omit<EpochRecord, "root">,
  venue: string,
  { tree }: LeafHasher,
): string {
  const header: EpochHeader = {
    ...record,
    venue,
    merkleRoot: Buffer.from(record.merkleRoot, "hex"),
    prevRoot: Buffer.from(record.prevRoot, "hex"),
  };
  return hexOf(epochRoot(header, tree));
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
