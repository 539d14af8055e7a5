// The ledger as a provider of liquidity needs it: its own party's free coins, what of a swap it can see,
// and the one transaction that accepts a trader's proposal and locks the provider's leg. Each verb is one
// exchange; nothing is retried here.

import type { ChangeKey, Holding, Lookup, Outcome, Party } from "../../ports/ledger.ts";
import type { SwapContract, SwapTerms } from "../../ports/swap-ledger.ts";
import { allocationArgument } from "./choice-arguments.ts";
import type { LedgerApiClient } from "./ledger-api-client.ts";
import { LedgerSubmitter, once } from "./ledger-submitter.ts";
import { type NetworkProfile, tokenInterfaces, venueTemplates } from "./network-profile.ts";
import type { RegistryClient } from "./registry-client.ts";
import { swapContractsOf } from "./swap-contracts.ts";
import {
  allocationView,
  changesOf,
  holdingsOf,
  holdingView,
  templateView,
} from "./update-parsing.ts";

export interface SwapWalletOptions {
  readonly profile: NetworkProfile;
  readonly userId: string;
  readonly party: Party;
  /** Of the venue: the executor of every swap. */
  readonly operator: Party;
}

/** Accepts a proposal and locks the party's leg, in one transaction. */
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

  /** The change as it is on the ledger, with what it created; unknown where it is not found. */
  committed(change: ChangeKey): Promise<Outcome> {
    return this.#submitter.earlier(change, changesOf([this.party]));
  }

  /** Coins of the party that nothing has locked. */
  async freeCoins(): Promise<readonly Holding[]> {
    const found = await this.#events(holdingView(this.party));
    return found
      .flatMap(holdingsOf)
      .filter(({ owner, isLocked }) => owner === this.party && !isLocked);
  }

  /** Active contracts of a swap that the party sees: proposal, trade, and both allocations. */
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
    const payment = terms.legs.find(({ sender }) => sender === this.party);
    if (payment === undefined) throw new Error("the party pays nothing in this swap");
    const times = {
      batchId: terms.swapId,
      requestedAtMs,
      allocateBeforeMs: terms.allocateBeforeMs,
      executeBeforeMs: terms.settleBeforeMs,
    };
    const leg = { ...payment, inputs };
    const { admin } = payment.instrument;
    const empty = allocationArgument(leg, times, this.operator, null);
    const { factoryId, choiceContext } = await this.#registry.allocationFactory(admin, empty);
    const choiceArgument = allocationArgument(leg, times, this.operator, choiceContext);
    const accepted = {
      templateId: this.#templates.swapProposal,
      contractId: proposalCid,
      choice: "SwapProposal_Accept",
      choiceArgument: {},
    };
    const locked = {
      templateId: tokenInterfaces.allocationFactory,
      contractId: factoryId,
      choice: "AllocationFactory_Allocate",
      choiceArgument,
    };
    return this.#submitter.submit({
      change: accept,
      lane: "rfq",
      readAs: [],
      commands: [{ ExerciseCommand: accepted }, { ExerciseCommand: locked }],
      disclosed: once(choiceContext.disclosedContracts),
    });
  }

  async #events(view: Parameters<LedgerApiClient["activeContracts"]>[1]) {
    const { pageMax } = this.#options.profile;
    const entries = await this.#api.activeContracts(await this.ledgerEnd(), view, pageMax + 1);
    if (entries.length > pageMax)
      throw new Error(`${this.party} has more contracts than the ledger lists at once`);
    return entries.flatMap(
      ({ contractEntry }) => contractEntry?.JsActiveContract?.createdEvent ?? [],
    );
  }
}
