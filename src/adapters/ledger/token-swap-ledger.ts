// Implements SwapLedger on the JSON Ledger API and the token standard. The trader's transactions are prepared here and
// signed by the trader's wallet. The operator settles or cancels a trade on both allocations at once; the contract
// gives the operator the authority to do so.

import type {
  ChangeKey,
  Holding,
  Instrument,
  Lookup,
  MemberOperation,
  Outcome,
  Party,
} from "../../ports/ledger/ledger.ts";
import type {
  LockCommand,
  MemberWithdrawal,
  PrepareAnswer,
  SignedSubmission,
  SwapLedger,
  SwapLock,
  SwapOperation,
  SwapPage,
  WithdrawCommand,
} from "../../ports/swaps/swap-ledger.ts";
import type { ApiCommand, DisclosedContract, JsonObject } from "./api-shapes.ts";
import { extraArguments, memberArgument, swapTermsArgument } from "./choice-arguments.ts";
import { type LedgerApiClient, LedgerFault } from "./ledger-api-client.ts";
import { LedgerSubmitter, once } from "./ledger-submitter.ts";
import { type NetworkProfile, tokenInterfaces, venueTemplates } from "./network-profile.ts";
import { classifyFault } from "./outcome.ts";
import { activeEvents, freeCoinsIn } from "./party-coins.ts";
import type { RegistryClient } from "./registry-client.ts";
import { swapContractsOf } from "./swap-contracts.ts";
import { exercise, swapLock } from "./swap-lock.ts";
import {
  archivedIn,
  changesOf,
  contractOf,
  createdOf,
  holdingView,
  pageOf,
  templateView,
} from "./update-parsing.ts";

export interface SwapLedgerOptions {
  readonly profile: NetworkProfile;
  readonly userId: string;
  readonly operator: Party;
}

type AllocationChoice = "execute-transfer" | "cancel" | "withdraw";

/** A registry did not return the context for an allocation. Nothing was sent, so the same request may be retried. */
const unavailable = {
  kind: "rejected",
  code: "REGISTRY_UNAVAILABLE",
  category: 1,
  action: "same-payload",
  resources: [],
} as const;

export class TokenSwapLedger implements SwapLedger {
  readonly operator: Party;
  readonly #api: LedgerApiClient;
  readonly #registry: RegistryClient;
  readonly #options: SwapLedgerOptions;
  readonly #submitter: LedgerSubmitter;
  readonly #templates: ReturnType<typeof venueTemplates>;

  constructor(api: LedgerApiClient, registry: RegistryClient, options: SwapLedgerOptions) {
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

  async freeCoins(
    party: Party,
    { admin, id }: Instrument,
    nowMs: number,
  ): Promise<readonly Holding[]> {
    const { pageMax } = this.#options.profile;
    const events = await activeEvents(this.#api, holdingView(party), pageMax);
    return freeCoinsIn(events, party, nowMs).filter(
      ({ instrument }) => instrument.admin === admin && instrument.id === id,
    );
  }

  async swapPage(after: number): Promise<SwapPage> {
    const { pageMax } = this.#options.profile;
    const entries = await this.#api.updates(after, changesOf([this.operator]), pageMax);
    const { through, recordTime, isLast } = pageOf(entries, after);
    const transactions = entries.flatMap(({ update }) => update?.Transaction?.value ?? []);
    return {
      created: transactions.flatMap((each) =>
        createdOf(each).flatMap((event) => swapContractsOf(event, this.#templates)),
      ),
      archived: transactions.flatMap(archivedIn),
      through,
      recordTimeMs: recordTime === null ? null : Date.parse(recordTime),
      isLast,
    };
  }

  prepareLock(lock: LockCommand): Promise<PrepareAnswer> {
    const { terms, commandId, commitBeforeMs } = lock;
    const { operator } = this;
    return this.#prepare(terms.trader, commandId, commitBeforeMs, async () => {
      const own = { ...lock, sender: terms.trader, operator };
      const { command, disclosed } = await swapLock(this.#registry, own);
      const proposal = {
        CreateCommand: {
          templateId: this.#templates.swapProposal,
          createArguments: swapTermsArgument(terms, operator),
        },
      };
      return { commands: [proposal, command], disclosed };
    });
  }

  prepareWithdrawal(withdrawal: WithdrawCommand): Promise<PrepareAnswer> {
    const { trader, commandId, commitBeforeMs, allocation, proposalCid } = withdrawal;
    return this.#prepare(trader, commandId, commitBeforeMs, async () => {
      const { admin, contractId } = allocation;
      const context = await this.#registry.allocationContext(admin, contractId, "withdraw");
      const take = exercise(tokenInterfaces.allocation, contractId, "Allocation_Withdraw", {
        extraArgs: extraArguments(context),
      });
      const template = this.#templates.swapProposal;
      const end =
        proposalCid === null ? [] : [exercise(template, proposalCid, "SwapProposal_Withdraw", {})];
      return { commands: [take, ...end], disclosed: context.disclosedContracts };
    });
  }

  async memberOperation(member: Party): Promise<MemberOperation | null> {
    const { pageMax } = this.#options.profile;
    const view = templateView(member, this.#templates.memberAuth, false);
    const own = (await activeEvents(this.#api, view, pageMax))
      .map(contractOf)
      .find(({ payload }) => payload["member"] === member);
    if (own === undefined) return null;
    return { member, authCid: own.contractId, opNo: Number(own.payload["nextOpNo"]) };
  }

  async withdrawLock(withdrawal: MemberWithdrawal): Promise<Outcome> {
    const { operation, allocation, swapId } = withdrawal;
    const built = await this.#allocations([allocation], "withdraw");
    if ("kind" in built) return built;
    const argument = { ...memberArgument([operation], [], swapId), ...built.argument };
    const template = this.#templates.memberAuth;
    const choice = "MemberAuth_WithdrawAllocation";
    return this.#submitter.submit({
      change: withdrawal,
      lane: "rfq",
      readAs: [operation.member],
      commands: [exercise(template, operation.authCid, choice, argument)],
      disclosed: built.disclosed,
    });
  }

  async execute(signed: SignedSubmission): Promise<Outcome> {
    const { prepared, party, signature, submissionId, dedupOffset } = signed;
    const answer = await this.#api.execute({
      preparedTransaction: prepared.transaction,
      hashingSchemeVersion: prepared.hashingScheme,
      submissionId,
      userId: this.#options.userId,
      deduplicationPeriod: { DeduplicationOffset: { value: dedupOffset } },
      partySignatures: {
        signatures: [
          {
            party,
            signatures: [
              {
                format: "SIGNATURE_FORMAT_CONCAT",
                signature,
                signedBy: party.slice(party.indexOf("::") + 2),
                signingAlgorithmSpec: "SIGNING_ALGORITHM_SPEC_ED25519",
              },
            ],
          },
        ],
      },
    });
    if (answer.kind === "ok") {
      const { updateId, completionOffset: offset } = answer.value;
      const unsaid = { recordTime: null, trafficCost: null, created: [] };
      return { kind: "committed", updateId, offset, ...unsaid };
    }
    const outcome = classifyFault(answer.fault);
    if (outcome.kind !== "duplicate") return outcome;
    return this.#submitter.earlier(signed, changesOf([party]));
  }

