// Sources of index prices outside the venue. Types only; `test/contract/price-source.ts` is the contract test
// of every implementation.

/** The price of one symbol at a source. */
export interface PriceReading {
  /** The symbol as the source spells it. */
  readonly symbol: string;
  /** The price as the source writes it, a positive decimal. */
  readonly price: string;
  /** Time of the price in milliseconds UTC. If the source gives no time, it is the time at which the price was read. */
  readonly atMs: number;
}

export type PriceAnswer =
  | { readonly kind: "prices"; readonly readings: readonly PriceReading[] }
  /** The source's answer cannot be used. `message` is for the operator and contains no secret. */
  | { readonly kind: "fault"; readonly message: string };

/** Whether a source gives prices, for the operator. */
export interface PriceSourceState {
  /** As `PriceSource.name`. */
  readonly name: string;
  /** Since when it has given none, in milliseconds UTC, and why; null while it does. */
  readonly failing: { readonly sinceMs: number; readonly message: string } | null;
}

export interface PriceSource {
  /** Host name of the source, shown to the operator; it contains no secret. */
  readonly name: string;
  /** Returns all current prices, each symbol at most once. Answers within the source's deadline and never throws. */
  read(): Promise<PriceAnswer>;
}
