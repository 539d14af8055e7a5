// What submissions to the ledger cost, as it is read, kept and shown. Types only. Sizes are bytes.

import type { TrafficBase, TrafficLane } from "../../core/traffic.ts";

/** What the network says of the participant's own traffic. */
export interface MeasuredTraffic {
  readonly base: TrafficBase;
  readonly extraPurchased: number;
  readonly extraConsumed: number;
}

export interface TrafficSource {
  /** Null where the network does not say. */
  measure(): Promise<MeasuredTraffic | null>;
}

/** Charges of ten seconds and one lane. */
export interface LaneCharges {
  readonly startMs: number;
  readonly lane: TrafficLane;
  readonly bytes: number;
  readonly submissions: number;
  /** Of the last of them. */
  readonly lastBytes: number;
}

export interface TrafficState {
  /** Up to which offset charges were read; null before the first time. */
  readonly offset: number | null;
  readonly base: TrafficBase;
}

export interface TrafficStore {
  state(): Promise<TrafficState>;
  /** Adds what was read behind `from`, all or nothing; nothing where it was read already. */
  add(read: {
    readonly from: number | null;
    readonly through: number;
    readonly charges: readonly LaneCharges[];
    readonly base: TrafficBase;
    readonly readMs: number;
  }): Promise<void>;
  /** The network's own word takes the place of what was modelled. */
  correct(measured: MeasuredTraffic): Promise<void>;
  /** Bytes of a lane in the window before `nowMs`. */
  used(lane: TrafficLane, nowMs: number): Promise<number>;
}

export interface LaneUse {
  readonly lane: TrafficLane;
  readonly bytes: number;
  readonly submissions: number;
  /** Null before the lane's first. */
  readonly lastBytes: number | null;
}

export interface TrafficUse {
  /** Every lane, in order. */
  readonly lanes: readonly LaneUse[];
  readonly base: TrafficBase;
  readonly isMeasured: boolean;
  /** Null where the network does not say. */
  readonly extra: { readonly purchased: number; readonly consumed: number } | null;
  /** When completions were last read; 0 before the first time. */
  readonly readMs: number;
  /** When wallets were last compared with the ledger; null before the first time. */
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
