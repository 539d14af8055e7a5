// A liquidity provider's view of the ledger: its party's free coins, the visible contracts of a swap, and the
// transaction that accepts a trader's proposal and locks the provider's leg. Each method sends one request and does not
// retry.

import type { ChangeKey, Holding, Lookup, Outcome, Party } from "../../ports/ledger/ledger.ts";
import type { SwapContract, SwapTerms } from "../../ports/swaps/swap-ledger.ts";
import type { LedgerApiClient } from "./ledger-api-client.ts";
import { LedgerSubmitter, once } from "./ledger-submitter.ts";
import { type NetworkProfile, venueTemplates } from "./network-profile.ts";
import { activeEvents, freeCoinsIn } from "./party-coins.ts";
import type { RegistryClient } from "./registry-client.ts";
import { swapContractsOf } from "./swap-contracts.ts";
import { exercise, swapLock } from "./swap-lock.ts";
import { allocationView, changesOf, holdingView, templateView } from "./update-parsing.ts";

export interface SwapWalletOptions {
  readonly profile: NetworkProfile;
  readonly userId: string;
  readonly party: Party;
  /** The venue's party, which executes every swap. */
  readonly operator: Party;
}

/** A change that accepts a proposal and locks the party's leg, in one transaction. */
export interface AcceptCommand extends ChangeKey {
  readonly terms: SwapTerms;
  readonly proposalCid: string;
  readonly inputs: readonly string[];
  readonly requestedAtMs: number;
}

export class SwapWallet {
  readonly party: Party;
  readonly operator: Party;
  readonly #api: LedgerApiClient;
  readonly #registry: RegistryClient;
  readonly #options: SwapWalletOptions;
  readonly #submitter: LedgerSubmitter;
  readonly #templates: ReturnType<typeof venueTemplates>;

  constructor(api: LedgerApiClient, registry: RegistryClient, options: SwapWalletOptions) {
    this.party = options.party;
    this.operator = options.operator;
    this.#api = api;
    this.#registry = registry;
    this.#options = options;
    this.#submitter = new LedgerSubmitter(api, options.userId, options.profile.pageMax);
    this.#templates = venueTemplates(options.profile);
  }

  ledgerEnd(): Promise<number> {
    return this.#api.ledgerEnd();
  }

  lookup(change: ChangeKey): Promise<Lookup> {
    return this.#submitter.lookup(change);
  }

  /** Returns the outcome of a committed change with the contracts it created; unknown if the change is not found. */
  committed(change: ChangeKey): Promise<Outcome> {
    return this.#submitter.earlier(change, changesOf([this.party]));
  }

  /** Returns the coins of the party that are not locked at `nowMs`. */
  async freeCoins(nowMs: number): Promise<readonly Holding[]> {
    return freeCoinsIn(await this.#events(holdingView(this.party)), this.party, nowMs);
  }

  /** Returns the active contracts of a swap that the party can see: proposal, trade and both allocations. */
  async contractsOf(swapId: string): Promise<readonly SwapContract[]> {
    const { swapProposal, swapTrade } = this.#templates;
    const views = [
      templateView(this.party, swapProposal, false),
      templateView(this.party, swapTrade, false),
      allocationView(this.party),
    ];
    const found = await Promise.all(views.map((view) => this.#events(view)));
    const contracts = found.flat().flatMap((event) => swapContractsOf(event, this.#templates));
    return contracts.filter((each) => each.swapId === swapId);
  }

  async acceptAndLock(accept: AcceptCommand): Promise<Outcome> {
    const { terms, proposalCid, inputs, requestedAtMs } = accept;
    const { party: sender, operator } = this;
    const lock = { terms, sender, operator, inputs, requestedAtMs };
    const { command, disclosed } = await swapLock(this.#registry, lock);
    const { swapProposal } = this.#templates;
    const accepted = exercise(swapProposal, proposalCid, "SwapProposal_Accept", {});
    return this.#submitter.submit({
      change: accept,
      lane: "rfq",
      readAs: [],
      commands: [accepted, command],
      disclosed: once(disclosed),
    });
  }

  async #events(view: Parameters<LedgerApiClient["activeContracts"]>[1]) {
    const { pageMax } = this.#options.profile;
    const events = await activeEvents(this.#api, view, pageMax);
    if (events.length > pageMax)
      throw new Error(`${this.party} has more contracts than the ledger lists at once`);
    return events;
  }
}
