// The simplest possible book: two sorted arrays of orders. It is the specification of the fast book: tests compare the
// two over generated commands.
//
// Each side is in priority order, so the next order to trade with is the next element, and positions are found by
// binary search. A sweep is planned first and then executed. Speed does not matter here: inserting an order moves all
// that follow.

import { accountSlot } from "../../core/accounts.ts";
import { assert } from "../../core/assert.ts";
import { emptyMatchRequest } from "../../core/generated/messages.ts";
import { MatchOutcome, RemovalReason } from "../../core/match-messages.ts";
import {
  OrderTrait,
  OrderType,
  opposite,
  Side,
  StpMode,
  TimeInForce,
  traitsOf,
} from "../../core/orders.ts";
import { emptyBookHash, mixOrder, mixPosition, mixSideEnd } from "./book-hash.ts";
import {
  type Amendment,
  amendedQty,
  assertIncoming,
  assertLevel,
  assertLimit,
  assertOpenQty,
  assertSpotIfIceberg,
  type BookListener,
  type DepthLevel,
  type IncomingOrder,
  type MatchingBounds,
  matchingBounds,
  type OrderBook,
} from "./order-book.ts";

interface RestingOrder {
  slot: number;
  generation: number;
  account: number;
  owner: number;
  side: Side;
  price: number;
  /** Lots that the order shows. */
  qty: number;
  /** Lots of an iceberg order that it does not show, and the lots of one slice; 0 for other orders. */
  hiddenQty: number;
  icebergQty: number;
  postOnly: boolean;
  isReduceOnly: boolean;
}

/** What a resting order shows at one moment of a sweep, and what it then still hides. */
interface Slice {
  readonly maker: RestingOrder;
  readonly qty: number;
  readonly hidden: number;
}

/** What happens to one resting order in a sweep. */
type Step =
  | { kind: "fill" | "reduce"; maker: RestingOrder; qty: number }
  | { kind: "meet"; maker: RestingOrder }
  | { kind: "remove"; maker: RestingOrder; reason: RemovalReason };

/** A planned sweep: its steps, the remainder and the outcome. */
interface Plan {
  steps: Step[];
  remaining: number;
  outcome: MatchOutcome;
}

/** A sweep while it is planned: the order, the steps so far, and what is left of the order's limits. */
interface Sweep {
  order: IncomingOrder;
  steps: Step[];
  remaining: number;
  budget: number;
  positions: Map<number, number>;
  ownInARow: number;
  /** Resting orders affected so far. */
  met: number;
}

export interface NaiveBookParts {
  listener: BookListener;
  /** True in a perpetual market; false by default. */
  keepsPositions?: boolean;
  bounds?: MatchingBounds;
}

/** Orders of one owner never trade with each other. An account without sub-accounts is its own owner. */
function ownerOf({ account, owner }: Pick<RestingOrder, "account" | "owner">): number {
  return owner || account;
}

function is(order: IncomingOrder, trait: number): boolean {
  return (traitsOf(order) & trait) !== 0;
}

/** Lots that a reduce-only order may trade before its account is flat; no limit for other orders. */
function mayTrade(
  positions: ReadonlyMap<number, number>,
  order: Pick<RestingOrder, "account" | "side" | "isReduceOnly">,
): number {
  if (!order.isReduceOnly) return Number.POSITIVE_INFINITY;
  const lots = positions.get(order.account) ?? 0;
  return Math.max(0, order.side === Side.buy ? -lots : lots);
}

function openQty({ qty, hiddenQty }: RestingOrder): number {
  return qty + hiddenQty;
}

/** Takes lots from a resting order, hidden ones first. */
function reduce(order: RestingOrder, lots: number): void {
  assert(lots >= 0 && lots <= openQty(order), "an order must not lose more lots than it has");
  const fromHidden = Math.min(order.hiddenQty, lots);
  order.hiddenQty -= fromHidden;
  order.qty -= lots - fromHidden;
}

function move(positions: Map<number, number>, account: number, lots: number): void {
  positions.set(account, (positions.get(account) ?? 0) + lots);
}

function tradedIn({ steps }: Plan): number {
  return steps.reduce((sum, step) => (step.kind === "fill" ? sum + step.qty : sum), 0);
}

/** Plans the next slice of an order behind all others at its price. */
function showNext(slices: Slice[], { maker, hidden }: Slice): void {
  const qty = Math.min(maker.icebergQty, hidden);
  const behind = slices.findIndex((other) => other.maker.price !== maker.price);
  slices.splice(behind < 0 ? slices.length : behind, 0, { maker, qty, hidden: hidden - qty });
}

