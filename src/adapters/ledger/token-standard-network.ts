// Implements LedgerNetwork on the JSON Ledger API and the token standard, for every network; a profile configures the
// differences. A method that changes the ledger fetches the contexts from registries, sends one submission and
// classifies the answer. Lookups read completions, so the class stores nothing about changes.

import { formatLedgerAmount } from "../../core/money/ledger-amount.ts";
import type {
  AllocateCommand,
  AllocationsCommand,
  BatchCommand,
  ChangeKey,
  ChargePage,
  EpochChainCommand,
  EpochCommand,
  FenceCommand,
  Holding,
  IncomingCoin,
  IncomingPage,
  LedgerContract,
  LedgerHealth,
  LedgerNetwork,
  Leg,
  Lookup,
  Outcome,
  Party,
  ProposalCommand,
  TransferCommand,
  TransferKind,
  UpdatePage,
  VenueTemplates,
} from "../../ports/ledger/ledger.ts";
import { wholeList } from "./active-list.ts";
import type {
  ApiCommand,
  ApiTransaction,
  ChoiceContext,
  CreatedEvent,
  EventFormat,
  ExercisedEvent,
  JsonObject,
} from "./api-shapes.ts";
import {
  allocationArgument,
  coActorsOf,
  extraArguments,
  memberArgument,
  transferArgument,
} from "./choice-arguments.ts";
import { chargesOf } from "./completion-lookup.ts";
import type { LedgerApiClient } from "./ledger-api-client.ts";
import { LedgerSubmitter, once, type Submission } from "./ledger-submitter.ts";
import {
  metadataKeys,
  type NetworkProfile,
  tokenInterfaces,
  venueTemplates,
} from "./network-profile.ts";
import { ErrorCategory, preapprovalMissing } from "./outcome.ts";
import type { RegistryClient } from "./registry-client.ts";
import {
  changesOf,
  choicesOf,
  contractOf,
  holdingsOf,
  holdingView,
  pageOf,
  templateView,
} from "./update-parsing.ts";

// The following functions find payments to custody in a transaction, with the sender and the purpose of each created
// coin. A coin is created within nested choices, and the innermost choice that has a sender names the payer. Coins that
// a choice of a member auth creates belong to a settlement, so they are not payments. Coins without a sender come from
// the faucet.

const settlementTemplate = ":Venue.Member:MemberAuth";

/** Maximum number of characters kept of a reference that another party set; the venue's references are far shorter. */
const referenceLengthMax = 200;

interface Payment {
  readonly sender: Party;
  readonly reference: string | null;
}

function incomingCoins(transaction: ApiTransaction, custody: Party): IncomingCoin[] {
  const choices = transaction.events.flatMap(({ ExercisedEvent }) => ExercisedEvent ?? []);
  const { updateId, recordTime } = transaction;
  return transaction.events.flatMap(({ CreatedEvent: created }) => {
    if (created === undefined) return [];
    const around = choices.filter(
      ({ nodeId, lastDescendantNodeId: last }) => nodeId < created.nodeId && created.nodeId <= last,
    );
    if (around.some(({ templateId }) => templateId.endsWith(settlementTemplate))) return [];
    const payment = around.map(paymentOf).findLast((each) => each !== null) ?? null;
    if (payment === null || payment.sender === custody) return [];
    return holdingsOf(created)
      .filter(({ owner, isLocked }) => owner === custody && !isLocked)
      .map((holding) => ({ holding, updateId, recordTime, ...payment }));
  });
}

/**
 * Returns the sender and the reference of a choice's payment, from the choice itself or from its transfer; null if
 * neither has a sender.
 */
function paymentOf({ choiceArgument }: ExercisedEvent): Payment | null {
  const argument = recordOf(choiceArgument);
  const transfer = recordOf(argument["transfer"] ?? argument);
  const { sender } = transfer;
  if (typeof sender !== "string") return null;
  const text = recordOf(recordOf(transfer["meta"])["values"])[metadataKeys.reason];
  const reference = typeof text === "string" ? text.slice(0, referenceLengthMax) : null;
  return { sender, reference };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === "object" && value !== null;
  return isRecord ? (value as Readonly<Record<string, unknown>>) : {};
}

export interface NetworkOptions {
  readonly profile: NetworkProfile;
  readonly userId: string;
  readonly operator: Party;
  readonly custody: Party;
  /** Returns the venue's time in ms. */
  readonly now: () => number;
}

