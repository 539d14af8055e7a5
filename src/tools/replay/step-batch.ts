// The steps of the next call, and what its answer corrects: a refused side goes back to what it was, and what members
// traded with the house changes what is believed to be open.

import { SystemAccount } from "../../core/accounts.ts";
import {
  type HistoryStep,
  type MemberTrade,
  type PlayAnswer,
  type StepRefusal,
  stepCharsMax,
  stepsMax,
} from "./history-calls.ts";
import { type Before, type Consumption, HouseQuotes } from "./house-quotes.ts";
import type { PastBookState, PastOrder } from "./past-book-state.ts";

interface BatchOptions {
  readonly makers: number;
  readonly market: { readonly leastValue: number };
  readonly requoteUs: number;
  readonly onForced?: (value: number) => void;
}

/** What a step was thought to do. */
interface Note {
  readonly step: HistoryStep;
  readonly before: readonly Before[];
  readonly taken: readonly Consumption[];
}

/** Steps to be sent, and the number of the first of them. */
export interface NumberedSteps {
  readonly first: number;
  readonly steps: readonly HistoryStep[];
}

/** Largest length of a figure in a request, and of the rest of a step. */
const [figureChars, stepChars] = [11, 64];
/** The reason with which a side is refused because it would trade. */
const wouldTake = "wouldTake";
/** The reason of a change to a quote that a member's order took while the change was on its way. */
const takenBefore = "unknownOrder";

export class StepBatch {
  readonly #state: PastBookState;
  readonly #options: BatchOptions;
  readonly #quotes: HouseQuotes;
  #steps: HistoryStep[] = [];
  #chars = 0;
  /** The number of the next step. */
  #next = 0;
  /** Of steps that are not answered yet, by number. */
  readonly #notes = new Map<number, Note>();
  #isAlone = true;
  /** History's time, for changes that end. */
  nowUs = 0;
  readonly #liquidated = new Set<number>();
  readonly #figures = {
    ...{ quoteSides: 0, refused: 0, lastRefusal: null as string | null },
    ...{ memberFills: 0, memberLots: 0, liquidatedLots: 0 },
  };

  constructor(state: PastBookState, options: BatchOptions) {
    this.#state = state;
    this.#options = options;
    this.#quotes = new HouseQuotes(options.makers, options.market.leastValue);
  }

  get figures() {
    return { ...this.#figures, liquidated: this.#liquidated.size };
  }

  get isFull(): boolean {
    // A step more must fit, the longest of which names all sides of all makers.
    const longest = this.#options.makers * 30 * 3 * figureChars;
    return this.#steps.length >= stepsMax - 2 || this.#chars + 2 * longest > stepCharsMax;
  }

  /** Adds a step that makes the quotes what history and members have made of the book; none if they are. */
  requote(): void {
    const { leastValue } = this.#options.market;
    const [bids, asks] = [true, false].map((isBid) => this.#state.wanted(isBid, leastValue));
    const quotes = this.#quotes.changesTo(bids ?? [], asks ?? []);
    if (quotes.length === 0) return;
    const figures = quotes.reduce((sum, { cancel, set }) => sum + cancel.length + set.length, 0);
    const sides = quotes.reduce((sum, { cancel, set }) => sum + cancel.length + set.length / 3, 0);
    this.#figures.quoteSides += sides;
    this.#add({ step: { quotes }, before: this.#quotes.before, taken: [] }, figures);
  }

  /** Adds a step that trades the order. */
  take({ isBuy, price, qty, by }: Pick<PastOrder, "isBuy" | "price" | "qty" | "by">): void {
    const taken = this.#quotes.take(isBuy, price, qty);
    this.#add({ step: { take: [isBuy ? 1 : 0, price, qty], by }, before: [], taken }, 3);
  }

  /** Whether the last answer told nothing of members, so that the next steps need not wait for one. */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** Takes the steps so far, to be sent. */
  begin(): NumberedSteps {
    const steps = this.#steps;
    this.#steps = [];
    this.#chars = 0;
    return { first: this.#next - steps.length, steps };
  }

  heard({ refusals, trades, answered }: PlayAnswer): void {
    for (const refusal of refusals) this.#refused(refusal);
    for (const trade of trades) if (trade.step < 0) this.#lost(trade);
    for (const step of new Set(trades.map((trade) => trade.step)))
      if (step >= 0) {
        const own = trades.filter((trade) => trade.step === step);
        this.#met(this.#notes.get(step)?.taken ?? [], own);
      }
    for (const number of this.#notes.keys()) {
      if (number >= answered) break;
      this.#notes.delete(number);
    }
    this.#isAlone = refusals.length + trades.length === 0;
    if (!this.#isAlone) this.requote();
  }

  #add(note: Note, figures: number): void {
    this.#steps.push(note.step);
    this.#notes.set(this.#next++, note);
    this.#chars += stepChars + figures * figureChars;
  }

  /** A side that met a member's order trades with it, as history's order would have; any other refusal is told. */
  #refused({ step, maker, side, reason }: StepRefusal): void {
    const note = this.#notes.get(step);
    if (note === undefined) return;
    const { step: sent, before } = note;
    if (!("quotes" in sent)) {
      this.#tell(`an order of the taker: ${reason}`);
      return;
    }
    const set = sent.quotes.find((one) => one.maker === maker)?.set ?? [];
    for (let at = 0; at + 2 < set.length; at += 3) {
      const [number = 0, price = 0, qty = 0] = set.slice(at, at + 3);
      if (side >= 0 && number !== side) continue;
      this.#quotes.refused(maker, number, before);
      if (reason === wouldTake) this.take({ isBuy: number % 2 === 0, price, qty });
    }
    if (reason !== wouldTake && reason !== takenBefore) this.#tell(`a quote: ${reason}`);
  }

  #tell(refusal: string): void {
    this.#figures.refused++;
    this.#figures.lastRefusal = refusal;
  }

  /** A member's order took from a quote. */
  #lost({ price, qty, isBuy, isMaker, forced }: MemberTrade): void {
    if (forced === 0) this.#count(qty);
    else this.#force(forced, isBuy ? qty : -qty, price);
    if (!isMaker) return;
    this.#quotes.lose(!isBuy, price, qty);
    this.#change(!isBuy, price, -qty);
  }

  /** An order of the taker met members' orders: of the quotes it took less than was thought. */
  #met(taken: readonly Consumption[], trades: readonly MemberTrade[]): void {
    for (const { isMaker, qty } of trades) if (!isMaker) this.#count(qty);
    const isBid = trades[0]?.isBuy === false;
    for (const consumption of taken) {
      const { price } = consumption;
      const own = trades.filter((trade) => trade.isMaker && trade.price === price);
      const left = consumption.qty - own.reduce((sum, { qty }) => sum + qty, 0);
      if (left <= 0) continue;
      this.#quotes.restore(consumption, left);
      this.#change(isBid, price, left);
    }
  }

  /** The venue closed a position of the crowd. */
  #force(account: number, lots: number, price: number): void {
    if (account !== SystemAccount.insurance) this.#liquidated.add(account);
    this.#figures.liquidatedLots += Math.abs(lots);
    this.#options.onForced?.(lots * price);
  }

  #count(qty: number): void {
    this.#figures.memberFills++;
    this.#figures.memberLots += qty;
  }

  #change(isBid: boolean, price: number, lots: number): void {
    this.#state.change(isBid, price, lots, this.nowUs + this.#options.requoteUs);
  }
}
