// Puts transactions in order. Transactions that arrive during a commit form the next batch: each gets its offset and
// record time and is checked again against the active contracts. All of a batch are written in one commit before any of
// them is answered. A failed commit ends the process, and the next start reads the commit's outcome from the tables.

import { createHash } from "node:crypto";
import type { JsonObject } from "../adapters/ledger/api-shapes.ts";
import type { ContractId } from "../ports/ledger/ledger.ts";
import type { ActiveContracts } from "./active-contracts.ts";
import type { Contract } from "./contract-template.ts";
import type { CompletionRow, DevnetStore, StoredContract, UpdateRow } from "./devnet-store.ts";
import { type Interpreted, instrumentKey } from "./interpreter.ts";
import { LedgerRefusal } from "./ledger-refusal.ts";
import type { UsersState } from "./ledger-users.ts";
import { holdingAmount } from "./token/holding.ts";

/** The fields of a submission that its completion and its update repeat. */
export interface SubmissionIdentity {
  readonly userId: string;
  readonly actAs: readonly string[];
  readonly commandId: string;
  readonly submissionId: string;
  readonly workflowId: string;
  readonly changeHash: string;
  readonly dedupOffset: number;
  readonly trafficCost: number;
}

interface Pending {
  readonly identity: SubmissionIdentity;
  /** The transaction to commit; null for a rejection, of which only a completion is stored. */
  readonly transaction: Interpreted | null;
  readonly rejection: LedgerRefusal | null;
  readonly resolve: (row: UpdateRow) => void;
  readonly reject: (error: Error) => void;
}

interface Batch {
  updates: UpdateRow[];
  completions: CompletionRow[];
  contracts: StoredContract[];
  archives: { contract_id: string; archived_offset: number }[];
  minted: Map<string, bigint>;
  created: Contract[];
  consumed: Set<ContractId>;
  answers: (() => void)[];
}

const batchMax = 200;

export interface CommitQueueOptions {
  readonly store: DevnetStore;
  readonly active: ActiveContracts;
  readonly endOffset: number;
  readonly recordTime: () => string;
  /** Returns the state that is written with each batch: traffic and counters. */
  readonly stateOf: (endOffset: number) => JsonObject;
  readonly users: () => UsersState;
  readonly onCommitted: (created: readonly Contract[]) => void;
  readonly onFatal: (error: Error) => void;
}

export class CommitQueue {
  readonly #options: CommitQueueOptions;
  readonly #pending: Pending[] = [];
  #endOffset: number;
  #isRunning = false;
  readonly #usersDue: (() => void)[] = [];

  constructor(options: CommitQueueOptions) {
    this.#options = options;
    this.#endOffset = options.endOffset;
  }

  get endOffset(): number {
    return this.#endOffset;
  }

  /**
   * Commits the transaction. Resolves with the committed update, or rejects with the rejection once that is committed.
   */
  commit(identity: SubmissionIdentity, transaction: Interpreted): Promise<UpdateRow> {
    return this.#push(identity, transaction, null);
  }

  /** Records a rejection, so that it can be looked up later; rejects with it once it is recorded. */
  refuse(identity: SubmissionIdentity, rejection: LedgerRefusal): Promise<UpdateRow> {
    return this.#push(identity, null, rejection);
  }

  /** Writes parties and rights in a batch that needs no transaction. */
  saveUsers(): Promise<void> {
    return new Promise((resolve) => {
      this.#usersDue.push(resolve);
      this.#run();
    });
  }