  settleSwap(operation: SwapOperation): Promise<Outcome> {
    return this.#operate(operation, "SwapTrade_Settle", "execute-transfer");
  }

  cancelSwap(operation: SwapOperation): Promise<Outcome> {
    return this.#operate(operation, "SwapTrade_Cancel", "cancel");
  }

  async #operate(
    operation: SwapOperation,
    choice: "SwapTrade_Settle" | "SwapTrade_Cancel",
    context: AllocationChoice,
  ): Promise<Outcome> {
    const built = await this.#allocations(operation.allocations, context);
    if ("kind" in built) return built;
    const { swapTrade } = this.#templates;
    return this.#submitter.submit({
      change: operation,
      lane: "rfq",
      readAs: [],
      commands: [exercise(swapTrade, operation.tradeCid, choice, built.argument)],
      disclosed: built.disclosed,
    });
  }

  /** Returns the argument for a choice on allocations, and the contracts that registries disclose for it. */
  async #allocations(locks: readonly SwapLock[], choice: AllocationChoice) {
    try {
      const parts = await Promise.all(
        locks.map(async ({ admin, contractId }) => {
          const found = await this.#registry.allocationContext(admin, contractId, choice);
          const argument = { allocationCid: contractId, extraArgs: extraArguments(found) };
          return { argument, disclosed: found.disclosedContracts };
        }),
      );
      const argument: JsonObject = { allocations: parts.map((part) => part.argument) };
      return { argument, disclosed: once(parts.flatMap(({ disclosed }) => disclosed)) };
    } catch (error) {
      // The failure occurred while the submission was built, so nothing was sent.
      const message = String(error);
      return { ...unavailable, message };
    }
  }

  async #prepare(
    party: Party,
    commandId: string,
    commitBeforeMs: number,
    build: () => Promise<{
      readonly commands: readonly ApiCommand[];
      readonly disclosed: readonly DisclosedContract[];
    }>,
  ): Promise<PrepareAnswer> {
    try {
      const { commands, disclosed } = await build();
      const answer = await this.#api.prepare({
        userId: this.#options.userId,
        commandId,
        commands,
        actAs: [party],
        readAs: [],
        disclosedContracts: once(disclosed),
        synchronizerId: await this.#api.synchronizerId(),
        maxRecordTime: new Date(commitBeforeMs).toISOString(),
        packageIdSelectionPreference: [],
        verboseHashing: false,
      });
      if (answer.kind === "fault") throw new LedgerFault(answer.fault, "prepare");
      const { preparedTransaction: transaction, preparedTransactionHash: hash } = answer.value;
      const { hashingSchemeVersion: hashingScheme } = answer.value;
      return { kind: "prepared", prepared: { transaction, hash, hashingScheme } };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { kind: "refused", message };
    }
  }
}
