// Executes sealed batches on the ledger: several at a time, but only one per member.
//
//   ready ─▶ processing ─▶ confirmed
//     ▲          │ no attempt of the round can commit
//     └─ retry ◀─┘
//
// Each batch commits at most once. An attempt is stored before it is sent. All attempts of a round share one command
// id, deadline and deduplication offset. Without a commit, a round ends only when the ledger has rejected its only
// attempt, when a fence rules out every attempt, or when the deadline has passed on the ledger without a completion.

import { assert, present } from "../../../core/assert.ts";
import type {
  ChangeKey,
  Leg,
  MemberOperation,
  Outcome,
  Party,
} from "../../../ports/ledger/ledger.ts";
import type { BatchRow, LockedPayment, NextRound } from "../../../ports/ledger/settlement-store.ts";
import { ageMsMax, isGivenUp, retryDelayMs } from "../retry-delay.ts";
import type { BatchExecutorParts } from "./batch-executor-parts.ts";
import { BatchPhase, commandIdOf } from "./batch-phases.ts";
import { LegFunding, type NoLegs, type Unfunded } from "./leg-funding.ts";
import { ledgerMs, operationsOf } from "./member-operations.ts";

/** Share of a round reserved for locking every payment. Executing the locks may use the rest. */
const allocateShare = 1 / 5;
/** No attempt starts in this last share of a round, because the ledger would refuse it as too late. */
const lastAttemptShare = 1 / 120;
/** The ledger's clock may be ahead: it may refuse an attempt for the deadline this long before the deadline. */
const clockAheadMsMax = 60_000;
const clockAheadShareMax = 1 / 10;
/** Pause before the venue checks again for an unknown outcome, or for an update not yet seen on the ledger. */
const lookAgainMs = 1_000;
/** After this many attempts in a row without an answer, the ledger counts as unavailable; only its health is read. */
const unansweredMax = 5;
const probeMs = 5_000;

/** Result of one turn of a batch. `busy`: other batches are using a member of this batch or the coins it needs. */
type Turn = "sent" | "waits" | "busy";

interface Choice {
  readonly legs: readonly Leg[];
  readonly submissionId: string;
  readonly dedupOffset: number;
}

export class BatchExecutor {
  readonly #parts: BatchExecutorParts;
  readonly #busy = new Set<Party>();
  readonly #funding: LegFunding;
  /** Serialises coin selection across batches. */
  #choosing: Promise<unknown> = Promise.resolve();
  #unanswered = 0;
  #probedMs = 0;

  constructor(parts: BatchExecutorParts) {
    this.#parts = parts;
    this.#funding = new LegFunding(parts);
  }

