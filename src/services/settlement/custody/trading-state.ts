// One word for the operator's own traders: whether what they trade can be settled on the ledger. Pure.

import { refilled, TrafficLane, trafficLanes } from "../../../core/traffic.ts";
import type { TrafficUse } from "../../../ports/ledger/traffic.ts";

export type TradingState = "ok" | "paused" | "halted";

export interface TradingStateParts {
  readonly use: TrafficUse;
  readonly nowMs: number;
  /** How old the comparison of wallets with the ledger may be. */
  readonly staleMs: number;
}

/**
 * `halted`: the ledger was not read for too long, so nobody knows what wallets hold. `paused`: settlement's
 * lane is used up, or so little of the free base is left that only the reserve is, and nothing was
 * bought. Spec TRF-3.
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
