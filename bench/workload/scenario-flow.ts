// Generates five markets of two million messages each: one with a constant price, an ordinary one, one that falls by a
// quarter and returns, one that falls by 40 % and returns, and a crash of 60 %.
//
// More than half of the messages are new orders (15 % of them IOC), a quarter are cancels, and a fifth modify a price
// or a quantity. A few cancels arrive after their order is gone. Limit prices lie at geometrically distributed
// distances from a middle price that follows the scenario's path in steps. As in a real market, a moving price
// therefore leaves a wide and sparse book. The generator runs a plain reference book, because cancels and modifies
// depend on which orders rest. The stream depends only on the scenario and the seed.

import { createHash } from "node:crypto";
import { geometric, lognormal, Random } from "./draws.ts";
import { type FlowColumns, FlowWriter } from "./flow-columns.ts";
import type { FlowResult } from "./order-flow.ts";
import { type FlowOrder, ReferenceBook } from "./reference-book.ts";

export const scenarioNames = ["still", "normal", "swing 25 %", "swing 40 %", "crash 60 %"] as const;
export type ScenarioName = (typeof scenarioNames)[number];

export const MessageKind = { limit: 0, ioc: 1, cancel: 2, modify: 3 } as const;
export type MessageKind = (typeof MessageKind)[keyof typeof MessageKind];

/** The stream as parallel columns. An order's account is its id, so that no order meets its own account. */
export interface ScenarioFlow extends FlowColumns {
  /** Open lots of the order when its modify was sent. */
  readonly seen: Int32Array;
  /** Largest number of slots in use. */
  readonly slotsUsed: number;
  readonly expected: FlowResult;
}

/** Number of messages in one scenario. */
export const scenarioMessages = 2_000_000;

/** Initial price in ticks of one cent: 100,000.00. */
const startTicks = 10_000_000;

/** Number of messages between two steps of the price path. */
const stepMessages = 1000;

/** Cumulative chances of the kinds of messages, in percent: new orders first, then cancels, then modifies. */
const newBelow = 52;
const cancelBelow = 80;

const iocPercent = 15;
/** Percentage of GTC limits that are priced to trade. */
const crossingPercent = 12;
/** Percentage of cancels that name an order which is already gone. */
const latePercent = 3;
/** Smallest number of resting orders: below it, all messages are new orders. */
const restingLeast = 20_000;

const distances = [
  { below: 60, table: geometric(1 / 200) },
  { below: 92, table: geometric(1 / 20_000) },
  { below: 100, table: geometric(1 / 500_000) },
] as const;
const quantities = lognormal(3);

/** Price path of each scenario: the change relative to the start after `part` (0 to 1) of the stream. */
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

/** Returns a triangle wave that rises from 0 to 1 and falls back, once per whole turn. */
function wave(turns: number): number {
  const part = turns - Math.floor(turns);
  return part < 0.5 ? 2 * part : 2 - 2 * part;
}

/** Generates the whole stream of a scenario in some seconds. */
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
  readonly #writer: FlowWriter;
  readonly #seen: Int32Array;
  #middle = startTicks;
  #orders = 0;

  constructor(path: (part: number) => number, seed: number, length: number) {
    this.#path = path;
    this.#random = new Random(seed);
    this.#writer = new FlowWriter(length);
    this.#seen = new Int32Array(length);
    this.#book.onGone = (slot) => this.#writer.freeSlot(slot);
  }

  run(): ScenarioFlow {
    const writer = this.#writer;
    const { length } = writer.columns;
    while (writer.written < length) {
      if (writer.written % stepMessages === 0) {
        this.#middle = Math.round(startTicks * (1 + this.#path(writer.written / length)));
      }
      const chance = this.#random.below(100);
      if (chance < newBelow || this.#book.resting < restingLeast) this.#new();
      else if (chance < cancelBelow) this.#cancel();
      else this.#modify();
    }
    return {
      ...writer.columns,
      seen: this.#seen,
      slotsUsed: writer.slotsUsed,
      expected: this.#book.result(),
    };
  }

  #new(): void {
    const random = this.#random;
    const side = random.next() & 1;
    const isIoc = random.below(100) < iocPercent;
    const isCrossing = isIoc || random.below(100) < crossingPercent;
    const price = this.#price(side, isCrossing);
    const slot = this.#writer.takeSlot();
    const qty = random.pick(quantities);
    const order = { id: ++this.#orders, side, price, qty, slot };
    this.#writer.write(isIoc ? MessageKind.ioc : MessageKind.limit, order);
    this.#arrive(order, isIoc);
  }

  #cancel(): void {
    const order = this.#pick();
    const at = this.#writer.write(MessageKind.cancel, order);
    if (this.#random.below(100) >= latePercent) {
      this.#book.cancel(order);
    } else {
      // The cancel names the previous order of the slot, which is gone.
      const { ids, generations } = this.#writer.columns;
      ids[at] = 0;
      generations[at] = this.#writer.generationOf(order.slot) - 1;
    }
  }

  /**
   * Modifies an order: half of the messages give the order a new price around the middle price, half reduce its
   * quantity at the same price.
   */
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
    this.#seen[this.#writer.write(MessageKind.modify, changed)] = qty;
    if (changed.price === price && changed.qty <= qty) {
      this.#book.shrink(id, changed.qty);
      return;
    }
    this.#book.cancel({ id, side, price, qty, slot });
    this.#writer.keepSlot();
    this.#arrive(changed, false);
  }

  /** Trades an incoming order. Its remainder rests, or its slot is freed. */
  #arrive(order: FlowOrder, isIoc: boolean): void {
    const left = this.#book.take(order, order.price);
    if (left > 0 && !isIoc) this.#book.rest({ ...order, qty: left });
    else this.#writer.freeSlot(order.slot);
  }

  /**
   * Picks the order to cancel or modify. If the middle price has moved below the best bid or above the best ask, the
   * order at that best price is picked, because its owner would act first. Otherwise any order can be picked.
   */
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
}

/** Returns the SHA-256 of the columns in hex; it identifies the stream. */
export function scenarioDigest(flow: ScenarioFlow): string {
  const hash = createHash("sha256");
  const { kinds, sides, ids, prices, qtys, seen } = flow;
  for (const column of [kinds, sides, ids, prices, qtys, seen]) hash.update(column);
  return hash.digest("hex");
}
