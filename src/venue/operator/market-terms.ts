// Parses the terms of a market that an operator adds, and computes their digest for the journal. A refusal names the
// field. The digest reveals whether the market's row was changed later.

import { createHash } from "node:crypto";
import { priceTicksMax, qtyLotsMax } from "../../core/limits.ts";
import {
  isPerpetual,
  leastOfPerpetuals,
  type MarginTier,
  type Market,
  MarketKind,
  MarketStatus,
  type MarketTable,
} from "../../core/markets.ts";
import { formatScaled, isExact, parseAmount, tickLotOf } from "../../core/money/amounts.ts";
import type { Asset } from "../../core/money/assets.ts";
import { OperatorRefusal, WrongValue } from "./operator-commands.ts";

/** The operator's request; omitted terms get the venue's defaults. */
export interface MarketRequest {
  /** `SOL-PERP` for a perpetual, `CETH-CBTC` for a pair of the venue's assets. */
  readonly symbol: string;
  readonly tick?: string | undefined;
  readonly lot?: string | undefined;
  readonly minNotional?: string | undefined;
  readonly makerBps?: number | undefined;
  readonly takerBps?: number | undefined;
  readonly leverageMax?: number | undefined;
  /** Spot market whose mid price is the index of a perpetual. */
  readonly index?: string | undefined;
  /** Whether the market starts halted. */
  readonly isHalted: boolean;
}

/** What the existing markets already use. */
export interface TakenNames {
  readonly table: MarketTable;
  /** How many markets there are. Market ids start at 0, so this is also the id of the next market. */
  readonly count: number;
  /** Symbols and aliases. */
  readonly names: ReadonlySet<string>;
}

const feeBpsMax = 100;
/** The root of FAPI lists two price and three quantity decimals for every perpetual (spec FAP-48). */
const perpetual = { tick: "0.01", lot: "0.001" } as const;
/**
 * All allowed ticks of a perpetual. The finer ones are for low-priced assets; the root of FAPI does not accept orders
 * with such fine prices (spec FAP-48).
 */
const perpetualTicks: readonly string[] = [perpetual.tick, "0.001", "0.0001"];
const usualMinNotional = "10";
/**
 * Upper limit of the minimum order value, in minor units. Order checks compare that value as a floating-point number,
 * which must be exact.
 */
const leastMax = BigInt(Number.MAX_SAFE_INTEGER);

/** The default margin tiers, by position value in USDC. */
const usualTiers = [
  { upTo: 50_000n, ppm: 4_000, leverageMax: 100 },
  { upTo: 250_000n, ppm: 5_000, leverageMax: 100 },
  { upTo: 1_000_000n, ppm: 10_000, leverageMax: 50 },
  { upTo: 5_000_000n, ppm: 25_000, leverageMax: 20 },
  { upTo: null, ppm: 50_000, leverageMax: 10 },
] as const;

/** Returns the requested market; throws an OperatorRefusal that names the field. Spec OPS-28. */
export function marketOf(request: MarketRequest, taken: TakenNames): Market {
  const symbol = request.symbol.toUpperCase();
  const [, baseCode = "", counter = ""] = /^([A-Z0-9]{2,10})-([A-Z0-9]{2,10})$/.exec(symbol) ?? [];
  if (baseCode === "") refuse("symbol", "two codes such as SOL-PERP or CETH-CBTC", request.symbol);
  const isSpot = counter !== "PERP";
  const market = isSpot
    ? spotOf(request, { symbol, baseCode, counter }, taken)
    : perpetualOf(request, { symbol, baseCode }, taken);
  for (const name of [market.symbol, market.alias]) {
    if (taken.names.has(name)) throw new OperatorRefusal(`symbol: the venue already has ${name}`);
  }
  return market;
}

