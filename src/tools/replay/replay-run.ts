// Plays history against the real book. Each moment of depth becomes quotes of the house's makers, each historical order an
// order of its taker that trades with whatever is first in the book, also with a member's order. What members take or add is
// history's to answer: it is quoted again after a time (absorb), or stays as long as the level exists (persist).
//
//   events ──▶ book state ──▶ changes of quotes ─┐
//     └─ orders ───────────────▶ take ───────────┴▶ steps ──call──▶ venue
//                 ▲                                                   │ refusals, trades of members
//                 └───────────────────────────────────────────────────┘

import { Latencies, type LatencySummary } from "../load/latencies.ts";
import type { OpenAnswer, PlayAnswer } from "./history-calls.ts";
import { PastBookState, type PastOrder } from "./past-book-state.ts";
import type { PastBook, PastEvent, PastLevel, PastTrade } from "./past-events.ts";
import type { PastTime } from "./past-time.ts";
import { type NumberedSteps, StepBatch } from "./step-batch.ts";

/** What the replay needs of the venue. */
export interface HistoryVenue {
  /** Sends the steps; unless it `settles`, the answer may be about those of calls before only. */
  play(steps: NumberedSteps, settles: boolean): Promise<PlayAnswer>;
  /** Whether the market's time follows the events, so that those of each second are sent by themselves. */
  readonly followsEvents: boolean;
  /** Called before the events up to `atUs` are sent. */
  reach(atUs: number): Promise<void>;
  /** Tells the middle of the book in ticks, now and then. */
  tellMiddle(ticks: number): Promise<void>;
  /** Whether the best levels of the public book are these; `null` for an empty side. */
  shows(bid: PastLevel | null, ask: PastLevel | null): Promise<boolean>;
}

export interface ReplayOptions {
  readonly venue: HistoryVenue;
  readonly market: Pick<OpenAnswer, "leastValue">;
  readonly makers: number;
  readonly time: PastTime;
  /** After which time of history a member's change is quoted again, in microseconds; infinite for never. */
  readonly requoteUs: number;
  /** Whether a call is answered before the next steps are made, so that the same events and orders give the same steps. */
  readonly isInTurn: boolean;
  /** Ends the replay early when aborted. */
  readonly signal: AbortSignal;
  /** Told of the trades so far, and of the time of the last event. */
  readonly onProgress: (trades: number, lastUs: number) => void;
  /** Compares the public book with history after every so many moments of depth; 0 for never. */
  readonly checkEvery: number;
  /** Told what liquidations of the crowd traded: ticks × lots, negative if they sold. */
  readonly onForced?: (value: number) => void;
}

export interface ReplaySummary {
  /** Recorded trades, and the incoming orders that they are. */
  readonly trades: number;
  readonly orders: number;
  readonly depthMoments: number;
  /** Sides of quotes that were set or cancelled. */
  readonly quoteSides: number;
  /** Orders below the least value of the market, which were left out. */
  readonly tooSmall: number;
  readonly refused: number;
  readonly lastRefusal: string | null;
  readonly memberFills: number;
  readonly memberLots: number;
  /** Accounts of a made market's crowd that were liquidated, in part or whole, and the lots that the venue sold for them. */
  readonly liquidated: number;
  readonly liquidatedLots: number;
  /** Moments at which the public book was compared with history, and those at which mid and best sizes were equal. */
  readonly checked: number;
  readonly equal: number;
  /** How much later than planned the steps were sent, in ms; empty at full speed. */
  readonly lag: LatencySummary;
  /** Time of the last event that was played, in microseconds; 0 for none. */
  readonly lastUs: number;
}

/** Without steps, the venue is called this often, so that members' trades are noticed. */
const lookMs = 100;
const secondUs = 1_000_000;

