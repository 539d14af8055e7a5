// Traffic charged for ledger submissions. Types only. Sizes are bytes.

import type { TrafficBase, TrafficLane } from "../../core/traffic.ts";

/** The network's report of the participant's traffic. */
export interface MeasuredTraffic {
  readonly base: TrafficBase;
  readonly extraPurchased: number;
  readonly extraConsumed: number;
}

export interface TrafficSource {
  /** Null if the network does not report it. */
  measure(): Promise<MeasuredTraffic | null>;
}

/** Charges of one lane within ten seconds. */
export interface LaneCharges {
  readonly startMs: number;
  readonly lane: TrafficLane;
  readonly bytes: number;
  readonly submissions: number;
  /** Of the most recent charge. */
  readonly lastBytes: number;
}

export interface TrafficState {
  /** Offset up to which charges were read; null before the first reading. */
  readonly offset: number | null;
  readonly base: TrafficBase;
}

export interface TrafficStore {
  state(): Promise<TrafficState>;
  /** Adds what was read after `from`, all or nothing; ignored if it was added before. */
  add(read: {
    readonly from: number | null;
    readonly through: number;
    readonly charges: readonly LaneCharges[];
    readonly base: TrafficBase;
    readonly readMs: number;
  }): Promise<void>;
  /** Replaces the modelled figures by the network's report. */
  correct(measured: MeasuredTraffic): Promise<void>;
  /** Bytes used by a lane in the window before `nowMs`. */
  used(lane: TrafficLane, nowMs: number): Promise<number>;
}

export interface LaneUse {
  readonly lane: TrafficLane;
  readonly bytes: number;
  readonly submissions: number;
  /** Null before the lane's first charge. */
  readonly lastBytes: number | null;
}

export interface TrafficUse {
  /** Every lane, in order. */
  readonly lanes: readonly LaneUse[];
  readonly base: TrafficBase;
  readonly isMeasured: boolean;
  /** Null if the network does not report it. */
  readonly extra: { readonly purchased: number; readonly consumed: number } | null;
  /** When completions were last read; 0 before the first reading. */
  readonly readMs: number;
  /** When wallets were last compared with the ledger; null before the first comparison. */
  readonly mirroredMs: number | null;
}

/** One of the operator's own traders. */
export interface FleetMember {
  readonly account: number;
  readonly name: string;
  readonly fills24h: number;
}

export interface TrafficReader {
  use(nowMs: number): Promise<TrafficUse>;
  /** House accounts with a key of the fleet, by account. */
  fleet(nowMs: number): Promise<FleetMember[]>;
  /** Fills of house accounts since a time that settle on the ledger. */
  houseFills(sinceMs: number): Promise<number>;
}
