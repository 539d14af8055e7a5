// Any request to a matcher.

import fc from "fast-check";
import { MatchRequestKind } from "../../src/core/match-messages.ts";
import { OrderType, Side, StpMode, TimeInForce } from "../../src/core/orders.ts";

export const uint32 = fc.nat(2 ** 32 - 1);
export const uint16 = fc.nat(65_535);

export function codeOf<Code extends number>(codes: Readonly<Record<string, Code>>) {
  return fc.constantFrom(...Object.values(codes));
}

export const anyMatchRequest = fc.record(
  {
    kind: codeOf(MatchRequestKind),
    market: uint16,
    slot: uint32,
    generation: uint32,
    account: uint32,
    side: codeOf(Side),
    type: codeOf(OrderType),
    timeInForce: codeOf(TimeInForce),
    stpMode: codeOf(StpMode),
    isReduceOnly: fc.boolean(),
    price: fc.maxSafeNat(),
    qty: fc.maxSafeInteger(),
    budget: fc.maxSafeNat(),
    seenQty: fc.maxSafeNat(),
  },
  { noNullPrototype: true },
);
