// Five markets of two million messages: one where the price stands still, an ordinary one, one that falls by a
// quarter and comes back, one that falls by 40 % and comes back, and a crash of 60 %.
//
// More than half the messages are new orders (15 % of them IOC), a quarter cancels, a fifth modify a price or a
// quantity; a few come too late. Limits lie at geometric distances from a middle that follows the scenario's
// path in steps, as quotes of a real market do, so that behind a moving price a book is wide and sparse. A plain
// reference book follows the stream, because cancels and modifies depend on what rests. The stream is a
// function of scenario and seed alone.

import { createHash } from "node:crypto";
import { geometric, lognormal, Random } from "./draws.ts";
import type { FlowResult } from "./order-flow.ts";
import { type FlowOrder, ReferenceBook } from "./reference-book.ts";

export const scenarioNames = ["still", "normal", "swing 25 %", "swing 40 %", "crash 60 %"] as const;
export type ScenarioName = (typeof scenarioNames)[number];

export const MessageKind = { limit: 0, ioc: 1, cancel: 2, modify: 3 } as const;
export type MessageKind = (typeof MessageKind)[keyof typeof MessageKind];

/** The stream as parallel columns. The account of an order is its id, so that none meets its own. */
export interface ScenarioFlow {
  readonly length: number;
  readonly kinds: Uint8Array;
  readonly sides: Uint8Array;
  readonly ids: Int32Array;
  readonly prices: Int32Array;
  readonly qtys: Int32Array;
  /** Lots open when a modify was sent. */
  readonly seen: Int32Array;
  /** The handle clearing would issue: the slot freed last is used first. */
  readonly slots: Int32Array;
  readonly generations: Int32Array;
  /** Slots in use at most. */
  slotsUsed: number;
  expected: FlowResult;
}

/** Messages of one scenario. */
export const scenarioMessages = 2_000_000;

/** Where prices start: 100,000.00 in cents. */
const startTicks = 10_000_000;

/** Messages between two steps of the path. */
const stepMessages = 1000;

/** Chances in a hundred: below the first a new order, below the next a cancel, else a modify. */
const newBelow = 52;
const cancelBelow = 80;

const iocPercent = 15;
/** Of limits that may rest, how many are priced to trade. */
const crossingPercent = 12;
/** Of cancels, how many name an order that is gone. */
const latePercent = 3;
/** Below so many orders at rest there is nothing but new ones. */
const restingLeast = 20_000;

const distances = [
  { below: 60, table: geometric(1 / 200) },
  { below: 92, table: geometric(1 / 20_000) },
  { below: 100, table: geometric(1 / 500_000) },
] as const;
const quantities = lognormal(3);

/** How far the price has gone from its start after `part` of the stream, in parts of the start. */
const paths: Readonly<Record<ScenarioName, (part: number) => number>> = {
  still: () => 0,
  normal: (part) => 0.002 * wave(part * 8),
  "swing 25 %": (part) => -0.25 * wave(part),
  "swing 40 %": (part) => -0.4 * wave(part),
  "crash 60 %": (part) => {
    if (part < 0.3) return 0;
    if (part < 0.5) return -3 * (part - 0.3);
    return -0.6 + 0.3 * (part - 0.5);
  },
};

/** From 0 up to 1 and down again, once for each whole `turns`. */
function wave(turns: number): number {
  const part = turns - Math.floor(turns);
  return part < 0.5 ? 2 * part : 2 - 2 * part;
}

/** Generates the whole stream of a scenario; some seconds. */
export function generateScenario(
  name: ScenarioName,
  { seed = 20_261_123, messages = scenarioMessages } = {},
): ScenarioFlow {
  return new Generation(paths[name], seed, messages).run();
}

class Generation {
  readonly #path: (part: number) => number;
  readonly #random: Random;
  readonly #book = new ReferenceBook();
  readonly #flow: ScenarioFlow;
  readonly #freeSlots: number[] = [];
  readonly #slotGenerations: number[] = [];
  #middle = startTicks;
  #orders = 0;
  #at = 0;

