// Decides the market's time with which a venue that can be rewound starts. The market's time never goes back: it
// continues from the newest event, or from the end of the newest sealed epoch if that is later, because entries after it
// belong to later epochs. Nothing is added for the time in which the venue was stopped. Nothing here reads a clock.

export interface MarketStartFacts {
  /** The time that `--market-time` gives in ms; null without it. */
  readonly wantedMs: number | null;
  /** The time of the newest event in ms, with fractions; 0 for an empty journal. */
  readonly journalMs: number;
  /** The end of the newest sealed epoch in ms; 0 if none is sealed. */
  readonly sealedMs: number;
  /** The edge's time in ms, with which the market of an empty venue begins. */
  readonly edgeMs: number;
}

/** Returns the market's time of a start in whole ms, or the earliest time that it could have. Spec REW-14. */
export function marketStartOf({
  wantedMs,
  journalMs,
  sealedMs,
  edgeMs,
}: MarketStartFacts): { readonly startMs: number } | { readonly earliestMs: number } {
  const earliestMs = Math.max(Math.ceil(journalMs), sealedMs);
  if (wantedMs !== null) return wantedMs < earliestMs ? { earliestMs } : { startMs: wantedMs };
  return { startMs: earliestMs > 0 ? earliestMs : edgeMs };
}
