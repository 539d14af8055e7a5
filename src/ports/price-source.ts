// Whoever says what coins are worth outside the venue. Types only; `test/contract/price-source.ts` judges
// every one of them.

/** What a source says of one symbol. */
export interface PriceReading {
  /** As the source spells it. */
  readonly symbol: string;
  /** A positive decimal as the source wrote it. */
  readonly price: string;
  /** Milliseconds UTC at which the source had it; when it was read where the source does not say. */
  readonly atMs: number;
}

export type PriceAnswer =
  | { readonly kind: "prices"; readonly readings: readonly PriceReading[] }
  /** Nothing can be believed of this answer; `words` are for the operator and carry no secret. */
  | { readonly kind: "fault"; readonly message: string };

export interface PriceSource {
  /** For the operator: a host name, no secret. */
  readonly name: string;
  /** All the source says now, a symbol at most once. Answers within its deadline and never throws. */
  read(): Promise<PriceAnswer>;
}
