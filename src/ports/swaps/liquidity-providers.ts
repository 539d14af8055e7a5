// Liquidity providers as the swap service uses them: quotes for a request, the call that commits a provider to a swap,
// and reports of the provider's conduct. The implementation hides the registry, signing, transport and scoring. Types
// only.
//
// Fields that are sent to or received from a provider have the names of the protocol (snake_case). Amounts, prices and
// quantities are decimal strings; times are milliseconds UTC if the name ends in `_ms`, and ISO 8601 otherwise.
//
// A provider's answers are not authoritative. A quote is not binding before a trader accepts it, and only the ledger
// shows whether both legs are locked.

import type { ContractId, Party } from "../ledger/ledger.ts";

/** Body of `POST /rfq/quotes`: the request for quotes, the same for every provider. */
export interface QuoteRequest {
  /** The swap's UUID. */
  readonly rfq_id: string;
  /** Symbol of a spot market, such as `CC-USDC`. */
  readonly pair: string;
  /** The trader's side. With BUY, the provider delivers the base asset. */
  readonly side: "BUY" | "SELL";
  /** Quantity of the base asset, a multiple of the market's lot. Either `qty` or `quote_qty` is present, never both. */
  readonly qty?: string;
  /** Amount of the quote asset: the maximum that a BUY pays, or the minimum that a SELL receives. */
  readonly quote_qty?: string;
  /** A stable pseudonym of the trader. */
  readonly trader_tag: string;
  /** Deadline for answers; later ones are ignored. */
  readonly respond_by_ms: number;
}

/** The body of a 200 answer. A 204 answer means that the provider gives no quote. */
export interface QuoteAnswer {
  /** Id that the provider chose: 1 to 64 printable characters. */
  readonly quote_id: string;
  /** Price of one unit of the base asset: a multiple of the market's tick. */
  readonly price: string;
  /** Quantity of the base asset, a multiple of the market's lot. */
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

/** A contract in the format of the token standard's `disclosedContracts`. */
export interface DisclosedContract {
  readonly template_id: string;
  readonly contract_id: ContractId;
  readonly created_event_blob: string;
  readonly synchronizer_id: string;
}

/** Body of `POST /rfq/trades/{swapId}/accept-and-allocate`. Every attempt for one swap sends the same bytes. */
export interface AcceptRequest {
  readonly quote_id: string;
  readonly legs: readonly SwapLeg[];
  readonly settlement: {
    readonly executor: Party;
    /** Id of the swap, which is also `settlementRef.id` of both allocations. */
    readonly settlement_ref: string;
    readonly allocate_before: string;
    readonly settle_before: string;
  };
  /** The trader's SwapProposal, which the provider observes on the ledger. */
  readonly proposal_cid: ContractId;
  /** Contracts that the provider needs and cannot see; empty if it sees all of them. */
  readonly disclosed_contracts: readonly DisclosedContract[];
}

/** The body of a 200 answer. */
export interface AcceptAnswer {
  readonly allocation_cid: ContractId;
  readonly trade_cid: ContractId;
  readonly update_id: string;
}

/** The result of a call to commit to a swap. Only `rejected` is definite: the provider has locked nothing. */
export type AcceptOutcome =
  | { readonly kind: "accepted"; readonly answer: AcceptAnswer }
  /** The provider answered 409 or 422 with a reason. */
  | { readonly kind: "rejected"; readonly reason: string }
  /** The provider gave any other answer, or none in time; it may have locked its leg. */
  | { readonly kind: "unknown"; readonly message: string };

/** Body of `POST /rfq/trades/{swapId}/result`. */
export interface ResultNotice {
  /** `not_selected` if the trader accepted another quote; the other values say how the provider's swap ended. */
  readonly status: "settled" | "not_selected" | "released" | "expired" | "cancelled";
  readonly update_id?: string;
  readonly reason?: string;
}

/** Body of `POST /rfq/trades/{swapId}/cancel`: the swap will not be settled, and the locks are released. */
export interface CancelNotice {
  readonly reason: string;
}

/**
 * A notice to be delivered: a row of `swap_notices`, stored in the transaction of the swap step that it reports. It is
 * delivered at least once within 24 hours of `createdMs`. Notices of one swap to one provider are delivered in the
 * order of `noticeId`. The code that calls providers owns the table and its reader.
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

/** A quote, with the registered provider that gave it. */
export interface ProviderQuote extends QuoteAnswer {
  /** The provider's id in the registry. */
  readonly provider: string;
}

/** The conduct of a provider in a swap for which it was chosen. */
export type ProviderMark =
  /** Both legs were settled. */
  | "settled"
  /** The provider refused after its quote was accepted. */
  | "declined"
  /** The leg of the provider was not on the ledger in time. */
  | "late";

export interface LiquidityProviders {
  /**
   * Requests quotes from up to eight healthy providers at once. Calls `onQuote` for each well-formed answer that
   * arrives before `respond_by_ms` and names the registered party. Resolves at that time, or earlier once all providers
   * have answered, with the ids of the providers that received the request. It never rejects because of a provider's
   * fault.
   */
  requestQuotes(
    request: QuoteRequest,
    onQuote: (quote: ProviderQuote) => void,
  ): Promise<readonly string[]>;
  /**
   * Sends a provider the request to accept the proposal and lock its leg. While the provider does not answer, the
   * request is retried with the same body until `deadlineMs`. The method may be called again for the same swap with the
   * same request.
   */
  acceptAndAllocate(
    provider: string,
    request: AcceptRequest,
    deadlineMs: number,
  ): Promise<AcceptOutcome>;
  /** Records the provider's conduct in a swap, for statistics and the provider's score. */
  mark(provider: string, mark: ProviderMark, reason: string): Promise<void>;
  /** Stops requests to the provider until the operator reinstates it. Called when the provider gave a false answer. */
  suspend(provider: string, reason: string): Promise<void>;
  /** Announces that there are new notices, so that they are delivered before the next poll. */
  wakeCourier(): void;
}
