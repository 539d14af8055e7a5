// Requests that carry an idempotency key: the first is decided as any other, and every later one with the
// same key is answered with what came of it, whatever it asks. Nothing is remembered of a request that is
// refused, so it may be sent again under its key. While the first is with its matcher, nobody can tell
// yet what comes of it.

import type { PlaceOrder } from "../../../core/generated/commands.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { RequestKey } from "../../../core/request-keys.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";
import type { PendingOrders } from "./pending-orders.ts";

export interface KeyedRequestsParts {
  readonly state: VenueState;
  readonly pending: PendingOrders;
  readonly writer: TransactionWriter;
}

export class KeyedRequests {
  readonly #parts: KeyedRequestsParts;

  constructor(parts: KeyedRequestsParts) {
    this.#parts = parts;
  }

  /** Answers a request that is not the first with its key, or that has no room for it. True if it did. */
  answers(
    request: Pick<PlaceOrder, "account" | "atUs" | "source" | "correlation">,
    key: RequestKey,
  ): boolean {
    const { state, pending, writer } = this.#parts;
    const { account } = request;
    // The time the request's own event would have at the earliest.
    const nowUs = Math.max(state.tsUs + 1, request.atUs);
    const subject = state.requestKeys?.subjectOf(account, key, nowUs) ?? 0;
    if (subject > 0) {
      writer.repeat(request, subject);
      return true;
    }
    if (pending.usesKey(account, key)) {
      writer.answer(request, RejectReason.requestInFlight, 0);
      return true;
    }
    // Orders with their matcher count: each of them may come to use its key.
    if (state.requestKeys?.hasRoom(account, pending.keysOf(account)) ?? true) return false;
    writer.answer(request, RejectReason.tooManyRequestKeys, 0);
    return true;
  }
}
