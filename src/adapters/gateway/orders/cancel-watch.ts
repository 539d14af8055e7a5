// Which orders left while mass cancels of an account are being answered. A mass cancel is answered
// with its orders, and clearing's reply gives their number only; watched accounts are few, and the
// notes end with the last answer.

import type { OrderRecord } from "../../../ports/journal/history-store.ts";

interface WatchedAccount {
  massCancels: number;
  readonly seen: { readonly seq: number; readonly order: OrderRecord }[];
}

export class CancelWatch {
  readonly #watched = new Map<number, WatchedAccount>();

  /** Notes cancels of the account until `end`, once for each mass cancel sent. */
  begin(account: number): void {
    const watched = this.#watched.get(account) ?? { massCancels: 0, seen: [] };
    watched.massCancels++;
    this.#watched.set(account, watched);
  }

  /** Notes a cancelled order that the event `seq` closed, if its account is watched. */
  add(seq: number, order: OrderRecord): void {
    this.#watched.get(order.account)?.seen.push({ seq, order });
  }

  /** Ends a watch; answers the last `count` cancels of the account in the market up to `lastSeq`. */
  end(
    account: number,
    market: number,
    { count, lastSeq }: { count: number; lastSeq: number },
  ): OrderRecord[] {
    const watched = this.#watched.get(account);
    if (watched === undefined) return [];
    watched.massCancels--;
    if (watched.massCancels === 0) this.#watched.delete(account);
    if (count === 0) return [];
    const meant = watched.seen.filter(
      ({ seq, order }) => seq <= lastSeq && order.market === market,
    );
    return meant.slice(-count).map(({ order }) => order);
  }
}
