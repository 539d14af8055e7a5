// The ring of a gateway's front, in which a venue's journal writes events and replies. Its reader is on the same thread,
// so the writer never waits: it lets the front empty a full ring at once.

import type { Reply } from "../../../core/generated/messages.ts";
import { encodeReply, replyBytes } from "../../../wire/generated/message-codec.ts";
import { SpscRing } from "../../../wire/spsc-ring.ts";

export class FrontRing {
  readonly #ring: SpscRing;
  readonly #makeRoom: () => void;

  /** `makeRoom` makes the front read a part of the ring now. */
  constructor(memory: SharedArrayBuffer, makeRoom: () => void) {
    this.#ring = new SpscRing(memory);
    this.#makeRoom = makeRoom;
  }

  writeReply(reply: Reply): void {
    encodeReply(this.#ring, this.#claim(replyBytes), reply);
    this.#ring.commit();
  }

  /** Writes an encoded event of `length` bytes, from byte `start` of `bytes`. */
  writeEvent(bytes: Uint8Array, start: number, length: number): void {
    const at = this.#claim(length);
    const to = this.#ring.u8;
    for (let index = 0; index < length; index++) to[at + index] = bytes[start + index] as number;
    this.#ring.commit();
  }

  /** Lets the front read what was written; false if that is nothing new. */
  publish(): boolean {
    return this.#ring.publish();
  }

  #claim(length: number): number {
    let at = this.#ring.tryClaim(length);
    while (at < 0) {
      this.#ring.publish();
      this.#makeRoom();
      at = this.#ring.tryClaim(length);
    }
    return at;
  }
}
