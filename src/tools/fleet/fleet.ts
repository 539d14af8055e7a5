// The house fleet as a source of requests: makers quote every market, and takers trade against their quotes. Each
// member signs with its own key.
//
//   arrival ──one in ten──▶ taker with something to do ─┐
//      └──────────────────▶ maker with something to do ─┴▶ request ──response──▶ the sender
//
// The fleet never waits: if no member has work, it sends nothing. `hold` stops it until `letGo` is called.

import { present } from "../../core/assert.ts";
import type { RequestSource } from "../load/load-run.ts";
import type { SeededRandom } from "../load/seeded-random.ts";
import { FleetFigures } from "./fleet-figures.ts";
import { FleetMaker } from "./fleet-maker.ts";
import {
  type FleetMarket,
  type FleetStep,
  type Outcome,
  orderIn,
  outcomeOf,
} from "./fleet-market.ts";
import { type FleetMember, FleetPurse } from "./fleet-member.ts";
import { FleetTaker } from "./fleet-taker.ts";
import { ReferencePrices } from "./reference-prices.ts";

/** Share of requests that takers send. */
const takerShare = 0.1;
const refusalShown = 200;

interface FleetOptions {
  /** The makers, at least one for each market. */
  readonly makers: readonly FleetMember[];
  readonly takers: readonly FleetMember[];
  readonly markets: readonly FleetMarket[];
  readonly random: SeededRandom;
  readonly nowMs: () => number;
}

/** The fleet's inventory in one market. */
interface FleetInventory {
  readonly symbol: string;
  readonly reference: number;
  /** Inventory of the makers, in the base asset. */
  readonly inventory: number;
}

type Trader = FleetMaker | FleetTaker;

export class Fleet implements RequestSource {
  readonly figures: FleetFigures;
  readonly #options: FleetOptions;
  readonly #prices: ReferencePrices;
  readonly #makers: readonly FleetMaker[];
  readonly #takers: readonly FleetTaker[];
  readonly #sent: (FleetStep | null)[] = [];
  #makerTurn = 0;
  #takerTurn = 0;

  constructor(options: FleetOptions) {
    const { makers, takers, markets, random } = options;
    this.#options = options;
    this.#prices = new ReferencePrices(markets, random);
    this.figures = new FleetFigures(markets);
    const prices = this.#prices;
    this.#makers = makers.map((member, index) => {
      const market = present(
        markets[index % markets.length],
        "a fleet must have at least one market",
      );
      return new FleetMaker({
        ...{ member, market, prices, random, purse: new FleetPurse([market], prices) },
      });
    });
    this.#takers = takers.map(
      (member) =>
        new FleetTaker({
          ...{ member, markets, prices, random, purse: new FleetPurse(markets, prices) },
        }),
    );
  }

  /** Cancels every quote and stops trading until the fleet is released. */
  hold(): void {
    for (const trader of this.#all()) trader.hold();
  }

  letGo(): void {
    for (const trader of this.#all()) trader.letGo();
  }

  /** True if the fleet is held and has no orders and no requests in flight. */
  get isQuiet(): boolean {
    return this.#all().every(({ isQuiet }) => isQuiet);
  }

  /** Sets whether takers may trade spot, which depends on the remaining budget of fills. */
  allowSpot(isAllowed: boolean): void {
    for (const taker of this.#takers) taker.allowSpot(isAllowed);
  }

  /** PnL of makers and takers, in the quote asset. */
  gains(): { readonly makers: number; readonly takers: number } {
    const sum = (traders: readonly Trader[]) =>
      traders.reduce((gained, { purse }) => gained + purse.gain(), 0);
    return { makers: sum(this.#makers), takers: sum(this.#takers) };
  }

  inventories(): FleetInventory[] {
    return this.#options.markets.map((market) => ({
      symbol: market.symbol,
      reference: this.#prices.of(market),
      inventory: this.#makers
        .filter((maker) => maker.market === market)
        .reduce((sum, { purse }) => sum + purse.inventory(market), 0),
    }));
  }

  next(index: number): string | null {
    const nowMs = this.#options.nowMs();
    this.#prices.walk(nowMs);
    const isTaker = this.#options.random.next() < takerShare;
    const found = (isTaker ? this.#nextOfTakers(nowMs) : null) ?? this.#nextOfMakers(nowMs);
    this.#sent[index] = found?.step ?? null;
    return found?.request ?? null;
  }

  answered(index: number, status: number, body: Buffer): void {
    const step = this.#sent[index];
    if (step === null || step === undefined) return;
    // The body of a successful cancel is not needed.
    const isPlain = status === 200 && step.kind === "cancel";
    const answer: unknown = isPlain ? null : JSON.parse(body.toString("utf8"));
    const outcome = outcomeOf(status, answer);
    if (outcome === "refused") {
      const said = body.toString("utf8", 0, refusalShown);
      this.figures.lastRefusal = `${step.request.method} ${step.request.path} ${status} ${said}`;
    }
    const isOrder = step.kind === "order" && outcome === "done";
    this.#end(index, outcome, answer, isOrder && Number(orderIn(answer).executedQty) > 0);
  }

  lost(index: number): void {
    this.#end(index, "unsure", null, false);
  }

  #end(index: number, outcome: Outcome, body: unknown, hasTraded: boolean): void {
    const step = this.#sent[index];
    this.#sent[index] = null;
    if (step === null || step === undefined) return;
    this.figures.count(step, outcome, hasTraded);
    step.ended(outcome, body);
  }

  #nextOfTakers(nowMs: number): TurnResult | null {
    const result = firstRequest(this.#takers, this.#takerTurn, nowMs);
    this.#takerTurn = result?.turn ?? this.#takerTurn;
    return result;
  }

  #nextOfMakers(nowMs: number): TurnResult | null {
    const result = firstRequest(this.#makers, this.#makerTurn, nowMs);
    this.#makerTurn = result?.turn ?? this.#makerTurn;
    return result;
  }

  #all(): readonly Trader[] {
    return [...this.#makers, ...this.#takers];
  }
}

interface TurnResult {
  readonly step: FleetStep;
  readonly request: string;
  /** Index of the trader whose turn is next. */
  readonly turn: number;
}

/** Returns the step of the first trader, starting at `turn`, that has something to do. */
function firstRequest(traders: readonly Trader[], turn: number, nowMs: number): TurnResult | null {
  for (let tried = 0; tried < traders.length; tried++) {
    const index = (turn + tried) % traders.length;
    const trader = traders[index];
    const step = trader?.next(nowMs) ?? null;
    if (trader === undefined || step === null) continue;
    return { step, request: trader.member.sign(step.request), turn: index + 1 };
  }
  return null;
}