/**
 * Reports that the receiver of a single payment has no preapproval. The registry would only make an offer, which the
 * receiver must accept, so nothing is sent.
 */
class NotPreapproved extends Error {
  override name = "NotPreapproved";
}

/** Reports that a receiver in a settlement batch has no preapproval, so nothing is sent. */
class NoPreapproval extends Error {
  override name = "NoPreapproval";
  readonly outcome: Outcome = {
    kind: "rejected",
    code: preapprovalMissing,
    category: 9,
    action: "fallback",
    resources: [],
    message: "a receiver has no preapproval",
  };
}

export class TokenStandardNetwork implements LedgerNetwork {
  readonly operator: Party;
  readonly custody: Party;
  readonly #api: LedgerApiClient;
  readonly #registry: RegistryClient;
  readonly #options: NetworkOptions;
  readonly #submitter: LedgerSubmitter;
  readonly templates: VenueTemplates;

  constructor(api: LedgerApiClient, registry: RegistryClient, options: NetworkOptions) {
    this.#api = api;
    this.#registry = registry;
    this.#options = options;
    this.#submitter = new LedgerSubmitter(api, options.userId, options.profile.pageMax);
    this.templates = venueTemplates(options.profile);
    this.operator = options.operator;
    this.custody = options.custody;
  }

  async health(): Promise<LedgerHealth> {
    const [isLive, isReady] = await Promise.all([
      this.#api.answers("/livez"),
      this.#api.answers("/readyz"),
    ]);
    if (!isLive || !isReady) return { isLive, isReady, apiVersion: "", ledgerEnd: 0 };
    const [apiVersion, ledgerEnd] = await Promise.all([this.#api.version(), this.ledgerEnd()]);
    return { isLive, isReady, apiVersion, ledgerEnd };
  }

  ledgerEnd(): Promise<number> {
    return this.#api.ledgerEnd();
  }

  prunedTo(): Promise<number> {
    return this.#api.prunedTo();
  }

  async updates(after: number, parties: readonly Party[]): Promise<UpdatePage> {
    const { pageMax } = this.#options.profile;
    return pageOf(await this.#api.updates(after, changesOf(parties), pageMax), after);
  }

  async incoming(after: number): Promise<IncomingPage> {
    const { pageMax } = this.#options.profile;
    const entries = await this.#api.updates(after, choicesOf([this.custody]), pageMax);
    const { through } = pageOf(entries, after);
    const coins = entries.flatMap(({ update }) => {
      const transaction = update?.Transaction?.value;
      return transaction === undefined ? [] : incomingCoins(transaction, this.custody);
    });
    return { coins, through };
  }

  async charges(after: number): Promise<ChargePage> {
    const { userId, profile } = this.#options;
    const parties = [this.operator, this.custody];
    return chargesOf(await this.#api.completions(userId, parties, after, profile.pageMax), after);
  }

  async holdings(party: Party, at: number): Promise<Holding[]> {
    const entries = await this.#whole(party, at, holdingView(party));
    return entries.flatMap(holdingsOf).filter(({ owner }) => owner === party);
  }

  async contracts(party: Party, templateId: string, at: number): Promise<LedgerContract[]> {
    return (await this.#whole(party, at, templateView(party, templateId, false))).map(contractOf);
  }

  async transferKinds(legs: readonly Leg[]): Promise<TransferKind[]> {
    const nowMs = this.#options.now();
    const times = { requestedAtMs: nowMs, executeBeforeMs: nowMs + 60_000 };
    return Promise.all(
      legs.map(async (leg) => {
        const argument = transferArgument(leg, "", times, null);
        return (await this.#registry.transferFactory(leg.instrument.admin, argument)).transferKind;
      }),
    );
  }

  settleDirect(batch: BatchCommand): Promise<Outcome> {
    return this.#operate(batch, "MemberAuth_SettleDirect", "legs", async () => {
      const built = await Promise.all(batch.legs.map((leg) => this.#transferPart(leg, batch)));
      if (built.some(({ transferKind }) => transferKind === "offer")) throw new NoPreapproval();
      return built.map(({ transferKind: _, ...part }) => part);
    });
  }

  allocate(batch: AllocateCommand): Promise<Outcome> {
    return this.#operate(batch, "MemberAuth_Allocate", "legs", () =>
      Promise.all(
        batch.legs.map(async (leg) => {
          const empty = allocationArgument(leg, batch, this.operator, null);
          const factory = await this.#registry.allocationFactory(leg.instrument.admin, empty);
          const { factoryId: factoryCid, choiceContext: context } = factory;
          return { context, factoryCid, ...allocationArgument(leg, batch, this.operator, context) };
        }),
      ),
    );
  }

  executeAllocations(batch: AllocationsCommand): Promise<Outcome> {
    const choice = "MemberAuth_ExecuteAllocations";
    return this.#operate(batch, choice, "allocations", () =>
      this.#allocationParts(batch, "execute-transfer"),
    );
  }

  cancelAllocations(batch: AllocationsCommand): Promise<Outcome> {
    const choice = "MemberAuth_CancelAllocations";
    return this.#operate(batch, choice, "allocations", () =>
      this.#allocationParts(batch, "cancel"),
    );
  }

  withdrawAllocations(batch: AllocationsCommand): Promise<Outcome> {
    return this.#guarded(async () => {
      const built = await this.#allocationParts(batch, "withdraw");
      const { members, batchId } = batch;
      const [own] = members;
      const allocations = built.map(({ context: _, ...part }) => part);
      const argument = { ...memberArgument(members, [], batchId), allocations };
      const commands =
        own === undefined
          ? allocations.map(withdrawal)
          : [this.#memberChoice(own.authCid, "MemberAuth_WithdrawAllocation", argument)];
      return {
        change: batch,
        lane: "settlement",
        readAs: members.map(({ member }) => member),
        commands,
        disclosed: once(built.flatMap(({ context }) => context.disclosedContracts)),
      };
    });
  }

  fenceMember(fence: FenceCommand): Promise<Outcome> {
    const { member, authCid } = fence.operation;
    const argument = memberArgument([fence.operation], [], "");
    const command = this.#memberChoice(authCid, "MemberAuth_Fence", argument);
    return this.#submitter.submit({
      change: fence,
      lane: "settlement",
      readAs: [member],
      commands: [command],
      disclosed: [],
    });
  }

