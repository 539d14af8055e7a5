// On which terms an admitted order goes to its matcher, or waits.

export interface OrderTerms {
  /** Ticks; for what trades at the market the protection price, 0 with nothing to trade with. */
  price: number;
  /** Lots to place: the order's own, those its amount could buy, or those of the position it closes. */
  qty: number;
  marginPrice: number;
  marginLots: number;
  /** What to reserve, in minor units of the held asset. */
  hold: bigint;
  /** The part of the hold that covers what the order loses at the mark. */
  loss: bigint;
  /** The most Σ ticks × lots to trade; 0 for no such bound. */
  budget: number;
}

/** Terms to fill in. */
export function emptyTerms(): OrderTerms {
  return { price: 0, qty: 0, marginPrice: 0, marginLots: 0, hold: 0n, loss: 0n, budget: 0 };
}
