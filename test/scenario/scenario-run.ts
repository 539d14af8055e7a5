// Runs a scenario on a venue of one thread. Some sections act on the venue. Others state figures, which are compared
// column by column with what a client would see. Amounts are in whole units of their asset.

import assert from "node:assert/strict";
import { AccountFigures } from "../../src/adapters/gateway/fapi/account/account-figures.ts";
import { ReadModel } from "../../src/adapters/gateway/read-model.ts";
import { AccountType, SystemAccount, Wallet, walletNames } from "../../src/core/accounts.ts";
import { present } from "../../src/core/assert.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import {
  InsuranceCause,
  LiquidationStage,
  MoveCause,
  TradingGate,
} from "../../src/core/liquidation.ts";
import type { Market } from "../../src/core/markets.ts";
import { formatScaled, parseAmount, parseScaled } from "../../src/core/money/amounts.ts";
import { OrderType, Side, TimeInForce } from "../../src/core/orders.ts";
import { fundingRateDecimals } from "../../src/core/perpetuals/funding.ts";
import { IndexOrigin } from "../../src/core/perpetuals/index-price.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import { marketId, testMarkets } from "../support/machine/test-markets.ts";
import { startUs, TestVenue } from "../support/machine/test-venue.ts";
import { readScenario, type ScenarioRow, type ScenarioSection } from "./scenario-text.ts";

const fundingIntervalMs = 28_800_000;

/** Runs a whole scenario; throws at the first line whose statement is wrong. */
export function runScenario(text: string): void {
  const run = new ScenarioRun();
  for (const section of readScenario(text)) run.play(section);
}

