// Assembles the execution of swaps: ledger follower, quote rounds, executor and journal recorder. The execution can
// stop or crash at any point; the next start continues from the database tables.

import { PublicIdKind, parsePublicId } from "../../core/ids/public-id.ts";
import type { MarketTable } from "../../core/markets.ts";
import { swapReasonNames, swapStateNames } from "../../core/swaps.ts";
import type { ClearingClient } from "../../ports/clearing-client.ts";
import type { Instrument } from "../../ports/ledger/ledger.ts";
import type { Log } from "../../ports/log.ts";
import type { LiquidityProviders } from "../../ports/swaps/liquidity-providers.ts";
import type { SwapLedger } from "../../ports/swaps/swap-ledger.ts";
import type { SwapStore } from "../../ports/swaps/swap-store.ts";
import { MoveRecorder } from "./move-recorder.ts";
import { QuoteRounds } from "./quote-rounds.ts";
import { SwapCycle } from "./swap-cycle.ts";
import { SwapExecutor, type SwapExecutorParts } from "./swap-executor.ts";
import { SwapFollower } from "./swap-follower.ts";
import { SwapLoop, type SwapSettings } from "./swap-loop.ts";
import { SwapSteps } from "./swap-steps.ts";

const listedMax = 200;

/** The calls that the operator may make. */
export function swapCalls(store: SwapStore) {
  return {
    /** Swaps that have not ended. */
    swaps: () => listSwaps(store),
    /** Aborts a swap; refuses with a message for the operator if it has ended or is being settled. */
    abortSwap: (swapId: string) => abortSwap(store, swapId),
  };
}

async function listSwaps(store: SwapStore): Promise<object> {
  const open = await store.open(listedMax);
  const swaps = open.map((swap) => ({
    swap: swap.swapId,
    account: swap.trader.account,
    status: swapStateNames[swap.state],
    reason: swapReasonNames[swap.reason],
    provider: swap.taken?.provider ?? null,
    ends_at: new Date(swap.dueMs).toISOString(),
    outcome: swap.isUnknown ? "unknown" : "known",
  }));
  return { swaps };
}

async function abortSwap(store: SwapStore, swapId: string): Promise<object> {
  const named = parsePublicId(PublicIdKind.swap, swapId);
  const swap = named === null ? null : await store.swap(named.number);
  if (swap === null || swap.swapId !== swapId.toLowerCase())
    throw new Error(`there is no swap ${swapId}`);
  if (!(await store.requestAbort(swap.swapNo)))
    throw new Error(`swap ${swapId} is ${swapStateNames[swap.state]}: it cannot be aborted`);
  return { swap: swap.swapId, was: swapStateNames[swap.state] };
}

export interface SwapExecutionParts {
  readonly settings: SwapSettings;
  readonly store: SwapStore;
  readonly ledger: SwapLedger;
  readonly providers: LiquidityProviders;
  readonly clearing: ClearingClient;
  readonly table: MarketTable;
  /** Instruments on the ledger, by asset. */
  readonly instruments: ReadonlyMap<number, Instrument>;
  /** Key of the tags that hide traders from providers. */
  readonly tagKey: Uint8Array;
  readonly hostSigner: (party: string, publicKey: string) => Promise<void>;
  readonly chooseCoins: SwapExecutorParts["chooseCoins"];
  readonly retryDelayMs: SwapExecutorParts["retryDelayMs"];
  readonly onMemberLocked: SwapExecutorParts["onMemberLocked"];
  readonly newId: () => string;
  /** The venue's time in ms. */
  readonly now: () => number;
  readonly log: Log;
}

/** Starts the swap cycles at once and returns their loop. Its `wake` must be called when a swap row has changed. */
export function runSwaps(parts: SwapExecutionParts): SwapLoop {
  const held: { loop: SwapLoop | null } = { loop: null };
  const cycle = createSwapCycle({ ...parts, wake: () => held.loop?.wake() });
  const loop = new SwapLoop(parts.settings.pollMs, cycle);
  held.loop = loop;
  return loop;
}

/** Returns a cycle without a loop, for callers with their own schedule. */
export function createSwapCycle(
  parts: SwapExecutionParts & Pick<SwapExecutorParts, "wake">,
): SwapCycle {
  const { settings: times, store, ledger, clearing } = parts;
  const common = { ...parts, times };
  const steps = new SwapSteps(common);
  const follower = new SwapFollower(store, ledger);
  const rounds = new QuoteRounds({ ...common, steps });
  const executor = new SwapExecutor({ ...common, steps, follower, rounds });
  return new SwapCycle({
    ...parts,
    follower,
    executor,
    recorder: new MoveRecorder(store, clearing),
  });
}
