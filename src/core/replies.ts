// What clearing tells the source of a command. Replies are not journaled. Each carries the last
// seq issued when it was decided, and leaves the venue only once that seq is committed: that holds
// for refusals and replays too, because they may rest on events that are not yet durable.

import type { RejectReason } from "./reject-reason.ts";

export interface Reply {
  source: number;
  correlation: number;
  /** 0 for done. */
  reason: RejectReason;
  /** Last seq issued when this was decided. */
  lastSeq: number;
  /** The order placed or cancelled, the account opened, the seq of a transfer, the count of a mass cancel; else 0. */
  subject: number;
  /** What was asked had been done before, under the same idempotency key: `subject` is of then. */
  isRepeated: boolean;
}
