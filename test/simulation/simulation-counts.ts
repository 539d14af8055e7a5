// What a simulation run held, for reports.

import { SwapReason, swapReasonNames } from "../../src/core/swaps.ts";

/** Settled, or why not. */
export type SwapEnd = `swap_${string}`;

export interface SimulationCounts {
  commands: number;
  answers: number;
  /** Sent, and the venue died before it answered. */
  unknown: number;
  /** Not taken, because a ring was full. */
  full: number;
  /** Refusals of clearing that were looked at. */
  refusals: number;
  events: number;
  trades: number;
  deaths: number;
  /** Of them, those in which a commit landed without its writer. */
  landed: number;
  /** Commits that failed in a living venue: nothing was written, or it was; of them, those that landed late. */
  commitsLost: number;
  commitsFound: number;
  commitsStrayed: number;
  /** Looks what became of one, or sessions for it, that failed too; batches that failed more than once. */
  looksFailed: number;
  commitsFailedAgain: number;
  /** Faults of the database that ended the venue. */
  faults: number;
  /** Halts of the database, threads that got no time, and jumps of the clock. */
  halts: number;
  freezes: number;
  jumps: number;
  /** Changes of what the ledger's clock is off by. */
  skews: number;
  snapshots: number;
  /** Settlement cycles, fills for the ledger, and what the ledger was sent that went wrong. */
  cycles: number;
  fills: number;
  settled: number;
  ledgerFaults: number;
  swaps: number;
  /** Of them, those of wallet-funded accounts that were settled. */
  walletSwaps: number;
  /** How they ended. */
  [end: SwapEnd]: number;
  /** Sealed, and on the ledger. */
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

/** How a swap ended, by the reason that it has then. */
export function swapEnd(reason: SwapReason): SwapEnd {
  return `swap_${swapReasonNames[reason] ?? "settled"}`;
}
