// The two steps of sealing, as functions of the journal and the open epoch: hash entries as they commit, and seal an
// epoch when its minute has ended. An epoch takes every entry after the last sealed entry, up to the journal's head
// when the minute ends. After an outage, the open epoch takes all entries and the following epochs are empty; no
// epoch is skipped. Spec EPO-6.

import type { EpochTerms, EpochWriter } from "../../ports/journal/epoch-store.ts";
import type { EventStore } from "../../ports/journal/event-store.ts";
import { foldChunk } from "../../wire/records/event-bytes.ts";
import type { LeafHasher } from "./leaf-hasher.ts";
import { EntryHasher, emptyEpochs, type OpenEpoch, openAfter } from "./open-epoch.ts";

export interface SealingStores {
  readonly journal: Pick<EventStore, "readEvents">;
  readonly epochs: EpochWriter;
}

export interface HashedStep {
  readonly open: OpenEpoch;
  /** Leaf hashes of this step's trades, concatenated. */
  readonly fillHashes: Uint8Array;
}

/** Hashes the entries up to `untilSeq`, which must be committed, and stores full tiles. */
export async function hashEntries(
  stores: SealingStores,
  leaves: LeafHasher,
  open: OpenEpoch,
  untilSeq: number,
): Promise<HashedStep> {
  const hasher = await hashedUntil(stores, leaves, open, untilSeq);
  if (hasher.tiles.length > 0) await stores.epochs.keep(open.epoch, hasher.tiles);
  return { open: hasher.open(), fillHashes: hasher.fillHashes };
}

export interface EpochClosing {
  readonly terms: EpochTerms;
  readonly open: OpenEpoch;
  /** Leaf hashes of the trades hashed so far, in order. */
  readonly fillHashes: readonly Uint8Array[];
  /** Seq of the last entry that goes into the open epoch. */
  readonly lastSeq: number;
  /** The last epoch whose time has ended. All epochs after the open one up to this one are empty. */
  readonly lastEpoch: number;
}

export interface SealedStep {
  /** The first unsealed epoch. */
  readonly open: OpenEpoch;
  readonly epochs: number;
  readonly entries: number;
  readonly fills: number;
  readonly root: string;
}

/** Seals the open epoch and the empty ones after it. */
export async function sealEpochs(
  stores: SealingStores,
  leaves: LeafHasher,
  closing: EpochClosing,
): Promise<SealedStep> {
  const { terms, open, lastEpoch } = closing;
  const hasher = await hashedUntil(stores, leaves, open, closing.lastSeq);
  const sealed = hasher.seal(terms, closing.fillHashes);
  const records = [sealed, ...emptyEpochs(sealed, lastEpoch, terms, leaves)];
  await stores.epochs.seal(records, hasher.tiles);
  return {
    open: openAfter(records.at(-1) ?? sealed, terms.firstEpoch),
    epochs: records.length,
    entries: sealed.journalCount,
    fills: sealed.fillCount,
    root: sealed.root,
  };
}

async function hashedUntil(
  { journal }: SealingStores,
  leaves: LeafHasher,
  open: OpenEpoch,
  untilSeq: number,
): Promise<EntryHasher> {
  const hasher = new EntryHasher(leaves, open);
  await journal.readEvents(open.nextSeq - 1, untilSeq, (chunk) => {
    foldChunk(chunk, (event) => hasher.add(event));
  });
  return hasher;
}
