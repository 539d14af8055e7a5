// Delivers notices to providers, each at least once: it reads rows that are due, and marks a row when the provider
// answers with any 2xx. Notices of one swap to one provider keep their order. A failed delivery is retried at growing
// intervals and abandoned a day after the notice was stored. Implements LPC-6.

import type { Log } from "../../ports/log.ts";
import type { DueNotice, ProviderRepository } from "../../ports/swaps/provider-registry.ts";
import { shownReply } from "./provider-answer.ts";
import type { ProviderRoll } from "./provider-roll.ts";

const answerMsMax = 5_000;
const atOnceMax = 32;
const pauseMsMin = 1_000;
const pauseMsMax = 300_000;
const deliveryMsMax = 86_400_000;

export interface NoticeCourierParts {
  readonly store: ProviderRepository;
  readonly roll: ProviderRoll;
  /** Polling interval in ms. */
  readonly lookMs: number;
  readonly log: Log;
  nowMs(): number;
}

export class NoticeCourier {
  readonly #parts: NoticeCourierParts;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> = Promise.resolve();
  #isBusy = false;
  #isWoken = false;
  #isStopped = false;

  constructor(parts: NoticeCourierParts) {
    this.#parts = parts;
    this.#plan();
  }

  /** Starts a poll soon, because there are new notices. */
  wake(): void {
    if (this.#isBusy) this.#isWoken = true;
    else this.#begin();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#round;
  }

  #plan(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.#begin(), this.#parts.lookMs);
  }

  #begin(): void {
    if (this.#isStopped) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#isBusy = true;
    this.#round = this.#work().finally(() => {
      this.#isBusy = false;
      const wasWoken = this.#isWoken;
      this.#isWoken = false;
      if (wasWoken) this.#begin();
      else this.#plan();
    });
  }

  async #work(): Promise<void> {
    const { store, nowMs, log } = this.#parts;
    try {
      for (;;) {
        const due = await store.dueNotices(nowMs(), atOnceMax);
        await Promise.all(due.map((notice) => this.#deliver(notice)));
        // Poll again at once, because a delivered notice makes the next one of its swap due.
        if (due.length === 0 || this.#isStopped) return;
      }
    } catch (error) {
      log.warn({ err: error }, "delivery of notices failed; it is retried");
    }
  }

  async #deliver(notice: DueNotice): Promise<void> {
    const { store, roll, nowMs, log } = this.#parts;
    const { noticeId, provider, swapId, kind, body, createdMs, attempts } = notice;
    const client = await roll.clientOf(provider);
    if (client === null) {
      await store.giveUp(noticeId, nowMs(), "unknown provider id");
      return;
    }
    const reply = await client.send({
      method: "POST",
      path: `/rfq/trades/${swapId}/${kind}`,
      body,
      idempotencyKey: `notice-${noticeId}`,
      signal: AbortSignal.timeout(answerMsMax),
    });
    if (reply.kind === "answer" && reply.status >= 200 && reply.status < 300) {
      await store.delivered(noticeId, nowMs());
      return;
    }
    const message = shownReply(reply);
    if (nowMs() - createdMs >= deliveryMsMax) {
      log.warn(
        { provider, swapId, words: message },
        "a notice to a provider could not be delivered",
      );
      await store.giveUp(noticeId, nowMs(), message);
      return;
    }
    const pauseMs = Math.min(pauseMsMin * 2 ** Math.min(attempts, 20), pauseMsMax);
    await store.postpone(noticeId, nowMs() + pauseMs, message);
  }
}
