// SHA-256 of four short messages at once. The runtime's own hash costs at least a third of a microsecond per call.
// Most hashes of leaves take one or two blocks, and many are independent of each other; hashing four of them at once
// in SIMD lanes takes a third of the time.

import { initialHash, laneBytes, lanes, roundConstants, sha256Module } from "./sha256-module.ts";

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  compress(from: number, blocks: number, to: number): void;
  digests(state: number, out: number): void;
}

const stateBytes = 8 * lanes * 4;
/** Offsets in the module's memory; the round constants come first. */
const firstState = roundConstants.byteLength;
const workState = firstState + stateBytes;
const midStates = workState + stateBytes;
const blockBytes = 64;

/** The part of the runtime's WebAssembly object that is used; this project's type library lacks it. */
interface Runtime {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
}
const { WebAssembly: runtime } = globalThis as unknown as { readonly WebAssembly: Runtime };
const module = new runtime.Module(sha256Module());

/** Four lanes for messages of at most two blocks. Each instance has its own memory. */
export class Sha256Lanes {
  /** The message of lane l starts at byte l × 128. `hash` overwrites its first 32 bytes with the digest. */
  readonly slots: Uint8Array;
  readonly #wasm: Exports;
  readonly #words: DataView;
  readonly #slotsAt: number;

  /** Reserves room for additional states, which `keep` fills. */
  constructor(keptStates = 0) {
    this.#wasm = new runtime.Instance(module).exports;
    const { buffer } = this.#wasm.memory;
    this.#words = new DataView(buffer);
    for (const [index, word] of roundConstants.entries())
      this.#words.setUint32(index * 4, word, true);
    this.#putState(firstState, (word) => initialHash[word] as number);
    this.#slotsAt = midStates + keptStates * stateBytes;
    this.slots = new Uint8Array(buffer, this.#slotsAt, lanes * laneBytes);
  }

  /** Pads the messages: each has `length` bytes (at most 119) after `before` bytes already hashed. */
  pad(length: number, before = 0): void {
    const blocks = this.blocksOf(length);
    for (let lane = 0; lane < lanes; lane++) {
      const end = lane * laneBytes + blocks * blockBytes;
      this.slots.fill(0, lane * laneBytes + length, end);
      this.slots[lane * laneBytes + length] = 0x80;
      const bits = (before + length) * 8;
      this.slots[end - 2] = bits >> 8;
      this.slots[end - 1] = bits;
    }
  }

  /** Number of blocks of a message of this length, padding included. */
  blocksOf(length: number): number {
    return Math.ceil((length + 9) / blockBytes);
  }

  /** Stores the state after the first block in the slots as state `index`, for messages that start with that block. */
  keep(index: number): void {
    this.#wasm.compress(firstState, this.#slotsAt, midStates + index * stateBytes);
  }

  /** Hashes the padded messages, starting from stored state `index` if given. */
  hash(blocks: number, index: number | null = null): void {
    let from = index === null ? firstState : midStates + index * stateBytes;
    for (let block = 0; block < blocks; block++) {
      this.#wasm.compress(from, this.#slotsAt + block * blockBytes, workState);
      from = workState;
    }
    this.#wasm.digests(workState, this.#slotsAt);
  }

  #putState(at: number, wordOf: (word: number) => number): void {
    for (let word = 0; word < 8; word++) {
      for (let lane = 0; lane < lanes; lane++) {
        this.#words.setUint32(at + (word * lanes + lane) * 4, wordOf(word), true);
      }
    }
  }
}
