// Tests the fast book and the naive book by text commands. Each line has a command and, after the arrow, its outcome.
//
//   "1 ann sell 5 @ 101 gtc -> rested 5"       slot 1, account ann; type or time in force after the price
//   "2 bob buy 7 @ 102 -> 5 @ 101 from 1, rested 2"
//   "3 bob sell 7 @ 90 ioc expireMaker reduceOnly -> 2 of 2 out for selfTrade, unfilled 5"
//   "2 bob buy 9 @ 102 market budget 500 -> 4 @ 101 from 1, budgetSpent 5"
//   "cancel 2 -> cancelled 2"   "cancel 2 5 -> changed 2" (only while 5 are open)   "cancel 1/9 -> unknown 0" (generation 9)
//   "amend 1 3 of 5 @ 101 expireMaker -> rested 3" (the sender saw 5 open)   "adjust ann -5 -> adjusted 0"
//
//   "level sell 2 -> levelRead 102" (the second-best ask)
//   "4 cat sell 9 @ 101 iceberg 2 -> rested 9" (it shows 2)   "amend 4 3 of 9 @ 101 iceberg 2 -> rested 3"
//   "amend 1 3 of 5 @ 101 family -> rested 3" (an order of `eve` or of `eli`, who have one owner)
//
// The books track positions if one of the commands has the word `adjust` or `reduceOnly`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyMatchRequest } from "../../src/core/generated/messages.ts";
import { MatchOutcome, RemovalReason } from "../../src/core/match-messages.ts";
import { OrderType, Side, StpMode, TimeInForce } from "../../src/core/orders.ts";
import { FastBook } from "../../src/engine/matching/fast-book.ts";
import { NaiveBook } from "../../src/engine/matching/naive-book.ts";
import type {
  BookListener,
  IncomingOrder,
  MatchingBounds,
  OrderBook,
} from "../../src/engine/matching/order-book.ts";
import { OrderPool } from "../../src/engine/matching/order-pool.ts";
import { SignedPositions } from "../../src/engine/matching/signed-positions.ts";

/** `eli` is a sub-account of `eve`; with the word `alone` an order of `eve` is from before that. */
const accounts = ["ann", "bob", "cat", "dan", "eve", "eli"];
const eve = accounts.indexOf("eve");
const outcomeNames = new Map(Object.entries(MatchOutcome).map(([name, value]) => [value, name]));
const reasonNames = new Map(Object.entries(RemovalReason).map(([name, value]) => [value, name]));
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

/**
 * Creates an empty book of each kind, with room for 64 orders and with bounds so small that a few steps reach them.
 */
export const makers: Record<string, (keepsPositions?: boolean) => Subject> = {
  naive: (keepsPositions = false) =>
    subject((listener) => new NaiveBook({ listener, keepsPositions, bounds })),
  fast: (keepsPositions = false) =>
    subject((listener) => {
      const positions = keepsPositions ? { positions: new SignedPositions() } : {};
      return new FastBook({ market: 0, pool: new OrderPool(64), listener, bounds, ...positions });
    }),
};

function subject(make: (listener: BookListener) => OrderBook): Subject {
  const fills: string[] = [];
  const listener: BookListener = {
    filled: (_taker, maker, price, qty) => fills.push(`${qty} @ ${price} from ${maker}`),
    reduced: (_taker, maker, qty) => fills.push(`${qty} lost with ${maker}`),
    removed: (_taker, maker, reason, left) =>
      fills.push(`${left} of ${maker} out for ${reasonNames.get(reason)}`),
    met: (_taker, maker) => fills.push(`ends at ${maker}`),
  };
  return { book: make(listener), fills };
}

/** Parses an order. */
export function order(message: string): IncomingOrder {
  const [slot, account, side, qty, , price, ...options] = message.split(" ");
  const [kind = "gtc"] = options.filter((option) => kinds.has(option));
  return {
    ...emptyMatchRequest(),
    slot: Number(slot),
    generation: 1,
    account: accounts.indexOf(account ?? ""),
    owner: ownerOf(account, options),
    side: side === "buy" ? Side.buy : Side.sell,
    ...(kinds.get(kind) ?? assert.fail(`"${message}" has no known order type`)),
    stpMode: stpModeIn(options),
    isReduceOnly: options.includes("reduceOnly"),
    price: Number(price),
    qty: Number(qty),
    budget: options.includes("budget") ? Number(options.at(-1)) : 0,
    icebergQty: icebergIn(options),
  };
}

function ownerOf(account: string | undefined, options: readonly string[]): number {
  const isFamily = account === "eve" || account === "eli" || options.includes("family");
  return isFamily && !options.includes("alone") ? eve : 0;
}

function stpModeIn(options: readonly string[]): StpMode {
  const [, mode = StpMode.skip] =
    Object.entries(StpMode).find(([name]) => options.includes(name)) ?? [];
  return mode;
}

function icebergIn(options: readonly string[]): number {
  return options.includes("iceberg") ? Number(options.at(-1)) : 0;
}

export function run(book: OrderBook, message: string): MatchOutcome {
  const [verb, handle = "", lots, , seen, , price, ...options] = message.split(" ");
  const [slot, generation = 1] = handle.split("/").map(Number);
  if (verb === "cancel") return book.cancel(Number(slot), generation, Number(lots ?? 0));
  if (verb === "adjust") {
    book.adjust(accounts.indexOf(handle), Number(lots));
    return MatchOutcome.adjusted;
  }
  if (verb === "level")
    return book.readLevel(handle === "buy" ? Side.buy : Side.sell, Number(lots));
  if (verb !== "amend") return book.place(order(message));
  return book.amend({
    slot: Number(slot),
    generation,
    owner: ownerOf(undefined, options),
    stpMode: stpModeIn(options),
    price: Number(price),
    qty: Number(lots),
    seenQty: Number(seen),
    icebergQty: icebergIn(options),
  });
}

/** Runs the commands on both books. `depth` is the expected whole book at the end, best price first. */
export function check(
  name: string,
  lines: string[],
  depth: { bids?: string; asks?: string } = {},
): void {
  for (const [kind, make] of Object.entries(makers)) {
    test(`${kind} book: ${name}`, () => {
      const { book, fills } = make(lines.some((line) => /adjust|reduceOnly/.test(line)));
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
