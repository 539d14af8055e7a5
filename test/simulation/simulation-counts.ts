// The counts of a simulation run, for its report and for the lower bounds in tests.

import { SwapReason, swapReasonNames } from "../../src/core/swaps.ts";

/** How a swap ended: `swap_settled`, or `swap_` with the reason why it did not settle. */
export type SwapEnd = `swap_${string}`;

export interface SimulationCounts {
  commands: number;
  answers: number;
  /** Commands without an answer because the venue died first. */
  unknown: number;
  /** Commands that were not sent because a ring was full. */
  full: number;
  /** Refused commands that were checked to have changed nothing. */
  refusals: number;
  events: number;
  trades: number;
  deaths: number;
  /** Deaths of the venue after which its pending commit still became durable. */
  landed: number;
  /**
   * Failed commits of a running venue, by what became of the batch: it was lost, it had been written, or it was written
   * later.
   */
  commitsLost: number;
  commitsFound: number;
  commitsStrayed: number;
  /** Failed database calls that were not commits, and batches that failed more than once. */
  looksFailed: number;
  commitsFailedAgain: number;
  /** Database faults that stopped the venue. */
  faults: number;
  /** Database halts, frozen threads, and jumps of the clock. */
  halts: number;
  freezes: number;
  jumps: number;
  /** Changes of the difference between the ledger's clock and the venue's. */
  skews: number;
  snapshots: number;
  /** Settlement cycles, fills to settle, settlements on the ledger, and failed ledger submissions. */
  cycles: number;
  fills: number;
  settled: number;
  ledgerFaults: number;
  swaps: number;
  /** Settled swaps of wallet-funded accounts. */
  walletSwaps: number;
  [end: SwapEnd]: number;
  /** Sealed epochs; at the end of a run all of them are on the ledger. */
  epochs: number;
}

export function noCounts(): SimulationCounts {
  return {
    ...{ commands: 0, answers: 0, unknown: 0, full: 0, events: 0, trades: 0, deaths: 0, landed: 0 },
    ...{ commitsLost: 0, commitsFound: 0, commitsStrayed: 0, looksFailed: 0 },
    ...{ commitsFailedAgain: 0, faults: 0 },
    ...{ refusals: 0, halts: 0, freezes: 0, jumps: 0, skews: 0, snapshots: 0 },
    ...Object.fromEntries(Object.values(SwapReason).map((reason) => [swapEnd(reason), 0])),
    ...{ cycles: 0, fills: 0, settled: 0, ledgerFaults: 0, swaps: 0, walletSwaps: 0, epochs: 0 },
  };
}

/** Returns the count name for a swap that ended with this reason. */
export function swapEnd(reason: SwapReason): SwapEnd {
  return `swap_${swapReasonNames[reason] ?? "settled"}`;
}
