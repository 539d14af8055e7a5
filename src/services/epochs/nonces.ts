// Nonces of leaves and of the sides in a trade, from one key. They are requested in order of their numbers, so four
// are computed at once.
//
// nonce = first 16 bytes of HMAC-SHA256(nonce key, u8 kind ‖ u64 seq or trade number), big-endian.

import { assert } from "../../core/assert.ts";
import { writeU64 } from "../../engine/epochs/epoch-header.ts";
import { LeafKind, nonceBytes } from "../../engine/epochs/leaf.ts";
import { copyBytes, hashBytes } from "../../engine/epochs/tree-hash.ts";
import { HmacLanes } from "./hmac-lanes.ts";
import { laneBytes, lanes } from "./sha256-module.ts";

/** What a nonce is for: leaves by kind, and the two sides in a trade's body. */
export const NonceKind = {
  journal: LeafKind.journal,
  fill: LeafKind.fill,
  taker: 3,
  maker: 4,
} as const;
export type NonceKind = (typeof NonceKind)[keyof typeof NonceKind];

/** Bytes of the HMAC's message: a kind and a number. */
const numberBytes = 9;

const inTurn = [0, 1, 2, 3];

/** Nonces computed together; they stay where they were hashed until a nonce of other numbers is requested. */
class NonceGroup {
  readonly #hmacs: HmacLanes;
  /** Numbers per group; the first number of each group is a multiple of this. */
  readonly #span: number;
  /** By lane: the offset from the group's first number. */
  readonly #steps: readonly number[];
  #first = -1;

  /** `kinds` has the kind by lane. */
  constructor(key: Uint8Array, kinds: readonly NonceKind[], steps: readonly number[]) {
    this.#steps = steps;
    this.#span = 1 + (steps.at(-1) as number);
    this.#hmacs = new HmacLanes(key, numberBytes);
    // The kinds stay; only the numbers change.
    for (const [lane, kind] of kinds.entries()) this.#hmacs.messages[lane * laneBytes] = kind;
  }

  /** Writes the nonce of `number` in the first lane of its step, or in one of the lanes after it. */
  derive(number: number, laneAfter: number, out: Uint8Array): void {
    const step = number % this.#span;
    if (number - step !== this.#first) this.#hash(number - step);
    const lane = (step * lanes) / this.#span + laneAfter;
    copyBytes(this.#hmacs.digests, lane * laneBytes, out, 0, nonceBytes);
  }

  #hash(first: number): void {
    const { messages } = this.#hmacs;
    for (let lane = 0; lane < lanes; lane++) {
      writeU64(messages, lane * laneBytes + 1, first + (this.#steps[lane] as number));
    }
    this.#hmacs.hash();
    this.#first = first;
  }
}

export class NonceKey {
  readonly #journal: NonceGroup;
  readonly #fill: NonceGroup;
  readonly #sides: NonceGroup;

  /** Asserts a key of 32 bytes. */
  constructor(key: Uint8Array) {
    assert(key.length === hashBytes, "a nonce key must have 32 bytes");
    const { journal, fill, taker, maker } = NonceKind;
    this.#journal = new NonceGroup(key, [journal, journal, journal, journal], inTurn);
    this.#fill = new NonceGroup(key, [fill, fill, fill, fill], inTurn);
    this.#sides = new NonceGroup(key, [taker, maker, taker, maker], [0, 0, 1, 1]);
  }

  /** The nonce of a leaf or a side, written to the first 16 bytes of `out`; asserts a safe integer. */
  derive(kind: NonceKind, number: number, out: Uint8Array): void {
    const { journal, fill, taker } = NonceKind;
    if (kind === journal) this.#journal.derive(number, 0, out);
    else if (kind === fill) this.#fill.derive(number, 0, out);
    else this.#sides.derive(number, kind - taker, out);
  }
}