class ScenarioRun {
  /** Account of the designated maker of the spot markets; null until a section `depth` needs it. */
  #maker: number | null = null;
  readonly #venue = new TestVenue({ fundingIntervalUs: fundingIntervalMs * 1000 });
  readonly #accounts = new Map<string, number>([
    ["pool", SystemAccount.fundingPool],
    ["fund", SystemAccount.insurance],
  ]);
  readonly #steps: Readonly<Record<string, (row: ScenarioRow) => void>> = {
    accounts: (row) => this.#open(row),
    leverage: (row) => this.#setLeverage(row),
    orders: (row) => this.#place(row),
    cancels: (row) => this.#cancel(row),
    transfers: (row) => this.#transfer(row),
    marks: (row) => this.#checkMark(row),
    positions: (row) => this.#checkPosition(row),
    balances: (row) => this.#checkBalance(row),
    funding: (row) => this.#checkFunding(row),
    index: (row) => this.#setIndex(row),
    depth: (row) => this.#quoteDepth(row),
    references: (row) => this.#say(row),
    liquidations: (row) => this.#checkLiquidation(row),
    steps: (row) => this.#checkStep(row),
  };
  /** Seq of the last event that a section `steps` has compared. */
  #told = 0;

  play({ line, words: [name = "", ...args], rows }: ScenarioSection): void {
    if (name === "tick") this.#tick(0);
    else if (name === "minutes") {
      for (let left = Number(args[0]); left > 0; left--) this.#tick(60_000_000);
    } else if (name === "boundary") this.#tickAtBoundary();
    else if (name === "seconds") {
      for (let left = Number(args[0]); left > 0; left--) this.#tick(1_000_000);
    } else if (name === "fund") {
      this.#venue.credit(SystemAccount.insurance, Wallet.perp, 0, usdcOf(args[0] ?? ""));
    } else if (name === "no-more-steps") {
      assert.deepEqual(
        this.#untold().map(stepOf),
        [],
        `line ${line}: there must be no further risk event`,
      );
    } else {
      const step = this.#steps[name];
      assert(
        step !== undefined && rows.length > 0,
        `line ${line}: ${name} must be a known section with rows`,
      );
      for (const row of rows) step(row);
    }
  }

  #tick(afterUs: number): void {
    this.#venue.nowUs += afterUs;
    this.#venue.machine.handle(this.#venue.command({ kind: CommandKind.tick }));
  }

  /** Moves the time to the next funding settlement and runs the settlement with its payments. */
  #tickAtBoundary(): void {
    const us = fundingIntervalMs * 1000;
    this.#venue.nowUs = Math.max((Math.floor(this.#venue.nowUs / us) + 1) * us, startUs);
    this.#tick(0);
  }

  /**
   * Opens an account. Column `account` names it; each other column is an asset or wallet (perp, spot, CC, CBTC,
   * CETH) with the amount to credit.
   */
  #open(row: ScenarioRow): void {
    const account = this.#venue.open();
    for (const [column, text] of row.cells) {
      if (column === "account") this.#accounts.set(text, account);
      else {
        const asset =
          testMarkets.findAsset(column) ?? present(testMarkets.findAsset("USDC"), "USDC");
        const wallet = column === "perp" ? Wallet.perp : Wallet.spot;
        const amount = present(
          parseAmount(text, asset.decimals),
          `line ${row.line}: an amount in the cell`,
        );
        if (amount > 0n) this.#venue.credit(account, wallet, asset.id, amount);
      }
    }
  }

  #setLeverage(row: ScenarioRow): void {
    const leverage = Number(cell(row, "leverage"));
    const reply = this.#venue.setLeverage(this.#account(row), this.#market(row).id, leverage);
    assert.equal(saidOf(reply), row.cells.get("says") ?? "done", `line ${row.line}`);
  }

  /**
   * Places an order. Column `says` is the expected result: rests, filled, expired or the name of a refusal. Column
   * `terms` is gtc, ioc, fok, gtx or reduce.
   */
  #place(row: ScenarioRow): void {
    const market = this.#market(row);
    const price = cell(row, "price");
    const terms = row.cells.get("terms") ?? "gtc";
    const isMarket = price === "market";
    const reply = this.#venue.place({
      account: this.#account(row),
      market: market.id,
      side: cell(row, "side") === "buy" ? Side.buy : Side.sell,
      qty: parseScaled(cell(row, "qty"), market.lotDecimals),
      type: isMarket ? OrderType.market : OrderType.limit,
      price: isMarket ? 0 : parseScaled(price, market.tickDecimals),
      timeInForce: terms === "reduce" ? TimeInForce.gtc : TimeInForce[terms as "gtc"],
      isReduceOnly: terms === "reduce",
    });
    assert.equal(this.#wordOf(reply), cell(row, "says"), `line ${row.line}`);
  }

  #cancel(row: ScenarioRow): void {
    const [account, market] = [this.#account(row), this.#market(row).id];
    this.#venue.done({ kind: CommandKind.cancelAllOrders, account, market });
  }

  #wordOf({ reason, subject }: { reason: number; subject: number }): string {
    if (reason !== RejectReason.none) return nameOfReason(reason);
    if (this.#venue.state.orders.slotOf(subject) >= 0) return "rests";
    const closed = this.#venue.events.some(
      (event) => event.kind === EventKind.orderClosed && event.orderId === subject,
    );
    return closed ? "expired" : "filled";
  }

  #transfer(row: ScenarioRow): void {
    const wallet = (column: string) => walletNames.indexOf(cell(row, column)) as Wallet;
    const reply = this.#venue.send({
      kind: CommandKind.transfer,
      key: null,
      account: this.#account(row),
      from: wallet("from"),
      to: wallet("to"),
      asset: 0,
      amount: present(
        parseAmount(cell(row, "amount"), 6),
        `line ${row.line}: an amount in the cell`,
      ),
    });
    assert.equal(saidOf(reply), cell(row, "says"), `line ${row.line}`);
  }

  #checkMark(row: ScenarioRow): void {
    const market = this.#market(row);
    const price = (ticks: number | undefined) => formatScaled(ticks ?? 0, market.tickDecimals);
    const { mark, index } = this.#venue.state;
    compare(row, { mark: price(mark[market.id]), index: price(index[market.id]) });
  }

  #checkPosition(row: ScenarioRow): void {
    const market = this.#market(row);
    const figures = new AccountFigures(this.#model());
    const [position] = figures.positions(this.#account(row), [market]);
    const { qty, entryValue, value, unrealised, maintenance, positionMargin, liquidationPrice } =
      present(position, "the account's position in the market");
    const money = (amount: bigint) => formatScaled(amount, market.quote.decimals);
    compare(row, {
      qty: formatScaled(qty, market.lotDecimals),
      cost: money(entryValue),
      value: money(value),
      unrealised: money(unrealised),
      margin: money(positionMargin),
      maintenance: money(maintenance),
      liquidation: formatScaled(liquidationPrice, market.tickDecimals),
    });
  }

  #checkBalance(row: ScenarioRow): void {
    const figures = new AccountFigures(this.#model());
    const account = this.#account(row);
    const { quote } = present(figures.markets[0], "a perpetual market in the table");
    const { wallet, available } = figures.collateral(account, [], quote);
    compare(row, {
      perp: formatScaled(wallet, quote.decimals),
      available: formatScaled(available, quote.decimals),
    });
  }

  /** Sets a feed price that is valid for a week, so that it is the index. */
  #setIndex(row: ScenarioRow): void {
    this.#setReference(row, IndexOrigin.feed, 604_800);
  }

  /** Lets a designated maker quote the spot market around a price, deep enough to measure an index from the book. */
  #quoteDepth(row: ScenarioRow): void {
    const spot = testMarkets.market(
      present(this.#market(row).indexMarket, "the perpetual's index market"),
    );
    const price = parseScaled(cell(row, "price"), spot.tickDecimals);
    this.#maker ??= this.#openMaker();
    const account = this.#maker;
    this.#venue.done({ kind: CommandKind.cancelAllOrders, account, market: spot.id });
    const qty = parseScaled(cell(row, "qty"), spot.lotDecimals);
    if (qty === 0) return;
    this.#venue.buy(account, spot.id, price - 1, qty);
    this.#venue.sell(account, spot.id, price + 1, qty);
  }

  /** Sets an external price of the operator or of a feed, valid for a number of seconds. */
  #say(row: ScenarioRow): void {
    const origin = IndexOrigin[cell(row, "who") as "feed"];
    this.#setReference(row, origin, Number(cell(row, "seconds")));
  }

  #setReference(row: ScenarioRow, origin: IndexOrigin, seconds: number): void {
    const market = this.#market(row);
    const reply = this.#venue.send({
      kind: CommandKind.setReference,
      market: market.id,
      origin,
      price: parseScaled(cell(row, "price"), market.tickDecimals),
      untilUs: this.#venue.nowUs + seconds * 1_000_000,
    });
    assert.equal(saidOf(reply), "done", `line ${row.line}`);
  }

  #openMaker(): number {
    const account = this.#venue.open(AccountType.house);
    for (const { id } of testMarkets.assets) {
      this.#venue.credit(account, Wallet.spot, id, 1_000_000_000_000_000n);
    }
    return account;
  }

  #checkLiquidation(row: ScenarioRow): void {
    const liquidation = this.#venue.state.liquidations.of(this.#account(row));
    const waitsUs = (liquidation?.nextUs ?? 0) - this.#venue.nowUs;
    compare(row, {
      stage: nameOf(LiquidationStage, liquidation?.stage ?? 0),
      next: liquidation === undefined ? "never" : waitsUs > 0 ? "later" : "now",
    });
  }

  /** Compares a row with the next risk event: of a liquidation, the insurance fund or the trading gate. */
  #checkStep(row: ScenarioRow): void {
    const event = this.#untold()[0];
    assert(event !== undefined, `line ${row.line}: there must be another risk event`);
    this.#told = event.seq;
    const names = new Map([...this.#accounts].map(([name, account]) => [account, name]));
    const figures = stepOf(event);
    const who = event.account === 0 ? "venue" : (names.get(event.account) ?? "");
    const other = event.kind === EventKind.positionMoved ? names.get(event.counterparty) : "";
    const told = `line ${row.line}: ${who} ${figures["step"]}`;
    assert.equal(told, `line ${row.line}: ${cell(row, "account")} ${cell(row, "step")}`);
    compare(row, { ...figures, with: other ?? "" });
  }

  #untold(): VenueEvent[] {
    return this.#venue.events.filter(({ seq, kind }) => seq > this.#told && stepKinds.has(kind));
  }

  /** Compares a row with the last funding settlement of its market. */
  #checkFunding(row: ScenarioRow): void {
    const market = this.#market(row);
    const settled = this.#venue.events.findLast(
      (event) => event.kind === EventKind.fundingStarted && event.market === market.id,
    );
    assert(
      settled?.kind === EventKind.fundingStarted,
      `line ${row.line}: the market has had no funding settlement`,
    );
    compare(row, {
      rate: formatScaled(settled.rate, fundingRateDecimals),
      mark: formatScaled(settled.mark, market.tickDecimals),
    });
  }

  #model(): ReadModel {
    return new ReadModel(this.#venue.state, { isAwaited: () => false, fundingIntervalMs });
  }

  #account(row: ScenarioRow): number {
    return present(this.#accounts.get(cell(row, "account")), `line ${row.line}: a known account`);
  }

  #market(row: ScenarioRow): Market {
    return present(testMarkets.find(cell(row, "market")), `line ${row.line}: a known market`);
  }
}