/** The readable book of one market. */
export class NaiveBook implements OrderBook {
  remaining = 0;
  readonly #bids: RestingOrder[] = [];
  readonly #asks: RestingOrder[] = [];
  readonly #bySlot = new Map<number, RestingOrder>();
  /** Signed lots by account; none in a spot market. */
  readonly #positions = new Map<number, number>();
  readonly #keepsPositions: boolean;
  readonly #listener: BookListener;
  readonly #bounds: MatchingBounds;

  constructor(parts: NaiveBookParts) {
    this.#listener = parts.listener;
    this.#keepsPositions = parts.keepsPositions ?? false;
    this.#bounds = parts.bounds ?? matchingBounds;
  }

  place(order: IncomingOrder): MatchOutcome {
    assertIncoming(order);
    assert(!this.#bySlot.has(order.slot), "the slot of an incoming order must be free");
    assert(!order.isReduceOnly || this.#keepsPositions, "the market must be a perpetual");
    this.remaining = order.qty;
    if (mayTrade(this.#positions, order) === 0) return MatchOutcome.reduceOnly;
    if (is(order, OrderTrait.postOnly)) {
      if (this.#meetsOther(order)) return MatchOutcome.wouldTake;
      this.#rest(order, order.qty);
      return MatchOutcome.rested;
    }
    const plan = this.#plan(order);
    if (is(order, OrderTrait.fillOrKill) && tradedIn(plan) < order.qty) {
      return MatchOutcome.fillOrKill;
    }
    for (const step of plan.steps) this.#carryOut(step, order);
    this.remaining = plan.remaining;
    if (plan.outcome !== MatchOutcome.unfilled || !is(order, OrderTrait.mayRest))
      return plan.outcome;
    this.#rest(order, plan.remaining);
    return MatchOutcome.rested;
  }

  cancel(slot: number, generation: number, seenQty = 0): MatchOutcome {
    const order = this.#bySlot.get(slot);
    this.remaining = 0;
    if (order?.generation !== generation) return MatchOutcome.unknown;
    this.remaining = openQty(order);
    if (seenQty > 0 && openQty(order) !== seenQty) return MatchOutcome.changed;
    this.#remove(order);
    return MatchOutcome.cancelled;
  }

  amend(amendment: Amendment): MatchOutcome {
    assertLimit(amendment.price);
    assertOpenQty(amendment.qty);
    const order = this.#bySlot.get(amendment.slot);
    this.remaining = 0;
    if (order?.generation !== amendment.generation) return MatchOutcome.unknown;
    const open = openQty(order);
    const qty = amendedQty(amendment, open);
    if (qty <= 0) return this.cancel(order.slot, order.generation);
    if (amendment.price === order.price && qty <= open) {
      reduce(order, open - qty);
      this.remaining = qty;
      return MatchOutcome.rested;
    }
    const orders = this.#sideOf(order);
    const place = orders.indexOf(order, this.#placeOf(order));
    this.#remove(order);
    const outcome = this.place({
      ...emptyMatchRequest(),
      ...order,
      type: OrderType.limit,
      timeInForce: order.postOnly ? TimeInForce.gtx : TimeInForce.gtc,
      owner: amendment.owner,
      stpMode: amendment.stpMode,
      price: amendment.price,
      qty,
      icebergQty: amendment.icebergQty,
    });
    if (outcome === MatchOutcome.wouldTake) {
      orders.splice(place, 0, order);
      this.#bySlot.set(order.slot, order);
      this.remaining = open;
    }
    return outcome;
  }

  restore(order: IncomingOrder): void {
    assertIncoming(order);
    assert(!order.isReduceOnly || this.#keepsPositions, "the market must be a perpetual");
    assert(is(order, OrderTrait.mayRest), "a restored order must be an order that may rest");
    assert(!this.#bySlot.has(order.slot), "the slot of a restored order must be free");
    this.remaining = order.qty;
    this.#rest(order, order.qty);
  }

  readLevel(side: Side, level: number): MatchOutcome {
    assertLevel(level);
    this.remaining = this.depth(side, level)[level - 1]?.price ?? 0;
    return MatchOutcome.levelRead;
  }

  adjust(account: number, lots: number): void {
    assert(this.#keepsPositions, "the market must be a perpetual");
    move(this.#positions, account, lots);
    this.remaining = 0;
  }

  position(account: number): number {
    return this.#positions.get(account) ?? 0;
  }

  bestBid(): number {
    return this.#bids[0]?.price ?? 0;
  }

  bestAsk(): number {
    return this.#asks[0]?.price ?? 0;
  }

  depth(side: Side, levels: number): DepthLevel[] {
    const found: DepthLevel[] = [];
    for (const order of side === Side.buy ? this.#bids : this.#asks) {
      const last = found.at(-1);
      if (last?.price === order.price) last.qty += order.qty;
      else if (found.length < levels) found.push({ price: order.price, qty: order.qty });
      else break;
    }
    return found;
  }

  restingCount(): number {
    return this.#bids.length + this.#asks.length;
  }

  stateHash(): number {
    const bids = mixSideEnd(this.#bids.reduce(mixOrder, emptyBookHash));
    const asks = mixSideEnd(this.#asks.reduce(mixOrder, bids));
    return [...this.#positions]
      .filter(([, lots]) => lots !== 0)
      .map(([account, lots]) => ({ slot: accountSlot(account), lots }))
      .sort((one, other) => one.slot - other.slot)
      .reduce((hash, { slot, lots }) => mixPosition(hash, slot, lots), asks);
  }

  /** Plans the sweep of an order through the other side: best price first, oldest first. */
  #plan(order: IncomingOrder): Plan {
    const sweep: Sweep = {
      order,
      steps: [],
      remaining: order.qty,
      budget: order.budget === 0 ? Number.POSITIVE_INFINITY : order.budget,
      positions: new Map(this.#positions),
      ownInARow: 0,
      met: 0,
    };
    const slices: Slice[] = this.#crossable(order).map((maker) => ({
      maker,
      qty: maker.qty,
      hidden: maker.hiddenQty,
    }));
    for (let slice = slices.shift(); slice !== undefined; slice = slices.shift()) {
      const { maker } = slice;
      const isOwn = ownerOf(maker) === ownerOf(order);
      const outcome = isOwn ? this.#meetOwn(sweep, maker) : this.#meet(sweep, slice);
      if (outcome !== null) return { ...sweep, outcome };
      if (!isOwn && slice.hidden > 0) showNext(slices, slice);
    }
    return { ...sweep, outcome: MatchOutcome.unfilled };
  }

  /** Plans the effect on a resting order of the same owner. Returns an outcome if the sweep ends here, else null. */
  #meetOwn(sweep: Sweep, maker: RestingOrder): MatchOutcome | null {
    const { stpMode } = sweep.order;
    if (stpMode === StpMode.skip) {
      sweep.ownInARow++;
      return sweep.ownInARow > this.#bounds.ownSkipsMax ? MatchOutcome.ownSkipsMax : null;
    }
    if (sweep.met === this.#bounds.matchesPerOrderMax) return MatchOutcome.matchesPerOrderMax;
    sweep.met++;
    if (stpMode === StpMode.expireTaker) {
      sweep.steps.push({ kind: "meet", maker });
      return MatchOutcome.selfTrade;
    }
    if (stpMode !== StpMode.decrement) {
      sweep.steps.push({ kind: "remove", maker, reason: RemovalReason.selfTrade });
      return stpMode === StpMode.expireBoth ? MatchOutcome.selfTrade : null;
    }
    const qty = Math.min(sweep.remaining, openQty(maker), Math.floor(sweep.budget / maker.price));
    if (qty === 0) return MatchOutcome.budgetSpent;
    sweep.steps.push({ kind: "reduce", maker, qty });
    sweep.remaining -= qty;
    sweep.budget -= qty * maker.price;
    if (sweep.remaining === 0) return MatchOutcome.selfTrade;
    return sweep.budget < maker.price ? MatchOutcome.budgetSpent : null;
  }

  /** Plans a trade with what an order of another account shows. Returns an outcome if the sweep ends here, else null. */
  #meet(sweep: Sweep, { maker, qty: shown }: Slice): MatchOutcome | null {
    const { order, steps } = sweep;
    if (sweep.met === this.#bounds.matchesPerOrderMax) return MatchOutcome.matchesPerOrderMax;
    sweep.met++;
    sweep.ownInARow = 0;
    const makerMay = mayTrade(sweep.positions, maker);
    if (makerMay === 0) {
      steps.push({ kind: "remove", maker, reason: RemovalReason.reduceOnly });
      return null;
    }
    const affordable = Math.floor(sweep.budget / maker.price);
    if (affordable === 0) return MatchOutcome.budgetSpent;
    const takerMay = mayTrade(sweep.positions, order);
    const qty = Math.min(sweep.remaining, shown, makerMay, takerMay, affordable);
    steps.push({ kind: "fill", maker, qty });
    sweep.remaining -= qty;
    sweep.budget -= qty * maker.price;
    move(sweep.positions, order.account, order.side === Side.buy ? qty : -qty);
    move(sweep.positions, maker.account, order.side === Side.buy ? -qty : qty);
    if (qty === makerMay && qty < shown) {
      steps.push({ kind: "remove", maker, reason: RemovalReason.reduceOnly });
    }
    if (sweep.remaining === 0) return MatchOutcome.filled;
    if (qty === takerMay) return MatchOutcome.reduceOnly;
    return sweep.budget < maker.price ? MatchOutcome.budgetSpent : null;
  }

  /** Whether the order reaches an order of another owner, or more own orders than it may skip. */
  #meetsOther(order: IncomingOrder): boolean {
    const inReach = this.#crossable(order);
    const own = inReach.filter((maker) => ownerOf(maker) === ownerOf(order));
    return own.length < inReach.length || own.length > this.#bounds.ownSkipsMax;
  }

  /** The resting orders of the other side up to the order's limit, in priority order. */
  #crossable(order: IncomingOrder): RestingOrder[] {
    const side = opposite(order.side);
    const orders = this.#sideOf({ side });
    return orders.slice(0, this.#placeBehind({ side, price: order.price }));
  }

  #carryOut(step: Step, taker: IncomingOrder): void {
    const { maker } = step;
    if (step.kind === "meet") {
      this.#listener.met(taker.slot, maker.slot);
      return;
    }
    if (step.kind === "remove") {
      this.#remove(maker);
      this.#listener.removed(taker.slot, maker.slot, step.reason, openQty(maker));
      return;
    }
    if (step.kind === "reduce") {
      reduce(maker, step.qty);
      if (maker.qty === 0) this.#remove(maker);
      this.#listener.reduced(taker.slot, maker.slot, step.qty);
      return;
    }
    maker.qty -= step.qty;
    if (maker.qty === 0) this.#endSlice(maker);
    if (this.#keepsPositions) {
      const makerLots = maker.side === Side.buy ? step.qty : -step.qty;
      move(this.#positions, maker.account, makerLots);
      move(this.#positions, taker.account, -makerLots);
    }
    this.#listener.filled(taker.slot, maker.slot, maker.price, step.qty);
  }

  /** Removes an order whose slice has been filled, or puts its next slice at the end of the queue of its price. */
  #endSlice(order: RestingOrder): void {
    this.#remove(order);
    if (order.hiddenQty === 0) return;
    assert(order.icebergQty > 0, "only an iceberg order may have hidden lots");
    order.qty = Math.min(order.icebergQty, order.hiddenQty);
    order.hiddenQty -= order.qty;
    this.#append(order);
  }

  /** Adds the order, with `open` lots, at the end of the queue of its price. */
  #rest(order: IncomingOrder, open: number): void {
    assertSpotIfIceberg(order, this.#keepsPositions);
    const { slot, generation, account, owner, side, price, isReduceOnly, icebergQty } = order;
    const qty = icebergQty === 0 ? open : order.shownQty || Math.min(icebergQty, open);
    this.#append({
      slot,
      generation,
      account,
      owner,
      side,
      price,
      qty,
      hiddenQty: open - qty,
      icebergQty,
      postOnly: is(order, OrderTrait.postOnly),
      isReduceOnly,
    });
  }

  #append(order: RestingOrder): void {
    this.#sideOf(order).splice(this.#placeBehind(order), 0, order);
    this.#bySlot.set(order.slot, order);
  }

  #remove(order: RestingOrder): void {
    const orders = this.#sideOf(order);
    orders.splice(orders.indexOf(order, this.#placeOf(order)), 1);
    this.#bySlot.delete(order.slot);
  }

  /** Index of the first order at a price. */
  #placeOf({ side, price }: { side: Side; price: number }): number {
    return this.#placeBehind({ side, price: side === Side.buy ? price + 1 : price - 1 });
  }

  /** Index after the last order at a price or better. */
  #placeBehind({ side, price }: { side: Side; price: number }): number {
    const orders = this.#sideOf({ side });
    let [low, high] = [0, orders.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = orders[middle]?.price ?? 0;
      if (side === Side.buy ? found >= price : found <= price) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #sideOf(order: { side: Side }): RestingOrder[] {
    return order.side === Side.buy ? this.#bids : this.#asks;
  }
}
