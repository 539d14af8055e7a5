// Plays recorded markets in a venue that can be rewound: sends the steps of a replay to clearing as the house's commands, in
// their order. A call that need not settle is answered when the steps of the calls before it are, so that the next steps are
// under way while these are committed. What members traded with the house is read from the fills, which are committed with
// the replies.

import type { Sql } from "../../adapters/postgres/connection.ts";
import { readHouseFills } from "../../adapters/postgres/queries/history/house-fills.ts";
import { isAlive } from "../../adapters/process-life.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { isPerpetual, type Market, type MarketTable } from "../../core/markets.ts";
import type { ClearingClient } from "../../ports/clearing-client.ts";
import type {
  CrowdRequest,
  House,
  OpenAnswer,
  OpenRequest,
  PlayAnswer,
  PlayRequest,
} from "../../tools/replay/history-calls.ts";
import { OperatorRefusal } from "../operator/operator-commands.ts";
import { StepRun } from "./step-run.ts";

interface HistoryPlayerParts {
  readonly clearing: ClearingClient;
  readonly table: MarketTable;
  readonly sql: Sql;
  /** The account whose orders are the demo's books; null for none. */
  readonly demoHouse: () => Promise<number | null>;
}

/** A process that plays in a market, and its steps on their way. */
interface Playing {
  readonly pid: number;
  readonly run: StepRun;
}

/** Leverage of the house's accounts: low enough for the largest tier of positions. */
const leverage = 5;

export class HistoryPlayer {
  readonly #parts: HistoryPlayerParts;
  /** What plays in each market. */
  readonly #playing = new Map<number, Playing>();

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
    const other = this.#playing.get(market.id);
    if (other !== undefined && isAlive(other.pid))
      throw new OperatorRefusal(
        `market: process ${other.pid} plays in ${market.symbol} already: end it first, or play in another market`,
      );
    this.#playing.set(market.id, { pid, run: new StepRun({ clearing, market, house }) });
    await other?.run.end();
    await this.#cancelQuotes(market, house);
    const demo = await this.#parts.demoHouse();
    if (demo !== null)
      await clearing.send({ kind: CommandKind.cancelAllOrders, account: demo, market: market.id });
    if (isPerpetual(market))
      for (const account of [...house.makers, house.taker])
        await this.#setLeverage(account, market, leverage);
    const { lastTrade } = await readHouseFills(
      sql,
      { ...house, crowd: [], market: market.id },
      null,
    );
    const { symbol, alias, tickDecimals, lotDecimals, minNotional, tickLot } = market;
    const leastValue = Math.ceil((Number(minNotional) * tickLot.parts) / Number(tickLot.units));
    const steps = { tickDecimals, lotDecimals, leastValue };
    return { symbol, alias, isPerpetual: isPerpetual(market), ...steps, lastTrade };
  }

  /** Removes the house's quotes, once what was sent before is answered. */
  async close(house: House): Promise<object> {
    const market = this.#market(house.symbol);
    await this.#playing.get(market.id)?.run.end();
    await this.#cancelQuotes(market, house);
    this.#playing.delete(market.id);
    return {};
  }

  /** Lets other accounts take in the market, with the leverage of each. The market must be a perpetual. */
  async crowd({ symbol, crowd }: CrowdRequest): Promise<object> {
    const market = this.#market(symbol);
    const run = this.#runIn(market);
    if (!isPerpetual(market))
      throw new OperatorRefusal(`market: a crowd with leverage needs a perpetual, not ${symbol}`);
    for (const { account, leverage: times } of crowd)
      await this.#setLeverage(account, market, times);
    run.crowd = crowd.map(({ account }) => account);
    return {};
  }

  async play({ first, steps, sinceTrade, settles, ...house }: PlayRequest): Promise<PlayAnswer> {
    const market = this.#market(house.symbol);
    const run = this.#runIn(market);
    const before = run.settle();
    // Its fault is thrown where it is awaited.
    before.catch(() => undefined);
    for (const [index, step] of steps.entries()) await run.send(first + index, step);
    await before;
    if (settles) await run.settle();
    const parts = { ...house, crowd: run.crowd, market: market.id };
    const { fills, lastTrade } = await readHouseFills(this.#parts.sql, parts, sinceTrade);
    const answered = settles ? first + steps.length : first;
    const answer = { refusals: run.takeRefusals(), ...run.told(fills, lastTrade), answered };
    run.forgetBefore(answered);
    return answer;
  }

  #runIn({ id, symbol }: Market): StepRun {
    const playing = this.#playing.get(id);
    if (playing === undefined) throw new OperatorRefusal(`market: nobody plays in ${symbol}`);
    return playing.run;
  }

  async #setLeverage(account: number, { id: market }: Market, times: number): Promise<void> {
    const { setLeverage: kind } = CommandKind;
    await this.#parts.clearing.send({ kind, account, market, leverage: times });
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
