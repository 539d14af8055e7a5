// Swaps as the venue shows them, in the words of people: what each state means, and what comes next.

import { signal } from "@preact/signals";
import type { AgreedSwap, PreparedToSign } from "../../../src/services/swaps/prepared-check.ts";
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
  /** JSON, whose hash is in the journal. */
  readonly details: string;
  /** Its entry in the journal; null until it is written there. */
  readonly seq: string | null;
}

export interface Swap extends SwapHead {
  readonly quotes: readonly Quote[];
  readonly moves: readonly SwapMove[];
}

/** What `prepare` answers. */
export interface Prepared extends PreparedToSign {
  readonly sign_before: string;
}

const routes = "/v1/swaps/rfq";

/** How a swap goes where nothing goes wrong. */
export const stages = [
  "Asked",
  "Quoted",
  "Accepted",
  "Your coins locked",
  "Both locked",
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

/** The last of `stages` that a swap has come to. */
export function stageOf({ moves }: Swap): number {
  return Math.max(0, ...moves.map(({ to }) => stageOfState[to] ?? 0));
}

const stateMessages: Readonly<Record<string, string>> = {
  requested: "Asking the providers…",
  quoted: "Take a quote before it lapses.",
  accepted: "Sign while the quote holds, so that your coins are locked for this swap.",
  trader_allocated: "Your coins are locked. The provider locks its own now.",
  allocated: "Both sides are locked. The venue settles them together.",
  executing: "Being settled on the ledger.",
  releasing: "It will not be settled. What you locked goes back to you.",
  settled: "Settled: both sides moved by one transaction of the ledger.",
  expired: "Over: nothing was locked and nothing moved.",
  cancelled: "Called off: nothing was locked and nothing moved.",
  released: "Over without a settlement. What was locked is free again.",
};

const reasonMessages: Readonly<Record<string, string>> = {
  no_quote: "No provider gave a quote for this amount. Ask for another, or later.",
  quotes_lapsed: "The quotes lapsed before one was taken.",
  trader_cancelled: "You called it off.",
  trader_late: "Your coins were not locked in time.",
  provider_declined: "The provider went back on its quote.",
  provider_late: "The provider did not lock its side in time.",
  wrong_terms: "The provider locked other terms than it quoted.",
  settlement_refused: "The ledger refused to settle it.",
  settlement_late: "No time was left to settle it.",
  operator_aborted: "The operator called it off.",
  trader_withdrew: "Your coins were taken back.",
  account_frozen: "The account is frozen.",
  lock_failed: "You signed in time, but the ledger did not lock your coins.",
};

const overStates = ["settled", "expired", "cancelled", "released"];

export function isOver({ status }: SwapHead): boolean {
  return overStates.includes(status);
}

/** What the state means to its trader, and why it came to it. */
export function stateSentence({ status, reason }: SwapHead): string {
  const why = reason === null ? "" : ` ${reasonMessages[reason] ?? reason.replace(/_/g, " ")}`;
  return `${stateMessages[status] ?? status}${why}`;
}

/** A state in short, for lists. */
export function stateName(status: string): string {
  return status.replace(/_/g, " ");
}

/** "Buy 100 CC with USDC", "Sell CC for 25 USDC". */
export function requestText({ pair, side, qty, quote_qty: value }: SwapHead): string {
  const [base, quote] = pair.split("-");
  const amount = qty === null ? "" : `${qty} `;
  const money = value === null ? "" : `${value} `;
  return side === "BUY"
    ? `Buy ${amount}${base} with ${money}${quote}`
    : `Sell ${amount}${base} for ${money}${quote}`;
}

/** What a quote takes from its trader and brings, each with its asset. */
export function exchanged({ pair, side }: SwapHead, quote: Quote): { pay: string; get: string } {
  const [base, money] = pair.split("-");
  const [first, second] = [`${quote.qty} ${base}`, `${quote.quote_qty} ${money}`];
  return side === "BUY" ? { pay: second, get: first } : { pay: first, get: second };
}

export interface SwapRequest {
  readonly pair: string;
  readonly side: "BUY" | "SELL";
  /** Of the base asset; else of the quote asset. */
  readonly isBase: boolean;
  readonly amount: string;
}

export function requestSwap({ pair, side, isBase, amount }: SwapRequest): Promise<Swap> {
  const body = { pair, side, ...(isBase ? { qty: amount } : { quote_qty: amount }) };
  return requestOwn("POST", routes, { body });
}

/** The user's swaps, newest first; null until asked. */
export const swaps = signal<readonly SwapHead[] | null>(null);

export async function readSwaps(): Promise<void> {
  swaps.value = (await requestOwn<{ items: SwapHead[] }>("GET", `${routes}?limit=50`)).items;
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
