// Processes a submission in the order of a real participant, so that clients meet the same edge cases:
//
//   rights ─▶ interpret ─▶ duplicate? ─▶ traffic ─▶ lock inputs ─▶ latency ─▶ commit ─▶ answer
//
// Interpretation precedes the duplicate check, so a repeated change whose inputs are spent fails with
// CONTRACT_NOT_FOUND. Inputs stay locked from before the latency until the verdict, as they do between sequencing and
// confirmation on a network. Injected faults occur at the steps where real faults would.

import { setTimeout as sleep } from "node:timers/promises";
import type { ContractId } from "../ports/ledger/ledger.ts";
import type { ActiveContracts } from "./active-contracts.ts";
import type { CommitQueue, SubmissionIdentity } from "./commit-queue.ts";
import type { DevnetClock } from "./devnet-clock.ts";
import type { DevnetStore, UpdateRow } from "./devnet-store.ts";
import { type Disclosure, newContractId } from "./disclosure.ts";
import { type FaultEffect, type FaultPlan, submissionEffects } from "./fault-plan.ts";
import { type Interpreted, interpret } from "./interpreter.ts";
import { contractFailure, LedgerRefusal } from "./ledger-refusal.ts";
import type { LedgerUsers } from "./ledger-users.ts";
import { changeHashOf, type Submission } from "./submission.ts";
import { templates } from "./template-registry.ts";
import { type TrafficMeter, trafficCostOf } from "./traffic-meter.ts";

/** Thrown if the response must be lost: the server then closes the connection without a response. */
export class LostAnswer extends Error {
  override name = "LostAnswer";
}

export interface Latency {
  readonly minMs: number;
  readonly maxMs: number;
  readonly seed: number;
}

export interface PipelineParts {
  readonly store: DevnetStore;
  readonly active: ActiveContracts;
  readonly queue: CommitQueue;
  readonly users: LedgerUsers;
  readonly traffic: TrafficMeter;
  readonly faults: FaultPlan;
  readonly clock: DevnetClock;
  readonly disclosure: Disclosure;
  readonly latency: Latency;
  /** Ends the process immediately, like a crash. */
  readonly crash: () => never;
}

type Struck = ReadonlyMap<FaultEffect, number>;