  /**
   * Works on all due batches. `follow` reads ledger updates, so that new coins become spendable and new locks become
   * visible. Returns whether any batch moved and whether any failed.
   */
  async work(follow: () => Promise<void>): Promise<{ hasMoved: boolean; hasFailed: boolean }> {
    const { store, now, settings } = this.#parts;
    const { workers } = settings;
    const seen = { hasMoved: false, hasFailed: false };
    if (!(await this.#isLedgerAvailable())) return seen;
    const due = await store.dueBatches(now());
    const postponed: BatchRow[] = [];
    this.#funding.lookAgain();
    const works = async (): Promise<void> => {
      for (let batch = due.shift(); batch !== undefined; batch = due.shift()) {
        if (this.#unanswered >= unansweredMax) return;
        const turn = await this.#turn(batch);
        if (turn === "busy") postponed.push(batch);
        if (turn === "failed") seen.hasFailed = true;
        if (turn !== "sent") continue;
        seen.hasMoved = true;
        await follow();
        this.#funding.lookAgain();
        due.unshift(...postponed.splice(0));
      }
    };
    // Wait for all workers: a worker that is still running would overlap with the workers of the next call.
    const ends = await Promise.allSettled(Array.from({ length: workers }, works));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    return seen;
  }

  async #isLedgerAvailable(): Promise<boolean> {
    const { network, now, log } = this.#parts;
    if (this.#unanswered < unansweredMax) return true;
    if (now() - this.#probedMs < probeMs) return false;
    this.#probedMs = now();
    const { isReady } = await network.health();
    if (isReady) this.#unanswered = 0;
    else log.warn({}, "the ledger does not answer; submissions are paused");
    return isReady;
  }

  async #turn(batch: BatchRow): Promise<Turn | "failed"> {
    const { custody } = this.#parts.network;
    const members = [batch.partyA, batch.partyB].filter((party) => party !== custody);
    if (members.some((party) => this.#busy.has(party))) return "busy";
    for (const party of members) this.#busy.add(party);
    try {
      return await this.#advance(batch, members);
    } finally {
      for (const party of members) this.#busy.delete(party);
    }
  }

  async #advance(batch: BatchRow, members: readonly Party[]): Promise<Turn | "failed"> {
    if (batch.phase === BatchPhase.cancel) return this.#cancel(batch, members);
    const answered = batch.dedupOffset === null ? null : await this.#answered(batch);
    if (answered !== null) return answered;
    if (batch.phase === BatchPhase.exec) return this.#execute(batch, members);
    const isDirect = batch.phase === BatchPhase.direct;
    const legs = await this.#funding.legs(batch);
    if ("why" in legs) return this.#unfunded(batch, legs.why);
    const operations = await this.#operations(members);
    if (operations === null) return this.#unauthorised(batch);
    const { network, now, settings } = this.#parts;
    const { roundMs } = settings;
    const deadlineMs = batch.deadlineMs ?? now() + roundMs;
    const choice = await this.#choose(batch, deadlineMs);
    if (choice === null) return "waits";
    if ("why" in choice) return this.#unfunded(batch, choice.why);
    const { legs: chosen, ...sent } = choice;
    const requestedAtMs = deadlineMs - roundMs;
    const command = {
      ...changeOf({ ...batch, ...sent }, this.#actAs(batch)),
      batchId: batch.batchId,
      members: operations,
      legs: chosen,
      requestedAtMs,
      executeBeforeMs: deadlineMs,
    };
    const allocateBeforeMs = requestedAtMs + roundMs * allocateShare;
    const outcome = isDirect
      ? await network.settleDirect(command)
      : await network.allocate({ ...command, allocateBeforeMs });
    return this.#after({ ...batch, deadlineMs }, outcome);
  }

  /** Executes the locked payments once all of them are visible on the ledger. */
  async #execute(batch: BatchRow, members: readonly Party[]): Promise<Turn | "failed"> {
    const { store, network, now, settings } = this.#parts;
    const { batchId } = batch;
    const deadlineMs = present(
      batch.deadlineMs,
      "a batch with locked holdings must have a deadline",
    );
    const allocations = binding(await store.allocationsOf(batchId));
    const legs = await store.legsOf(batchId);
    const isTooLate = now() > deadlineMs - settings.roundMs * lastAttemptShare;
    if (allocations.length < legs.length || isTooLate) {
      // If there is no lock yet, wait until the locks are visible. Otherwise a sender has withdrawn some locks, or it
      // is too late to execute them, so the remaining locks are released.
      if (!isTooLate && allocations.length === 0)
        return this.#lookAgain(batch, "the locks are not visible on the ledger yet");
      await this.#nextRound(batchId, {
        phase: BatchPhase.cancel,
        dueMs: 0,
        reason: "some locks are missing, or no time is left to execute them",
        keepsDeadline: true,
      });
      return "sent";
    }
    const operations = await this.#operations(members);
    if (operations === null) return this.#unauthorised(batch);
    const change = await this.#begin(batch, deadlineMs, []);
    if (change === null) return "waits";
    return this.#after(
      batch,
      await network.executeAllocations({ ...change, batchId, members: operations, allocations }),
    );
  }

  /**
   * Releases all locks. The phase ends when the ledger shows no lock any more, whoever released the locks, so the
   * outcome of an attempt does not matter. Expired locks whose coins the sender has already spent are left out: the
   * ledger cannot release them, and a transaction that names one of them would fail.
   */
  async #cancel(batch: BatchRow, members: readonly Party[]): Promise<Turn | "failed"> {
    const { store, network, now, share } = this.#parts;
    const { batchId } = batch;
    const locked = await store.allocationsOf(batchId);
    const operations = locked.length === 0 ? [] : await this.#operations(members);
    if (operations === null) return this.#release(batch, members, locked);
    const allocations = binding(locked);
    if (allocations.length === 0) {
      const next = { phase: BatchPhase.direct, reason: batch.reason ?? "" };
      const dueMs = now() + retryDelayMs(Math.max(1, batch.setbacks), share(), true);
      await this.#nextRound(batchId, { ...next, dueMs });
      return (await this.#giveUp({ ...batch, phase: BatchPhase.direct }, next.reason)) ?? "sent";
    }
    const change = await this.#beginReturn(batch);
    if (change === null) return "waits";
    const command = { ...change, batchId, members: operations, allocations };
    return this.#returned(batch, await network.cancelAllocations(command));
  }

  /**
   * Releases locks although a member has revoked its authority. The venue withdraws the locks of all other senders; the
   * member must withdraw its own locks. The batch fails once its payments can no longer be executed.
   */
  async #release(
    batch: BatchRow,
    members: readonly Party[],
    locked: readonly LockedPayment[],
  ): Promise<Turn | "failed"> {
    const { store, network, now, settings, newId, log } = this.#parts;
    const { batchId } = batch;
    const own = await operationsOf(network, members);
    for (const sender of [network.custody, ...own.map(({ member }) => member)]) {
      const allocations = binding(locked).filter((each) => each.sender === sender);
      if (allocations.length === 0) continue;
      const change = await this.#beginReturn(batch);
      if (change === null) return "waits";
      const by = own.filter(({ member }) => member === sender);
      const command = { ...change, batchId, members: by, allocations };
      return this.#returned(batch, await network.withdrawAllocations(command));
    }
    // If the batch has no recorded deadline, use a time that is later than the deadline of any of its locks.
    const settleBeforeMs = batch.deadlineMs ?? batch.openedMs + ageMsMax + settings.roundMs;
    if (!((await ledgerMs(network, newId())) > settleBeforeMs + settings.lapseMs))
      return this.#unauthorised(batch);
    const reason =
      "a member revoked its authority; the member must withdraw its locked coins itself";
    log.error({ batchId, reason }, "a settlement batch has failed for good");
    return (await store.endLapsed(batchId, reason, now())) ? "failed" : "waits";
  }

