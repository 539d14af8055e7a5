// Numbers of outbound messages that follow from the journal, so that they survive restarts and a change of leader. The
// report of an event has a number of its own; messages of the session take numbers between the newest event that this
// front has folded and the next one. Spec FIX-25, FIX-26.

import { RecentMap } from "../orders/recent-orders.ts";

/** Numbers of one event: its report's, and 4,095 for messages of sessions until the next event of the venue. */
export const numbersPerEvent = 4_096;

/** Sessions of which the last number is remembered. */
const sessionsKept = 4_096;

/** The number of the report of the event with that seq. */
export function reportNumber(seq: number): number {
  return numbersPerEvent * seq;
}

/** The first and the last seq of events whose reports have numbers from `from` to `to`. */
export function eventsNumbered(from: number, to: number): { firstSeq: number; lastSeq: number } {
  return {
    firstSeq: Math.ceil(from / numbersPerEvent),
    lastSeq: Math.floor(to / numbersPerEvent),
  };
}

/** The numbers that sessions had on this front, which a new connection continues. */
export class ContinuedNumbers {
  readonly #next = new RecentMap<string, number>(sessionsKept);

  /** Keeps the next number of a session whose connection has ended. */
  keep(account: number, compId: string, next: number): void {
    this.#next.set(`${account} ${compId}`, next);
  }

  /**
   * The first number of a new connection, above all that the session has had; or why there is none. `headSeq` is the newest
   * folded event, `expected` the number that the client expects, if it says so.
   */
  first(
    account: number,
    compId: string,
    { headSeq, expected }: { readonly headSeq: number; readonly expected: number | null },
  ): number | string {
    const limit = reportNumber(headSeq + 1) - 2;
    if (expected !== null && expected > limit)
      return "NextExpectedMsgSeqNum (789) is above the numbers of this venue.";
    // What another front, or this one before its start, has used since the newest event is not known: half of the numbers
    // is left for that, unless the client says what it expects.
    const unknown = expected ?? reportNumber(headSeq) + numbersPerEvent / 2;
    const before = this.#next.get(`${account} ${compId}`) ?? unknown;
    const first = Math.max(reportNumber(headSeq) + 1, before, expected ?? 0);
    return first <= limit
      ? first
      : "The numbers until the venue's next event are used up; log on later, or with ResetSeqNumFlag (141) Y.";
  }
}
