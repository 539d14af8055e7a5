// What happened to one account, as its user data stream tells it: copies of what an event and the
// order it touched looked like then, because both change before the stream's turn comes. Which of an
// account's two surfaces an event belongs to, and so which of its two sequences counts it.

import { Wallet } from "../../../../core/accounts.ts";
import {
  EventKind,
  type SwapMoved,
  type Traded,
  type VenueEvent,
} from "../../../../core/generated/events.ts";
import { MarketKind, type MarketTable } from "../../../../core/markets.ts";
import type { PreventedMatch } from "../../../../core/prevented-matches.ts";
import { isSwapOver, SwapState } from "../../../../core/swaps.ts";
import type { OrderRecord } from "../../../../ports/journal/history-store.ts";

/** A side of a trade, seen by its account. */
export interface UserFill {
  readonly tradeId: number;
  readonly price: number;
  readonly qty: number;
  readonly fee: bigint;
  readonly pnl: bigint;
  readonly isMaker: boolean;
}

interface UpdateHead {
  /** Place in the sequence of the account on this surface. */
  readonly seq: number;
  readonly tsUs: number;
}

/** Binance's execution types. */
export type Execution =
  | "NEW"
  | "TRADE"
  | "CANCELED"
  | "EXPIRED"
  | "REPLACED"
  | "TRADE_PREVENTION"
  | "CALCULATED";

export interface OrderUpdate extends UpdateHead {
  readonly kind: "order";
  readonly execution: Execution;
  /** As it was right after the event. */
  readonly order: OrderRecord;
  readonly fill: UserFill | null;
  /** The match that was prevented, where it lost lots by that. */
  readonly prevented?: PreventedMatch & { readonly seq: number };
}

/** Money that came from or went to outside the surface's wallet. */
export interface MoneyUpdate extends UpdateHead {
  readonly kind: "money";
  readonly asset: number;
  readonly change: bigint;
  readonly reason: "DEPOSIT" | "WITHDRAW" | "TRANSFER" | "FUNDING_FEE" | "INSURANCE_CLEAR";
}

export interface LeverageUpdate extends UpdateHead {
  readonly kind: "leverage";
  readonly market: number;
  readonly leverage: number;
}

/** Money of the wallet that was locked and is free, or the other way round. */
export interface FreedUpdate extends UpdateHead {
  readonly kind: "freed";
  readonly asset: number;
}

export type UserUpdate = OrderUpdate | MoneyUpdate | LeverageUpdate | FreedUpdate;

/** Told whose sequence on which surface an event belongs to; `isMaker` for the resting side. */
export type ConcernTaker = (account: number, surface: MarketKind, isMaker: boolean) => void;

function surfaceOfWallet(wallet: Wallet): MarketKind | undefined {
  if (wallet === Wallet.spot) return MarketKind.spot;
  return wallet === Wallet.perp ? MarketKind.perpetual : undefined;
}

/** Tells every account and surface whose user data stream has a frame for this event. */
export function concerns(event: VenueEvent, table: MarketTable, tell: ConcernTaker): void {
  switch (event.kind) {
    case EventKind.traded:
      tellBoth(event, table.market(event.market).kind, tell);
      break;
    case EventKind.orderAccepted:
    case EventKind.specialAccepted:
    case EventKind.orderTriggered:
    case EventKind.orderAmended:
    case EventKind.orderReduced:
    case EventKind.orderClosed:
      tell(event.account, table.market(event.market).kind, false);
      break;
    case EventKind.leverageSet:
    case EventKind.fundingPaid:
    case EventKind.insuranceSettled:
      tell(event.account, MarketKind.perpetual, false);
      break;
    case EventKind.rewardClaimed:
      tell(event.account, MarketKind.perpetual, false);
      break;
    case EventKind.positionMoved:
      tell(event.account, MarketKind.perpetual, false);
      tell(event.counterparty, MarketKind.perpetual, true);
      break;
    case EventKind.credited:
    case EventKind.granted:
      tellWallet(event.account, event.wallet, tell);
      break;
    case EventKind.withdrawalRequested:
    case EventKind.coinsSettled:
      tell(event.account, MarketKind.spot, false);
      break;
    case EventKind.swapMoved:
      if (holdsOrFrees(event, table)) tell(event.account, MarketKind.spot, false);
      break;
    case EventKind.withdrawalEnded:
      if (!event.isCompleted) tell(event.account, MarketKind.spot, false);
      break;
    case EventKind.transferred:
      tellWallet(event.account, event.from, tell);
      tellWallet(event.account, event.to, tell);
      break;
    default:
      break;
  }
}

/** Whether a step of a swap may lock money of its trader's wallet, or free it. */
function holdsOrFrees({ market, to }: SwapMoved, table: MarketTable): boolean {
  const isSpot = table.market(market).kind === MarketKind.spot;
  return isSpot && (to === SwapState.accepted || isSwapOver(to));
}

function tellBoth(event: Traded, surface: MarketKind, tell: ConcernTaker): void {
  tell(event.account, surface, false);
  tell(event.makerAccount, surface, true);
}

function tellWallet(account: number, wallet: Wallet, tell: ConcernTaker): void {
  const surface = surfaceOfWallet(wallet);
  if (surface !== undefined) tell(account, surface, false);
}
