// Writes event values into leaf bodies: prices, quantities and amounts as decimals of their market or asset, codes by
// their names in the sources, references as `o-12` and `t-3`.

import * as accounts from "../../core/accounts.ts";
import { assert, present } from "../../core/assert.ts";
import { OriginLane } from "../../core/command-identity.ts";
import * as liquidation from "../../core/liquidation.ts";
import { isPerpetual, MarketStatus, type MarketTable } from "../../core/markets.ts";
import { OrderListType } from "../../core/order-lists.ts";
import * as orders from "../../core/orders.ts";
import { basisDecimals, IndexOrigin } from "../../core/perpetuals/index-price.ts";
import { RiskTerm } from "../../core/perpetuals/risk-terms.ts";
import * as swaps from "../../core/swaps.ts";
import { type Piece, pieceOf, TextWriter } from "./text-writer.ts";
import { hashBytes } from "./tree-hash.ts";

/** The upper-case names of a code set, by code: `stopMarket` becomes STOP_MARKET. */
export function namesOf(codes: Readonly<Record<string, number>>): readonly string[] {
  const names: string[] = [];
  for (const [name, code] of Object.entries(codes)) {
    names[code] = name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  }
  return names;
}

/** Every code set used in bodies, with its names by code. */
export const codeNames = {
  accountType: namesOf(accounts.AccountType),
  closeReason: namesOf(orders.CloseReason),
  indexOrigin: namesOf(IndexOrigin),
  insuranceCause: namesOf(liquidation.InsuranceCause),
  keyType: namesOf(accounts.KeyType),
  liquidationStage: namesOf(liquidation.LiquidationStage),
  marketStatus: namesOf(MarketStatus),
  moveCause: namesOf(liquidation.MoveCause),
  orderListType: namesOf(OrderListType),
  orderType: namesOf(orders.OrderType),
  originLane: namesOf(OriginLane),
  peg: namesOf(orders.Peg),
  rateTier: namesOf(accounts.RateTier),
  riskTerm: namesOf(RiskTerm),
  side: namesOf(orders.Side),
  stpMode: namesOf(orders.StpMode),
  swapReason: namesOf(swaps.SwapReason),
  swapState: namesOf(swaps.SwapState),
  timeInForce: namesOf(orders.TimeInForce),
  tradingGate: namesOf(liquidation.TradingGate),
  wallet: accounts.walletNames,
  workingPrice: namesOf(orders.WorkingPrice),
} as const;

/** Names by code as encoded JSON strings. */
export function namePieces(names: readonly string[]): readonly Piece[] {
  return names.map((name) => pieceOf(JSON.stringify(name)));
}

const wallets = namePieces(codeNames.wallet);
const flags = [pieceOf("false"), pieceOf("true")] as const;
const orderLead = pieceOf('"o-');
const tradeLead = pieceOf('"t-');
const rateDecimals = 8;

/** Writes body values for the markets of one table. */
export class BodyWriter extends TextWriter {
  readonly #table: MarketTable;
  readonly #symbols: readonly Piece[];
  readonly #codes: readonly Piece[];
  readonly #marginAsset: number | null;

  constructor(table: MarketTable, bytes: Uint8Array) {
    super(bytes);
    this.#table = table;
    this.#symbols = table.markets.map(({ symbol }) => pieceOf(`"${symbol}"`));
    this.#codes = table.assets.map(({ code }) => pieceOf(`"${code}"`));
    this.#marginAsset = table.markets.find(isPerpetual)?.quote.id ?? null;
  }

  name(names: readonly Piece[], code: number): void {
    this.piece(present(names[code], "the code must have a name"));
  }

  symbol(market: number): void {
    this.piece(present(this.#symbols[market], "the market must be known"));
  }

  asset(asset: number): void {
    this.piece(present(this.#codes[asset], "the asset must be known"));
  }

  wallet(code: accounts.Wallet): void {
    this.name(wallets, code);
  }

  flag(isSet: boolean): void {
    this.piece(flags[isSet ? 1 : 0]);
  }

  order(orderId: number): void {
    this.#reference(orderLead, orderId);
  }

  trade(tradeId: number): void {
    this.#reference(tradeLead, tradeId);
  }

  price(market: number, ticks: number): void {
    this.#decimal(ticks, this.#table.market(market).tickDecimals);
  }

  /** A price, or a difference of prices, in parts of a tick: a part is 10^−`basisDecimals` ticks. */
  basis(market: number, parts: number): void {
    this.#decimal(parts, this.#table.market(market).tickDecimals + basisDecimals);
  }

  qty(market: number, lots: number): void {
    this.#decimal(lots, this.#table.market(market).lotDecimals);
  }

  /** A rate in units of 10^-8. */
  rate(value: bigint): void {
    this.#decimal(value, rateDecimals);
  }

  amount(asset: number, units: bigint): void {
    this.#decimal(units, this.#table.asset(asset).decimals);
  }

  /** An amount of the margin asset of perpetuals. */
  margin(units: bigint): void {
    this.amount(present(this.#marginAsset, "the venue must have a perpetual market"), units);
  }

  /** An amount of the market's quote or margin asset. */
  quoteAmount(market: number, units: bigint): void {
    this.amount(this.#table.market(market).quote.id, units);
  }

  /** A fee in the asset that the side of the fill received: the base asset for a spot buyer, else the quote asset. */
  fee(market: number, side: orders.Side, units: bigint): void {
    const { kind, base, quote } = this.#table.market(market);
    const isBase = !isPerpetual({ kind }) && side === orders.Side.buy && base !== null;
    this.amount(isBase ? base.id : quote.id, units);
  }

  /** Writes a number as a string, because it may exceed the range in which JSON readers are exact. */
  quoted(value: number): void {
    this.quote();
    this.whole(value);
    this.quote();
  }

  /** 64-bit values as 16 hexadecimal digits each, in one string. */
  bits(...values: readonly bigint[]): void {
    this.quote();
    for (const value of values) this.text(BigInt.asUintN(64, value).toString(16).padStart(16, "0"));
    this.quote();
  }

  /** A hash as a hexadecimal string. */
  hash(bytes: Uint8Array): void {
    assert(bytes.length === hashBytes, "a hash must have 32 bytes");
    this.quote();
    this.hex(bytes);
    this.quote();
  }

  #reference(lead: Piece, number: number): void {
    this.piece(lead);
    this.whole(number);
    this.quote();
  }

  #decimal(value: number | bigint, decimals: number): void {
    this.quote();
    this.scaled(value, decimals);
    this.quote();
  }
}
