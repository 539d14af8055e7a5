// Adds the results of settlement, swaps and epochs to the counts of a simulation run.

import { SwapState } from "../../src/core/swaps.ts";
import type { VenueState } from "../../src/engine/state/venue-state.ts";
import type { SimulatedEpochs } from "./epochs/simulated-epochs.ts";
import type { SettlementSimulation } from "./settlement/settlement-simulation.ts";
import { type SimulationCounts, swapEnd } from "./simulation-counts.ts";
import type { SimulatedSwaps } from "./swaps/simulated-swaps.ts";

export interface OutcomeParts {
  readonly settlement: SettlementSimulation;
  readonly swaps: SimulatedSwaps;
  readonly epochs: SimulatedEpochs;
  readonly state: VenueState;
}

export function countOutcomes(counts: SimulationCounts, parts: OutcomeParts): void {
  const { settlement, swaps, epochs, state: known } = parts;
  const { cycles, audit, ledger } = settlement;
  counts.cycles = cycles;
  counts.fills = audit.fills;
  counts.settled = ledger.settled.length;
  counts.swaps = swaps.rows.all.length;
  for (const { reason, state, trader } of swaps.rows.all) {
    const isOfWallet = known.accounts.isWallet(trader.account);
    if (state === SwapState.settled && isOfWallet) counts.walletSwaps++;
    const end = swapEnd(reason);
    counts[end] = (counts[end] ?? 0) + 1;
  }
  counts.epochs = epochs.rows.sealed.length;
  for (const struck of ledger.participant.struck.values()) counts.ledgerFaults += struck;
}