function cell({ line, cells }: ScenarioRow, column: string): string {
  return present(cells.get(column), `line ${line}: the column ${column}`);
}

/** Returns the result of a command other than an order: `done`, or the name of the refusal. */
function saidOf({ reason }: { reason: RejectReason }): string {
  return reason === RejectReason.none ? "done" : nameOfReason(reason);
}

function nameOfReason(reason: number): string {
  return Object.entries(RejectReason).find(([, code]) => code === reason)?.[0] ?? String(reason);
}

/**
 * Compares the row's columns with the figures. A column with `-` states nothing, and trailing zeros do not count.
 */
function compare({ line, cells }: ScenarioRow, figures: Readonly<Record<string, string>>): void {
  for (const [column, stated] of cells) {
    if (column === "account" || column === "market" || stated === "-") continue;
    const figure = present(figures[column], `line ${line}: there is no column ${column}`);
    assert.equal(short(figure), short(stated), `line ${line}: ${column}`);
  }
}

const stepKinds: ReadonlySet<number> = new Set([
  EventKind.liquidationStaged,
  EventKind.insuranceSettled,
  EventKind.positionMoved,
  EventKind.tradingGateSet,
]);

/** Returns the name and the figures of a risk event, with the decimals of BTC-PERP. */
function stepOf(event: VenueEvent): Record<string, string> {
  const market = testMarkets.market(marketId.btcPerp);
  const { tickDecimals, lotDecimals, quote } = market;
  switch (event.kind) {
    case EventKind.liquidationStaged:
      return { step: nameOf(LiquidationStage, event.stage) };
    case EventKind.insuranceSettled: {
      const step = nameOf(InsuranceCause, event.cause);
      return { step, amount: formatScaled(event.amount, quote.decimals) };
    }
    case EventKind.positionMoved:
      return {
        step: nameOf(MoveCause, event.cause),
        qty: formatScaled(event.qty, lotDecimals),
        price: formatScaled(event.price, tickDecimals),
      };
    case EventKind.tradingGateSet:
      return { step: nameOf(TradingGate, event.gate) };
    default:
      return {};
  }
}

function nameOf(codes: Readonly<Record<string, number>>, code: number): string {
  return Object.entries(codes).find(([, one]) => one === code)?.[0] ?? String(code);
}

function usdcOf(text: string): bigint {
  return present(parseAmount(text, 6), `an amount in "${text}"`);
}

function short(figure: string): string {
  return figure.includes(".") ? figure.replace(/\.?0+$/, "") : figure;
}
