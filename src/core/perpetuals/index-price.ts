// Index sources of a perpetual besides the venue's own spot market. Codes are journaled; the lower code has
// priority.

export const IndexOrigin = {
  /** Set by the operator. */
  operator: 0,
  /** An external price feed. */
  feed: 1,
} as const;
export type IndexOrigin = (typeof IndexOrigin)[keyof typeof IndexOrigin];

/** Number of sources. */
export const indexOriginCount = 2;

/** Averages of prices are kept in thousandths of a tick. */
export const basisDecimals = 3;
export const basisParts = 10 ** basisDecimals;

/** What the index of a perpetual is based on. Prices are thousandths of the perpetual's tick. */
export interface IndexState {
  /** The index; 0 if there was never one. */
  level: number;
  /** The last measured price that passed the jump check; 0 before the first. */
  believed: number;
  /** A price that jumped and awaits confirmation; 0 for none. */
  leap: number;
  /** How often in a row a price near `leap` was measured. */
  witnesses: number;
  /** False while no source gives a usable price; `level` then stays at its last value. */
  isFresh: boolean;
}
