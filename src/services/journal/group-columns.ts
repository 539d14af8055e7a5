// An empty group, column by column. A group is filled by the projection and written by the event
// store; nothing here knows what the columns mean.

import type { JournalGroup } from "../../ports/journal/event-store.ts";

/** A group without events whose first event will be `firstSeq`. */
export function emptyGroup(firstSeq: number): JournalGroup {
  return {
    firstSeq,
    count: 0,
    bytes: new Uint8Array(),
    lengths: [],
    tsUs: [],
    kinds: [],
    accounts: [],
    orders: emptyOrders(),
    orderStates: { orderId: [], filledQty: [], filledQuote: [], status: [], updatedUs: [] },
    orderDetails: emptyDetails(),
    fills: emptyFills(),
    candles: emptyCandles(),
    accountRows: { account: [], type: [], flags: [], openedUs: [] },
    keyStates: { keyId: [], tier: [], permissions: [], revokedUs: [] },
    marketStates: { market: [], status: [] },
    balances: { account: [], wallet: [], asset: [], total: [], reserved: [] },
    positions: {
      account: [],
      market: [],
      qty: [],
      entryValue: [],
      realisedPnl: [],
      leverage: [],
    },
  };
}

function emptyOrders(): JournalGroup["orders"] {
  return {
    orderId: [],
    account: [],
    market: [],
    clientId: [],
    side: [],
    type: [],
    timeInForce: [],
    price: [],
    qty: [],
    createdUs: [],
    filledQty: [],
    filledQuote: [],
    status: [],
    updatedUs: [],
  };
}

function emptyDetails(): JournalGroup["orderDetails"] {
  return {
    orderId: [],
    price: [],
    qty: [],
    flags: [],
    stpMode: [],
    quoteQty: [],
    goodTillUs: [],
    triggerPrice: [],
    workingPrice: [],
    trailingBps: [],
    activationPrice: [],
    triggeredUs: [],
  };
}

function emptyFills(): JournalGroup["fills"] {
  return {
    tradeId: [],
    tsUs: [],
    market: [],
    takerSide: [],
    price: [],
    qty: [],
    quote: [],
    takerOrderId: [],
    makerOrderId: [],
    takerAccount: [],
    makerAccount: [],
    takerFee: [],
    makerFee: [],
    takerPnl: [],
    makerPnl: [],
  };
}

function emptyCandles(): JournalGroup["candles"] {
  return {
    market: [],
    intervalMs: [],
    openTimeMs: [],
    open: [],
    high: [],
    low: [],
    close: [],
    volume: [],
    quote: [],
    count: [],
    takerBuyVolume: [],
    takerBuyQuote: [],
  };
}
