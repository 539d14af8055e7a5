// Nonces of leaves and of the sides in a trade, from one key. They are requested in order of their numbers, so four
// are computed at once. The key's two HMAC states are precomputed, so that each HMAC hashes only two more blocks.
//
// nonce = first 16 bytes of HMAC-SHA256(nonce key, u8 kind ‖ u64 seq or trade number), big-endian.

import { assert, present } from "../../core/assert.ts";
import { writeU64 } from "../../engine/epochs/epoch-header.ts";
import { LeafKind, nonceBytes } from "../../engine/epochs/leaf.ts";
import { copyBytes, hashBytes } from "../../engine/epochs/tree-hash.ts";
import { Sha256Lanes } from "./sha256-lanes.ts";
import { laneBytes, lanes } from "./sha256-module.ts";

/** What a nonce is for: leaves by kind, and the two sides in a trade's body. */
export const NonceKind = {
  journal: LeafKind.journal,
  fill: LeafKind.fill,
  taker: 3,
  maker: 4,
} as const;
export type NonceKind = (typeof NonceKind)[keyof typeof NonceKind];

const blockBytes = 64;
const innerPad = 0x36;
const outerPad = 0x5c;
const innerState = 0;
const outerState = 1;
/** Bytes of the HMAC's message: a kind and a number. */
const numberBytes = 9;

/** Nonces computed together. */
interface Group {
  /** By lane: the kind, and the offset from the group's first number. */
  readonly kinds: readonly NonceKind[];
  readonly steps: readonly number[];
  /** Numbers per group; the first number of each group is a multiple of this. */
  readonly span: number;
  first: number;
  readonly nonces: Uint8Array;
}

function groupOf(kinds: readonly NonceKind[], steps: readonly number[], span: number): Group {
  return { kinds, steps, span, first: -1, nonces: new Uint8Array(lanes * nonceBytes) };
}

export class NonceKey {
  readonly #lanes = new Sha256Lanes(2);
  readonly #groups: readonly (Group | undefined)[];

  /** Asserts a key of 32 bytes. */
  constructor(key: Uint8Array) {
    assert(key.length === hashBytes, "a nonce key must have 32 bytes");
    this.#keep(key, innerPad, innerState);
    this.#keep(key, outerPad, outerState);
    const { journal, fill, taker, maker } = NonceKind;
    const inTurn = [0, 1, 2, 3];
    const sides = groupOf([taker, maker, taker, maker], [0, 0, 1, 1], 2);
    const groups: Group[] = [];
    groups[journal] = groupOf([journal, journal, journal, journal], inTurn, lanes);
    groups[fill] = groupOf([fill, fill, fill, fill], inTurn, lanes);
    groups[taker] = sides;
    groups[maker] = sides;
    this.#groups = groups;
  }

  /** The nonce of a leaf or a side, written to the first 16 bytes of `out`; asserts a safe integer. */
  derive(kind: NonceKind, number: number, out: Uint8Array): void {
    const group = present(this.#groups[kind], "the kind of nonce must be known");
    const step = number % group.span;
    if (number - step !== group.first) this.#make(group, number - step);
    const lane = group.span === lanes ? step : 2 * step + (kind - NonceKind.taker);
    copyBytes(group.nonces, lane * nonceBytes, out, 0, nonceBytes);
  }

  #make(group: Group, first: number): void {
    const { slots } = this.#lanes;
    for (let lane = 0; lane < lanes; lane++) {
      slots[lane * laneBytes] = group.kinds[lane] as number;
      writeU64(slots, lane * laneBytes + 1, first + (group.steps[lane] as number));
    }
    this.#lanes.pad(numberBytes, blockBytes);
    this.#lanes.hash(1, innerState);
    this.#lanes.pad(hashBytes, blockBytes);
    this.#lanes.hash(1, outerState);
    for (let lane = 0; lane < lanes; lane++) {
      copyBytes(slots, lane * laneBytes, group.nonces, lane * nonceBytes, nonceBytes);
    }
    group.first = first;
  }

  /** Precomputes the key's state under a pad, in every lane. */
  #keep(key: Uint8Array, pad: number, state: number): void {
    for (let lane = 0; lane < lanes; lane++) {
      for (let index = 0; index < blockBytes; index++) {
        this.#lanes.slots[lane * laneBytes + index] = (key[index] ?? 0) ^ pad;
      }
    }
    this.#lanes.keep(state);
  }
}
