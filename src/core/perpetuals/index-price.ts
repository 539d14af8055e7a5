// Where the index of a perpetual comes from beside the venue's own spot market. Codes are journaled, and
// the lower code is believed first.

export const IndexOrigin = {
  /** The operator's word. */
  operator: 0,
  /** A price feed outside the venue. */
  feed: 1,
} as const;
export type IndexOrigin = (typeof IndexOrigin)[keyof typeof IndexOrigin];

/** Sources there can be. */
export const indexOriginCount = 2;

/** Averages of prices are kept in thousandths of a tick. */
export const basisDecimals = 3;
export const basisParts = 10 ** basisDecimals;

/** What the index of a perpetual rests on. Prices are thousandths of the perpetual's tick. */
export interface IndexState {
  /** The index; 0 where there never was one. */
  level: number;
  /** The last price that was believed; 0 before the first. */
  believed: number;
  /** A price that leapt, and how often its like was measured in a row; 0 for none. */
  leap: number;
  witnesses: number;
  /** False while nothing backs the level: then it is the last good one. */
  isFresh: boolean;
}
