// Plays recorded markets in a venue that can be rewound: sends the steps of a replay to clearing as the house's commands, in
// their order. Before it sets quotes, it waits until everything before is answered: an account has one mass quote in flight,
// and clearing decides an amend by the fills that it knows. What members traded with the house is read from the fills,
// which are committed with the replies.

import type { Sql } from "../../adapters/postgres/connection.ts";
import {
  type PastFill,
  readHouseFills,
} from "../../adapters/postgres/queries/history/house-fills.ts";
import { isAlive } from "../../adapters/postgres/server/postmaster.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import type { Reply } from "../../core/generated/messages.ts";
import { quoteSidesMax } from "../../core/limits.ts";
import { isPerpetual, type Market, type MarketTable } from "../../core/markets.ts";
import { noOptions, OrderType, quoteClientId, Side, TimeInForce } from "../../core/orders.ts";
import { quoteRefusal } from "../../core/quotes.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { ClearingClient } from "../../ports/clearing-client.ts";
import type {
  HistoryStep,
  House,
  MakerStep,
  MemberTrade,
  OpenAnswer,
  OpenRequest,
  PlayAnswer,
  PlayRequest,
  StepRefusal,
} from "../../tools/replay/history-calls.ts";
import { OperatorRefusal } from "../operator/operator-commands.ts";

interface HistoryPlayerParts {
  readonly clearing: ClearingClient;
  readonly table: MarketTable;
  readonly sql: Sql;
  /** The account whose orders are the demo's books; null for none. */
  readonly demoHouse: () => Promise<number | null>;
}

/** Leverage of the house's accounts: low enough for the largest tier of positions. */
const leverage = 5;
/** Commands that may be in flight: clearing's ring of the main thread has room for more. */
const inFlightMax = 200;

export class HistoryPlayer {
  readonly #parts: HistoryPlayerParts;
  /** The process that plays in each market. */
  readonly #players = new Map<number, number>();

  constructor(parts: HistoryPlayerParts) {
    this.#parts = parts;
  }

  /**
   * Prepares the house's accounts for the market, and removes what an earlier replay left. Throws an OperatorRefusal while
   * another process plays in it. Spec REW-50, REW-112.
   */
  async open({ pid, ...house }: OpenRequest): Promise<OpenAnswer> {
    const { clearing, sql } = this.#parts;
    const market = this.#market(house.symbol);
    const other = this.#players.get(market.id);
    if (other !== undefined && isAlive(other))
      throw new OperatorRefusal(
        `market: process ${other} plays in ${market.symbol} already: end it first, or play in another market`,
      );
    this.#players.set(market.id, pid);
    await this.#cancelQuotes(market, house);
    const demo = await this.#parts.demoHouse();
    if (demo !== null)
      await clearing.send({ kind: CommandKind.cancelAllOrders, account: demo, market: market.id });
    if (isPerpetual(market))
      for (const account of [...house.makers, house.taker])
        await clearing.send({
          kind: CommandKind.setLeverage,
          account,
          market: market.id,
          leverage,
        });
    const { lastTrade } = await readHouseFills(sql, { ...house, market: market.id }, null);
    const { symbol, alias, tickDecimals, lotDecimals, minNotional, tickLot } = market;
    const leastValue = Math.ceil((Number(minNotional) * tickLot.parts) / Number(tickLot.units));
    const steps = { tickDecimals, lotDecimals, leastValue };
    return { symbol, alias, isPerpetual: isPerpetual(market), ...steps, lastTrade };
  }

  /** Removes the house's quotes. */
  async close(house: House): Promise<object> {
    const market = this.#market(house.symbol);
    await this.#cancelQuotes(market, house);
    this.#players.delete(market.id);
    return {};
  }

  async play({ steps, sinceTrade, ...house }: PlayRequest): Promise<PlayAnswer> {
    const market = this.#market(house.symbol);
    const run = new StepRun({ clearing: this.#parts.clearing, market, house });
    for (const [index, step] of steps.entries()) await run.send(index, step);
    await run.settle();
    const parts = { ...house, market: market.id };
    const { fills, lastTrade } = await readHouseFills(this.#parts.sql, parts, sinceTrade);
    return { refusals: run.refusals, trades: run.tradesOf(fills), lastTrade };
  }

  async #cancelQuotes({ id: market }: Market, { makers }: House): Promise<void> {
    for (const account of makers)
      await this.#parts.clearing.send({ kind: CommandKind.cancelAllOrders, account, market });
  }

  #market(symbol: string): Market {
    const market = this.#parts.table.find(symbol.toUpperCase());
    if (market === undefined) throw new OperatorRefusal(`no market ${symbol}`);
    return market;
  }
}

interface StepRunParts {
  readonly clearing: ClearingClient;
  readonly market: Market;
  readonly house: House;
}

/** The steps of one call, on their way. */
class StepRun {
  readonly #parts: StepRunParts;
  readonly refusals: StepRefusal[] = [];
  readonly #inFlight = new Set<Promise<unknown>>();
  #fault: unknown = null;
  /** The step of each order of the taker. */
  readonly #stepOf = new Map<number, number>();

