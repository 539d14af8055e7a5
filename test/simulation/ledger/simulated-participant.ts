// The participant of the simulated ledger. It accepts submissions and records updates in one log, which is read in
// pages as on the real ledger. The log has each submission once, however often it was sent under the same name. The
// caller chooses how a submission fails: it is lost itself, its answer is lost after the commit, it commits much later,
// or it is refused for a while.

import type {
  ChangeKey,
  Committed,
  Holding,
  LedgerContract,
  LedgerUpdate,
  Lookup,
  Outcome,
  Party,
  Rejected,
  RejectedAction,
  UpdatePage,
} from "../../../src/ports/ledger/ledger.ts";
import { Refused, type SimulatedContract, SimulatedTransaction } from "./simulated-contracts.ts";

/** The ways in which a submission can fail. */
export type LedgerFault =
  | "lost-before"
  | "lost-after"
  | "late"
  | "held-locks"
  | "inactive"
  | "no-traffic"
  | "old-token";

/** The faults that can occur when the log is read. */
export type StreamFault = "stall" | "repeat";

export interface LedgerChance {
  submission(change: ChangeKey): LedgerFault | null;
  stream(): StreamFault | null;
}

interface LoggedUpdate {
  readonly offset: number;
  readonly updateId: string;
  readonly change: ChangeKey | null;
  readonly recordMs: number;
  readonly created: readonly SimulatedContract[];
  readonly archived: readonly SimulatedContract[];
}

/** An executed settlement. */
export interface Settled {
  readonly batchId: string;
  readonly updateId: string;
}

export type Step = (transaction: SimulatedTransaction) => void;

const pageMax = 50;
const noChance: LedgerChance = { submission: () => null, stream: () => null };

export interface ParticipantParts {
  readonly nowMs: () => number;
  readonly chance: LedgerChance | null;
  /** Whether the ledger executes a repeated submission again: a deliberate bug that the audit must detect. */
  readonly isForgetful?: boolean;
}

export class SimulatedParticipant {
  /** Settlements in the order of execution. */
  readonly settled: Settled[] = [];
  /** Number of faults that have happened, by name. */
  readonly struck = new Map<string, number>();
  readonly #parts: ParticipantParts;
  readonly #active = new Map<string, SimulatedContract>();
  /** Archived contracts, each with the offset at which it was archived. */
  readonly #ended: { readonly was: SimulatedContract; readonly at: number }[] = [];
  readonly #log: LoggedUpdate[] = [];
  /** Updates that have a submission name, by that name. */
  readonly #named = new Map<string, LoggedUpdate[]>();
  /** Refusal codes of late submissions, by submission. The sender did not get them. */
  readonly #refusals = new Map<string, string>();
  #late: { readonly change: ChangeKey; readonly step: Step }[] = [];
  #contracts = 0;
  #latestMs = 0;
  /** Offset of the latest update. */
  end = 0;

  constructor(parts: ParticipantParts) {
    this.#parts = parts;
  }

  /** The ledger's own time, which never goes back. */
  get nowMs(): number {
    this.#latestMs = Math.max(this.#latestMs, this.#parts.nowMs());
    return this.#latestMs;
  }

  recordTime(): string {
    return new Date(this.nowMs).toISOString();
  }

