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
const setBytes = lanes * laneBytes;
/** Room between two sets, so that the first of them can be shifted. */
const shiftRoom = 4;

/** The part of the runtime's WebAssembly object that is used; this project's type library lacks it. */
interface Runtime {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
}
const { WebAssembly: runtime } = globalThis as unknown as { readonly WebAssembly: Runtime };
const module = new runtime.Module(sha256Module());

/** What an instance keeps besides one set of messages. */
export interface LaneMemory {
  /** Number of states that `keep` fills. */
  readonly states: number;
  /** Number of sets of messages; a set can receive the digests of another one, beside padding that stays. */
  readonly sets: number;
  /** By set: how many bytes its messages begin after a multiple of four; 0 if left out. */
  readonly shifts?: readonly number[];
}

/** Four lanes for messages of at most two blocks. Each instance has its own memory. */
export class Sha256Lanes {
  /** One or more sets of messages, by number. In each, the message of lane l starts at byte l × 128. */
  readonly sets: readonly Uint8Array[];
  readonly #wasm: Exports;
  readonly #words: DataView;
  /** Where each set begins. */
  readonly #starts: readonly number[];

  constructor(memory: LaneMemory = { states: 0, sets: 1 }) {
    this.#wasm = new runtime.Instance(module).exports;
    const { buffer } = this.#wasm.memory;
    this.#words = new DataView(buffer);
    for (const [index, word] of roundConstants.entries())
      this.#words.setUint32(index * 4, word, true);
    this.#putState(firstState, (word) => initialHash[word] as number);
    const setsAt = midStates + memory.states * stateBytes;
    this.#starts = Array.from(
      { length: memory.sets },
      (_, set) => setsAt + set * (setBytes + shiftRoom) + (memory.shifts?.[set] ?? 0),
    );
    this.sets = this.#starts.map((start) => new Uint8Array(buffer, start, setBytes));
  }

  /** The messages of set 0. */
  get slots(): Uint8Array {
    return this.sets[0] as Uint8Array;
  }

  /**
   * The memory of a set as 32-bit words, from the first byte of lane 0 that is at a multiple of four. Lane l follows
   * after l × 32 words.
   */
  words(set: number): Uint32Array {
    const bytes = this.sets[set] as Uint8Array;
    const skipped = -bytes.byteOffset & 3;
    const length = (setBytes - laneBytes) / 4 + Math.floor((laneBytes - skipped) / 4);
    return new Uint32Array(bytes.buffer, bytes.byteOffset + skipped, length);
  }

  /** Pads the messages of a set: each has `length` bytes (at most 119) after `before` bytes already hashed. */
  pad(length: number, before = 0, set = 0): void {
    const slots = this.sets[set] as Uint8Array;
    const blocks = this.blocksOf(length);
    for (let lane = 0; lane < lanes; lane++) {
      const end = lane * laneBytes + blocks * blockBytes;
      slots.fill(0, lane * laneBytes + length, end);
      slots[lane * laneBytes + length] = 0x80;
      const bits = (before + length) * 8;
      slots[end - 2] = bits >> 8;
      slots[end - 1] = bits;
    }
  }

  /** Number of blocks of a message of this length, padding included. */
  blocksOf(length: number): number {
    return Math.ceil((length + 9) / blockBytes);
  }

  /** Stores the state after the first block of set 0 as state `index`, for messages that start with that block. */
  keep(index: number): void {
    this.#wasm.compress(firstState, this.#starts[0] as number, midStates + index * stateBytes);
  }

  /**
   * Hashes the padded messages of set `set`, starting from stored state `index` if given. Writes each digest to the
   * first 32 bytes of its lane in set `into`.
   */
  hash(blocks: number, index: number | null = null, set = 0, into = set): void {
    let from = index === null ? firstState : midStates + index * stateBytes;
    const messages = this.#starts[set] as number;
    for (let block = 0; block < blocks; block++) {
      this.#wasm.compress(from, messages + block * blockBytes, workState);
      from = workState;
    }
    this.#wasm.digests(workState, this.#starts[into] as number);
  }

  #putState(at: number, wordOf: (word: number) => number): void {
    for (let word = 0; word < 8; word++) {
      for (let lane = 0; lane < lanes; lane++) {
        this.#words.setUint32(at + (word * lanes + lane) * 4, wordOf(word), true);
      }
    }
  }
}
