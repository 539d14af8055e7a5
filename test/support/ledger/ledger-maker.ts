// A provider's wallet on a development ledger, with its own party and user. It accepts proposals and locks its leg,
// honestly or not.

import { randomUUID } from "node:crypto";
import { accessTokens } from "../../../src/adapters/ledger/access-token.ts";
import type { ApiCommand } from "../../../src/adapters/ledger/api-shapes.ts";
import { allocationArgument } from "../../../src/adapters/ledger/choice-arguments.ts";
import { LedgerApiClient } from "../../../src/adapters/ledger/ledger-api-client.ts";
import { LedgerSubmitter } from "../../../src/adapters/ledger/ledger-submitter.ts";
import {
  networkProfiles,
  tokenInterfaces,
  venueTemplates,
} from "../../../src/adapters/ledger/network-profile.ts";
import { RegistryClient } from "../../../src/adapters/ledger/registry-client.ts";
import { holdingsOf, holdingView } from "../../../src/adapters/ledger/update-parsing.ts";
import { parseLedgerAmount } from "../../../src/core/money/ledger-amount.ts";
import type { AcceptOutcome, AcceptRequest } from "../../../src/ports/swaps/liquidity-providers.ts";
import { chooseCoins } from "../../../src/services/settlement/batches/coin-choice.ts";
import { type Coins, usableCoins } from "./usable-coins.ts";

const profile = networkProfiles.devnet;
const templates = venueTemplates(profile);

/** A development ledger's address, and the admin client that gives coins there. */
export interface MakerLedger {
  readonly ledger: { readonly endpoint: { readonly url: string } };
  readonly secrets: { readonly api: string };
  readonly admin: {
    tap(party: string, instrument: string, amount: string): Promise<void>;
  };
}

export class LedgerMaker {
  readonly party: string;
  readonly #api: LedgerApiClient;
  readonly #registry: RegistryClient;
  readonly #submitter: LedgerSubmitter;
  readonly #answers = new Map<string, Promise<AcceptOutcome>>();
  /** Serialises the choice of coins, so that two swaps never choose the same coin. */
  #choosing: Promise<unknown> = Promise.resolve();

  private constructor(party: string, api: LedgerApiClient, url: string, userId: string) {
    this.party = party;
    this.#api = api;
    const { requestTimeoutMs } = profile;
    this.#registry = new RegistryClient(
      { byAdmin: new Map(), fallback: { url } },
      requestTimeoutMs,
    );
    this.#submitter = new LedgerSubmitter(api, userId, profile.pageMax);
  }

  /** Creates a party called `name` with coins of every asset. */
  static async open(devnet: MakerLedger, name: string): Promise<LedgerMaker> {
    const { url } = devnet.ledger.endpoint;
    const { requestTimeoutMs, streamIdleMs } = profile;
    const clientOf = (userId: string) => {
      const tokens = accessTokens({ kind: "minted", secret: devnet.secrets.api }, userId, Date.now);
      return new LedgerApiClient({ address: { url }, tokens, requestTimeoutMs, streamIdleMs });
    };
    const party = await clientOf("participant_admin").allocateParty(name, name);
    for (const asset of ["USDC", "CC"]) {
      for (let coin = 0; coin < 4; coin++) await devnet.admin.tap(party, asset, "100000");
    }
    return new LedgerMaker(party, clientOf(name), url, name);
  }

  usable(): Promise<Coins> {
    return usableCoins(this.#api, this.party);
  }

  /** Locks the quoted amount once; repeated requests for a swap get the same answer. */
  accept(request: AcceptRequest): Promise<AcceptOutcome> {
    const swapId = request.settlement.settlement_ref;
    const answer = this.#answers.get(swapId) ?? this.lockInTurn(request);
    this.#answers.set(swapId, answer);
    // If the outcome is unknown, the next request queries the ledger again with the same command id.
    const forget = () => this.#answers.delete(swapId);
    answer.then(({ kind }) => (kind === "unknown" ? forget() : false), forget);
    return answer;
  }

  /** Calls `lock` after all earlier calls have ended. */
  lockInTurn(...given: Parameters<LedgerMaker["lock"]>): Promise<AcceptOutcome> {
    const locked = this.#choosing.then(() => this.lock(...given));
    this.#choosing = locked.catch(() => undefined);
    return locked;
  }

  /** Accepts the proposal and locks its leg in one transaction; `change` falsifies the amount. */
  async lock(
    request: AcceptRequest,
    change: (units: bigint) => bigint = (units) => units,
    isAccepting = true,
  ): Promise<AcceptOutcome> {
    const { legs, settlement, proposal_cid: proposalCid } = request;
    const own = legs.find(({ sender }) => sender === this.party);
    if (own === undefined) throw new Error("The maker must pay a leg");
    const units = change(parseLedgerAmount(own.amount) ?? 0n);
    const instrument = own.instrument_id;
    const inputs = await this.#coins(instrument, units);
    const leg = {
      legId: own.leg_id,
      sender: own.sender,
      receiver: own.receiver,
      instrument,
      amount: units,
      inputs,
    };
    const times = {
      batchId: settlement.settlement_ref,
      requestedAtMs: Date.now(),
      allocateBeforeMs: Date.parse(settlement.allocate_before),
      executeBeforeMs: Date.parse(settlement.settle_before),
    };
    const { executor } = settlement;
    const empty = allocationArgument(leg, times, executor, null);
    const factory = await this.#registry.allocationFactory(instrument.admin, empty);
    const { choiceContext, factoryId } = factory;
    const allocate: ApiCommand = {
      ExerciseCommand: {
        templateId: tokenInterfaces.allocationFactory,
        contractId: factoryId,
        choice: "AllocationFactory_Allocate",
        choiceArgument: allocationArgument(leg, times, executor, choiceContext),
      },
    };
    const accept: ApiCommand = {
      ExerciseCommand: {
        templateId: templates.swapProposal,
        contractId: proposalCid,
        choice: "SwapProposal_Accept",
        choiceArgument: {},
      },
    };
    const outcome = await this.#submitter.submit({
      change: {
        commandId: `maker:${settlement.settlement_ref}:${isAccepting ? "accept" : "again"}`,
        actAs: [this.party],
        dedupOffset: 0,
        submissionId: randomUUID(),
      },
      lane: "maker",
      readAs: [],
      commands: isAccepting ? [accept, allocate] : [allocate],
      disclosed: choiceContext.disclosedContracts,
    });
    if (outcome.kind === "rejected") return { kind: "rejected", reason: outcome.message };
    if (outcome.kind === "unknown") return { kind: "unknown", message: outcome.message };
    const answer = { allocation_cid: "", trade_cid: "", update_id: outcome.updateId };
    return { kind: "accepted", answer };
  }

  /** Chooses free coins of this user's own party that cover `units`; returns their contract ids. */
  async #coins(instrument: { admin: string; id: string }, units: bigint): Promise<string[]> {
    const at = await this.#api.ledgerEnd();
    const entries = await this.#api.activeContracts(at, holdingView(this.party), 201);
    const coins = entries
      .flatMap(({ contractEntry }) => contractEntry?.JsActiveContract?.createdEvent ?? [])
      .flatMap(holdingsOf)
      .filter(({ owner, isLocked }) => owner === this.party && !isLocked)
      .filter((coin) => coin.instrument.id === instrument.id)
      .map((coin) => ({ ...coin, party: this.party, asset: 0 }));
    const chosen = chooseCoins(coins, units);
    if (chosen === null) throw new Error("the maker has too few coins");
    return chosen;
  }
}