  submit(change: ChangeKey, step: Step): Outcome {
    if (this.#late.some(({ change: own }) => nameOf(own) === nameOf(change)))
      return { kind: "unknown", cause: "in-flight", message: "the submission is under way" };
    const fault = (this.#parts.chance ?? noChance).submission(change);
    if (fault === null) return this.#apply(change, step);
    this.#strike(fault);
    if (fault === "lost-after") this.#apply(change, step);
    if (fault === "late") this.#late.push({ change, step });
    if (fault === "lost-before" || fault === "lost-after" || fault === "late")
      return { kind: "unknown", cause: "timeout", message: "no answer in time" };
    const [code, action] = refusals[fault];
    return rejection(new Refused(code, action, fault));
  }

  /** Commits or refuses one of the pending late submissions; returns false if there is none. */
  deliver(choice: number): boolean {
    const [one] = this.#late.splice(choice % Math.max(1, this.#late.length), 1);
    if (one === undefined) return false;
    const outcome = this.#apply(one.change, one.step);
    if (outcome.kind !== "rejected") return true;
    this.end++;
    this.#refusals.set(one.change.submissionId, outcome.code);
    return true;
  }

  /** Simulates the death of the ledger process: pending submissions are lost. */
  die(): void {
    this.#late = [];
  }

  /** Applies a change made by the outside world, which cannot be refused. */
  run(step: Step): void {
    this.#run(null, step);
  }

  lookup(change: ChangeKey): Lookup {
    const found = this.#accepted(change);
    if (found !== null)
      return { kind: "committed", updateId: found.updateId, offset: found.offset };
    const code = this.#refusals.get(change.submissionId);
    const searched = { searchedTo: this.end, recordTime: this.recordTime() };
    return code === undefined
      ? { kind: "absent", ...searched }
      : { kind: "rejected", code, ...searched };
  }

  page(after: number, parties: readonly Party[]): UpdatePage {
    const fault = (this.#parts.chance ?? noChance).stream();
    if (fault !== null) this.#strike(fault);
    if (fault === "stall") return { updates: [], through: after, recordTime: null, isLast: true };
    const behind = this.#log.filter(({ offset }) => offset > after);
    const page = behind.slice(0, pageMax);
    const isLast = behind.length <= pageMax;
    const seen = page.flatMap((update) => seenBy(update, parties));
    return {
      updates: fault === "repeat" ? [...seen, ...seen] : seen,
      through: isLast ? Math.max(after, this.end) : (page.at(-1)?.offset ?? after),
      recordTime: this.recordTime(),
      isLast,
    };
  }

  /**
   * Returns the names of submissions that were executed twice by mistake: the second one's deduplication offset is
   * before the first one's update, so the ledger should have found it to be a duplicate.
   */
  get repeated(): string[] {
    return [...this.#named].flatMap(([name, all]) => {
      const isRepeated = all.some(({ change }, index) => {
        return (change?.dedupOffset ?? 0) < (all[index - 1]?.offset ?? 0);
      });
      return isRepeated ? [name] : [];
    });
  }

  active(): SimulatedContract[] {
    return [...this.#active.values()];
  }

  /** Returns the contracts that were active at an offset. */
  activeAt(offset: number): SimulatedContract[] {
    const gone = this.#ended.filter(({ at }) => at > offset).map(({ was }) => was);
    const all = [...gone, ...this.#active.values()];
    return all.filter(({ contract }) => contract.offset <= offset);
  }

  /** Interprets the submission first and checks for duplicates afterwards, as a real participant does. */
  #apply(change: ChangeKey, step: Step): Outcome {
    try {
      return committed(this.#run(change, step));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return rejection(error);
    }
  }

  #run(change: ChangeKey | null, step: Step): LoggedUpdate {
    const tx = new SimulatedTransaction({
      active: this.#active,
      newId: () => `c-${++this.#contracts}`,
      offset: this.end + 1,
      nowMs: this.nowMs,
    });
    step(tx);
    return this.#earlier(change) ?? this.#keep(change, tx);
  }

  #keep(change: ChangeKey | null, tx: SimulatedTransaction): LoggedUpdate {
    const { offset, archived, settles, nowMs: recordMs } = tx;
    this.end = offset;
    for (const was of archived) {
      this.#active.delete(was.contract.contractId);
      this.#ended.push({ was, at: offset });
    }
    const created = tx.created.filter((entry) => !archived.includes(entry));
    for (const entry of created) this.#active.set(entry.contract.contractId, entry);
    const updateId = `u-${offset}`;
    const update = { offset, updateId, change, recordMs, created, archived };
    this.#log.push(update);
    if (settles !== null) this.settled.push({ batchId: settles, updateId });
    if (change === null) return update;
    const name = nameOf(change);
    this.#named.set(name, [...(this.#named.get(name) ?? []), update]);
    return update;
  }

  /** Returns the update that already has this name, or null. */
  #earlier(change: ChangeKey | null): LoggedUpdate | null {
    return change === null || this.#parts.isForgetful === true ? null : this.#accepted(change);
  }

  #accepted(change: ChangeKey): LoggedUpdate | null {
    const all = this.#named.get(nameOf(change)) ?? [];
    return all.find(({ offset }) => offset > change.dedupOffset) ?? null;
  }

  #strike(fault: string): void {
    this.struck.set(fault, (this.struck.get(fault) ?? 0) + 1);
  }
}

const refusals: Readonly<
  Record<Exclude<LedgerFault, "lost-before" | "lost-after" | "late">, [string, RejectedAction]>
> = {
  "held-locks": ["LOCAL_VERDICT_LOCKED_CONTRACTS", "same-payload"],
  inactive: ["LOCAL_VERDICT_INACTIVE_CONTRACTS", "refresh-inputs"],
  "no-traffic": ["SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT", "wait-traffic"],
  "old-token": ["ACCESS_TOKEN_EXPIRED", "renew-token"],
};

export function rejection({ code, action, message }: Refused): Rejected {
  return { kind: "rejected", code, category: 9, action, resources: [], message };
}

export function isSeen(
  { signatories, observers }: LedgerContract,
  parties: readonly Party[],
): boolean {
  return parties.some((party) => signatories.includes(party) || observers.includes(party));
}

/** Returns the coin of a contract as a list; empty if the contract is not a coin. */
export function holdingsOf({ contract, coin }: SimulatedContract): Holding[] {
  if (coin === null) return [];
  const { owner, instrument, amount, lockedUntilMs } = coin;
  const { contractId, offset: createdOffset } = contract;
  const isLocked = lockedUntilMs !== null;
  return [{ contractId, owner, instrument, amount, isLocked, lockedUntilMs, createdOffset }];
}

function nameOf({ commandId, actAs }: ChangeKey): string {
  return [commandId, ...actAs].join(" ");
}

function committed({ updateId, offset, recordMs, created }: LoggedUpdate): Committed {
  return {
    kind: "committed",
    updateId,
    offset,
    recordTime: new Date(recordMs).toISOString(),
    trafficCost: null,
    created: created.map(({ contract }) => contract),
  };
}

/** Returns the part of an update that some parties see; empty if they see none of it. */
function seenBy(update: LoggedUpdate, parties: readonly Party[]): LedgerUpdate[] {
  const { offset, updateId, change, recordMs } = update;
  const see = ({ contract }: SimulatedContract) => isSeen(contract, parties);
  const [created, archived] = [update.created.filter(see), update.archived.filter(see)];
  if (created.length + archived.length === 0) return [];
  // Only a party that submitted the change is told the name of its command.
  const isSubmitter = change?.actAs.some((party) => parties.includes(party)) === true;
  return [
    {
      offset,
      updateId,
      commandId: isSubmitter ? change.commandId : null,
      recordTime: new Date(recordMs).toISOString(),
      trafficCost: null,
      created: created.map(({ contract }) => contract),
      holdings: created.flatMap(holdingsOf),
      allocations: created.flatMap(({ contract: { contractId }, lock }) => {
        if (lock === null) return [];
        const { executor, reference, coinId, instrument } = lock;
        return [{ contractId, admin: instrument.admin, executor, reference, holdings: [coinId] }];
      }),
      archived: archived.map(({ contract }) => contract.contractId),
    },
  ];
}
