// Swaps: the requests to the venue, and each status as text for the user.

import { signal } from "@preact/signals";
import type { AgreedSwap, PreparedToSign } from "../../../src/services/swaps/prepared-check.ts";
import { unitsOf } from "../decimal-text.ts";
import { requestOwn } from "./session.ts";

export interface Quote {
  readonly quote_id: string;
  readonly provider_party: string;
  readonly price: string;
  readonly qty: string;
  readonly quote_qty: string;
  readonly valid_until: string | null;
}

export interface SwapHead extends Omit<AgreedSwap, "moves"> {
  readonly qty: string | null;
  readonly quote_qty: string | null;
  readonly reason: string | null;
  readonly created_at: string;
  readonly ends_at: string | null;
  readonly accepted: Quote | null;
  readonly update_id: string | null;
}

export interface SwapMove {
  readonly move_no: string;
  readonly to: string;
  readonly reason: string | null;
  readonly at: string;
  /** The step's details as JSON. The journal has the hash of this text. */
  readonly details: string;
  /** The step's entry in the journal; null until it is written there. */
  readonly seq: string | null;
}

export interface Swap extends SwapHead {
  readonly quotes: readonly Quote[];
  readonly moves: readonly SwapMove[];
}

/** The answer to `prepare`. */
export interface Prepared extends PreparedToSign {
  readonly sign_before: string;
}

const routes = "/v1/swaps/rfq";

/** The stages of a swap that settles, as labels. */
export const stages = [
  "Requested",
  "Quoted",
  "Accepted",
  "Your side locked",
  "Both sides locked",
  "Settled",
] as const;

const stageOfState: Readonly<Record<string, number>> = {
  requested: 0,
  quoted: 1,
  accepted: 2,
  trader_allocated: 3,
  allocated: 4,
  executing: 4,
  settled: 5,
};

/** Returns the index of the last of `stages` that a swap has reached. */
export function stageOf({ moves }: Swap): number {
  return Math.max(0, ...moves.map(({ to }) => stageOfState[to] ?? 0));
}

const stateMessages: Readonly<Record<string, string>> = {
  requested: "Requesting quotes from providers…",
  quoted: "Accept a quote before it expires.",
  accepted: "Sign before the quote expires to lock your funds for this swap.",
  trader_allocated: "Your funds are locked. Waiting for the provider to lock its side.",
  allocated: "Both sides are locked. The venue is settling the swap.",
  executing: "Settling on the ledger…",
  releasing: "This swap will not settle. Your locked funds are being returned.",
  settled: "Settled. Both sides moved in one ledger transaction.",
  expired: "Expired. Nothing was locked or transferred.",
  cancelled: "Cancelled. Nothing was locked or transferred.",
  released: "Not settled. Your locked funds are available again.",
};

const reasonMessages: Readonly<Record<string, string>> = {
  no_quote: "No provider quoted this amount. Try another amount, or try again later.",
  quotes_lapsed: "The quotes expired before one was accepted.",
  trader_cancelled: "You cancelled the request.",
  trader_late: "Your funds were not locked in time.",
  provider_declined: "The provider withdrew its quote.",
  provider_late: "The provider did not lock its side in time.",
  wrong_terms: "The provider locked different terms than it quoted.",
  settlement_refused: "The ledger refused the settlement.",
  settlement_late: "Too little time was left to settle.",
  operator_aborted: "The operator cancelled the swap.",
  trader_withdrew: "You reclaimed your funds.",
  account_frozen: "The account is frozen.",
  lock_failed: "You signed in time, but the ledger did not lock your funds.",
};

const overStates = ["settled", "expired", "cancelled", "released"];

export function isOver({ status }: SwapHead): boolean {
  return overStates.includes(status);
}

/** Returns what the status means for the trader, with the reason. */
export function stateSentence({ status, reason }: SwapHead): string {
  const why = reason === null ? "" : ` ${reasonMessages[reason] ?? reason.replace(/_/g, " ")}`;
  return `${stateMessages[status] ?? status}${why}`;
}