export class SubmissionPipeline {
  readonly #parts: PipelineParts;
  readonly #locks = new Set<ContractId>();
  readonly #inFlight = new Map<string, string>();
  #prng: number;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
    this.#prng = parts.latency.seed | 1;
  }

  /** Executes the submission; returns the committed update or throws a LedgerRefusal. */
  async submit(submission: Submission): Promise<UpdateRow> {
    const { users, faults } = this.#parts;
    users.checkActAs(submission.userId, submission.actAs);
    users.checkReadAs(submission.userId, submission.readAs);
    return this.#carryOut(submission, faults.strike(submission, submissionEffects));
  }

  /** Like `submit`, for external parties, whose signature authorises the submission. */
  async submitSigned(submission: Submission): Promise<UpdateRow> {
    const { faults } = this.#parts;
    return this.#carryOut(submission, faults.strike(submission, submissionEffects));
  }

  /**
   * Like `submit`, for the faucet and hosted wallets. On a real network these run on other nodes, so rights, faults and
   * traffic do not apply.
   */
  async submitInternal(submission: Submission): Promise<UpdateRow> {
    return this.#carryOut(submission, new Map());
  }

  /** Returns the transaction without committing it. */
  interpret(submission: Submission): Interpreted {
    const { active, clock, disclosure } = this.#parts;
    return interpret(submission.commands, {
      templates,
      find: (id) => active.find(id),
      newContractId,
      now: clock.now(),
      actAs: submission.actAs,
      readAs: submission.readAs,
      disclosed: disclosure.idsOf(submission.disclosed),
    });
  }

  async #carryOut(submission: Submission, struck: Struck): Promise<UpdateRow> {
    strikeBefore(struck);
    if (struck.has("delay")) await sleep(struck.get("delay"));
    const transaction = this.interpret(submission);
    const changeHash = changeHashOf(submission);
    await this.#refuseDuplicate(submission, changeHash);
    // There is no `await` between this check and locking the inputs, so two attempts of one change cannot both pass.
    this.#refuseInFlight(changeHash, struck);
    this.#inFlight.set(changeHash, submission.submissionId);
    try {
      const row = await this.#sequence(submission, transaction, changeHash, struck);
      if (struck.has("timeout_after_commit")) throw timeout();
      if (struck.has("drop_after_commit")) throw new LostAnswer("the answer was lost");
      return row;
    } finally {
      this.#inFlight.delete(changeHash);
    }
  }

  async #sequence(
    submission: Submission,
    transaction: Interpreted,
    changeHash: string,
    struck: Struck,
  ): Promise<UpdateRow> {
    const { traffic, queue, clock } = this.#parts;
    if (struck.has("no_traffic"))
      throw new LedgerRefusal("SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT", "no traffic is left");
    const trafficCost = trafficCostOf(transaction.nodes);
    if (!submission.isInternal) traffic.charge(trafficCost, clock.now());
    const { userId, actAs, commandId, submissionId, workflowId, dedupOffset } = submission;
    const identity: SubmissionIdentity = {
      userId,
      actAs,
      commandId,
      submissionId,
      workflowId,
      changeHash,
      dedupOffset,
      trafficCost,
    };
    const verdict = this.#contention(transaction, struck);
    if (verdict !== null) return queue.refuse(identity, verdict);
    for (const id of transaction.consumed) this.#locks.add(id);
    try {
      if (struck.has("crash_after_lock")) this.#parts.crash();
      await this.#latency();
      if (struck.has("timeout_before_commit")) throw timeout();
      if (clock.now() > (submission.maxRecordMs ?? Number.POSITIVE_INFINITY)) {
        const late = new LedgerRefusal(
          "LOCAL_VERDICT_TIMEOUT",
          "the submission's maximum record time has passed",
        );
        return await queue.refuse(identity, late);
      }
      return await queue.commit(identity, transaction);
    } finally {
      for (const id of transaction.consumed) this.#locks.delete(id);
    }
  }

  async #refuseDuplicate(submission: Submission, changeHash: string): Promise<void> {
    const { store } = this.#parts;
    const found = await store.acceptedAfter(changeHash, submission.dedupOffset);
    if (found === null) return;
    const context = {
      completion_offset: String(found.offset),
      existing_submission_id: found.submissionId,
      accepted: "true",
    };
    const message = `${submission.commandId} was committed before`;
    throw new LedgerRefusal("DUPLICATE_COMMAND", message, { context });
  }

  #refuseInFlight(changeHash: string, struck: Struck): void {
    if (!this.#inFlight.has(changeHash) && !struck.has("in_flight")) return;
    const context = { existing_submission_id: this.#inFlight.get(changeHash) ?? "" };
    const message = "the same change is already in progress";
    throw new LedgerRefusal("SUBMISSION_ALREADY_IN_FLIGHT", message, { context });
  }

  #contention({ consumed }: Interpreted, struck: Struck): LedgerRefusal | null {
    const locked = consumed.filter((id) => this.#locks.has(id));
    const contracts = locked.length > 0 ? locked : consumed.slice(0, 1);
    if (locked.length > 0 || struck.has("locked")) {
      const message = "another transaction has locked an input";
      return new LedgerRefusal("LOCAL_VERDICT_LOCKED_CONTRACTS", message, { contracts });
    }
    if (!struck.has("inactive")) return null;
    const message = "an input is no longer active";
    return new LedgerRefusal("LOCAL_VERDICT_INACTIVE_CONTRACTS", message, { contracts });
  }

  async #latency(): Promise<void> {
    const { minMs, maxMs } = this.#parts.latency;
    if (maxMs === 0) return;
    this.#prng = (Math.imul(this.#prng, 1_664_525) + 1_013_904_223) | 0;
    const part = (this.#prng >>> 0) / 2 ** 32;
    await sleep(minMs + part * (maxMs - minMs));
  }
}

function strikeBefore(struck: Struck): void {
  if (struck.has("token_expired"))
    throw new LedgerRefusal("ACCESS_TOKEN_EXPIRED", "the token has expired");
  if (struck.has("unavailable"))
    throw new LedgerRefusal("SERVICE_NOT_RUNNING", "the ledger is not available");
  if (struck.has("backpressure"))
    throw new LedgerRefusal("SEQUENCER_BACKPRESSURE", "the sequencer is busy");
  if (struck.has("preapproval_missing"))
    throw contractFailure("PREAPPROVAL_MISSING", "a receiver has no preapproval");
}

function timeout(): LedgerRefusal {
  return new LedgerRefusal("REQUEST_TIME_OUT", "the outcome was not known in time");
}
