// One request of the fleet and what its answer means. A refusal that only says that an order had traded
// before its cancel came is no fault of anybody's: it is late. Everything else that is refused was not
// meant to be.

import type { FleetMarket, FleetRequest } from "./fleet-market.ts";

/** `unsure`: nobody knows whether it happened. */
export type Outcome = "done" | "late" | "limited" | "unavailable" | "unsure" | "refused";

export interface FleetStep {
  readonly request: FleetRequest;
  readonly market: FleetMarket;
  readonly kind: "order" | "cancel" | "look";
  /** Takes the outcome, with the body of the answer where there was one. */
  ended(outcome: Outcome, body: unknown): void;
}

/** An order as both surfaces answer it. */
export interface OrderBody {
  readonly orderId: number;
  readonly status: string;
  readonly executedQty: string;
}

interface RefusalBody {
  readonly code?: number;
  readonly data?: { readonly cancelResponse?: { readonly code?: number } | null };
}

/** Of a cancel, and of an amend of a perpetual's order under compat. */
const orderUnknown: readonly (number | undefined)[] = [-2011, -2013];

/** What an answer means. */
export function outcomeOf(status: number, body: unknown): Outcome {
  if (status === 200) return "done";
  if (status === 429) return "limited";
  if (status === 503) return "unavailable";
  if (status === 408) return "unsure";
  const { code, data } = body as RefusalBody;
  const isLate = orderUnknown.includes(code) || orderUnknown.includes(data?.cancelResponse?.code);
  return isLate ? "late" : "refused";
}

/** The order in an answer: that of a replacement is inside it. */
export function orderIn(body: unknown): OrderBody {
  return (body as { newOrderResponse?: OrderBody }).newOrderResponse ?? (body as OrderBody);
}
