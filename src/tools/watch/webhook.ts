// Tells an address of changes: a POST of JSON, sent again if it fails.

import { setTimeout as sleep } from "node:timers/promises";
import { answerOf, NoAnswer } from "./bounded-answer.ts";
import type { Finding } from "./finding.ts";

/** Waits in ms before the second and the third attempt. */
const pausesMs = [1_000, 5_000];
/** Nothing is read from the answer. */
const bytesMax = 64 * 1024;

export interface Change extends Finding {
  /** ISO 8601, by the watcher's clock. */
  readonly at: string;
}

export class Webhook {
  readonly #url: URL;
  readonly #venue: string;

  /** `venue` is the address of the venue that is watched. */
  constructor(url: URL, venue: string) {
    this.#url = url;
    this.#venue = venue;
  }

  /** Returns why the changes could not be delivered, or null. */
  async tell(changes: readonly Change[], signal: AbortSignal): Promise<string | null> {
    if (changes.length === 0) return null;
    const body = JSON.stringify({ venue: this.#venue, changes });
    for (const pauseMs of pausesMs) {
      if ((await this.#send(body, signal)) === null) return null;
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
    return this.#send(body, signal);
  }

  async #send(body: string, signal: AbortSignal): Promise<string | null> {
    try {
      const { status } = await answerOf(this.#url, { bytesMax, signal, body });
      return status >= 200 && status < 300 ? null : `${this.#url.host} answered ${status}`;
    } catch (error) {
      if (error instanceof NoAnswer) return error.message;
      throw error;
    }
  }
}
