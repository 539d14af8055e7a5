// One record of each kind is reused for every event: what is told of one must not be kept.

import type {
  OrderAccepted,
  OrderAmended,
  OrderClosed,
  OrderReduced,
  OrderTriggered,
  SpecialAccepted,
  Traded,
} from "../../core/events.ts";
import { EventKind } from "../../core/events.ts";
import { noOptions } from "../../core/orders.ts";

const header = { seq: 0, tsUs: 0, account: 0, isUnitEnd: false };

export function emptyAccepted(): OrderAccepted {
  return {
    ...header,
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
  return { ...emptyAccepted(), ...noOptions, kind: EventKind.specialAccepted };
}

export function emptyTriggered(): OrderTriggered {
  return {
    ...header,
    kind: EventKind.orderTriggered,
    orderId: 0,
    market: 0,
    price: 0,
    qty: 0,
    marginPrice: 0,
  };
}

export function emptyAmended(): OrderAmended {
  return { ...emptyTriggered(), kind: EventKind.orderAmended, isRequeued: false };
}

export function emptyReduced(): OrderReduced {
  return { ...header, kind: EventKind.orderReduced, orderId: 0, market: 0, qty: 0 };
}

export function emptyTraded(): Traded {
  return {
    ...header,
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
  return { ...header, kind: EventKind.orderClosed, orderId: 0, market: 0, reason: 0 };
}
