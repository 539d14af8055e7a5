// The frames of an order session that wait for the answer to a call: to a logon or logout, on which they rely, or to the
// calls that a logout must not overtake. Spec COD-13.

import type { HttpCall } from "../../server/http-call.ts";

/** Frames that may wait, and their characters together. */
const framesMax = 256;
const charactersMax = 65_536;

export class HeldFrames {
  #awaited: HttpCall | null = null;
  #frames: string[] = [];
  #characters = 0;
  /** True while held frames are about to be handled. */
  #isDraining = false;

  /** Whether a new frame must wait. */
  get isHolding(): boolean {
    return this.#awaited !== null || this.#isDraining;
  }

  /** Whether frames wait for the answer to `call`. */
  isAwaiting(call: HttpCall): boolean {
    return this.#awaited === call;
  }

  /** Makes later frames wait for the answer to `call`. */
  wait(call: HttpCall): void {
    this.#awaited = call;
  }

  /** Adds a frame; false if too many wait. */
  add(text: string): boolean {
    const characters = this.#characters + text.length;
    if (this.#frames.length >= framesMax || characters > charactersMax) return false;
    this.#frames.push(text);
    this.#characters = characters;
    return true;
  }

  /** Called when `call` is answered: passes the frames that waited for it to `take`, in order. */
  answered(call: HttpCall, take: (text: string) => void): void {
    if (this.#awaited !== call) return;
    this.#awaited = null;
    if (this.#frames.length === 0) return;
    this.#isDraining = true;
    // Not at once: an answer may come while another frame is being handled.
    setImmediate(() => {
      this.#isDraining = false;
      const frames = this.#frames;
      this.drop();
      for (const text of frames) take(text);
    });
  }

  /** Forgets the frames. */
  drop(): void {
    this.#frames = [];
    this.#characters = 0;
  }
}
