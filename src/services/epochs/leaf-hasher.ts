// Computes the leaf of an event: its body, nonce and hash. Nonces are derived from the venue's nonce key, so that
// rebuilding an epoch gives the same leaves and no nonces are stored.

import { hash } from "node:crypto";
import { EventKind, type Traded, type VenueEvent } from "../../core/generated/events.ts";
import type { MarketTable } from "../../core/markets.ts";
import {
  type TradeSide,
  writeFillBody,
  writeJournalBody,
  writeSideBody,
} from "../../engine/epochs/generated/event-body.ts";
import {
  fillType,
  type LeafFields,
  LeafKind,
  type LeafRef,
  LeafWriter,
  nonceBytes,
} from "../../engine/epochs/leaf.ts";
import {
  copyBytes,
  type HashInto,
  type HashPairs,
  HashPrefix,
  hashBytes,
  TreeHasher,
} from "../../engine/epochs/tree-hash.ts";
import { NonceKey, NonceKind } from "./nonces.ts";
import { Sha256Lanes } from "./sha256-lanes.ts";
import { laneBytes, lanes } from "./sha256-module.ts";

/** Writes the SHA-256 of `data` to `out` at byte `at`. */
export const sha256Into: HashInto = (data, out, at) => {
  const digest = hash("sha256", data, "binary");
  for (let index = 0; index < 32; index++) out[at + index] = digest.charCodeAt(index);
};

const pairBytes = 2 * hashBytes;
const nodeBytes = 1 + pairBytes;

/** Hashes tree nodes four at a time in SIMD lanes. A node is 65 bytes: its prefix and two hashes. */
export function pairsInLanes(): HashPairs {
  const hasher = new Sha256Lanes();
  const { slots } = hasher;
  // A digest overwrites only the first half of a message; its padding stays.
  hasher.pad(nodeBytes);
  const blocks = hasher.blocksOf(nodeBytes);
  return (from, start, count, out, at) => {
    for (let first = 0; first < count; first += lanes) {
      const some = Math.min(count - first, lanes);
      for (let lane = 0; lane < some; lane++) {
        slots[lane * laneBytes] = HashPrefix.parent;
        const pair = start + (first + lane) * pairBytes;
        copyBytes(from, pair, slots, lane * laneBytes + 1, pairBytes);
      }
      hasher.hash(blocks);
      for (let lane = 0; lane < some; lane++) {
        copyBytes(slots, lane * laneBytes, out, at + (first + lane) * hashBytes, hashBytes);
      }
    }
  };
}

/** What an owner receives with a proof: enough to compute the body hash. */
export interface Opening {
  readonly body: string;
  readonly nonce: Uint8Array;
}

/** A leaf with everything it is computed from. */
export interface OpenLeaf extends Opening {
  readonly fields: LeafFields;
  readonly bodyHash: Uint8Array;
  readonly data: Uint8Array;
  readonly hash: Uint8Array;
}

export class LeafHasher {
  readonly tree = new TreeHasher(sha256Into, pairsInLanes());
  readonly #nonces: NonceKey;
  readonly #writer: LeafWriter;
  readonly #nonce = new Uint8Array(hashBytes);
  readonly #sides = { maker: new Uint8Array(hashBytes), taker: new Uint8Array(hashBytes) } as const;

  /** A hasher for events on the markets of `table`, with a nonce key of 32 bytes. */
  constructor(table: MarketTable, nonceKey: Uint8Array) {
    this.#nonces = new NonceKey(nonceKey);
    this.#writer = new LeafWriter(this.tree, table);
  }

  /** Writes the leaf hash of a journal entry to `out` at byte `at`. */
  hashJournal(event: VenueEvent, out: Uint8Array, at: number): void {
    this.#writeJournal(event);
    this.#nonces.derive(NonceKind.journal, event.seq, this.#nonce);
    this.#writer.leafHash(journalFields(event), this.#nonce, out, at);
  }

  /** Writes the leaf hash of a trade's fill record to `out` at byte `at`. */
  hashFill(event: Traded, out: Uint8Array, at: number): void {
    writeFillBody(event, this.#writer.begin());
    this.#nonces.derive(NonceKind.fill, event.tradeId, this.#nonce);
    this.#writer.leafHash(fillFields(event), this.#nonce, out, at);
  }

  /** A journal entry's leaf with its nonce and body. */
  openJournal(event: VenueEvent): OpenLeaf {
    this.#writeJournal(event);
    return this.#open(journalFields(event), this.#nonceOf(NonceKind.journal, event.seq));
  }

  /** A fill record's leaf with its nonce and body. */
  openFill(event: Traded): OpenLeaf {
    writeFillBody(event, this.#writer.begin());
    return this.#open(fillFields(event), this.#nonceOf(NonceKind.fill, event.tradeId));
  }

  /** Body and nonce of one side of a trade. The side's hash is in the body of the trade's journal entry. */
  openSide(event: Traded, side: TradeSide): Opening {
    writeSideBody(event, side, this.#writer.begin());
    return { nonce: this.#nonceOf(NonceKind[side], event.seq), body: this.#writer.bodyText() };
  }

  #writeJournal(event: VenueEvent): void {
    if (event.kind === EventKind.traded) {
      this.#hashSide(event, "taker");
      this.#hashSide(event, "maker");
    }
    writeJournalBody(event, this.#sides, this.#writer.begin());
  }

  #hashSide(event: Traded, side: TradeSide): void {
    writeSideBody(event, side, this.#writer.begin());
    this.#nonces.derive(NonceKind[side], event.seq, this.#nonce);
    this.#writer.bodyHash(this.#nonce, this.#sides[side], 0);
  }

  #nonceOf(kind: NonceKind, number: number): Uint8Array {
    this.#nonces.derive(kind, number, this.#nonce);
    return this.#nonce.slice(0, nonceBytes);
  }

  /** The leaf with the current body. */
  #open(fields: LeafFields, nonce: Uint8Array): OpenLeaf {
    const [bodyHash, hash] = [new Uint8Array(hashBytes), new Uint8Array(hashBytes)];
    this.#writer.bodyHash(nonce, bodyHash, 0);
    this.#writer.leafHash(fields, nonce, hash, 0);
    const body = this.#writer.bodyText();
    return { fields, body, nonce, bodyHash, hash, data: this.#writer.leafData(fields, bodyHash) };
  }
}

function journalFields(event: VenueEvent): LeafFields {
  const { seq, tsUs, kind } = event;
  return { kind: LeafKind.journal, number: seq, tsUs, type: kind, ref: refOf(event) };
}

function fillFields({ tradeId, tsUs }: Traded): LeafFields {
  const ref = { letter: "t", number: tradeId } as const;
  return { kind: LeafKind.fill, number: tradeId, tsUs, type: fillType, ref };
}

/** A trade is referenced by its number, an order event by its order id. */
function refOf(event: VenueEvent): LeafRef | null {
  if (event.kind === EventKind.traded) return { letter: "t", number: event.tradeId };
  return "orderId" in event ? { letter: "o", number: event.orderId } : null;
}