  #beginReturn(batch: BatchRow): Promise<ChangeKey | null> {
    const { now, settings } = this.#parts;
    return this.#begin(batch, batch.deadlineMs ?? now() + settings.roundMs, []);
  }

  /** Handles the outcome of an attempt to release locks. The next round checks which locks are left. */
  async #returned(batch: BatchRow, outcome: Outcome): Promise<Turn> {
    const { store, now, share } = this.#parts;
    const { batchId, setbacks } = batch;
    const next = { phase: BatchPhase.cancel, keepsDeadline: true };
    if (outcome.kind === "committed") {
      await this.#nextRound(batchId, { ...next, dueMs: 0, reason: batch.reason ?? "" });
      return "sent";
    }
    const { message: reason } = outcome;
    if (outcome.kind === "rejected") {
      const dueMs = now() + retryDelayMs(setbacks + 1, share(), true);
      await this.#nextRound(batchId, { ...next, dueMs, reason, isSetback: true });
    } else await store.unknown(batchId, now() + lookAgainMs, reason);
    return "waits";
  }

  /** Looks up earlier attempts of the round on the ledger. Null if another attempt may be sent. */
  async #answered(batch: BatchRow): Promise<Turn | "failed" | null> {
    const { network, settings } = this.#parts;
    const found = await network.lookup(changeOf(batch, this.#actAs(batch)));
    if (found.kind === "committed") return this.#committed(batch, found);
    // It is too late for another attempt of the round.
    if (!this.#isNearDeadline(batch, settings.roundMs * lastAttemptShare)) return null;
    const ledgerMs = Date.parse(found.recordTime ?? "");
    // No attempt has committed, and after this ledger time none can commit, so the round is over.
    if (ledgerMs > this.#deadlineOf(batch) + settings.lapseMs)
      return this.#roundOver(batch, "no attempt committed before the deadline");
    return this.#lookAgain(batch, "waiting for the deadline");
  }

  /** The time from which the ledger refuses the attempts of a round. */
  #deadlineOf({ phase, deadlineMs }: BatchRow): number {
    const latest = present(deadlineMs, "a settlement round with an attempt must have a deadline");
    const { roundMs } = this.#parts.settings;
    return phase === BatchPhase.alloc ? latest - roundMs * (1 - allocateShare) : latest;
  }

  #isNearDeadline(batch: BatchRow, marginMs: number): boolean {
    return this.#parts.now() >= this.#deadlineOf(batch) - marginMs;
  }

  async #committed(
    batch: BatchRow,
    { updateId, offset }: { readonly updateId: string; readonly offset: number },
  ): Promise<Turn> {
    const { store, log } = this.#parts;
    const { batchId, phase } = batch;
    if (phase === BatchPhase.alloc) {
      const next = { phase: BatchPhase.exec, dueMs: 0, reason: "" };
      await this.#nextRound(batchId, { ...next, keepsDeadline: true });
      return "sent";
    }
    const isOnly = await store.confirm(batchId, updateId, offset);
    if (!isOnly) log.error({ batchId, updateId }, "a settlement batch settled twice");
    return "sent";
  }

  /** Chooses coins and stores the attempt to send. Null if nothing may be sent, as in `#begin`. */
  #choose(batch: BatchRow, deadlineMs: number): Promise<Choice | NoLegs | null> {
    const choice = this.#choosing.then(async () => {
      const legs = await this.#funding.legs(batch);
      if ("why" in legs) return legs;
      const inputs = legs.flatMap((leg) => leg.inputs);
      const change = await this.#begin(batch, deadlineMs, inputs);
      return change === null ? null : { ...change, legs };
    });
    this.#choosing = choice.catch(() => undefined);
    return choice;
  }

  /**
   * Stores an attempt before it is sent. Null if nothing may be sent, because the batch has changed since it was read.
   * For example, the batch was settled or skipped.
   */
  async #begin(
    batch: BatchRow,
    deadlineMs: number,
    inputs: readonly string[],
  ): Promise<ChangeKey | null> {
    const { store, network, newId } = this.#parts;
    const { batchId, round, attempts } = batch;
    const submissionId = newId();
    const dedupOffset = batch.dedupOffset ?? (await network.ledgerEnd());
    const attempt = { batchId, round, attempts, dedupOffset, deadlineMs, submissionId, inputs };
    if (!(await store.begin(attempt))) return null;
    return changeOf({ ...batch, submissionId, dedupOffset }, this.#actAs(batch));
  }

  #actAs({ partyA, partyB }: BatchRow): Party[] {
    const { operator, custody } = this.#parts.network;
    return partyA === custody || partyB === custody ? [operator, custody] : [operator];
  }

  async #operations(parties: readonly Party[]): Promise<MemberOperation[] | null> {
    const found = await operationsOf(this.#parts.network, parties);
    return found.length === parties.length ? found : null;
  }

  async #after(batch: BatchRow, outcome: Outcome): Promise<Turn | "failed"> {
    const { store, now, log, settings } = this.#parts;
    this.#unanswered = outcome.kind === "unknown" ? this.#unanswered + 1 : 0;
    if (outcome.kind === "committed") return this.#committed(batch, outcome);
    const { batchId } = batch;
    const reason = outcome.message;
    // While an earlier attempt may still commit, an answer to this attempt cannot end the round, unless the ledger
    // rejects the command for good. Then a fence first rules out the earlier attempt.
    const isOpen = outcome.kind === "unknown" || (batch.isUnknown && !isHopeless(outcome));
    if (isOpen) {
      await store.unknown(batchId, now() + lookAgainMs, reason);
      return "waits";
    }
    if (batch.isUnknown) {
      const fenced = await this.#fence(batch);
      if (fenced !== null) return fenced;
    }
    if (batch.phase === BatchPhase.direct && outcome.action === "fallback") {
      await this.#nextRound(batchId, { phase: BatchPhase.alloc, dueMs: 0, reason });
      return "sent";
    }
    if (batch.phase === BatchPhase.exec) return this.#executionRefused(batch, outcome);
    // A refusal near the deadline may be due to the deadline alone; any other reason will recur in the next round.
    const marginMs = Math.min(clockAheadMsMax, settings.roundMs * clockAheadShareMax);
    if (outcome.action !== "stop" || this.#isNearDeadline(batch, marginMs))
      return this.#roundOver(batch, reason);
    log.error({ batchId, reason }, "the ledger rejects a settlement batch");
    await this.#roundOver(batch, reason);
    await store.end(batchId, "failed", reason, now());
    return "failed";
  }

  /**
   * Consumes a member's next operation, so that no earlier attempt of the batch can commit. Null if the fence was
   * committed and the ledger's completions up to it contain no commit of an attempt; the round may then end.
   */
  async #fence(batch: BatchRow): Promise<Turn | null> {
    const { network, newId } = this.#parts;
    const { operator, custody } = network;
    const members = [batch.partyA, batch.partyB].filter((party) => party !== custody);
    const [operation] = (await this.#operations(members)) ?? [];
    if (operation === undefined)
      return this.#lookAgain(batch, "a member has given the venue no authority on the ledger");
    // Each fence has a new id, because an earlier fence does not rule out the attempts after it.
    const submissionId = newId();
    const commandId = `stl:${batch.batchId}:${batch.round}:fence-${submissionId}`;
    const dedupOffset = await network.ledgerEnd();
    const change = { commandId, actAs: [operator], dedupOffset, submissionId };
    const outcome = await network.fenceMember({ ...change, operation });
    if (outcome.kind !== "committed") return this.#lookAgain(batch, outcome.message);
    const found = await network.lookup(changeOf(batch, this.#actAs(batch)));
    if (found.kind === "committed") return this.#committed(batch, found);
    if (found.searchedTo >= outcome.offset) return null;
    return this.#lookLater(batch, "the completions up to the fence are not readable yet");
  }

  /** Retries the execution if the refusal is transient; otherwise starts the release of the locks. */
  async #executionRefused(
    batch: BatchRow,
    { action, message: reason }: Extract<Outcome, { kind: "rejected" }>,
  ): Promise<Turn> {
    const { now, share } = this.#parts;
    const isTransient = ["same-payload", "renew-token", "wait-traffic"].includes(action);
    const phase = isTransient ? BatchPhase.exec : BatchPhase.cancel;
    const dueMs = isTransient ? now() + retryDelayMs(batch.setbacks + 1, share(), true) : 0;
    const next = { phase, dueMs, reason, keepsDeadline: true, isSetback: true };
    await this.#nextRound(batch.batchId, next);
    return isTransient ? "waits" : "sent";
  }

  /** Ends a round. The caller knows that no attempt of the round has committed or can still commit. */
  async #roundOver(batch: BatchRow, reason: string): Promise<Turn | "failed"> {
    const { now, share } = this.#parts;
    const setbacks = batch.setbacks + 1;
    const phase = batch.phase === BatchPhase.exec ? BatchPhase.cancel : batch.phase;
    const dueMs = now() + retryDelayMs(setbacks, share(), true);
    const keepsDeadline = phase === BatchPhase.cancel;
    const next = { phase, dueMs, reason, keepsDeadline, isSetback: true };
    await this.#nextRound(batch.batchId, next);
    return (await this.#giveUp({ ...batch, setbacks, phase }, reason)) ?? "waits";
  }

  /** Fails a batch that has used up its retries or its time, unless payments of it may be locked on the ledger. */
  async #giveUp(batch: BatchRow, reason: string): Promise<"failed" | null> {
    const { store, now, log } = this.#parts;
    const { batchId, phase, setbacks, openedMs } = batch;
    const isLocked = phase === BatchPhase.exec || phase === BatchPhase.cancel;
    if (isLocked || !isGivenUp(setbacks, now() - openedMs)) return null;
    log.error({ batchId, reason }, "a settlement batch has failed for good");
    await store.end(batchId, "failed", reason, now());
    return "failed";
  }

  async #nextRound(batchId: string, next: NextRound): Promise<void> {
    const { store, onSetback } = this.#parts;
    await store.nextRound(batchId, next);
    if (next.isSetback === true) onSetback();
  }

  async #unfunded(batch: BatchRow, why: Unfunded): Promise<Turn | "failed"> {
    if (why === "busy") return "busy";
    if (why === "short") return this.#wait(batch, "not enough coins are free");
    const outcome = await this.#funding.gather(why);
    if (outcome === null) return this.#unauthorised(batch);
    return outcome.kind === "committed" ? "sent" : this.#wait(batch, outcome.message);
  }

  #unauthorised(batch: BatchRow): Promise<Turn | "failed"> {
    return this.#wait(batch, "a member has given the venue no authority on the ledger");
  }

  async #lookAgain({ batchId }: BatchRow, reason: string): Promise<Turn> {
    const { store, now } = this.#parts;
    await store.postpone(batchId, now() + lookAgainMs, reason);
    return "waits";
  }

  /** Postpones a batch whose next turn sends another attempt and fence. Each is paid for, so the delay grows. */
  async #lookLater({ batchId, attempts }: BatchRow, reason: string): Promise<Turn> {
    const { store, now, share } = this.#parts;
    const delayMs = Math.max(lookAgainMs, retryDelayMs(attempts + 1, share(), false));
    await store.postpone(batchId, now() + delayMs, reason);
    return "waits";
  }

  /** Postpones a batch for which nothing could be sent: it keeps its state and is checked again later. */
  async #wait(batch: BatchRow, reason: string): Promise<Turn | "failed"> {
    const { store, now, share, log } = this.#parts;
    const { batchId, isUnknown } = batch;
    log.warn({ batchId, reason }, "a settlement batch waits");
    await store.postpone(batchId, now() + retryDelayMs(3, share(), false), reason);
    return (isUnknown ? null : await this.#giveUp(batch, reason)) ?? "waits";
  }
}

/** The locks that can still be executed or released: all except expired locks with a spent coin. */
function binding(locked: readonly LockedPayment[]): LockedPayment[] {
  return locked.filter(({ isSpent }) => !isSpent);
}

/** True if sending the same command again cannot succeed. */
function isHopeless(outcome: Outcome): boolean {
  if (outcome.kind !== "rejected") return false;
  return outcome.action === "fallback" || outcome.action === "stop";
}

function changeOf(batch: BatchRow, actAs: readonly Party[]): ChangeKey {
  const { dedupOffset, submissionId } = batch;
  assert(dedupOffset !== null && submissionId !== null, "the attempt must be stored first");
  return { commandId: commandIdOf(batch), actAs, dedupOffset, submissionId };
}