function spotOf(
  request: MarketRequest,
  { symbol, baseCode, counter }: { symbol: string; baseCode: string; counter: string },
  { table, count }: TakenNames,
): Market {
  if (request.leverageMax !== undefined) throw notOf("max-leverage", "a spot market");
  if (request.index !== undefined) throw notOf("index", "a spot market");
  const base = assetOf(table, baseCode);
  const quote = assetOf(table, counter);
  if (base === quote) refuse("symbol", "two different assets", symbol);
  const steps = stepsOf(given("tick", request.tick), given("lot", request.lot), {
    quote,
    mayRound: false,
  });
  if (steps.lotDecimals > base.decimals) {
    refuse("lot", `at least ${formatScaled(1, base.decimals)} ${base.code}`, request.lot ?? "");
  }
  const isUsual = request.minNotional === undefined && quote.code === "USDC";
  const least = isUsual ? usualMinNotional : given("min-notional", request.minNotional);
  const minNotional = parseAmount(least, quote.decimals);
  if (minNotional === null || minNotional <= 0n || minNotional > leastMax) {
    const most = formatScaled(leastMax, quote.decimals);
    refuse("min-notional", `an amount of ${quote.code} above 0 and up to ${most}`, least);
  }
  return {
    ...common(request, { id: count, symbol, baseCode, ...steps }),
    ...feesOf(request, { maker: 4, taker: 10 }),
    alias: baseCode + counter,
    kind: MarketKind.spot,
    quoteCode: counter,
    base,
    quote,
    baseUnitsPerLot: 10n ** BigInt(base.decimals - steps.lotDecimals),
    minNotional: minNotional ?? 0n,
    leverageMax: 1,
    marginTiers: [],
    indexMarket: null,
  };
}

function perpetualOf(
  request: MarketRequest,
  { symbol, baseCode }: { symbol: string; baseCode: string },
  { table, count }: TakenNames,
): Market {
  if (request.minNotional !== undefined) throw notOf("min-notional", "a perpetual");
  const { tick = perpetual.tick, lot = perpetual.lot, leverageMax = 100 } = request;
  if (!perpetualTicks.includes(tick)) refuse("tick", perpetualTicks.join(" or "), tick);
  if (lot !== perpetual.lot) refuse("lot", `${perpetual.lot}, the lot of every perpetual`, lot);
  if (!Number.isInteger(leverageMax) || leverageMax < 1 || leverageMax > 100) {
    refuse("max-leverage", "a whole number from 1 to 100", String(leverageMax));
  }
  const sibling = table.markets.find(isPerpetual);
  if (sibling === undefined) throw new OperatorRefusal("symbol: this venue has no perpetuals");
  const { quote, quoteCode } = sibling;
  const steps = stepsOf(tick, lot, { quote, mayRound: true });
  return {
    ...common(request, { id: count, symbol, baseCode, ...steps }),
    ...feesOf(request, { maker: 2, taker: 5 }),
    alias: baseCode + quoteCode,
    kind: MarketKind.perpetual,
    quoteCode,
    base: null,
    quote,
    baseUnitsPerLot: 0n,
    minNotional: leastOfPerpetuals(quote),
    leverageMax,
    marginTiers: tiersOf(quote, leverageMax),
    indexMarket: indexOf(table, request.index),
  };
}

function common(
  { isHalted }: MarketRequest,
  own: Pick<Market, "id" | "symbol" | "baseCode" | "tickDecimals" | "lotDecimals" | "tickLot">,
) {
  const initialStatus = isHalted ? MarketStatus.halted : MarketStatus.trading;
  return { ...own, initialStatus, priceTicksMax, qtyLotsMax, wasAdded: true };
}

/**
 * Parses tick and lot. Refuses them if order values would not fit 64 bits (core/limits.ts) or, for a spot market, if
 * the values of trades would not be exact.
 */
