// Runs synthetic orders through every path of the matching code before clients can connect: code that is not yet
// optimised is half as fast, and the first clients would notice.
//
// Orders come from a fixed sequence, the engine that handles them is discarded, and answers go to the caller's sink.
// The sink must be of the production class, on scratch memory, so that the code optimised here is the code that will
// run.

import {
  emptyMatchRequest,
  type MatchReplySink,
  type MatchRequest,
} from "../../core/generated/messages.ts";
import { MatchLane, MatchRequestKind } from "../../core/match-messages.ts";
import { OrderType, Side, StpMode, TimeInForce } from "../../core/orders.ts";
import { MatchingEngine } from "./matching-engine.ts";

/** Number of orders after which the code is fully optimised; they take about a quarter of a second. */
const orders = 60_000;

/** Slots are used in rotation; at most this many orders rest. */
const slots = 4096;

/** Few accounts, so that orders often meet other orders of their account. */
const accounts = 13;

/** Range of the mid price, so that pages are created and freed on both sides. */
const wander = 20_000;

/**
 * Handles about 138,000 requests on a separate engine; calls `answered` after each, so that the caller can empty a
 * bounded sink.
 */
export function warmUp(sink: MatchReplySink, answered: () => void): void {
  const engine = new MatchingEngine({
    markets: [0, 1],
    perpetuals: [1],
    sink,
    ordersMax: slots,
  });
  const request = emptyMatchRequest();
  let random = 0x2545f491;
  for (let i = 0; i < orders; i++) {
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    makeRoom(request, i);
    engine.handle(request, MatchLane.cancels);
    answered();
    makeOrder(request, i, random >>> 1);
    engine.handle(request, MatchLane.orders);
    answered();
    if (i % 4 === 3 && request.type !== OrderType.market) {
      makeAmend(request, random >>> 3);
      engine.handle(request, MatchLane.orders);
      answered();
    }
    if (i % 16 === 15) {
      makeLateCancel(request);
      engine.handle(request, MatchLane.cancels);
      answered();
    }
  }
}

/** Cancels the order that may still rest in the slot of order `i`. */
function makeRoom(request: MatchRequest, i: number): void {
  request.kind = MatchRequestKind.cancel;
  request.slot = i % slots;
  request.generation = Math.floor(i / slots);
  request.market = (i % slots) & 1;
  request.seenQty = 0;
}

/** A conditional cancel that expects more open lots than any order here has, so that it removes nothing. */
function makeLateCancel(request: MatchRequest): void {
  request.kind = MatchRequestKind.cancel;
  request.seenQty = 1000;
}

function makeOrder(request: MatchRequest, i: number, random: number): void {
  const kind = random & 31;
  request.kind = MatchRequestKind.place;
  request.generation = Math.floor(i / slots) + 1;
  request.account = (random >>> 5) % accounts;
  request.side = (random >>> 9) & 1 ? Side.sell : Side.buy;
  request.type = typeOf(kind);
  request.timeInForce = timeInForceOf(kind);
  request.stpMode = stpModeOf(random >>> 20);
  request.isReduceOnly = request.market === 1 && (random >>> 24) % 8 === 0;
  request.budget = request.type === OrderType.market && random & 32 ? 4_000_000 : 0;
  request.qty = 1 + ((random >>> 10) & 63);
  const away = request.side === Side.buy ? -1 : 1;
  const distance = ((random >>> 16) & 255) - (kind < 16 ? 0 : 64);
  const far = (random & 0x3f_0000) === 0 ? 30_000 : 0;
  request.price = 200_000 + Math.abs((i % (2 * wander)) - wander) + away * (distance + far);
}

/** Changes the price of about half of the amended orders, and never enlarges a quantity. */
function makeAmend(request: MatchRequest, random: number): void {
  request.kind = MatchRequestKind.amend;
  request.seenQty = request.qty + (random & 16 ? 2 : 0);
  if (random & 1) request.price += (random & 14) - 7;
  request.qty = Math.max(1, request.qty - (random & 7));
}

function typeOf(kind: number): OrderType {
  if (kind === 29) return OrderType.market;
  return kind === 30 ? OrderType.limitMaker : OrderType.limit;
}

/** One order in four uses self-trade prevention; all modes occur. */
function stpModeOf(random: number): StpMode {
  const modes = [StpMode.expireTaker, StpMode.expireMaker, StpMode.expireBoth, StpMode.decrement];
  return modes[random % 16] ?? StpMode.skip;
}

function timeInForceOf(kind: number): TimeInForce {
  if (kind === 28) return TimeInForce.gtx;
  if (kind === 27) return TimeInForce.fok;
  return kind === 26 ? TimeInForce.ioc : TimeInForce.gtc;
}
