// Keeps when each key was last used: the minutes that the limiter counts in shared memory are written to the database once
// a minute and when the venue stops in order. One front of a process does it for all of them. Spec KEY-20.

import type { KeyUse, KeyUseStore } from "../../ports/access/key-store.ts";
import type { RateLimiter } from "./rate-limiter.ts";

interface KeyUsesParts {
  readonly limiter: Pick<RateLimiter, "lastUseMs">;
  /** The ids of all keys that are not revoked. */
  keyIds(): Iterable<number>;
  readonly store: KeyUseStore;
  nowMs(): number;
}

const minuteMs = 60_000;

export class KeyUses {
  readonly #parts: KeyUsesParts;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  /** Uses before this minute are written. */
  #writtenMs = 0;

  constructor(parts: KeyUsesParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.write(), minuteMs);
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** Writes what is new. Never rejects: what a database that is away does not take is written a minute later. */
  write(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { limiter, store } = this.#parts;
    const nowMs = this.#parts.nowMs();
    const uses: KeyUse[] = [];
    for (const keyId of this.#parts.keyIds()) {
      const usedMs = limiter.lastUseMs(keyId);
      if (usedMs !== null && usedMs >= this.#writtenMs) uses.push({ keyId, usedMs });
    }
    try {
      if (uses.length > 0) await store.noteUses(uses);
      // Keys may be used for the first time later in this minute.
      this.#writtenMs = nowMs - (nowMs % minuteMs);
    } catch {}
  }
}
