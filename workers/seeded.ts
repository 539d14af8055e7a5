// How a worker gets the venue's state. It starts before the state is there, so that loading and warm-up delay no start.
//
//   a venue that starts:    state ─▶ opened and built while the main thread still checks it ─▶ seed
//   a venue that follows:   state ─▶ opened ─▶ events, events, … applied ─▶ seed ─▶ built
//
// A worker of a follower thus has the newest state when the venue takes the lead, and nothing is packed, sent or
// restored then.

import { parentPort } from "node:worker_threads";
import { assert, present } from "../src/core/assert.ts";
import { apply } from "../src/engine/state/apply/apply.ts";
import { VenueState } from "../src/engine/state/venue-state.ts";
import type { UnwrittenRows } from "../src/services/journal/projection.ts";
import { decodeControlMessage } from "../src/wire/generated/control-messages.ts";
import { decodeEventBytes } from "../src/wire/records/event-bytes.ts";

/** A state, or what a worker needs of it. */
interface Opened {
  readonly seq: number;
}

export interface Seeding<S extends Opened, T> {
  /** True if the venue may follow another one before it leads; then `open` must return a VenueState. */
  readonly follows: boolean;
  /** Opens the packed state. */
  open(bytes: Uint8Array): S;
  /** Builds the worker's parts on the state. */
  build(state: S): T;
  /** Undoes the side effects of `build`, because another state replaces this one. */
  discard?(replaced: T): void;
}

/** What was built, and the bytes that the main thread sent only to this worker. */
export interface Seeded<T> {
  readonly opened: T;
  readonly part: Uint8Array;
}

/** What the main thread sends with the seed to the journal's thread only. */
export interface JournalPart {
  readonly rows: UnwrittenRows;
  /** The journal's chained hash at the seed; empty if it is not known. */
  readonly chainHash: Uint8Array;
}

/**
 * Resolves with what `build` returned for the venue's state. Each state that arrives replaces the one before; an error
 * counts only for the state that is used.
 */
export function seeded<S extends Opened, T>(seeding: Seeding<S, T>): Promise<Seeded<T>> {
  const port = present(parentPort, "the port to the main thread");
  const states = new States(seeding);
  return new Promise((resolve, reject) => {
    const listen = (message: Uint8Array | SharedArrayBuffer) => {
      if (message instanceof SharedArrayBuffer) {
        states.take(new Uint8Array(message));
        return;
      }
      const control = decodeControlMessage(message);
      if (control.kind === "events") states.follow(control.bytes, control.lengths);
      if (control.kind !== "seed") return;
      port.off("message", listen);
      const result = states.result(control.seq);
      if (result.isDone) resolve({ opened: result.value, part: control.part });
      else reject(result.error);
    };
    port.on("message", listen);
  });
}

type Attempt<T> =
  | { readonly isDone: true; readonly value: T }
  | { readonly isDone: false; readonly error: unknown };

function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { isDone: true, value: work() };
  } catch (error) {
    return { isDone: false, error };
  }
}

class States<S extends Opened, T> {
  readonly #seeding: Seeding<S, T>;
  #state: Attempt<S> = {
    isDone: false,
    error: new Error("a state must be sent before the seed"),
  };
  #built: Attempt<T> | null = null;

  constructor(seeding: Seeding<S, T>) {
    this.#seeding = seeding;
  }

  take(bytes: Uint8Array): void {
    const { follows, open, discard } = this.#seeding;
    if (this.#built?.isDone === true) discard?.(this.#built.value);
    this.#state = attempt(() => open(bytes));
    // What is built reads the state, so it is built only once no more events are applied.
    this.#built = follows ? null : this.#build();
  }

  follow(bytes: Uint8Array, lengths: Uint8Array): void {
    const state = this.#state;
    if (!state.isDone) return;
    assert(state.value instanceof VenueState, "only a whole state can follow events");
    const sizes = new DataView(lengths.buffer, lengths.byteOffset, lengths.byteLength);
    let at = 0;
    for (let place = 0; place < sizes.byteLength; place += 4) {
      const length = sizes.getUint32(place, true);
      apply(state.value, decodeEventBytes(bytes, at, length));
      at += length;
    }
  }

  result(seq: number): Attempt<T> {
    const built = this.#built ?? this.#build();
    if (this.#state.isDone)
      assert(this.#state.value.seq === seq, "a worker must have the state of the venue's seed");
    return built;
  }

  #build(): Attempt<T> {
    const state = this.#state;
    return state.isDone ? attempt(() => this.#seeding.build(state.value)) : state;
  }
}