  constructor(parts: StepRunParts) {
    this.#parts = parts;
  }

  async send(index: number, step: HistoryStep): Promise<void> {
    if (this.#inFlight.size >= inFlightMax) await this.settle();
    if ("take" in step) this.#take(index, step.take);
    else await this.#quote(index, step.quotes);
  }

  /** Resolves once everything sent has been answered. */
  async settle(): Promise<void> {
    await Promise.all(this.#inFlight);
    if (this.#fault !== null) throw this.#fault;
  }

  /** The fills as the replay needs them. */
  tradesOf(fills: readonly PastFill[]): MemberTrade[] {
    const makers = new Set(this.#parts.house.makers);
    return fills.map(({ price, qty, isBuy, takerOrder, makerAccount }) => ({
      price,
      qty,
      isBuy,
      step: this.#stepOf.get(takerOrder) ?? -1,
      isMaker: makers.has(makerAccount),
    }));
  }

  #take(index: number, [isBuy, price, qty]: readonly [number, number, number]): void {
    const { clearing, market, house } = this.#parts;
    const sent = clearing.send({
      kind: CommandKind.placeOrder,
      account: house.taker,
      market: market.id,
      side: isBuy === 1 ? Side.buy : Side.sell,
      type: OrderType.limit,
      timeInForce: TimeInForce.ioc,
      price,
      qty,
      ...noOptions,
      reusesClientId: false,
      clientId: "",
      attached: null,
    });
    this.#await(sent, (reply) => {
      this.#stepOf.set(reply.subject, index);
      if (reply.reason !== RejectReason.none) this.#refuse(index, -1, -1, reply.reason);
    });
  }

  async #quote(index: number, quotes: readonly MakerStep[]): Promise<void> {
    await this.settle();
    for (const step of quotes) this.#cancel(step);
    for (const step of quotes) this.#set(index, step);
  }

  #cancel({ maker, cancel }: MakerStep): void {
    const { clearing, market } = this.#parts;
    const account = this.#account(maker);
    for (const side of cancel) {
      const clientId = quoteClientId(market.alias, (side >> 1) + 1, (side % 2) as Side);
      const named = { account, market: market.id, orderId: 0, clientId };
      // One that has traded meanwhile is not open any more, which is what a cancel wants.
      this.#await(clearing.send({ kind: CommandKind.cancelOrder, ...named }), () => undefined);
    }
  }

  #set(index: number, { maker, set }: MakerStep): void {
    if (set.length === 0) return;
    const { clearing, market } = this.#parts;
    const quotes = new Uint32Array(2 * quoteSidesMax);
    let sides = 0;
    for (let at = 0; at + 2 < set.length; at += 3) {
      const [side = 0, price = 0, qty = 0] = set.slice(at, at + 3);
      sides |= 1 << side;
      quotes[2 * side] = price;
      quotes[2 * side + 1] = qty;
    }
    const command = { account: this.#account(maker), market: market.id, sides, quotes };
    this.#await(clearing.send({ kind: CommandKind.massQuote, ...command }), (reply) => {
      if (reply.reason !== RejectReason.none) this.#refuse(index, maker, -1, reply.reason);
      else if (reply.subject !== 0) this.#refuseSides(index, maker, sides, reply.subject);
    });
  }

  #refuseSides(index: number, maker: number, sides: number, outcomes: number): void {
    for (let side = 0; side < quoteSidesMax; side++) {
      if (((sides >>> side) & 1) === 0) continue;
      const reason = quoteRefusal(outcomes, side);
      if (reason !== RejectReason.none) this.#refuse(index, maker, side, reason);
    }
  }

  #refuse(step: number, maker: number, side: number, code: RejectReason): void {
    const [reason = "refused"] = Object.entries(RejectReason).find(([, one]) => one === code) ?? [];
    this.refusals.push({ step, maker, side, reason });
  }

  #account(maker: number): number {
    const account = this.#parts.house.makers[maker];
    if (account === undefined) throw new OperatorRefusal(`no maker ${maker}`);
    return account;
  }

  /** Hears the reply of what was sent, and counts it as in flight until then. A fault is thrown by `settle`. */
  #await(sent: Promise<Reply>, hear: (reply: Reply) => void): void {
    const heard = sent
      .then(hear)
      .catch((fault: unknown) => {
        this.#fault ??= fault;
      })
      .finally(() => this.#inFlight.delete(heard));
    this.#inFlight.add(heard);
  }
}
