// Traffic charged for ledger submissions. Types only. Sizes are bytes.

import type { TrafficBase, TrafficLane } from "../../core/traffic.ts";

/** The participant's traffic as the network reports it. */
export interface MeasuredTraffic {
  readonly base: TrafficBase;
  readonly extraPurchased: number;
  readonly extraConsumed: number;
}

export interface TrafficSource {
  /** Returns the measured traffic; null if the network does not report it. */
  measure(): Promise<MeasuredTraffic | null>;
}

/** Traffic charged to one lane within ten seconds. */
export interface LaneCharges {
  readonly startMs: number;
  readonly lane: TrafficLane;
  readonly bytes: number;
  readonly submissions: number;
  /** Bytes of the lane's most recent charge. */
  readonly lastBytes: number;
}

export interface TrafficState {
  /** Ledger offset up to which charges were read; null before the first read. */
  readonly offset: number | null;
  readonly base: TrafficBase;
}

export interface TrafficStore {
  state(): Promise<TrafficState>;
  /** Adds, in one transaction, charges read after the offset `from`. Does nothing if they were added before. */
  add(read: {
    readonly from: number | null;
    readonly through: number;
    readonly charges: readonly LaneCharges[];
    readonly base: TrafficBase;
    readonly readMs: number;
  }): Promise<void>;
  /** Replaces the estimated figures with the network's report. */
  correct(measured: MeasuredTraffic): Promise<void>;
  /** Returns the bytes that a lane used in the `trafficTerms.windowMs` before `nowMs`. */
  used(lane: TrafficLane, nowMs: number): Promise<number>;
}

export interface LaneUse {
  readonly lane: TrafficLane;
  readonly bytes: number;
  readonly submissions: number;
  /** Bytes of the lane's most recent charge; null before its first charge. */
  readonly lastBytes: number | null;
}

export interface TrafficUse {
  /** Every lane, in order. */
  readonly lanes: readonly LaneUse[];
  readonly base: TrafficBase;
  readonly isMeasured: boolean;
  /** Traffic purchased in addition to the base; null if the network does not report it. */
  readonly extra: { readonly purchased: number; readonly consumed: number } | null;
  /** Time at which completions were last read, in milliseconds; 0 before the first read. */
  readonly readMs: number;
  /**
   * Time at which the wallets were last compared with the ledger, in milliseconds; null before the first comparison.
   */
  readonly mirroredMs: number | null;
}

/** One of the operator's own traders. */
export interface FleetMember {
  readonly account: number;
  readonly name: string;
  readonly fills24h: number;
}

export interface TrafficReader {
  /** Whether the operator has traders of its own. */
  hasFleet(): Promise<boolean>;
  use(nowMs: number): Promise<TrafficUse>;
  /** Returns the house accounts that have an API key of the operator's own traders, ordered by account. */
  fleet(nowMs: number): Promise<FleetMember[]>;
  /** Returns the number of fills of house accounts since a time, counting only fills that settle on the ledger. */
  houseFills(sinceMs: number): Promise<number>;
}
