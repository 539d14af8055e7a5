// Safety figures shared between threads: the newest snapshot with the result of its sum check, the newest sealed epoch,
// the newest confirmed epoch and the newest statement of liabilities. The main thread writes all of them except the
// confirmed epoch, which the settlement thread writes.
//
//   Float64 0             1                2             3              4                 5              6
//   ┌────────────────────┬────────────────┬─────────────┬──────────────┬─────────────────┬──────────────┬──────────────┐
//   │ snapshot seq       │ assets astray  │ epoch in ms │ sealed epoch │ confirmed epoch │ stated epoch │ solvency     │
//   └────────────────────┴────────────────┴─────────────┴──────────────┴─────────────────┴──────────────┴──────────────┘
//           7                 8
//   ┌──────────────────────┬─────────────────────────────────┐
//   │ ms of the statement  │ assets with a deficit, as bits  │   0 in each: not known yet, or none
//   └──────────────────────┴─────────────────────────────────┘

import { assetsMax } from "../../core/limits.ts";

const slots = {
  ...{ snapshotSeq: 0, assetsAstray: 1, epochMs: 2, sealedEpoch: 3, confirmedEpoch: 4 },
  ...{ statedEpoch: 5, solvency: 6, statementMs: 7, deficits: 8 },
};

/** What the newest statement of liabilities says of the venue's assets, by number in the shared memory. */
export const solvencies = ["unknown", "ok", "deficit"] as const;
export type Solvency = (typeof solvencies)[number];

export interface StatedFigures {
  readonly epoch: number;
  readonly solvency: Solvency;
  readonly deficits: readonly number[];
  readonly tookMs: number;
}

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

  /** Records a statement of liabilities, and how long it took; `deficits` has the ids of assets. */
  stated({ epoch, solvency, deficits, tookMs }: StatedFigures): void {
    this.#f64[slots.deficits] = deficits.reduce((bits, asset) => bits | (1 << asset), 0);
    this.#f64[slots.solvency] = solvencies.indexOf(solvency);
    this.#f64[slots.statementMs] = tookMs;
    this.#f64[slots.statedEpoch] = epoch;
  }

  /** Whether the venue's assets cover its liabilities by the newest statement since the start. Spec LIA-11. */
  get solvency(): Solvency {
    return solvencies[this.#f64[slots.solvency] ?? 0] ?? "unknown";
  }

  /** The ids of assets of which custody holds less than the venue owes, by that statement. */
  get deficits(): number[] {
    const bits = this.#f64[slots.deficits] ?? 0;
    return Array.from({ length: assetsMax }, (_, asset) => asset).filter(
      (asset) => (bits & (1 << asset)) !== 0,
    );
  }

  /** Seconds since the end of the newest epoch that is stated; null before the first. */
  statedLagSeconds(nowMs: number): number | null {
    return this.#lagOf(this.#f64[slots.statedEpoch] ?? 0, nowMs);
  }

  /** Seconds that the newest statement took; null before the first. */
  get statementSeconds(): number | null {
    const isStated = (this.#f64[slots.statedEpoch] ?? 0) > 0;
    return isStated ? (this.#f64[slots.statementMs] ?? 0) / 1000 : null;
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
