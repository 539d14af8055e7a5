// The contracts of the simulated ledger (coins, locked payments and the venue's own contracts), and a transaction on
// them. A transaction is applied whole or changes nothing.

import type {
  ContractId,
  Instrument,
  LedgerContract,
  Party,
  RejectedAction,
} from "../../../src/ports/ledger/ledger.ts";

/** The coin that a contract represents. */
export interface SimulatedCoin {
  readonly owner: Party;
  readonly instrument: Instrument;
  readonly amount: bigint;
  /** Time before which the coin cannot be spent; null for a free coin. */
  readonly lockedUntilMs: number | null;
}

/** The locked payment that a contract represents. */
export interface SimulatedLock {
  readonly sender: Party;
  readonly receiver: Party;
  readonly executor: Party;
  readonly reference: string;
  readonly instrument: Instrument;
  readonly amount: bigint;
  readonly settleBeforeMs: number;
  readonly coinId: ContractId;
}

export interface SimulatedContract {
  readonly contract: LedgerContract;
  readonly coin: SimulatedCoin | null;
  readonly lock: SimulatedLock | null;
}

/** The error of a refused transaction, with its code and the action that the caller should take. */
export class Refused extends Error {
  readonly code: string;
  readonly action: RejectedAction;

  constructor(code: string, action: RejectedAction, message: string) {
    super(message);
    this.code = code;
    this.action = action;
  }
}

/** Returns the refusal for a broken contract rule; repeating the submission cannot succeed. */
export function ruleBroken(message: string): Refused {
  return new Refused("DAML_FAILURE", "stop", message);
}

/** Most coins that one payment may consume. */
const inputsMax = 100;

export const coinTemplate = "#simulated-token:Simulated.Token:Holding";
export const allocationTemplate = "#simulated-token:Simulated.Token:Allocation";

export interface Payment {
  readonly owner: Party;
  readonly instrument: Instrument;
  readonly amount: bigint;
  readonly inputs: readonly ContractId[];
}

export class SimulatedTransaction {
  readonly created: SimulatedContract[] = [];
  readonly archived: SimulatedContract[] = [];
  /** Id of the settlement batch or swap that this transaction settles, or null. */
  settles: string | null = null;
  readonly #active: ReadonlyMap<ContractId, SimulatedContract>;
  readonly #newId: () => ContractId;
  readonly offset: number;
  readonly nowMs: number;

  constructor(parts: {
    readonly active: ReadonlyMap<ContractId, SimulatedContract>;
    readonly newId: () => ContractId;
    readonly offset: number;
    readonly nowMs: number;
  }) {
    this.#active = parts.active;
    this.#newId = parts.newId;
    this.offset = parts.offset;
    this.nowMs = parts.nowMs;
  }

  /** Returns an active contract; refuses the transaction if it is not active. */
  fetch(contractId: ContractId): SimulatedContract {
    const found =
      this.created.find(({ contract }) => contract.contractId === contractId) ??
      this.#active.get(contractId);
    if (found === undefined || this.archived.includes(found))
      throw new Refused("CONTRACT_NOT_FOUND", "refresh-inputs", `${contractId} is not active`);
    return found;
  }

  archive(contractId: ContractId): SimulatedContract {
    const found = this.fetch(contractId);
    this.archived.push(found);
    return found;
  }

  create(
    made: Pick<LedgerContract, "templateId" | "payload" | "signatories" | "observers">,
    parts: Partial<Pick<SimulatedContract, "coin" | "lock">> = {},
  ): ContractId {
    const contractId = this.#newId();
    const contract = { ...made, contractId, offset: this.offset, blob: null };
    this.created.push({ contract, coin: parts.coin ?? null, lock: parts.lock ?? null });
    return contractId;
  }

  coin(owner: Party, instrument: Instrument, amount: bigint, lockedUntilMs: number | null = null) {
    const { admin } = instrument;
    return this.create(
      { templateId: coinTemplate, payload: {}, signatories: [admin, owner], observers: [] },
      { coin: { owner, instrument, amount, lockedUntilMs } },
    );
  }

  /** Consumes the inputs and gives the change back to the owner as one coin. */
  spend({ owner, instrument, amount, inputs }: Payment): void {
    if (inputs.length === 0 || inputs.length > inputsMax)
      throw ruleBroken(`a payment must have 1 to ${inputsMax} input coins`);
    let sum = 0n;
    for (const input of inputs) {
      const { coin } = this.archive(input);
      if (coin === null || coin.owner !== owner)
        throw ruleBroken("the coin belongs to another party");
      const { admin, id } = coin.instrument;
      if (admin !== instrument.admin || id !== instrument.id)
        throw ruleBroken("the coin is of another instrument");
      if (coin.lockedUntilMs !== null && coin.lockedUntilMs > this.nowMs)
        throw ruleBroken("the coin is locked");
      sum += coin.amount;
    }
    if (sum < amount) throw ruleBroken("the inputs hold less than the amount");
    if (sum > amount) this.coin(owner, instrument, sum - amount);
  }

  /** Locks a payment; `more` describes the purpose of the lock. */
  lock(
    lock: Omit<SimulatedLock, "coinId">,
    inputs: readonly ContractId[],
    more: LedgerContract["payload"] = {},
  ): void {
    const { sender, receiver, executor, instrument, amount, settleBeforeMs } = lock;
    this.spend({ owner: sender, instrument, amount, inputs });
    const coinId = this.coin(sender, instrument, amount, settleBeforeMs);
    const transferLeg = { sender, receiver, instrumentId: instrument };
    this.create(
      {
        templateId: allocationTemplate,
        payload: { allocation: { transferLeg }, ...more },
        signatories: [instrument.admin, sender],
        observers: [executor, receiver],
      },
      { lock: { ...lock, coinId } },
    );
  }

  /** Ends a lock of the settlement `reference` and gives its coin to `to`; refuses locks of other settlements. */
  unlock(contractId: ContractId, reference: string, to: "sender" | "receiver"): SimulatedLock {
    const { lock } = this.archive(contractId);
    if (lock === null) throw ruleBroken("the contract is not a locked payment");
    if (lock.reference !== reference)
      throw ruleBroken("the locked payment belongs to another settlement");
    if (to === "receiver" && lock.settleBeforeMs <= this.nowMs)
      throw ruleBroken("the deadline of the locked payment has passed");
    this.archive(lock.coinId);
    this.coin(lock[to], lock.instrument, lock.amount);
    return lock;
  }
}
