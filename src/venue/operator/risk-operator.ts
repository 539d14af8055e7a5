// The operator's risk actions on perpetuals: manages the insurance fund, and sets reference prices while no feed gives
// prices. Every change goes through clearing and is journaled before the answer.

import { readAccount } from "../../adapters/postgres/queries/access/accounts.ts";
import { readMarkets, readPositions } from "../../adapters/postgres/queries/journal/risk.ts";
import { AccountType, SystemAccount, Wallet } from "../../core/accounts.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { insuranceThreshold, referenceMaxUs } from "../../core/limits.ts";
import { isPerpetual, type Market, marketStatusName, orderValue } from "../../core/markets.ts";
import {
  asPriceTicks,
  asQtyLots,
  formatScaled,
  parseAmount,
  parseScaled,
} from "../../core/money/amounts.ts";
import { tickFault } from "../../core/money/tick-size.ts";
import { IndexOrigin } from "../../core/perpetuals/index-price.ts";
import { problem } from "../../ports/venue-problems.ts";
import {
  type OperatorContext,
  OperatorRefusal,
  sendCommand,
  WrongValue,
} from "./operator-commands.ts";

export class RiskOperator {
  readonly #parts: OperatorContext;

  constructor(parts: OperatorContext) {
    this.#parts = parts;
  }

  /** Returns the fund's balance and positions at the last marks, and whether it suffices for trading. */
  async showFund(): Promise<object> {
    const { table, sql, settle } = this.#parts;
    await settle();
    const { quote } = this.#anyPerpetual();
    const [row, positions, markets] = await Promise.all([
      readAccount(sql, SystemAccount.insurance),
      readPositions(sql, SystemAccount.insurance),
      readMarkets(sql),
    ]);
    const own = row?.balances.filter(({ wallet, asset }) => {
      return wallet === Wallet.perp && asset === quote.id;
    });
    const cash = own?.[0]?.total ?? 0n;
    const shown = positions.map(({ market: id, qty, entryValue }) => {
      const market = table.market(id);
      const mark = markets[id]?.mark ?? 0;
      const value = orderValue(market, asPriceTicks(mark), asQtyLots(Number(qty)));
      return { market, qty, profit: mark === 0 ? 0n : value - entryValue };
    });
    const equity = shown.reduce((sum, { profit }) => sum + profit, cash);
    const money = (amount: bigint) => formatScaled(amount, quote.decimals);
    return {
      account: SystemAccount.insurance,
      asset: quote.code,
      cash: money(cash),
      equity: money(equity),
      threshold: String(insuranceThreshold),
      is_enough: equity >= BigInt(insuranceThreshold) * 10n ** BigInt(quote.decimals),
      positions: shown.map(({ market, qty, profit }) => ({
        symbol: market.symbol,
        qty: formatScaled(qty, market.lotDecimals),
        unrealized_pnl: money(profit),
      })),
    };
  }

  /** Moves `amount` from a house account's perp wallet to the fund. Spec RSK-21. */
  async refillFund(account: number, amountText: string): Promise<object> {
    const { clearing, sql } = this.#parts;
    const { quote } = this.#anyPerpetual();
    const amount = parseAmount(amountText, quote.decimals);
    if (amount === null || amount <= 0n) {
      const places = `at most ${quote.decimals} decimal places`;
      throw new WrongValue(`${amountText} is not an amount of ${quote.code} (${places})`);
    }
    const row = await readAccount(sql, account);
    if (row === null) throw new OperatorRefusal(`no account ${account}`);
    if (row.type !== AccountType.house) {
      throw new OperatorRefusal(
        `account ${account} is not a house account: the venue cannot spend its balance`,
      );
    }
    await sendCommand(clearing, { kind: CommandKind.refillFund, account, amount });
    return this.showFund();
  }

