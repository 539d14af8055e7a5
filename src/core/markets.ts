// Markets: assets, price and quantity steps, fees. Ticks and lots are powers of ten. A product of ticks × lots,
// multiplied by the value of one tick × one lot, is an amount of money (money/amounts.ts). On spot, that value is
// always a whole number of the quote asset's minor units.

import { assert, numberAt } from "./assert.ts";
import { perpetualValueMin } from "./limits.ts";
import type { Amount, PriceTicks, QtyLots } from "./money/amounts.ts";
import { isExact, isNotionalBelow, notional, type TickLot, tickLotOf } from "./money/amounts.ts";
import type { Asset } from "./money/assets.ts";

export const MarketKind = { spot: 0, perpetual: 1 } as const;
export type MarketKind = (typeof MarketKind)[keyof typeof MarketKind];

/** `halted`: the market accepts only cancels. `delisted`: only its history remains, and clients see it as BREAK. */
export const MarketStatus = { trading: 0, halted: 1, delisted: 2 } as const;
export type MarketStatus = (typeof MarketStatus)[keyof typeof MarketStatus];

/** `trading`, `halted` or `delisted`; a dash for an unknown code. */
export function marketStatusName(status: number): string {
  const [name] = Object.entries(MarketStatus).find(([, code]) => code === status) ?? ["-"];
  return name;
}

/** One maintenance tier: up to `notionalMax` minor units of position value. */
export interface MarginTier {
  /** Upper bound of position value in minor units; null for the last tier. */
  readonly notionalMax: bigint | null;
  /** Maintenance rate in parts per million of position value. */
  readonly maintenancePpm: number;
  readonly leverageMax: number;
}

/** A tradable market. No account has a balance of a perpetual's base asset, so only its name is known: `baseCode`. */
export interface Market {
  /** 0 … marketsMax − 1; never reused. */
  readonly id: number;
  /** `CC-USDC`, `BTC-PERP`. */
  readonly symbol: string;
  /** FAPI name of a perpetual (`BTCUSDT`); for spot the symbol without its hyphen. */
  readonly alias: string;
  readonly kind: MarketKind;
  readonly baseCode: string;
  /** The quote code in FAPI and spot listings: USDC on spot, USDT on perpetuals. */
  readonly quoteCode: string;
  /** Asset delivered on spot; null on perpetuals. */
  readonly base: Asset | null;
  /** Asset of payment on spot; of margin, fees and profit on perpetuals. */
  readonly quote: Asset;
  /** Tick = 10^−tickDecimals of the quote. */
  readonly tickDecimals: number;
  /** Lot = 10^−lotDecimals of the base. */
  readonly lotDecimals: number;
  /** Value of one tick × one lot in minor units of the quote; a whole number on spot. */
  readonly tickLot: TickLot;
  /** Base minor units of one lot; 0n on perpetuals. */
  readonly baseUnitsPerLot: bigint;
  readonly qtyLotsMax: number;
  readonly priceTicksMax: number;
  /** Smallest order value in quote minor units; 0n for none. */
  readonly minNotional: bigint;
  readonly makerFeeBps: number;
  readonly takerFeeBps: number;
  readonly leverageMax: number;
  readonly marginTiers: readonly MarginTier[];
  readonly initialStatus: MarketStatus;
  /** Spot market from whose book the venue computes this perpetual's index; null if there is none. */
  readonly indexMarket: number | null;
  /** True if the operator added the market after the first start. It exists only once the journal has its event. */
  readonly wasAdded: boolean;
}

/** Whether the market trades positions, not assets. */
export function isPerpetual({ kind }: Pick<Market, "kind">): boolean {
  return kind === MarketKind.perpetual;
}

/** Smallest value of a perpetual order in minor units of the quote asset, the same for all perpetuals. Spec ACC-26. */
export function leastOfPerpetuals({ decimals }: Asset): bigint {
  return perpetualValueMin * 10n ** BigInt(decimals);
}

/**
 * Value of `qty` (which may be negative) at `price`, in minor units of the quote asset. It is the same for both sides
 * of a fill. Exact on spot; on perpetuals rounded to the nearest unit, half away from zero. Spec ACC-33.
 */
export function orderValue(market: Market, price: PriceTicks, qty: QtyLots): Amount {
  return notional(price, qty, market.tickLot);
}

function assertSteps(market: Market): void {
  const { units, parts } = tickLotOf(market) ?? { units: 0, parts: 0 };
  const { tickLot } = market;
  assert(
    tickLot.units === units && tickLot.parts === parts,
    "the tickLot of a market must match the decimals of its tick and lot",
  );
  assert(
    isPerpetual(market) || isExact(tickLot),
    "the values of a spot market must be exact without rounding",
  );
}

/** All markets and assets of a venue, looked up by id, symbol or alias. */
export class MarketTable {
  readonly markets: readonly Market[];
  readonly assets: readonly Asset[];
  readonly #bySymbol = new Map<string, Market>();
  /** `minNotional` by market, as a number. */
  readonly #leastValues: Float64Array;

  /**
   * Asserts that ids equal list indexes, that names are unique, that `minNotional` × `parts` of each market's `tickLot`
   * is a safe integer, and that each `tickLot` matches the market's steps and, on spot, is a whole number of minor
   * units.
   */
  constructor(markets: readonly Market[], assets: readonly Asset[]) {
    this.markets = markets;
    this.assets = assets;
    for (const [index, asset] of assets.entries())
      assert(asset.id === index, "the id of an asset must be equal to its index in the table");
    for (const [index, market] of markets.entries()) {
      assert(market.id === index, "the id of a market must be equal to its index in the table");
      assertSteps(market);
      for (const name of [market.symbol, market.alias]) {
        assert(!this.#bySymbol.has(name), `two markets must not have the same name: ${name}`);
        this.#bySymbol.set(name, market);
      }
    }
    this.#leastValues = Float64Array.from(markets, ({ minNotional }) => Number(minNotional));
    const leasts = markets.map(({ minNotional, tickLot }) => Number(minNotional) * tickLot.parts);
    assert(
      leasts.every(Number.isSafeInteger),
      "minNotional × parts must be a safe integer for every market",
    );
  }

  /** The market of `id`; asserts that it exists. */
  market(id: number): Market {
    const market = this.markets[id];
    assert(market !== undefined, "the market id must be in the table");
    return market;
  }

  /** Whether `qty` at `price` is worth less than the market's smallest order value, `minNotional`. */
  isBelowLeast({ id, tickLot }: Market, price: PriceTicks, qty: QtyLots): boolean {
    return isNotionalBelow(price, qty, tickLot, numberAt(this.#leastValues, id));
  }

  /** The asset of `id`; asserts that it exists. */
  asset(id: number): Asset {
    const asset = this.assets[id];
    assert(asset !== undefined, "the asset id must be in the table");
    return asset;
  }

  /** Whether the asset is margin of a perpetual: only such assets may be in the perp wallet. */
  isMargin(asset: number): boolean {
    return this.markets.some((market) => isPerpetual(market) && market.quote.id === asset);
  }

  /** The market called `name`, by symbol or alias, upper case; undefined if there is none. */
  find(name: string): Market | undefined {
    return this.#bySymbol.get(name);
  }

  /** The asset called `code`; undefined if there is none. */
  findAsset(code: string): Asset | undefined {
    return this.assets.find((asset) => asset.code === code);
  }
}
