// Sources of index prices outside the venue. Types only; `test/contract/price-source.ts` is the contract test
// of every implementation.

/** A source's price of one symbol. */
export interface PriceReading {
  /** As spelled by the source. */
  readonly symbol: string;
  /** A positive decimal as written by the source. */
  readonly price: string;
  /** Time of the price, ms UTC; the time of reading if the source gives none. */
  readonly atMs: number;
}

export type PriceAnswer =
  | { readonly kind: "prices"; readonly readings: readonly PriceReading[] }
  /** The answer is unusable; `message` is for the operator and contains no secret. */
  | { readonly kind: "fault"; readonly message: string };

export interface PriceSource {
  /** For the operator: a host name, no secret. */
  readonly name: string;
  /** All current prices, each symbol at most once. Answers within its deadline and never throws. */
  read(): Promise<PriceAnswer>;
}
