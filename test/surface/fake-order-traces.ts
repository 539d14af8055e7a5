// Amendments and prevented matches of orders in memory, as SQL would return them from the same events.

import type { MatchPrevented, OrderClosed } from "../../src/core/generated/events.ts";
import type { CloseReason } from "../../src/core/orders.ts";
import type { Amendment } from "../../src/engine/state/apply/order-posting.ts";
import type {
  AmendmentQuery,
  AmendmentRecord,
  OrderRecord,
  PreventedQuery,
  PreventedRecord,
} from "../../src/ports/journal/history-store.ts";

export class FakeOrderTraces {
  readonly #amendments = new Map<number, (AmendmentRecord & { readonly account: number })[]>();
  readonly #prevented: MatchPrevented[] = [];
  readonly #closes = new Map<number, CloseReason>();

  amend(
    { orderId, account, price, qty, seq, tsUs }: Amendment,
    order: OrderRecord | undefined,
  ): void {
    const amendments = this.#amendments.get(orderId) ?? [];
    const before = { priceBefore: order?.price ?? 0, qtyBefore: order?.qty ?? 0 };
    const count = amendments.length + 1;
    const amendment = { account, seq, tsUs, ...before, price, qty, count };
    this.#amendments.set(orderId, [...amendments, amendment]);
  }

  close({ orderId, reason }: OrderClosed): void {
    this.#closes.set(orderId, reason);
  }

  /** The reasons of those orders that are closed. */
  closeReasons(orders: readonly Pick<OrderRecord, "orderId">[]): Map<number, CloseReason> {
    const wanted = new Set(orders.map(({ orderId }) => orderId));
    return new Map([...this.#closes].filter(([orderId]) => wanted.has(orderId)));
  }

  prevent(event: MatchPrevented): void {
    this.#prevented.push({ ...event });
  }

  amendments(query: AmendmentQuery): AmendmentRecord[] {
    const { orderId, fromSeq, startUs, endUs, limit } = query;
    const fits = (this.#amendments.get(orderId) ?? []).filter(
      ({ account, seq, tsUs }) =>
        account === query.account &&
        seq >= (fromSeq ?? 0) &&
        tsUs >= (startUs ?? 0) &&
        tsUs < (endUs ?? Number.POSITIVE_INFINITY),
    );
    const cut = fromSeq === null ? fits.slice(-limit) : fits.slice(0, limit);
    return cut.map(({ account: _account, ...amendment }) => amendment);
  }

  preventedMatches(query: PreventedQuery): PreventedRecord[] {
    const { account, market, matchId, orderId, fromMatchId, limit } = query;
    const fits = this.#prevented.filter(
      (match) =>
        match.account === account &&
        match.market === market &&
        (matchId === null
          ? [match.takerOrderId, match.makerOrderId].includes(orderId) && match.seq >= fromMatchId
          : match.seq === matchId),
    );
    return fits
      .slice(0, limit)
      .map(({ account: _account, kind: _kind, isTransactionEnd: _end, ...match }) => match);
  }
}
