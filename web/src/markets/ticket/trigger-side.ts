// On which side of the present price a trigger must be, so that it is not met at once (spec ORD-25): the one rule for the
// ticket, for the take profit and stop loss of a position, and for the change of a waiting order.

import { shown } from "../../decimal-text.ts";
import { exact } from "../exact.ts";
import type { Side } from "../ticket-requests.ts";

export interface Trigger {
  /** What its price is called: "Trigger price", "Stop loss". */
  readonly name: string;
  readonly price: string;
  readonly side: Side;
  /** True for a stop, which triggers in the direction of its side; false for a take profit. */
  readonly isStop: boolean;
}

/** The price that a trigger watches. */
export interface Watched {
  readonly price: string | null | undefined;
  readonly isMark: boolean;
}

/** Whether the trigger must be above the price that it watches. */
export function triggersAbove({ side, isStop }: Pick<Trigger, "side" | "isStop">): boolean {
  return isStop === (side === "BUY");
}

/** Returns that the trigger would be met at once, and on which side it must be; null if not, or while a price is unknown. */
export function triggerSideFault(
  trigger: Trigger,
  watched: Watched,
  pricePlaces: number,
): string | null {
  const [own, now] = [exact(trigger.price), exact(watched.price)];
  if (own === null || now === null || now <= 0n) return null;
  const isAbove = triggersAbove(trigger);
  if (isAbove ? own > now : own < now) return null;
  const present = `${shown(watched.price, pricePlaces)}, the ${watched.isMark ? "mark" : "last"} price`;
  return `${trigger.name}: ${isAbove ? "above" : "below"} ${present}, or it would trigger at once`;
}