const shortNames: Readonly<Record<string, string>> = {
  trader_allocated: "your side locked",
  allocated: "both sides locked",
  executing: "settling",
  releasing: "returning funds",
  released: "funds returned",
  quotes_lapsed: "quotes expired",
  trader_cancelled: "cancelled by you",
  operator_aborted: "cancelled by the operator",
  trader_withdrew: "funds reclaimed",
};

/** Returns the short name of a status or reason, for lists. */
export function stateName(status: string): string {
  return shortNames[status] ?? status.replace(/_/g, " ");
}

/** Describes the request, such as "Buy 100 CC with USDC" or "Sell CC for 25 USDC". */
export function requestText({ pair, side, qty, quote_qty: value }: SwapHead): string {
  const [base, quote] = pair.split("-");
  const amount = qty === null ? "" : `${qty} `;
  const money = value === null ? "" : `${value} `;
  return side === "BUY"
    ? `Buy ${amount}${base} with ${money}${quote}`
    : `Sell ${amount}${base} for ${money}${quote}`;
}

/** Returns the amounts that the trader pays and receives by a quote, with their assets. */
export function exchanged({ pair, side }: SwapHead, quote: Quote): { pay: string; get: string } {
  const [base, money] = pair.split("-");
  const [first, second] = [`${quote.qty} ${base}`, `${quote.quote_qty} ${money}`];
  return side === "BUY" ? { pay: second, get: first } : { pay: first, get: second };
}

export interface SwapRequest {
  readonly pair: string;
  readonly side: "BUY" | "SELL";
  /** True if the amount is in the base asset, false if it is in the quote asset. */
  readonly isBase: boolean;
  readonly amount: string;
}

export function requestSwap({ pair, side, isBase, amount }: SwapRequest): Promise<Swap> {
  const body = { pair, side, ...(isBase ? { qty: amount } : { quote_qty: amount }) };
  return requestOwn("POST", routes, { body });
}

/** The user's swaps, newest first; null until loaded. */
export const swaps = signal<readonly SwapHead[] | null>(null);

export async function readSwaps(): Promise<void> {
  swaps.value = (await requestOwn<{ items: SwapHead[] }>("GET", `${routes}?limit=50`)).items;
}

/** Shows a newer state of a swap in the list at once. */
export function noteSwap(newer: SwapHead): void {
  const isNew = ({ swap_id: id, status }: SwapHead) =>
    id === newer.swap_id && status !== newer.status;
  if (swaps.value?.some(isNew) !== true) return;
  swaps.value = swaps.value.map((known) => (isNew(known) ? newer : known));
}

/** Returns what is missing to pay a quote from a known free amount; null if it suffices or is not known. */
export function missingFor(
  swap: SwapHead,
  quote: Quote,
  free: string | null,
): { readonly asset: string; readonly needed: string; readonly free: string } | null {
  const { pay } = exchanged(swap, quote);
  const [needed = "", asset = ""] = pay.split(" ");
  if (free === null || (unitsOf(free, 10) ?? 0n) >= (unitsOf(needed, 10) ?? 0n)) return null;
  return { asset, needed, free };
}

function pathOf(swapId: string): string {
  return `${routes}/${encodeURIComponent(swapId)}`;
}

export function readSwap(swapId: string): Promise<Swap> {
  return requestOwn("GET", pathOf(swapId));
}

export function acceptQuote(swapId: string, quoteId: string): Promise<Swap> {
  return requestOwn("POST", `${pathOf(swapId)}/accept`, { body: { quote_id: quoteId } });
}

export function cancelSwap(swapId: string): Promise<Swap> {
  return requestOwn("POST", `${pathOf(swapId)}/cancel`, { body: {} });
}

export function prepareSwap(swapId: string): Promise<Prepared> {
  return requestOwn("POST", `${pathOf(swapId)}/prepare`, { body: {} });
}

export function executeSwap(swapId: string, hash: string, signature: string): Promise<Swap> {
  const body = { prepared_transaction_hash: hash, signature };
  return requestOwn("POST", `${pathOf(swapId)}/execute`, { body });
}
