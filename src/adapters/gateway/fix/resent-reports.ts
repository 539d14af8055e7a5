// Reads reports that a session has to send again from the journal, with the number, the ExecID and the content that they had.
// Only the journal is asked, so it does not matter which front, venue or leader sent them first. Reads wait for each other:
// one at a time on a front, and one of an account among those that wait. Spec FIX-28, FIX-30.

import { setTimeout as sleep } from "node:timers/promises";
import { MarketKind } from "../../../core/markets.ts";
import { OrderStatus } from "../../../core/orders.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { HistoryStore, OrderRecord } from "../../../ports/journal/history-store.ts";
import type { OrderEventReader } from "../../../ports/journal/order-events.ts";
import type { Log } from "../../../ports/log.ts";
import type { ReadModel } from "../read-model.ts";
import { isAcceptance, ownOrderOf, toldUpdates } from "../streams/user/journaled-orders.ts";
import { AccountWindow } from "./account-window.ts";
import { MsgType } from "./fix-fields.ts";
import { rereadEventsMax, rereadReportsMax, resendsLimit, resentAtOnce } from "./fix-limits.ts";
import { eventsNumbered, numbersPerEvent, reportNumber } from "./fix-numbers.ts";
import type { NumberRange, SentReport } from "./fix-outbox.ts";
import { executionReport } from "./fix-reports.ts";

/** How often, and after how many ms, the row of a closed order is read again that is not written yet. */
const rowReadsMax = 50;
const rowReadMs = 100;

const instead = "Log on with ResetSeqNumFlag (141) Y and query your orders.";

export interface ResentReportsParts {
  readonly model: ReadModel;
  readonly history: Pick<HistoryStore, "ordersByIds">;
  readonly orderEvents: OrderEventReader;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
}

export class ResentReports {
  readonly #parts: ResentReportsParts;
  /** The last read that waits, of each account and of all. */
  readonly #ofAccount = new Map<number, Promise<unknown>>();
  #last: Promise<unknown> = Promise.resolve();
  readonly #resends = new AccountWindow(resendsLimit);

  constructor(parts: ResentReportsParts) {
    this.#parts = parts;
  }

  /** Counts one more resend of the account, also of messages that are kept; false if there were too many. */
  allows(account: number): boolean {
    return this.#resends.allows(account, this.#parts.clock.nowMs());
  }

  /**
   * The account's reports with numbers in the range, ascending; or why there are none to be had. If nobody wants them any
   * more when their turn comes, none are read.
   */
  async read(
    account: number,
    range: NumberRange,
    isWanted: () => boolean,
  ): Promise<readonly SentReport[] | string> {
    // Whoever expects so low a number has had no report with a number of the journal.
    if (range.from < numbersPerEvent) return [];
    const turn = (this.#ofAccount.get(account) ?? Promise.resolve()).then(() => {
      if (!isWanted()) return [];
      this.#last = this.#last.then(() => (isWanted() ? this.#readNow(account, range) : []));
      return this.#last as ReturnType<ResentReports["read"]>;
    });
    this.#ofAccount.set(account, turn);
    const reports = await turn;
    if (this.#ofAccount.get(account) === turn) this.#ofAccount.delete(account);
    return reports;
  }

  async #readNow(account: number, range: NumberRange): Promise<readonly SentReport[] | string> {
    try {
      return await this.#reports(account, range);
    } catch (error) {
      this.#parts.log.error({ err: error }, "older reports of a FIX session could not be read");
      return "Older reports could not be read. Log on again later.";
    }
  }

  async #reports(account: number, { from, last }: NumberRange): Promise<SentReport[] | string> {
    const { model, orderEvents } = this.#parts;
    const { firstSeq, lastSeq } = eventsNumbered(from, last);
    const [afterSeq, untilSeq] = [firstSeq - 1, model.state.seq];
    if (lastSeq < firstSeq) return [];
    if (untilSeq - afterSeq > rereadEventsMax)
      return `More than ${rereadEventsMax} events of the venue lie between. ${instead}`;
    const openOrders = this.#openOrders(account);
    const limit = rereadReportsMax;
    const all = await orderEvents.orderEvents({ account, afterSeq, untilSeq, limit });
    if (all === null) return `More than ${limit} events of your orders lie between. ${instead}`;
    const { table } = model.state;
    const events = all.filter(
      (event) =>
        ownOrderOf(event, account) !== null &&
        "market" in event &&
        table.market(event.market).kind === MarketKind.spot,
    );
    const orderIds = [...new Set(events.map((event) => ownOrderOf(event, account) ?? 0))];
    const newIds = new Set(events.flatMap((event) => (isAcceptance(event) ? event.orderId : [])));
    const olderIds = orderIds.filter((orderId) => !newIds.has(orderId));
    const [origins, finals] = await Promise.all([
      orderEvents.orderOrigins({ account, orderIds, olderIds, afterSeq, untilSeq }),
      this.#finals(account, orderIds, openOrders),
    ]);
    const reports: SentReport[] = [];
    const range = { account, afterSeq, events, origins, finals };
    for (const { seq, update } of toldUpdates(range, model.state)) {
      if (seq > lastSeq) break;
      const market = table.market(update.order.market);
      const fields = executionReport(update, market, seq);
      const sentUs = update.tsUs;
      reports.push({ seq: reportNumber(seq), type: MsgType.executionReport, fields, sentUs });
      if (reports.length % resentAtOnce === 0) await sleep(0);
    }
    return reports;
  }

  /** Copies of the account's open orders as of now. */
  #openOrders(account: number): Map<number, OrderRecord> {
    const { model } = this.#parts;
    const { orders } = model.state;
    const open = new Map<number, OrderRecord>();
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
      const order = model.record(slot, OrderStatus.open);
      open.set(order.orderId, order);
    }
    return open;
  }

  /** The orders as they were open, or as they had closed before. A closed order's row may be written a little later. */
  async #finals(
    account: number,
    orderIds: readonly number[],
    open: ReadonlyMap<number, OrderRecord>,
  ): Promise<Map<number, OrderRecord>> {
    const { model, history } = this.#parts;
    const finals = new Map<number, OrderRecord>();
    for (const orderId of orderIds) {
      const order = open.get(orderId) ?? model.closed.find(orderId);
      if (order !== undefined) finals.set(orderId, order);
    }
    for (let reads = 0; reads < rowReadsMax; reads++) {
      const missing = orderIds.filter((orderId) => !finals.has(orderId));
      if (missing.length === 0) return finals;
      if (reads > 0) await sleep(rowReadMs);
      for (const order of await history.ordersByIds(account, missing))
        if (order.status !== OrderStatus.open) finals.set(order.orderId, order);
    }
    throw new Error("the rows of closed orders are not written");
  }
}