  constructor(path: (part: number) => number, seed: number, length: number) {
    this.#path = path;
    this.#random = new Random(seed);
    this.#flow = {
      length,
      kinds: new Uint8Array(length),
      sides: new Uint8Array(length),
      ids: new Int32Array(length),
      prices: new Int32Array(length),
      qtys: new Int32Array(length),
      seen: new Int32Array(length),
      slots: new Int32Array(length),
      generations: new Int32Array(length),
      slotsUsed: 0,
      expected: { trades: 0, volume: 0, notional: 0, hash: 0, resting: 0 },
    };
    this.#book.onGone = (slot) => this.#freeSlots.push(slot);
  }

  run(): ScenarioFlow {
    const { length } = this.#flow;
    while (this.#at < length) {
      if (this.#at % stepMessages === 0) {
        this.#middle = Math.round(startTicks * (1 + this.#path(this.#at / length)));
      }
      const chance = this.#random.below(100);
      if (chance < newBelow || this.#book.resting < restingLeast) this.#new();
      else if (chance < cancelBelow) this.#cancel();
      else this.#modify();
    }
    const { trades, volume, notional, hash, resting } = this.#book;
    this.#flow.slotsUsed = this.#slotGenerations.length;
    this.#flow.expected = { trades, volume, notional, hash, resting };
    return this.#flow;
  }

  #new(): void {
    const random = this.#random;
    const side = random.next() & 1;
    const isIoc = random.below(100) < iocPercent;
    const isCrossing = isIoc || random.below(100) < crossingPercent;
    const price = this.#price(side, isCrossing);
    const slot = this.#freeSlots.pop() ?? this.#slotGenerations.push(0) - 1;
    this.#slotGenerations[slot] = (this.#slotGenerations[slot] ?? 0) + 1;
    const qty = random.pick(quantities);
    const order = { id: ++this.#orders, side, price, qty, slot };
    this.#write(isIoc ? MessageKind.ioc : MessageKind.limit, order);
    this.#arrive(order, isIoc);
  }

  #cancel(): void {
    const order = this.#pick();
    this.#write(MessageKind.cancel, order);
    if (this.#random.below(100) >= latePercent) {
      this.#book.cancel(order);
    } else {
      // Meant for the order that used the slot before.
      this.#flow.ids[this.#at - 1] = 0;
      this.#flow.generations[this.#at - 1] = (this.#slotGenerations[order.slot] ?? 0) - 1;
    }
  }

  /** Half are quoted anew around the middle, half shrink where they are. */
  #modify(): void {
    const random = this.#random;
    const { id, side, price, qty, slot } = this.#pick();
    const keepsPrice = random.below(2) === 0;
    const changed = {
      id,
      side,
      slot,
      price: keepsPrice ? price : this.#price(side, false),
      qty: keepsPrice ? 1 + random.below(qty) : random.pick(quantities),
    };
    this.#write(MessageKind.modify, changed, qty);
    if (changed.price === price && changed.qty <= qty) {
      this.#book.shrink(id, changed.qty);
      return;
    }
    this.#book.cancel({ id, side, price, qty, slot });
    this.#freeSlots.pop();
    this.#arrive(changed, false);
  }

  /** Trades an order and rests what is left of it, or gives its slot back. */
  #arrive(order: FlowOrder, isIoc: boolean): void {
    const left = this.#book.take(order, order.price);
    if (left > 0 && !isIoc) this.#book.rest({ ...order, qty: left });
    else this.#freeSlots.push(order.slot);
  }

  /** The order that the price has left on the wrong side, as its owner sees first; else any. */
  #pick(): FlowOrder {
    const book = this.#book;
    const isBidBehind = book.best(0) > this.#middle;
    const isAskBehind = book.best(1) >= 0 && book.best(1) < this.#middle;
    const behind = isBidBehind ? book.first(0) : isAskBehind ? book.first(1) : undefined;
    const order = behind ?? book.pickLive((bound) => this.#random.below(bound));
    const { id, side, price, qty, slot } = order;
    return { id, side, price, qty, slot };
  }

  #price(side: number, isCrossing: boolean): number {
    const chance = this.#random.below(100);
    const { table } = distances.find(({ below }) => chance < below) ?? distances[0];
    const distance = this.#random.pick(table);
    const away = side === 0 ? -1 : 1;
    return Math.max(1, this.#middle + away * (isCrossing ? -distance : 1 + distance));
  }

  #write(kind: MessageKind, order: FlowOrder, seen = 0): void {
    const flow = this.#flow;
    const at = this.#at++;
    flow.kinds[at] = kind;
    flow.sides[at] = order.side;
    flow.ids[at] = order.id;
    flow.prices[at] = order.price;
    flow.qtys[at] = order.qty;
    flow.seen[at] = seen;
    flow.slots[at] = order.slot;
    flow.generations[at] = this.#slotGenerations[order.slot] ?? 0;
  }
}

/** SHA-256 of the columns, in hex: proves that it is the same stream. */
export function scenarioDigest(flow: ScenarioFlow): string {
  const hash = createHash("sha256");
  const { kinds, sides, ids, prices, qtys, seen } = flow;
  for (const column of [kinds, sides, ids, prices, qtys, seen]) hash.update(column);
  return hash.digest("hex");
}
