// Places times of the machine on the market's time. The market may be paused, sped up or set, so the two are compared where
// both are known: an order has the machine's time of its request in the log and the market's in the journal. Between two such
// orders the market's time is taken as even; before the first and after the last as real.

export interface TimePair {
  /** Unix ms of the machine. */
  readonly machineMs: number;
  /** Microseconds of the market. */
  readonly marketUs: number;
}

export class MarketTimeOf {
  readonly #pairs: readonly TimePair[];

  /** The pairs may be in any order. */
  constructor(pairs: readonly TimePair[]) {
    this.#pairs = [...pairs].sort((one, other) => one.machineMs - other.machineMs);
  }

  /** The market's time, in microseconds, at a time of the machine; null if nothing is known of either. */
  at(machineMs: number): number | null {
    const pairs = this.#pairs;
    let [from, to] = [0, pairs.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((pairs[middle]?.machineMs ?? 0) <= machineMs) from = middle + 1;
      else to = middle;
    }
    const before = pairs[Math.max(0, from - 1)];
    const after = pairs[from];
    if (before === undefined) return null;
    const sinceMs = machineMs - before.machineMs;
    if (from === 0 || after === undefined) return Math.round(before.marketUs + sinceMs * 1000);
    const share = sinceMs / (after.machineMs - before.machineMs);
    return Math.round(before.marketUs + share * (after.marketUs - before.marketUs));
  }
}
