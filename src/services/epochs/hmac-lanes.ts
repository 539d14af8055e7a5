// HMAC-SHA256 of four short messages at once under one key. The key's two states are computed once, so that each HMAC
// hashes only two more blocks.

import { hashBytes } from "../../engine/epochs/tree-hash.ts";
import { Sha256Lanes } from "./sha256-lanes.ts";
import { laneBytes, lanes } from "./sha256-module.ts";

const blockBytes = 64;
const innerPad = 0x36;
const outerPad = 0x5c;
const innerState = 0;
const outerState = 1;

/** The messages of the inner hash, and those of the outer hash, which start with the digests of the inner one. */
const innerSet = 0;
const outerSet = 1;

export class HmacLanes {
  readonly #hasher = new Sha256Lanes({ states: 2, sets: 2 });

  /** A key of at most 64 bytes, and the length of the messages: at most 55 bytes. */
  constructor(key: Uint8Array, messageBytes: number) {
    this.#keep(key, innerPad, innerState);
    this.#keep(key, outerPad, outerState);
    // The paddings stay; only the messages change.
    this.#hasher.pad(messageBytes, blockBytes, innerSet);
    this.#hasher.pad(hashBytes, blockBytes, outerSet);
  }

  /** The messages: that of lane l starts at byte l × 128. Hashing leaves them as they are. */
  get messages(): Uint8Array {
    return this.#hasher.slots;
  }

  /** The HMACs of the messages last hashed, in the first 32 bytes of each lane. */
  get digests(): Uint8Array {
    return this.#hasher.sets[outerSet] as Uint8Array;
  }

  hash(): void {
    this.#hasher.hash(1, innerState, innerSet, outerSet);
    this.#hasher.hash(1, outerState, outerSet);
  }

  /** Computes the key's state under a pad, in every lane. */
  #keep(key: Uint8Array, pad: number, state: number): void {
    for (let lane = 0; lane < lanes; lane++) {
      for (let index = 0; index < blockBytes; index++) {
        this.#hasher.slots[lane * laneBytes + index] = (key[index] ?? 0) ^ pad;
      }
    }
    this.#hasher.keep(state);
  }
}
