// Liquidity providers in the simulation. Some quote, some do not. After an acceptance a provider locks the quoted
// amount, or less, or later, or nothing; it then reports the lock, stays silent or refuses.

import { parseLedgerAmount } from "../../../src/core/money/ledger-amount.ts";
import type { Party } from "../../../src/ports/ledger/ledger.ts";
import type {
  AcceptOutcome,
  AcceptRequest,
  LiquidityProviders,
  ProviderQuote,
  QuoteRequest,
} from "../../../src/ports/swaps/liquidity-providers.ts";
import type { SwapTerms } from "../../../src/ports/swaps/swap-ledger.ts";
import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import type { SimulatedSwapLedger } from "../ledger/simulated-swap-ledger.ts";

export interface SimulatedProvidersParts {
  readonly random: SeededRandom;
  readonly nowMs: () => number;
  readonly ledger: SimulatedSwapLedger;
  readonly ids: readonly string[];
  /** Whether faults are enabled. */
  readonly isIll: () => boolean;
}

/** Returns the party of a provider; its fingerprint belongs to no key. */
export function providerParty(id: string): Party {
  return `${id}::1220${"ab".repeat(32)}`;
}

export class SimulatedProviders implements LiquidityProviders {
  readonly #parts: SimulatedProvidersParts;
  /** Actions that providers have postponed. */
  readonly #late: (() => void)[] = [];
  #names = 0;

  constructor(parts: SimulatedProvidersParts) {
    this.#parts = parts;
  }

  async requestQuotes(
    request: QuoteRequest,
    onQuote: (quote: ProviderQuote) => void,
  ): Promise<readonly string[]> {
    const { random, nowMs, ids, isIll } = this.#parts;
    if (isIll() && random.below(50) === 0) throw new Error("no connection to any provider");
    for (const provider of ids) {
      if (isIll() && random.below(4) === 0) continue;
      onQuote({
        provider,
        quote_id: `q-${++this.#names}`,
        price: `0.1${random.below(10)}`,
        qty: request.qty ?? "100",
        valid_until_ms: nowMs() + 5_000 + random.below(30_000),
        provider_party: providerParty(provider),
      });
    }
    return ids;
  }

  async acceptAndAllocate(provider: string, request: AcceptRequest): Promise<AcceptOutcome> {
    const { random, isIll } = this.#parts;
    const dice = isIll() ? random.below(100) : 0;
    const accept = (less = 0n): void => this.#accept(provider, request, less);
    if (dice < 60) accept();
    else if (dice < 70) return { kind: "rejected", reason: "the request came too late" };
    else if (dice < 80) this.#late.push(accept);
    else if (dice < 88) accept(1n);
    else if (dice < 92) throw new Error("no connection to the provider");
    const answer = { allocation_cid: "", trade_cid: "", update_id: "" };
    const isHeard = dice < 60 && random.below(3) > 0;
    return isHeard ? { kind: "accepted", answer } : { kind: "unknown", message: "no answer" };
  }

  /** Runs one of the postponed actions. */
  catchUp(): void {
    const { random } = this.#parts;
    const [accept] = this.#late.splice(random.below(this.#late.length + 1), 1);
    accept?.();
  }

  #accept(provider: string, request: AcceptRequest, less: bigint): void {
    const { ledger } = this.#parts;
    const { settlement, proposal_cid: proposalCid } = request;
    const party = providerParty(provider);
    const legs = request.legs.map((leg) => ({
      ...{ legId: leg.leg_id, sender: leg.sender, receiver: leg.receiver },
      ...{ instrument: leg.instrument_id, amount: parseLedgerAmount(leg.amount) ?? 0n },
    }));
    const terms: SwapTerms = {
      ...{ swapId: settlement.settlement_ref, legs, provider: party },
      trader: legs.find(({ sender }) => sender !== party)?.sender ?? "",
      allocateBeforeMs: Date.parse(settlement.allocate_before),
      settleBeforeMs: Date.parse(settlement.settle_before),
    };
    const commandId = `lp:${terms.swapId}`;
    const submissionId = `${commandId}:${++this.#names}`;
    const change = { commandId, submissionId, actAs: [party], dedupOffset: 0 };
    ledger.accept(change, terms, proposalCid, less);
  }

  async mark(): Promise<void> {
    // Nothing to record: no simulation run reads the reports about providers' behaviour.
  }

  async suspend(): Promise<void> {
    // Nothing to do: the provider stays active, and its misbehaviour is detected again.
  }

  wakeCourier(): void {
    // Nothing to wake: the simulation does not deliver notices.
  }
}
