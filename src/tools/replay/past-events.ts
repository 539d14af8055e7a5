// What a recorded market consists of, whatever format it was recorded in: trades, and the depth at moments. Prices and
// quantities are ticks and lots of the market on which they are replayed.

/** Price in ticks and quantity in lots of a level. */
export type PastLevel = readonly [price: number, qty: number];

/** The best levels of both sides at a moment, best first. */
export interface PastBook {
  readonly kind: "book";
  /** Microseconds UTC. */
  readonly atUs: number;
  readonly bids: readonly PastLevel[];
  readonly asks: readonly PastLevel[];
}

/** One recorded trade. */
export interface PastTrade {
  readonly kind: "trade";
  /** Microseconds UTC. */
  readonly atUs: number;
  /** Whether the incoming order bought. */
  readonly isBuy: boolean;
  readonly price: number;
  readonly qty: number;
  /** Of a made market: which account of its crowd sent the order, instead of the taker. */
  readonly by?: number;
}

export type PastEvent = PastBook | PastTrade;

/** The steps of the market, as numbers of decimals. */
export interface MarketSteps {
  readonly tickDecimals: number;
  readonly lotDecimals: number;
}
