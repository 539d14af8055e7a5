// Liquidity providers as used by the swap service: quotes for a request, the call that commits a provider to
// a swap, and reports of its conduct. The registry, signing, transport and scoring are hidden behind it.
// Types only.
//
// Fields sent over the wire have the wire's names (snake_case). Amounts, prices and quantities are decimal
// strings; times are milliseconds UTC if the name ends in `_ms`, and ISO 8601 otherwise.
//
// A provider's answers are hints. A quote binds no one before a trader accepts it, and only the ledger shows
// whether both legs are locked.

import type { ContractId, Party } from "../ledger/ledger.ts";

/** `POST /rfq/quotes`: the request, equal for every provider. */
export interface QuoteRequest {
  /** The swap's UUID. */
  readonly rfq_id: string;
  /** A spot market, as `CC-USDC`. */
  readonly pair: string;
  /** The trader's side: with BUY the provider delivers the base asset. */
  readonly side: "BUY" | "SELL";
  /** Quantity of the base asset, a multiple of the market's lot. Exactly one of this and `quote_qty` is present. */
  readonly qty?: string;
  /** Of the quote asset: the maximum a BUY pays, or the minimum a SELL receives. */
  readonly quote_qty?: string;
  /** A stable pseudonym of the trader. */
  readonly trader_tag: string;
  /** Later answers are ignored. */
  readonly respond_by_ms: number;
}

/** The body of a 200 answer; 204 means no quote. */
export interface QuoteAnswer {
  /** Chosen by the provider, 1 to 64 printable characters. */
  readonly quote_id: string;
  /** Price of one unit of the base asset: a multiple of the market's tick. */
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

/** As in the token standard's `disclosedContracts`. */
export interface DisclosedContract {
  readonly template_id: string;
  readonly contract_id: ContractId;
  readonly created_event_blob: string;
  readonly synchronizer_id: string;
}

/** `POST /rfq/trades/{swapId}/accept-and-allocate`. The same bytes for every attempt of one swap. */
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
  /** The trader's SwapProposal, which the provider observes on the ledger. */
  readonly proposal_cid: ContractId;
  /** Contracts the provider needs and cannot see; empty if it sees everything. */
  readonly disclosed_contracts: readonly DisclosedContract[];
}

/** The body of a 200 answer. */
export interface AcceptAnswer {
  readonly allocation_cid: ContractId;
  readonly trade_cid: ContractId;
  readonly update_id: string;
}

/** How a call to commit ended. Only `rejected` is reliable: the provider locked nothing. */
export type AcceptOutcome =
  | { readonly kind: "accepted"; readonly answer: AcceptAnswer }
  /** 409 or 422 with a reason. */
  | { readonly kind: "rejected"; readonly reason: string }
  /** Anything else, including a timeout: it may have locked its leg. */
  | { readonly kind: "unknown"; readonly message: string };

/** `POST /rfq/trades/{swapId}/result`. */
export interface ResultNotice {
  /** `not_selected` if the trader accepted another quote; the other values say how the provider's swap ended. */
  readonly status: "settled" | "not_selected" | "released" | "expired" | "cancelled";
  readonly update_id?: string;
  readonly reason?: string;
}

/** `POST /rfq/trades/{swapId}/cancel`: the swap will not be settled; locks are released. */
export interface CancelNotice {
  readonly reason: string;
}

/**
 * A notice to be delivered: a row of `swap_notices`, stored in the transaction of the step it reports.
 * Delivered at least once within 24 hours of `createdMs`, in the order of `noticeId` per swap and provider.
 * The provider side owns the table and its reader.
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

/** A quote of a registered provider, with its registered party. */
export interface ProviderQuote extends QuoteAnswer {
  /** The provider's id in the registry. */
  readonly provider: string;
}

/** A provider's conduct in a swap for which it was chosen. */
export type ProviderMark =
  /** Both legs were settled. */
  | "settled"
  /** It refused after its quote was accepted. */
  | "declined"
  /** The provider's leg was not on the ledger in time. */
  | "late";

export interface LiquidityProviders {
  /**
   * Requests quotes from up to eight healthy providers at once. Calls back for each well-formed answer before
   * `respond_by_ms` whose party is the registered one. Resolves at that time, or once all have answered, with the ids
   * of the providers that received the request. Never rejects because of a provider.
   */
  requestQuotes(
    request: QuoteRequest,
    onQuote: (quote: ProviderQuote) => void,
  ): Promise<readonly string[]>;
  /**
   * Has a provider accept the proposal and lock its leg. Retried with the same body until `deadlineMs` while
   * it does not answer. May be called again for the same swap with the same request.
   */
  acceptAndAllocate(
    provider: string,
    request: AcceptRequest,
    deadlineMs: number,
  ): Promise<AcceptOutcome>;
  /** Records how a swap went, for statistics and the provider's score. */
  mark(provider: string, mark: ProviderMark, reason: string): Promise<void>;
  /**
   * Sends the provider no more requests until the operator reinstates it. Called when the provider gave a false answer.
   */
  suspend(provider: string, reason: string): Promise<void>;
  /** Announces new notices, which are then delivered before the next poll. */
  wakeCourier(): void;
}