  propose(proposal: ProposalCommand): Promise<Outcome> {
    const { member, instruments, perBatchLimit, expiresAtMs } = proposal;
    const limits = Object.entries(perBatchLimit).map(([id, units]) => [
      id,
      formatLedgerAmount(units),
    ]);
    const createArguments = {
      operator: this.operator,
      member,
      instruments,
      perBatchLimit: Object.fromEntries(limits),
      expiresAt: new Date(expiresAtMs).toISOString(),
    };
    const templateId = this.templates.memberAuthProposal;
    const command = { CreateCommand: { templateId, createArguments } };
    return this.#submitter.submit({
      change: proposal,
      lane: "enrollment",
      readAs: [],
      commands: [command],
      disclosed: [],
    });
  }

  transfer(payment: TransferCommand): Promise<Outcome> {
    return this.#guarded(async () => {
      const { leg, reference } = payment;
      const empty = transferArgument(leg, reference, payment, null);
      const factory = await this.#registry.transferFactory(leg.instrument.admin, empty);
      if (payment.isDirectOnly && factory.transferKind === "offer")
        throw new NotPreapproved(`${leg.receiver} has not preapproved ${leg.instrument.id}`);
      const { choiceContext: context } = factory;
      const ExerciseCommand = {
        templateId: tokenInterfaces.transferFactory,
        contractId: factory.factoryId,
        choice: "TransferFactory_Transfer",
        choiceArgument: transferArgument(leg, reference, payment, context),
      };
      const { disclosedContracts: disclosed } = context;
      const lane = "maintenance";
      return { change: payment, lane, readAs: [], commands: [{ ExerciseCommand }], disclosed };
    });
  }

  openEpochChain(chain: EpochChainCommand): Promise<Outcome> {
    const { venue, nextEpoch, prevRoot } = chain;
    const createArguments = {
      operator: this.operator,
      auditors: [],
      venue,
      nextEpoch: `${nextEpoch}`,
      prevRoot,
    };
    const templateId = this.templates.epochChain;
    const command = { CreateCommand: { templateId, createArguments } };
    return this.#submitter.submit({
      change: chain,
      lane: "epoch",
      readAs: [],
      commands: [command],
      disclosed: [],
    });
  }

  async epochChains(party: Party): Promise<LedgerContract[]> {
    return this.contracts(party, this.templates.epochChain, await this.ledgerEnd());
  }

  async epochCommitments(party: Party): Promise<LedgerContract[]> {
    const view = templateView(party, this.templates.epochCommitment, true);
    return (await this.#whole(party, await this.ledgerEnd(), view)).map(contractOf);
  }

  commitEpoch(epoch: EpochCommand): Promise<Outcome> {
    const ExerciseCommand = {
      templateId: this.templates.epochChain,
      contractId: epoch.chainCid,
      choice: "EpochChain_Commit",
      choiceArgument: { ...epoch.header, root: epoch.root },
    };
    return this.#submitter.submit({
      change: epoch,
      lane: "epoch",
      readAs: [],
      commands: [{ ExerciseCommand }],
      disclosed: [],
      shown: this.templates.epochCommitment,
    });
  }

  lookup(change: ChangeKey): Promise<Lookup> {
    return this.#submitter.lookup(change);
  }

  #memberChoice(authCid: string, choice: string, choiceArgument: JsonObject): ApiCommand {
    const templateId = this.templates.memberAuth;
    return { ExerciseCommand: { templateId, contractId: authCid, choice, choiceArgument } };
  }

  async #transferPart(leg: Leg, batch: BatchCommand) {
    const empty = transferArgument(leg, batch.batchId, batch, null);
    const factory = await this.#registry.transferFactory(leg.instrument.admin, empty);
    const { factoryId: factoryCid, choiceContext: context, transferKind } = factory;
    const argument = transferArgument(leg, batch.batchId, batch, context);
    return { transferKind, context, factoryCid, ...argument };
  }

  #allocationParts(
    { allocations }: AllocationsCommand,
    choice: "execute-transfer" | "cancel" | "withdraw",
  ) {
    return Promise.all(
      allocations.map(async ({ contractId, admin }) => {
        const context = await this.#registry.allocationContext(admin, contractId, choice);
        return { context, allocationCid: contractId, extraArgs: extraArguments(context) };
      }),
    );
  }

  /**
   * Exercises one choice of the first member's contract on all `parts` at once, with the contracts that registries
   * disclose for the parts.
   */
  #operate(
    batch: BatchCommand | AllocationsCommand,
    choice: string,
    name: "legs" | "allocations",
    parts: () => Promise<(JsonObject & { readonly context: ChoiceContext })[]>,
  ): Promise<Outcome> {
    return this.#guarded(async () => {
      const built = await parts();
      const base = memberArgument(batch.members, coActorsOf(batch, this.custody), batch.batchId);
      const authCid = batch.members[0]?.authCid ?? "";
      const named = { [name]: built.map(({ context: _, ...part }) => part) };
      return {
        change: batch,
        lane: "settlement",
        readAs: batch.members.map(({ member }) => member),
        commands: [this.#memberChoice(authCid, choice, { ...base, ...named })],
        disclosed: once(built.flatMap(({ context }) => context.disclosedContracts)),
      };
    });
  }

  /** Builds and submits a change. If building it fails, the change is rejected, because nothing was sent. */
  async #guarded(build: () => Promise<Submission>): Promise<Outcome> {
    let submission: Submission;
    try {
      submission = await build();
    } catch (error) {
      if (error instanceof NoPreapproval) return error.outcome;
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof NotPreapproved) {
        const category = ErrorCategory.state;
        return {
          ...{ kind: "rejected", code: preapprovalMissing, category, action: "fallback", message },
          resources: [],
        };
      }
      const [code, category, action] = ["REGISTRY_UNAVAILABLE", 1, "same-payload"] as const;
      return { kind: "rejected", code, category, action, resources: [], message };
    }
    return this.#submitter.submit(submission);
  }

  async #whole(party: Party, at: number, format: EventFormat): Promise<CreatedEvent[]> {
    const { pageMax } = this.#options.profile;
    return wholeList(this.#api, { party, at, format, pageMax });
  }
}

function withdrawal(part: { readonly allocationCid: string; readonly extraArgs: JsonObject }) {
  const { allocationCid: contractId, extraArgs } = part;
  const { allocation: templateId } = tokenInterfaces;
  const choice = "Allocation_Withdraw";
  return { ExerciseCommand: { templateId, contractId, choice, choiceArgument: { extraArgs } } };
}
