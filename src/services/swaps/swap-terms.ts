// Converts the terms of a swap: its request to the form that providers receive, a provider's answer to a quote if the
// answer fits the request, and an accepted quote to the swap's two payments. All amounts are exact: price ticks times
// quantity lots is a whole number of the quote asset's minor units.

import { assert, present } from "../../core/assert.ts";
import type { Market } from "../../core/markets.ts";
import { formatScaled } from "../../core/money/amounts.ts";
import type { Asset } from "../../core/money/assets.ts";
import { formatLedgerAmount, toLedgerAmount } from "../../core/money/ledger-amount.ts";
import { Side } from "../../core/orders.ts";
import { fitQuote, quoteValue, type RequestedQuote } from "../../engine/swaps/quote-fit.ts";
import type { Instrument } from "../../ports/ledger/ledger.ts";
import type {
  AcceptRequest,
  ProviderQuote,
  QuoteRequest,
  SwapLeg,
} from "../../ports/swaps/liquidity-providers.ts";
import type { SwapPayment, SwapTerms } from "../../ports/swaps/swap-ledger.ts";
import type { QuoteRow, SwapRow } from "../../ports/swaps/swap-store.ts";

/** Longest validity of a quote. Spec RFQ-2. */
export const quoteMsMax = 30_000;

const quoteIdForm = /^[\x21-\x7e]{1,64}$/;
const partyForm = /^[^\s:]{1,120}::1220[0-9a-f]{64}$/;

/** The request sent to every provider. */
export function quoteRequestOf(swap: SwapRow, market: Market, traderTag: string): QuoteRequest {
  const { swapId, side, askedLots, askedQuote, windowEndsMs } = swap;
  const requested =
    askedLots !== null
      ? { qty: formatScaled(askedLots, market.lotDecimals) }
      : {
          quote_qty: formatScaled(
            present(askedQuote, "the swap must have a value"),
            market.quote.decimals,
          ),
        };
  return {
    rfq_id: swapId,
    pair: market.symbol,
    side: side === Side.buy ? "BUY" : "SELL",
    ...requested,
    trader_tag: traderTag,
    respond_by_ms: windowEndsMs,
  };
}

/** A provider's answer as a quote; null if it does not fit the request. */
export function fittingQuote(
  quote: ProviderQuote,
  requested: RequestedQuote,
  market: Market,
  nowMs: number,
): Omit<QuoteRow, "quoteNo"> | null {
  const fit = fitQuote(market, requested, quote);
  if (typeof fit === "string") return null;
  if (!quoteIdForm.test(quote.quote_id) || !partyForm.test(quote.provider_party)) return null;
  if (!Number.isSafeInteger(quote.valid_until_ms) || quote.valid_until_ms <= nowMs) return null;
  const { provider, provider_party: providerParty, quote_id: quoteId } = quote;
  const validUntilMs = Math.min(quote.valid_until_ms, nowMs + quoteMsMax);
  return { ...fit, provider, providerParty, quoteId, validUntilMs };
}

/** Sorts quotes by price, the lowest first for a BUY and the highest first for a SELL; equal prices by arrival. */
export function bestFirst(quotes: readonly QuoteRow[], side: Side): QuoteRow[] {
  const sign = side === Side.buy ? 1 : -1;
  return [...quotes].sort((a, b) => sign * (a.priceTicks - b.priceTicks) || a.quoteNo - b.quoteNo);
}

/** The asset that the trader of a swap pays. */
export function paidAsset({ side }: Pick<SwapRow, "side">, { base, quote }: Market): Asset {
  if (side === Side.buy) return quote;
  return present(base, "the market of a swap must be a spot market with a base asset");
}

/** The payments of a swap with an accepted quote; asserts that it has one. */
export function termsOf(
  swap: SwapRow,
  market: Market,
  instruments: ReadonlyMap<number, Instrument>,
): SwapTerms {
  const { trader, side, taken, swapId, allocateBeforeMs, settleBeforeMs } = swap;
  assert(taken !== null, "a quote must have been accepted");
  const base = present(market.base, "the market of a swap must be a spot market with a base asset");
  const baseUnits = BigInt(taken.lots) * market.baseUnitsPerLot;
  const quoteUnits = quoteValue(market, taken.priceTicks, taken.lots);
  const [buyer, seller] =
    side === Side.buy ? [trader.party, taken.providerParty] : [taken.providerParty, trader.party];
  const legs: SwapPayment[] = [
    {
      legId: "base",
      sender: seller,
      receiver: buyer,
      instrument: present(
        instruments.get(base.id),
        "the asset must have an instrument on the ledger",
      ),
      amount: toLedgerAmount(baseUnits, base.decimals),
    },
    {
      legId: "quote",
      sender: buyer,
      receiver: seller,
      instrument: present(
        instruments.get(market.quote.id),
        "the asset must have an instrument on the ledger",
      ),
      amount: toLedgerAmount(quoteUnits, market.quote.decimals),
    },
  ];
  const provider = taken.providerParty;
  return { swapId, trader: trader.party, provider, legs, allocateBeforeMs, settleBeforeMs };
}

/** The body of accept-and-allocate, equal for every attempt. */
export function acceptRequestOf(
  swap: SwapRow,
  terms: SwapTerms,
  operator: string,
  proposalCid: string,
): AcceptRequest {
  return {
    quote_id: present(swap.taken, "a quote must have been accepted").quoteId,
    legs: terms.legs.map(legText),
    settlement: {
      executor: operator,
      settlement_ref: swap.swapId,
      allocate_before: new Date(terms.allocateBeforeMs).toISOString(),
      settle_before: new Date(terms.settleBeforeMs).toISOString(),
    },
    proposal_cid: proposalCid,
    // Empty, because the provider needs no disclosure: it is a party to proposal and allocation, and queries registries
    // itself.
    disclosed_contracts: [],
  };
}

/** A payment in wire format. */
export function legText({ legId, sender, receiver, instrument, amount }: SwapPayment): SwapLeg {
  return {
    leg_id: legId,
    sender,
    receiver,
    instrument_id: instrument,
    amount: formatLedgerAmount(amount),
  };
}