export class ReplayRun {
  readonly #options: ReplayOptions;
  readonly #state = new PastBookState();
  readonly #lag = new Latencies();
  readonly #batch: StepBatch;
  #inFlight: Promise<void> = Promise.resolve();
  #parts: PastTrade[] = [];
  #lastUs = 0;
  readonly #figures = { trades: 0, orders: 0, depthMoments: 0, tooSmall: 0, checked: 0, equal: 0 };

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#batch = new StepBatch(this.#state, options);
  }

  /** Plays the events until their end or until it is aborted; then everything sent has been answered. */
  async play(
    events: AsyncIterable<readonly PastEvent[]> | Iterable<readonly PastEvent[]>,
  ): Promise<ReplaySummary> {
    const { signal, onProgress } = this.#options;
    for await (const block of events) {
      for (const event of block) if (!signal.aborted) await this.#event(event);
      await this.#send();
      onProgress(this.#figures.trades, this.#lastUs);
      if (signal.aborted) break;
    }
    if (!signal.aborted) await this.#endOrder();
    await this.#settle();
    return {
      ...this.#figures,
      ...this.#batch.figures,
      lag: this.#lag.summary(),
      lastUs: this.#lastUs,
    };
  }

  async #event(event: PastEvent): Promise<void> {
    if (event.kind === "trade" && this.#continues(event)) {
      this.#parts.push(event);
      return;
    }
    await this.#endOrder();
    if (event.kind === "trade") this.#parts = [event];
    else await this.#book(event);
  }

  /** Whether the trade belongs to the same incoming order as those before it. */
  #continues({ atUs, isBuy, price, by }: PastTrade): boolean {
    const last = this.#parts.at(-1);
    if (last === undefined || last.atUs !== atUs || last.isBuy !== isBuy) return false;
    if (last.by !== by) return false;
    return isBuy ? price >= last.price : price <= last.price;
  }

  async #book(book: PastBook): Promise<void> {
    await this.#until(book.atUs);
    this.#figures.depthMoments++;
    this.#state.adopt(book);
    this.#batch.requote();
    await this.#sendIfFull();
    const { checkEvery } = this.#options;
    if (checkEvery > 0 && this.#figures.depthMoments % checkEvery === 0) await this.#check();
  }

  async #check(): Promise<void> {
    await this.#settle();
    const [bid, ask] = [this.#state.best(true), this.#state.best(false)];
    this.#figures.checked++;
    if (await this.#options.venue.shows(bid, ask)) this.#figures.equal++;
  }

  async #endOrder(): Promise<void> {
    const [parts, last] = [this.#parts, this.#parts.at(-1)];
    if (last === undefined) return;
    this.#parts = [];
    const qty = parts.reduce((sum, part) => sum + part.qty, 0);
    const { atUs, isBuy, price, by } = last;
    const order: PastOrder = { atUs, isBuy, price, qty, parts, by };
    await this.#until(order.atUs);
    this.#figures.trades += parts.length;
    this.#figures.orders++;
    this.#state.prepare(order);
    this.#batch.requote();
    const isTooSmall = order.price * qty < this.#options.market.leastValue;
    if (isTooSmall) this.#figures.tooSmall++;
    else this.#batch.take(order);
    this.#state.take(order);
    await this.#sendIfFull();
  }

  /** Waits until history's time has come to `atUs`; what was to be sent before is sent before. */
  async #until(atUs: number): Promise<void> {
    const { time, signal, venue } = this.#options;
    if (this.#lastUs === 0) await venue.reach(atUs);
    time.begin(atUs);
    while (time.waitMs(atUs) > 0 && !signal.aborted) {
      await this.#send();
      await time.wait(Math.min(lookMs, time.waitMs(atUs)), signal);
      this.#endChanges(Math.min(atUs, time.nowUs(atUs)));
    }
    const isNextSecond = Math.floor(atUs / secondUs) !== Math.floor(this.#lastUs / secondUs);
    if (isNextSecond && venue.followsEvents) await this.#send();
    this.#lastUs = atUs;
    this.#endChanges(atUs);
    if (time.isPaced) this.#lag.record(Math.max(0, -time.waitMs(atUs)));
  }

  #endChanges(nowUs: number): void {
    this.#batch.nowUs = nowUs;
    if (this.#state.endChanges(nowUs)) this.#batch.requote();
  }

  async #sendIfFull(): Promise<void> {
    if (this.#batch.isFull) await this.#send();
  }

  /** Sends the steps so far, and waits until they are answered. */
  async #settle(): Promise<void> {
    await this.#send(true);
    await this.#inFlight;
  }

  /**
   * Sends the steps so far. At most one call is in flight, so that the next steps are made meanwhile. With nobody else in
   * the market, a call at full speed is answered when the steps before it are: the venue always has some to go on with.
   */
  async #send(settles = false): Promise<void> {
    await this.#inFlight;
    const { venue, time, isInTurn } = this.#options;
    const batch = this.#batch;
    const steps = batch.begin();
    await venue.reach(this.#lastUs);
    await venue.tellMiddle(this.#state.middle);
    const isAwaited = time.isPaced || isInTurn;
    this.#inFlight = venue
      .play(steps, settles || isAwaited || !batch.isAlone)
      .then((answer) => batch.heard(answer));
    // The fault is thrown where the call is awaited.
    this.#inFlight.catch(() => undefined);
    if (isAwaited) await this.#inFlight;
  }
}
