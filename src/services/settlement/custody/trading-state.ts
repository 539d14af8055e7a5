// The state shown to the operator's own traders: whether trades can be settled on the ledger. Pure.

import { refilled, TrafficLane, trafficLanes } from "../../../core/traffic.ts";
import type { TrafficUse } from "../../../ports/ledger/traffic.ts";

export type TradingState = "ok" | "paused" | "halted";

export interface TradingStateParts {
  readonly use: TrafficUse;
  readonly nowMs: number;
  /** Maximum age of the comparison of wallets with the ledger. */
  readonly staleMs: number;
}

/**
 * `halted`: the ledger has not been read for too long, so wallet balances are unknown. `paused`: settlement's
 * traffic lane is used up, or the free base is down to the reserve and no traffic was bought. Spec TRF-3.
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