  /** Returns all markets with status, prices and warnings. */
  async listMarkets(): Promise<object[]> {
    const { table, sql, settle } = this.#parts;
    await settle();
    const rows = await readMarkets(sql);
    return rows.map(({ market: id, symbol, status, mark, index, last }) => {
      const market = table.markets[id];
      if (market === undefined) {
        const none = { mark: null, index: null, warning: null };
        return { symbol, status: "trades from the next start", ...none };
      }
      const price = (ticks: number) =>
        ticks === 0 ? null : formatScaled(ticks, market.tickDecimals);
      const name = marketStatusName(status);
      const fault = tickFault(mark || last);
      const warning = fault === null ? null : problem("tick_unfit", fault, market.symbol).text;
      const prices = { mark: price(mark), index: price(index) };
      return { symbol: market.symbol, status: name, ...prices, warning };
    });
  }

  /**
   * Sets a perpetual's reference price for `seconds`; null removes it. A price far from the index is refused unless
   * `isForced`, because the mark follows it at once and liquidates. Answers with the index before it. Spec RSK-17,
   * OPS-122.
   */
  async setReference(
    symbol: string,
    price: string | null,
    seconds: number,
    isForced = false,
  ): Promise<object> {
    const { clearing, table, marketClock } = this.#parts;
    const market = table.find(symbol.toUpperCase());
    if (market === undefined || !isPerpetual(market)) {
      const names = table.markets.filter(isPerpetual).map((one) => one.symbol);
      throw new OperatorRefusal(`${symbol} is not a perpetual; perpetuals: ${names.join(", ")}`);
    }
    const ticks = price === null ? 0 : ticksOf(market, price);
    const secondsMax = referenceMaxUs / 1_000_000;
    if (ticks > 0 && (seconds < 1 || seconds > secondsMax)) {
      throw new WrongValue(`for: expected 1 to ${secondsMax} seconds, not ${seconds}`);
    }
    const index = await this.#indexOf(market);
    if (!isForced && index > 0 && ticks > 0) refuseFar(market, ticks, index);
    // One second less than the maximum, because clearing counts from the arrival of the command.
    const untilUs = marketClock.nowUs() + Math.min(seconds, secondsMax - 1) * 1_000_000;
    const [origin, account] = [IndexOrigin.operator, 0];
    const command = { kind: CommandKind.setReference, account, market: market.id, origin };
    await sendCommand(clearing, { ...command, price: ticks, untilUs: ticks === 0 ? 0 : untilUs });
    const until = ticks === 0 ? null : new Date(untilUs / 1000).toISOString();
    const shown = (one: number) => (one === 0 ? null : formatScaled(one, market.tickDecimals));
    return { symbol: market.symbol, reference: shown(ticks), until, index_before: shown(index) };
  }

  /** The market's index in ticks; 0 if it never had one. */
  async #indexOf({ id }: Market): Promise<number> {
    const { sql, settle } = this.#parts;
    await settle();
    return (await readMarkets(sql))[id]?.index ?? 0;
  }

  #anyPerpetual(): Market {
    const market = this.#parts.table.markets.find(isPerpetual);
    if (market === undefined) throw new OperatorRefusal("the venue has no perpetual market");
    return market;
  }
}

/** A reference price further than this from the index needs `--force`. */
const farPercent = 10;

function refuseFar({ symbol, tickDecimals }: Market, ticks: number, index: number): void {
  if (Math.abs(ticks - index) * 100 <= index * farPercent) return;
  const [price, from] = [ticks, index].map((one) => formatScaled(one, tickDecimals));
  throw new OperatorRefusal(
    `${price} is more than ${farPercent} % away from the index of ${symbol}, ${from}: the mark would follow it at once and liquidate accounts; repeat with --force if it is right`,
  );
}

function ticksOf({ tickDecimals, priceTicksMax }: Market, price: string): number {
  const ticks = parseScaled(price, tickDecimals);
  if (!(ticks > 0) || ticks > priceTicksMax) {
    const longest = formatScaled(priceTicksMax, tickDecimals);
    throw new WrongValue(
      `${price} is not a price: expected above 0, at most ${longest}, with at most ${tickDecimals} decimal places`,
    );
  }
  return ticks;
}
