// Idempotency keys. The first request with a key is decided normally; every later request with the same key gets the
// first result, whatever it contains. A refused request is not remembered, so its key can be used again. While the
// first request is with its matcher, its result is not known yet, and repeats are refused.

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

  /**
   * Answers a request whose key is already used or in flight, or would exceed a limit. Returns true if it has answered.
   */
  answers(
    request: Pick<PlaceOrder, "account" | "atUs" | "source" | "correlation" | "identity">,
    key: RequestKey,
  ): boolean {
    const { state, pending, writer } = this.#parts;
    const { account } = request;
    // The earliest time the request's own event can have.
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
    // Orders in flight count: each may still use its key.
    if (state.requestKeys?.hasRoom(account, pending.keysOf(account)) ?? true) return false;
    writer.answer(request, RejectReason.tooManyRequestKeys, 0);
    return true;
  }
}
