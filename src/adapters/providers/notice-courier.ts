// Brings notices to providers, each at least once: the rows are read when due and marked when a provider
// has answered with any 2xx. For one swap and provider they keep their order. What cannot be delivered is
// tried again, ever less often, and given up a day after it was written. Spec LPC-6.

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
  /** Milliseconds between two looks where nobody wakes it. */
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

  /** Something may have been written: looks soon. */
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
        // What was delivered lets the one behind it go at once.
        if (due.length === 0 || this.#isStopped) return;
      }
    } catch (error) {
      log.warn({ err: error }, "notices to providers are looked at again");
    }
  }

  async #deliver(notice: DueNotice): Promise<void> {
    const { store, roll, nowMs, log } = this.#parts;
    const { noticeId, provider, swapId, kind, body, createdMs, attempts } = notice;
    const client = await roll.clientOf(provider);
    if (client === null) {
      await store.giveUp(noticeId, nowMs(), "nobody has this id");
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
      log.warn({ provider, swapId, message }, "a notice to a provider was given up");
      await store.giveUp(noticeId, nowMs(), message);
      return;
    }
    const pauseMs = Math.min(pauseMsMin * 2 ** Math.min(attempts, 20), pauseMsMax);
    await store.postpone(noticeId, nowMs() + pauseMs, message);
  }
}