function stepsOf(
  tick: string,
  lot: string,
  { quote, mayRound }: { quote: Asset; mayRound: boolean },
) {
  const tickDecimals = decimalsOf("tick", tick);
  const lotDecimals = decimalsOf("lot", lot);
  const tickLot = tickLotOf({ quote, tickDecimals, lotDecimals });
  if (tickLot === null || !(isExact(tickLot) || mayRound)) {
    const smallest = formatScaled(1, quote.decimals);
    const most = formatScaled(10, quote.decimals);
    const message = `tick × lot of ${smallest} or ${most} ${quote.code}`;
    return refuse("tick", message, `${tick} × ${lot}`);
  }
  return { tickDecimals, lotDecimals, tickLot };
}

function decimalsOf(field: string, text: string): number {
  const [, zeros] = /^(?:1|0\.(0{0,7})1)$/.exec(text) ?? [];
  if (text !== "1" && zeros === undefined) refuse(field, "1 or a step such as 0.01", text);
  return text === "1" ? 0 : (zeros ?? "").length + 1;
}

function feesOf(
  { makerBps, takerBps }: MarketRequest,
  usual: { readonly maker: number; readonly taker: number },
) {
  const maker = makerBps ?? usual.maker;
  const taker = takerBps ?? usual.taker;
  for (const [field, fee] of [
    ["maker-bps", maker],
    ["taker-bps", taker],
  ] as const) {
    if (Number.isInteger(fee) && fee >= 0 && fee <= feeBpsMax) continue;
    refuse(field, `whole basis points from 0 to ${feeBpsMax}`, String(fee));
  }
  return { makerFeeBps: maker, takerFeeBps: taker };
}

function tiersOf(quote: Asset, leverageMax: number): MarginTier[] {
  return usualTiers.map(({ upTo, ppm, leverageMax: usual }) => ({
    notionalMax: upTo === null ? null : upTo * 10n ** BigInt(quote.decimals),
    maintenancePpm: ppm,
    leverageMax: Math.min(usual, leverageMax),
  }));
}

function indexOf(table: MarketTable, symbol: string | undefined): number | null {
  if (symbol === undefined) return null;
  const market = table.find(symbol.toUpperCase());
  if (market === undefined || isPerpetual(market) || market.base === null) {
    refuse("index", "a spot market of the venue", symbol);
  }
  return market?.id ?? null;
}

function assetOf(table: MarketTable, code: string): Asset {
  const asset = table.findAsset(code);
  if (asset !== undefined) return asset;
  const codes = table.assets.map((one) => one.code).join(", ");
  throw new OperatorRefusal(`symbol: ${code} is not an asset of the venue: ${codes}`);
}

function given(field: string, text: string | undefined): string {
  if (text === undefined) throw new WrongValue(`${field}: a spot market needs it`);
  return text;
}

function notOf(field: string, what: string): OperatorRefusal {
  return new WrongValue(`${field}: ${what} has none`);
}

function refuse(field: string, expected: string, found: string): never {
  throw new WrongValue(`${field}: expected ${expected}, not ${found.slice(0, 40)}`);
}

/**
 * Returns the first 128 bits of SHA-256 of a market's terms, as two signed 64-bit words. Leaves out the minimum order
 * value of a perpetual, because the venue sets it and not the operator.
 */
export function termsDigest(market: Market): { termsHigh: bigint; termsLow: bigint } {
  const { base, quote, marginTiers, wasAdded: _always, tickLot, ...plain } = market;
  const { units: unitsPerTickLot, parts: tickLotsPerUnit } = tickLot;
  const terms = {
    ...plain,
    unitsPerTickLot,
    // Left out if values are exact, so that the digests of such markets do not depend on it.
    ...(isExact(tickLot) ? {} : { tickLotsPerUnit }),
    minNotional: isPerpetual(market) ? 0n : market.minNotional,
    base: base?.code ?? null,
    quote: quote.code,
    tiers: marginTiers.map((tier) => [tier.notionalMax, tier.maintenancePpm, tier.leverageMax]),
  };
  const sorted = Object.entries(terms).sort(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify(sorted, (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  const digest = createHash("sha256").update(text, "utf8").digest();
  return { termsHigh: digest.readBigInt64BE(0), termsLow: digest.readBigInt64BE(8) };
}
