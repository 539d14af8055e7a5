// Safety figures shared between threads: the newest snapshot with the result of its sum check, the newest sealed epoch
// and the newest confirmed epoch. The main thread writes all of them except the confirmed epoch, which the settlement
// thread writes.
//
//   Float64 0             1                2             3              4
//   ┌────────────────────┬────────────────┬─────────────┬──────────────┬─────────────────┐
//   │ snapshot seq       │ assets astray  │ epoch in ms │ sealed epoch │ confirmed epoch │   0: not known yet
//   └────────────────────┴────────────────┴─────────────┴──────────────┴─────────────────┘

const slots = { snapshotSeq: 0, assetsAstray: 1, epochMs: 2, sealedEpoch: 3, confirmedEpoch: 4 };

export class SafetyFigures {
  readonly #f64: Float64Array;

  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(Object.keys(slots).length * Float64Array.BYTES_PER_ELEMENT);
  }

  constructor(memory: SharedArrayBuffer) {
    this.#f64 = new Float64Array(memory);
  }

  /**
   * Records a snapshot of `seq` that was built or loaded. `assetsAstray` is the number of assets in which the sum over
   * all accounts differs from the net deposits.
   */
  folded(seq: number, assetsAstray: number): void {
    this.#f64[slots.assetsAstray] = assetsAstray;
    this.#f64[slots.snapshotSeq] = seq;
  }

  /** Records that every epoch up to this one is sealed. */
  sealed(epoch: number, epochMs: number): void {
    this.#f64[slots.epochMs] = epochMs;
    this.#f64[slots.sealedEpoch] = epoch;
  }

  /** Records that every epoch up to this one is confirmed on the ledger. */
  confirmed(epoch: number): void {
    this.#f64[slots.confirmedEpoch] = epoch;
  }

  /** Seq of the newest snapshot that was built or loaded; 0 before the first. */
  get snapshotSeq(): number {
    return this.#f64[slots.snapshotSeq] ?? 0;
  }

  get assetsAstray(): number {
    return this.#f64[slots.assetsAstray] ?? 0;
  }

  /** The newest sealed epoch; 0 while it is unknown. */
  get sealedEpoch(): number {
    return this.#f64[slots.sealedEpoch] ?? 0;
  }

  /** Returns the seconds since the end of the newest sealed epoch; null if unknown. */
  sealedLagSeconds(nowMs: number): number | null {
    return this.#lagOf(this.sealedEpoch, nowMs);
  }

  /** Returns the seconds since the end of the newest confirmed epoch; null if unknown. */
  confirmedLagSeconds(nowMs: number): number | null {
    return this.#lagOf(this.#f64[slots.confirmedEpoch] ?? 0, nowMs);
  }

  #lagOf(epoch: number, nowMs: number): number | null {
    const epochMs = this.#f64[slots.epochMs] ?? 0;
    if (epoch === 0 || epochMs === 0) return null;
    const lagMs = nowMs - (epoch + 1) * epochMs;
    // An epoch that was sealed long before its end is as wrong as one sealed late, so report the absolute difference.
    return (lagMs < -epochMs ? -lagMs : Math.max(0, lagMs)) / 1000;
  }
}