  #push(
    identity: SubmissionIdentity,
    transaction: Interpreted | null,
    rejection: LedgerRefusal | null,
  ): Promise<UpdateRow> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ identity, transaction, rejection, resolve, reject });
      this.#run();
    });
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#loop().then(
      () => {
        this.#isRunning = false;
      },
      (error: Error) => this.#options.onFatal(error),
    );
  }

  async #loop(): Promise<void> {
    while (this.#pending.length > 0 || this.#usersDue.length > 0) {
      const batch = this.#nextBatch();
      const saved = this.#usersDue.splice(0);
      const { updates, completions, contracts, archives, minted } = batch;
      const end = this.#endOffset + completions.length;
      const supply = [...minted].map(([instrument, units]) => ({
        instrument,
        units: String(units),
      }));
      const state = this.#options.stateOf(end);
      const users = saved.length > 0 ? this.#options.users() : null;
      const written = { updates, completions, contracts, archives, supply, state, users };
      await this.#options.store.commit(written);
      this.#endOffset = end;
      for (const id of batch.consumed) this.#options.active.remove(id);
      for (const contract of batch.created) this.#options.active.add(contract);
      for (const answer of batch.answers) answer();
      for (const resolve of saved) resolve();
      this.#options.onCommitted(batch.created);
    }
  }

  #nextBatch(): Batch {
    const batch: Batch = {
      updates: [],
      completions: [],
      contracts: [],
      archives: [],
      minted: new Map(),
      created: [],
      consumed: new Set(),
      answers: [],
    };
    for (const pending of this.#pending.splice(0, batchMax)) {
      const offset = this.#endOffset + batch.completions.length + 1;
      this.#place(batch, pending, offset);
    }
    return batch;
  }

  #place(batch: Batch, pending: Pending, offset: number): void {
    const { identity, transaction, resolve, reject } = pending;
    const time = this.#options.recordTime();
    const refusal = pending.rejection ?? this.#verdict(batch, transaction);
    if (transaction === null || refusal !== null) {
      batch.completions.push(completionOf(identity, offset, time, refusal, null));
      batch.answers.push(() =>
        reject(refusal ?? new Error("the ledger gave no reason for the rejection")),
      );
      return;
    }
    const row = updateOf(identity, transaction, offset, time);
    batch.updates.push(row);
    batch.completions.push(completionOf(identity, offset, time, null, row.update_id));
    for (const contract of transaction.created) {
      const created = { ...contract, createdOffset: offset };
      batch.created.push(created);
      batch.contracts.push(storedOf(created));
    }
    for (const contract_id of transaction.consumed) {
      batch.consumed.add(contract_id);
      batch.archives.push({ contract_id, archived_offset: offset });
    }
    addMinted(batch.minted, transaction, this.#options.active);
    batch.answers.push(() => resolve(row));
  }

  /** Returns a refusal if an input of the transaction was spent since its interpretation, otherwise null. */
  #verdict(batch: Batch, transaction: Interpreted | null): LedgerRefusal | null {
    if (transaction === null) return null;
    const gone = [...transaction.consumed, ...transaction.used].filter(
      (id) => batch.consumed.has(id) || this.#options.active.find(id) === undefined,
    );
    if (gone.length === 0) return null;
    const message = "an input is no longer active";
    return new LedgerRefusal("LOCAL_VERDICT_INACTIVE_CONTRACTS", message, { contracts: gone });
  }
}

/** Adds the change of holdings to the supply. The interpreter has checked that every increase was minted. */
function addMinted(
  minted: Map<string, bigint>,
  { created, consumed }: Interpreted,
  active: ActiveContracts,
): void {
  const add = (contract: Contract | undefined, sign: bigint) => {
    const found = contract === undefined ? null : holdingAmount(contract);
    if (found === null) return;
    const key = instrumentKey(found.instrument);
    minted.set(key, (minted.get(key) ?? 0n) + sign * found.units);
  };
  for (const contract of created) add(contract, 1n);
  for (const id of consumed) add(active.find(id), -1n);
  for (const [key, units] of minted) if (units === 0n) minted.delete(key);
}

function updateOf(
  identity: SubmissionIdentity,
  { nodes }: Interpreted,
  offset: number,
  recordTime: string,
): UpdateRow {
  const { commandId, workflowId, userId, actAs, trafficCost } = identity;
  const content = JSON.stringify({ nodes, offset, recordTime });
  const witnesses = [...new Set(nodes.flatMap((node) => node.witnesses))];
  return {
    offset,
    update_id: `1220${createHash("sha256").update(content).digest("hex")}`,
    command_id: commandId,
    act_as: actAs,
    workflow_id: workflowId,
    user_id: userId,
    record_time: recordTime,
    traffic_cost: trafficCost,
    witnesses,
    nodes,
  };
}

function completionOf(
  identity: SubmissionIdentity,
  offset: number,
  recordTime: string,
  refusal: LedgerRefusal | null,
  updateId: string | null,
): CompletionRow {
  return {
    offset,
    change_hash: identity.changeHash,
    user_id: identity.userId,
    act_as: identity.actAs,
    command_id: identity.commandId,
    submission_id: identity.submissionId,
    status_code: refusal?.grpcCode ?? 0,
    status_words: refusal === null ? "" : `${refusal.code}: ${refusal.message}`,
    update_id: updateId,
    dedup_offset: identity.dedupOffset,
    record_time: recordTime,
    traffic_cost: identity.trafficCost,
  };
}

function storedOf(contract: Contract): StoredContract {
  return {
    contract_id: contract.contractId,
    template_id: contract.templateId,
    payload: contract.payload,
    signatories: contract.signatories,
    observers: contract.observers,
    created_offset: contract.createdOffset,
    created_at: contract.createdAt,
  };
}
