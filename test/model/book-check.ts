// How the suites of both books speak: commands as a trader would say them, and what must come of each.
//
//   "1 ann sell 5 @ 101 gtc -> rested 5"       slot 1, account ann; type or time in force after the price
//   "2 bob buy 7 @ 102 -> 5 @ 101 from 1, rested 2"
//   "cancel 2 -> cancelled 2"   "amend 1 3 @ 101 -> rested 3"   "cancel 1/9 -> unknown 0" (generation 9)

import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyMatchRequest, MatchOutcome } from "../../src/core/match-messages.ts";
import { OrderType, Side, TimeInForce } from "../../src/core/orders.ts";
import { FastBook } from "../../src/engine/matching/fast-book.ts";
import { NaiveBook } from "../../src/engine/matching/naive-book.ts";
import type {
  FillListener,
  IncomingOrder,
  MatchingBounds,
  OrderBook,
} from "../../src/engine/matching/order-book.ts";
import { OrderPool } from "../../src/engine/matching/order-pool.ts";

const accounts = ["ann", "bob", "cat", "dan"];
const outcomeNames = new Map(Object.entries(MatchOutcome).map(([name, value]) => [value, name]));
const kinds = new Map<string, Pick<IncomingOrder, "type" | "timeInForce">>([
  ["gtc", { type: OrderType.limit, timeInForce: TimeInForce.gtc }],
  ["ioc", { type: OrderType.limit, timeInForce: TimeInForce.ioc }],
  ["fok", { type: OrderType.limit, timeInForce: TimeInForce.fok }],
  ["gtx", { type: OrderType.limit, timeInForce: TimeInForce.gtx }],
  ["market", { type: OrderType.market, timeInForce: TimeInForce.ioc }],
  ["limitMaker", { type: OrderType.limitMaker, timeInForce: TimeInForce.gtc }],
]);

const bounds: MatchingBounds = { matchesPerOrderMax: 4, ownSkipsMax: 3 };

interface Subject {
  book: OrderBook;
  fills: string[];
}

/** A fresh book of each kind, with room for 64 orders and bounds reached in few steps. */
export const makers: Record<string, () => Subject> = {
  naive: () => subject((listener) => new NaiveBook(listener, bounds)),
  fast: () =>
    subject((listener) => new FastBook({ market: 0, pool: new OrderPool(64), listener, bounds })),
};

function subject(make: (listener: FillListener) => OrderBook): Subject {
  const fills: string[] = [];
  const filled = (makerSlot: number, price: number, qty: number) => {
    fills.push(`${qty} @ ${price} from ${makerSlot}`);
  };
  return { book: make({ filled }), fills };
}

/** An order from its words. */
export function order(words: string): IncomingOrder {
  const [slot, account, side, qty, , price, kind] = words.split(" ");
  const { type, timeInForce } = kinds.get(kind ?? "gtc") ?? assert.fail(`no kind in "${words}"`);
  return {
    ...emptyMatchRequest(),
    slot: Number(slot),
    generation: 1,
    account: accounts.indexOf(account ?? ""),
    side: side === "buy" ? Side.buy : Side.sell,
    type,
    timeInForce,
    price: Number(price),
    qty: Number(qty),
  };
}

/** Carries out one command. */
export function run(book: OrderBook, words: string): MatchOutcome {
  const [verb, handle = "", qty, , price] = words.split(" ");
  const [slot, generation = 1] = handle.split("/").map(Number);
  if (verb === "cancel") return book.cancel(Number(slot), generation);
  if (verb !== "amend") return book.place(order(words));
  return book.amend({ slot: Number(slot), generation, price: Number(price), qty: Number(qty) });
}

/** Runs the commands on both books; `depth` is the whole book in the end, best first. */
export function check(
  name: string,
  lines: string[],
  depth: { bids?: string; asks?: string } = {},
): void {
  for (const [kind, make] of Object.entries(makers)) {
    test(`${kind} book: ${name}`, () => {
      const { book, fills } = make();
      const seen = lines.map((line) => {
        const command = line.split(" -> ")[0] ?? "";
        fills.length = 0;
        const outcome = outcomeNames.get(run(book, command));
        return `${command} -> ${[...fills, `${outcome} ${book.remaining}`].join(", ")}`;
      });
      assert.deepEqual(seen, lines);
      assert.equal(sideText(book, Side.buy), depth.bids ?? "");
      assert.equal(sideText(book, Side.sell), depth.asks ?? "");
    });
  }
}

function sideText(book: OrderBook, side: Side): string {
  return book
    .depth(side, 100)
    .map((level) => `${level.qty}@${level.price}`)
    .join(" ");
}
