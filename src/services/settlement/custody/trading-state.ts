// The state shown to the operator's own makers and takers: whether fills can be settled on the ledger.

import { refilled, TrafficLane, trafficLanes } from "../../../core/traffic.ts";
import type { TrafficUse } from "../../../ports/ledger/traffic.ts";

export type TradingState = "ok" | "paused" | "halted";

export interface TradingStateParts {
  readonly use: TrafficUse;
  readonly nowMs: number;
  /** Maximum age in ms of the last comparison of wallets with the ledger. */
  readonly staleMs: number;
}

/** Why makers may not trade, in words for operators; empty while they may. */
export function tradingReasonOf(parts: TradingStateParts): string {
  const { mirroredMs } = parts.use;
  const state = tradingStateOf(parts);
  if (state === "ok") return "";
  if (state === "paused") return "no ledger traffic is left for settlement";
  if (mirroredMs === null) return "wallets have not been compared with the ledger yet";
  const seconds = Math.floor((parts.nowMs - mirroredMs) / 1000);
  return `wallets were last compared with the ledger ${seconds} s ago`;
}

/**
 * `halted`: wallets have not been compared with the ledger for too long, so their balances are unknown. `paused`:
 * settlement's traffic lane is used up, or the free traffic is below the reserve and no bought traffic is left.
 * Spec TRF-3.
 */
export function tradingStateOf({ use, nowMs, staleMs }: TradingStateParts): TradingState {
  const { mirroredMs, lanes, base, extra } = use;
  if (mirroredMs === null || nowMs - mirroredMs > staleMs) return "halted";
  const settlement = lanes[TrafficLane.settlement]?.bytes ?? 0;
  const isUsedUp = settlement >= (trafficLanes[TrafficLane.settlement]?.budgetBytes ?? 0);
  const reserve = trafficLanes[TrafficLane.reserve]?.budgetBytes ?? 0;
  const hasBought = extra !== null && extra.purchased > extra.consumed;
  const isShort = refilled(base, nowMs).remaining < reserve && !hasBought;
  return isUsedUp || isShort ? "paused" : "ok";
}
