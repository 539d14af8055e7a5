// Counts of a simulation run, for reports.

import { SwapReason, swapReasonNames } from "../../src/core/swaps.ts";

/** Settled, or the reason why not. */
export type SwapEnd = `swap_${string}`;

export interface SimulationCounts {
  commands: number;
  answers: number;
  /** Commands sent to a venue that died before it answered. */
  unknown: number;
  /** Commands not sent because a ring was full. */
  full: number;
  /** Refusals of clearing that were checked. */
  refusals: number;
  events: number;
  trades: number;
  deaths: number;
  /** Of them, deaths in which a commit still landed. */
  landed: number;
  /** Failed commits in a running venue, written or not; and how many of them landed late. */
  commitsLost: number;
  commitsFound: number;
  commitsStrayed: number;
  /** Failed lookups after a failed commit, including failed sessions; batches that failed more than once. */
  looksFailed: number;
  commitsFailedAgain: number;
  /** Database faults that stopped the venue. */
  faults: number;
  /** Database halts, frozen threads, and jumps of the clock. */
  halts: number;
  freezes: number;
  jumps: number;
  /** Changes of the ledger clock's offset. */
  skews: number;
  snapshots: number;
  /** Settlement cycles, fills to settle, and failed ledger submissions. */
  cycles: number;
  fills: number;
  settled: number;
  ledgerFaults: number;
  swaps: number;
  /** Of them, settled swaps of wallet-funded accounts. */
  walletSwaps: number;
  [end: SwapEnd]: number;
  /** Sealed epochs, and those on the ledger. */
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

/** The end of a swap by its reason. */
export function swapEnd(reason: SwapReason): SwapEnd {
  return `swap_${swapReasonNames[reason] ?? "settled"}`;
}
