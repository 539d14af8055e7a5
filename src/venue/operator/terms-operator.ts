// The operator's control of the price protections of perpetuals: designated makers, risk terms, and the state of the
// indexes. Every change goes through clearing and is journaled before the answer.

import { readAccount } from "../../adapters/postgres/queries/access/accounts.ts";
import {
  readFundHour,
  readIndexState,
  readMakers,
  readOpenInterest,
  readRiskTerms,
} from "../../adapters/postgres/queries/journal/risk.ts";
import { AccountFlag, AccountType, accountTypeNames } from "../../core/accounts.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import type { FundHourSet, IndexMeasured } from "../../core/generated/events.ts";
import { isPerpetual, type Market } from "../../core/markets.ts";
import { formatScaled } from "../../core/money/amounts.ts";
import { basisDecimals } from "../../core/perpetuals/index-price.ts";
import { type RiskTermRow, riskTermRows } from "../../core/perpetuals/risk-terms.ts";
import {
  type OperatorContext,
  OperatorRefusal,
  sendCommand,
  WrongValue,
} from "./operator-commands.ts";

export class TermsOperator {
  readonly #parts: OperatorContext;

  constructor(parts: OperatorContext) {
    this.#parts = parts;
  }

  /** Returns house accounts, and the customers that were designated as makers. */
  async listMakers(): Promise<object[]> {
    await this.#parts.settle();
    const rows = await readMakers(this.#parts.sql, AccountFlag.designatedMaker);
    return rows.map(({ account, type }) => {
      return {
        account,
        type: accountTypeNames[type],
        by: type === AccountType.house ? "type" : "name",
      };
    });
  }

  /**
   * Designates a customer as a maker, so that its quotes count for the index, or removes the designation. Refuses to
   * remove a designation that does not exist. Spec RSK-32.
   */
  async designate(account: number, isMaker: boolean): Promise<object[]> {
    const mask = AccountFlag.designatedMaker;
    const flags = isMaker ? mask : 0;
    if (!isMaker) await this.#checkDesignated(account);
    await sendCommand(this.#parts.clearing, {
      kind: CommandKind.setAccountFlags,
      account,
      flags,
      mask,
    });
    return this.listMakers();
  }

  async #checkDesignated(account: number): Promise<void> {
    await this.#parts.settle();
    const row = await readAccount(this.#parts.sql, account);
    if (row === null) throw new OperatorRefusal(`no account ${account}`);
    if ((row.flags & AccountFlag.designatedMaker) !== 0) return;
    if (row.type === AccountType.house)
      throw new OperatorRefusal(`${account} is a house account: its quotes always count`);
    throw new OperatorRefusal(`${account} is not a designated maker`);
  }

  /** Returns the risk terms of a perpetual and the state of its index. */
  async show(symbol: string): Promise<object> {
    const { sql, settle } = this.#parts;
    const market = this.#perpetual(symbol);
    await settle();
    const [set, index, hour, lots] = await Promise.all([
      readRiskTerms(sql),
      readIndexState(sql, market.id),
      readFundHour(sql, market.id),
      readOpenInterest(sql, market.id),
    ]);
    const own = new Map(
      set.filter((one) => one.market === market.id).map(({ term, value }) => [term, value]),
    );
    return {
      symbol: market.symbol,
      index: index === null ? null : indexText(market, index),
      open_interest: formatScaled(lots, market.lotDecimals),
      fund_hour: hour === null ? null : hourText(hour),
      terms: riskTermRows.map(({ term, name, unit, usual, says }) => {
        return { term: name, value: own.get(term) ?? usual, usual, unit, says };
      }),
    };
  }

  /** Sets one term: a whole number within its bounds, 0 to turn it off, or `usual`. Spec RSK-31. */
  async set(symbol: string, name: string, text: string): Promise<object> {
    const market = this.#perpetual(symbol);
    const row = riskTermRows.find((one) => one.name === name);
    if (row === undefined) {
      const names = riskTermRows.map((one) => one.name).join(", ");
      throw new WrongValue(`term: expected one of ${names}, not ${name}`);
    }
    const value = termValue(row, text);
    const command = {
      kind: CommandKind.setRiskTerm,
      account: 0,
      market: market.id,
      term: row.term,
    };
    await sendCommand(this.#parts.clearing, { ...command, value });
    return this.show(symbol);
  }

  #perpetual(symbol: string): Market {
    const { table } = this.#parts;
    const market = table.find(symbol.toUpperCase());
    if (market !== undefined && isPerpetual(market)) return market;
    const names = table.markets.filter(isPerpetual).map((one) => one.symbol);
    throw new OperatorRefusal(`${symbol} is not a perpetual; perpetuals: ${names.join(", ")}`);
  }
}

function termValue({ name, least, most, usual }: RiskTermRow, text: string): number {
  if (text === "usual") return usual;
  const value = /^\d{1,12}$/.test(text) ? Number(text) : -1;
  if (value === 0 || (value >= least && value <= most)) return value;
  const expected = least === most ? `0, ${most} or usual` : `${least} to ${most}, 0 or usual`;
  throw new WrongValue(`${name}: expected ${expected}, not ${text}`);
}

function hourText({ sinceUs, isPaused }: FundHourSet) {
  return { since: new Date(sinceUs / 1000).toISOString(), is_paused: isPaused };
}

function indexText({ tickDecimals }: Market, { level, believed, isFresh, tsUs }: IndexMeasured) {
  const price = (parts: number) => formatScaled(parts, tickDecimals + basisDecimals);
  return {
    level: price(level),
    believed: price(believed),
    is_fresh: isFresh,
    since: new Date(tsUs / 1000).toISOString(),
  };
}
