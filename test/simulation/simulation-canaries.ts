// All canaries of a simulation run. A canary is a deliberate bug that breaks one guarantee of the venue; a run with a
// canary must fail.

import type { EpochCanary } from "./epochs/simulated-epochs.ts";
import type { SettlementSimulationCanary } from "./settlement/settlement-simulation.ts";
import type { WitnessCanary } from "./simulation-witness.ts";
import type { SwapCanary } from "./swaps/simulated-swaps.ts";
import { commitCanaries } from "./venue/simulated-commits.ts";
import type { StoreCanary } from "./venue/simulated-store.ts";
import type { ThreadsCanary } from "./venue/simulated-threads.ts";

export type Canary =
  | StoreCanary
  | SettlementSimulationCanary
  | EpochCanary
  | SwapCanary
  | WitnessCanary
  | ThreadsCanary;

export const settlementSimulationCanaries: readonly SettlementSimulationCanary[] = [
  ...(["makes-coins", "commits-twice", "forgets-names", "loses-a-fill"] as const),
  ...(["settles-again", "frees-too-little", "forgets-a-coin", "credits-twice"] as const),
];
export const epochCanaries: readonly EpochCanary[] = [
  ...(["skips-an-epoch", "tears-a-leaf", "seals-twice", "believes-in-silence"] as const),
];
export const swapCanaries: readonly SwapCanary[] = [
  ...(["pays-one-leg", "forgets-a-settlement", "lapses-early"] as const),
  ...(["moves-without-guard", "loses-a-move", "ends-anothers"] as const),
];
export const witnessCanaries: readonly WitnessCanary[] = [
  ...(["answers-twice", "hides-an-answer", "skips-an-event"] as const),
];
export const storeCanaries: readonly StoreCanary[] = [
  ...commitCanaries,
  ...(["forgets-a-batch", "writes-twice", "tears-a-batch"] as const),
];
export const threadsCanaries: readonly ThreadsCanary[] = [
  ...(["forgets-an-order", "forgets-the-book", "takes-the-younger-first"] as const),
  ...(["leaves-a-trace", "takes-cash-from-nothing", "holds-too-much"] as const),
  ...(["changes-without-event", "recovers-without-prices"] as const),
];
