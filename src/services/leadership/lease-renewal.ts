// Keeps a lease that this venue has claimed. It renews it all the time and says until when the venue may acknowledge:
// a lease's duration counted from before the renewal was sent, on this machine's monotonic clock, so the lease in the
// store never ends earlier. While renewals fail, the venue may have lost its sessions. A follower that has seen them end
// does not wait for the lease's end, so the venue stops acknowledging earlier, and goes on if a renewal succeeds again:
// nobody else has led meanwhile. Once another process holds the lease, it is lost for good.

import type { LeadershipStore, Renewal, RenewalAnswer } from "../../ports/leadership.ts";
import type { Log } from "../../ports/log.ts";
import { goneShare } from "./lease-watch.ts";

export interface LeaseRenewalParts {
  readonly store: Pick<LeadershipStore, "renew">;
  readonly holder: string;
  readonly leaseMs: number;
  readonly renewMs: number;
  /** When the claim of the lease was sent. */
  readonly claimedMs: number;
  readonly monotonicMs: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly isRetryable: (error: unknown) => boolean;
  readonly log: Log;
  /** What the next renewal publishes. */
  readonly renewal: () => Renewal;
  readonly onRenewed: (sentMs: number, untilMs: number, answer: RenewalAnswer) => void;
  /** A renewal has failed: until another one succeeds, nothing may be acknowledged after `untilMs`. Spec LDR-22. */
  readonly onFailed: (untilMs: number) => void;
  /** Called once, with the reason; the venue must end. */
  readonly onLost: (reason: string) => void;
}

export class LeaseRenewal {
  readonly #parts: LeaseRenewalParts;
  #running: Promise<void> | null = null;
  #isClosed = false;
  /** When the last renewal that succeeded was sent. */
  #renewedMs: number;

  constructor(parts: LeaseRenewalParts) {
    this.#parts = parts;
    this.#renewedMs = parts.claimedMs;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Stops renewing; resolves when no renewal is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    const { pause, renewMs, monotonicMs } = this.#parts;
    let fails = 0;
    while (!this.#isClosed) {
      const sentMs = monotonicMs();
      const outcome = await this.#renew(sentMs);
      if (outcome === "lost" || this.#isClosed) return;
      fails = outcome === "renewed" ? 0 : fails + 1;
      this.#tell(fails);
      await pause(Math.max(0, renewMs - (monotonicMs() - sentMs)));
    }
  }

  async #renew(sentMs: number): Promise<"renewed" | "failed" | "lost"> {
    const { store, holder, leaseMs, renewal, onRenewed, onFailed, onLost, isRetryable, log } =
      this.#parts;
    try {
      const answer = await store.renew(holder, renewal());
      if (answer !== null) {
        this.#renewedMs = sentMs;
        onRenewed(sentMs, sentMs + leaseMs, answer);
        return "renewed";
      }
      if (!this.#isClosed) onLost("another venue has taken the lease");
      return "lost";
    } catch (error) {
      if (isRetryable(error)) {
        log.debug({ error }, "a renewal of the lease failed");
        onFailed(this.#renewedMs + goneShare * leaseMs);
        return "failed";
      }
      if (!this.#isClosed) onLost(`the lease cannot be renewed: ${String(error)}`);
      return "lost";
    }
  }

  /** Logs the first of several failures in a row. After a handover, failures are its normal end. */
  #tell(fails: number): void {
    if (fails !== 1 || this.#parts.renewal().handedTo !== null) return;
    this.#parts.log.warn(
      {},
      "the lease could not be renewed; when it runs out, nothing is acknowledged until it can",
    );
  }
}
