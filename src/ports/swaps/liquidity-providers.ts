// The providers of liquidity as the swaps service needs them: quotes for a request, the one call that
// commits a provider to a swap, and marks for how it behaved. Who they are, how requests to them are
// signed and sent, and what their marks lead to is behind it. Types only.
//
// Fields of what goes over the wire have the wire's names (snake_case): each is sent as it stands here.
// Amounts, prices and quantities are decimal strings; times are milliseconds UTC where a name ends in
// `_ms`, and ISO 8601 otherwise.
//
// What a provider says is a hint. A quote binds nobody before a trader accepts it, and whether both legs
// are locked is read from the ledger alone.

import type { ContractId, Party } from "../ledger/ledger.ts";

/** `POST /rfq/quotes`: what a trader asks for, the same for every provider. */
export interface QuoteRequest {
  /** Of the swap: a UUID. */
  readonly rfq_id: string;
  /** A spot market, as `CC-USDC`. */
  readonly pair: string;
  /** The trader's side: with BUY the provider delivers the base asset. */
  readonly side: "BUY" | "SELL";
  /** Of the base asset, a multiple of the market's lot. Exactly one of this and `quote_qty` is there. */
  readonly qty?: string;
  /** Of the quote asset: most that a BUY pays, or least that a SELL brings. */
  readonly quote_qty?: string;
  /** Tells a trader from another, the same for all its requests, and names nobody. */
  readonly trader_tag: string;
  /** An answer after this is not looked at. */
  readonly respond_by_ms: number;
}

/** The answer of 200; 204 is no quote. */
export interface QuoteAnswer {
  /** The provider's own, 1 to 64 printable characters. */
  readonly quote_id: string;
  /** Of one unit of the base asset: a multiple of the market's tick. */
  readonly price: string;
  /** Of the base asset: a multiple of the market's lot. */
  readonly qty: string;
  readonly valid_until_ms: number;
  readonly provider_party: Party;
}

/** One payment of a swap. */
export interface SwapLeg {
  /** `base` or `quote`. */
  readonly leg_id: string;
  readonly sender: Party;
  readonly receiver: Party;
  readonly instrument_id: { readonly admin: Party; readonly id: string };
  readonly amount: string;
}

/** Of the token standard's `disclosedContracts`. */
export interface DisclosedContract {
  readonly template_id: string;
  readonly contract_id: ContractId;
  readonly created_event_blob: string;
  readonly synchronizer_id: string;
}

/** `POST /rfq/trades/{swapId}/accept-and-allocate`. The same bytes for every try of one swap. */
export interface AcceptRequest {
  readonly quote_id: string;
  readonly legs: readonly SwapLeg[];
  readonly settlement: {
    readonly executor: Party;
    /** `settlementRef.id` of both allocations: the swap's id. */
    readonly settlement_ref: string;
    readonly allocate_before: string;
    readonly settle_before: string;
  };
  /** The trader's SwapProposal, which the provider sees on the ledger as an observer. */
  readonly proposal_cid: ContractId;
  /** What the provider needs and does not see by itself; empty where it sees everything. */
  readonly disclosed_contracts: readonly DisclosedContract[];
}

/** The answer of 200. */
export interface AcceptAnswer {
  readonly allocation_cid: ContractId;
  readonly trade_cid: ContractId;
  readonly update_id: string;
}

/** How a call to commit ended. Only `rejected` is a word one may rely on: the provider locked nothing. */
export type AcceptOutcome =
  | { readonly kind: "accepted"; readonly answer: AcceptAnswer }
  /** 409 or 422 with a reason. */
  | { readonly kind: "rejected"; readonly reason: string }
  /** Anything else, deadline included: it may have locked its leg. */
  | { readonly kind: "unknown"; readonly message: string };

/** `POST /rfq/trades/{swapId}/result`. */
export interface ResultNotice {
  /** `not_selected` to those whose quote was not taken; the others are ends of the provider's swap. */
  readonly status: "settled" | "not_selected" | "released" | "expired" | "cancelled";
  readonly update_id?: string;
  readonly reason?: string;
}

/** `POST /rfq/trades/{swapId}/cancel`: the swap will not be settled; what is locked goes back. */
export interface CancelNotice {
  readonly reason: string;
}

/**
 * A notice that waits to be delivered: a row of `swap_notices`, written in the transaction of the move
 * it tells of. Delivered at least once within 24 hours of `createdMs`, in the order of `noticeId` for
 * one swap and provider; the table and its reader belong to the side of the providers.
 */
export type ProviderNotice = {
  readonly noticeId: number;
  readonly provider: string;
  readonly swapId: string;
  readonly createdMs: number;
} & (
  | { readonly kind: "result"; readonly body: ResultNotice }
  | { readonly kind: "cancel"; readonly body: CancelNotice }
);

/** A quote by a provider that is registered, with the party it is registered with. */
export interface ProviderQuote extends QuoteAnswer {
  /** The provider's id in the registry. */
  readonly provider: string;
}

/** How a provider behaved in a swap that it was chosen for. */
export type ProviderMark =
  /** Both legs were settled. */
  | "settled"
  /** It said no after its quote was taken. */
  | "declined"
  /** Its leg was not on the ledger in time. */
  | "late";

export interface LiquidityProviders {
  /**
   * Asks up to eight healthy providers at once and calls back for each answer of the right form before
   * `respond_by_ms`, from providers whose party is the registered one. Resolves at that time, or as soon
   * as all have answered, with the ids of those that were asked. Never rejects for what a provider does.
   */
  requestQuotes(
    request: QuoteRequest,
    onQuote: (quote: ProviderQuote) => void,
  ): Promise<readonly string[]>;
  /**
   * Has a provider accept the proposal and lock its leg; tried again with the same body until
   * `deadlineMs` where it did not answer. May be called again for the same swap with the same request.
   */
  acceptAndAllocate(
    provider: string,
    request: AcceptRequest,
    deadlineMs: number,
  ): Promise<AcceptOutcome>;
  /** Keeps how a swap went for statistics and for who is asked next. */
  mark(provider: string, mark: ProviderMark, reason: string): Promise<void>;
  /** Asks it for nothing more until the operator thaws it: it said something that is not so. */
  suspend(provider: string, reason: string): Promise<void>;
  /** Notices may have been written: they are delivered soon, and not only at the next look. */
  wakeCourier(): void;
}
