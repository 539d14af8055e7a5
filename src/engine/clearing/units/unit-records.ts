// One record of each kind is reused for every event: what is told of one must not be kept.
//
// Each is written out in full. A literal that spreads another gets a hidden class of its own for every
// object it makes, and code that meets many of those is several times slower.

import type {
  MatchPrevented,
  OrderAccepted,
  OrderAmended,
  OrderClosed,
  OrderReduced,
  OrderTriggered,
  SpecialAccepted,
  Traded,
} from "../../../core/events.ts";
import { EventKind } from "../../../core/events.ts";
import { StpMode } from "../../../core/orders.ts";

export function emptyAccepted(): OrderAccepted {
  return {
    seq: 0,
    tsUs: 0,
    account: 0,
    isUnitEnd: false,
    kind: EventKind.orderAccepted,
    orderId: 0,
    market: 0,
    side: 0,
    type: 0,
    timeInForce: 0,
    price: 0,
    qty: 0,
    marginPrice: 0,
    marginLots: 0,
    isReduceOnly: false,
    stpMode: 0,
    clientId: "",
  };
}

export function emptySpecial(): SpecialAccepted {
  return {
    seq: 0,
    tsUs: 0,
    account: 0,
    isUnitEnd: false,
    kind: EventKind.specialAccepted,
    orderId: 0,
    market: 0,
    side: 0,
    type: 0,
    timeInForce: 0,
    price: 0,
    qty: 0,
    marginPrice: 0,
    marginLots: 0,
    isReduceOnly: false,
    stpMode: 0,
    clientId: "",
    quoteQty: 0n,
    goodTillUs: 0,
    triggerPrice: 0,
    workingPrice: 0,
    trailingBps: 0,
    activationPrice: 0,
    closesPosition: false,
  };
}

export function emptyTriggered(): OrderTriggered {
  return {
    seq: 0,
    tsUs: 0,
    account: 0,
    isUnitEnd: false,
    kind: EventKind.orderTriggered,
    orderId: 0,
    market: 0,
    price: 0,
    qty: 0,
    marginPrice: 0,
  };
}

export function emptyAmended(): OrderAmended {
  return {
    seq: 0,
    tsUs: 0,
    account: 0,
    isUnitEnd: false,
    kind: EventKind.orderAmended,
    orderId: 0,
    market: 0,
    price: 0,
    qty: 0,
    marginPrice: 0,
    isRequeued: false,
  };
}

export function emptyReduced(): OrderReduced {
  return {
    seq: 0,
    tsUs: 0,
    account: 0,
    isUnitEnd: false,
    kind: EventKind.orderReduced,
    orderId: 0,
    market: 0,
    qty: 0,
  };
}

export function emptyPrevented(): MatchPrevented {
  return {
    seq: 0,
    tsUs: 0,
    account: 0,
    isUnitEnd: false,
    kind: EventKind.matchPrevented,
    market: 0,
    takerOrderId: 0,
    makerOrderId: 0,
    stpMode: StpMode.skip,
    price: 0,
    takerQty: 0,
    makerQty: 0,
  };
}

export function emptyTraded(): Traded {
  return {
    seq: 0,
    tsUs: 0,
    account: 0,
    isUnitEnd: false,
    kind: EventKind.traded,
    tradeId: 0,
    market: 0,
    takerSide: 0,
    takerOrderId: 0,
    makerOrderId: 0,
    makerAccount: 0,
    price: 0,
    qty: 0,
    takerFee: 0n,
    makerFee: 0n,
    takerPnl: 0n,
    makerPnl: 0n,
  };
}

export function emptyClosed(): OrderClosed {
  return {
    seq: 0,
    tsUs: 0,
    account: 0,
    isUnitEnd: false,
    kind: EventKind.orderClosed,
    orderId: 0,
    market: 0,
    reason: 0,
  };
}
