// Holds the active contracts in memory, indexed by id and by stakeholder and template. They are loaded from the tables
// at the start and changed only by commits.

import type { ContractId, Party } from "../ports/ledger/ledger.ts";
import type { Contract } from "./contract-template.ts";

export class ActiveContracts {
  readonly #byId = new Map<ContractId, Contract>();
  readonly #byStakeholder = new Map<string, Set<ContractId>>();

  add(contract: Contract): void {
    this.#byId.set(contract.contractId, contract);
    for (const key of keysOf(contract)) {
      const found = this.#byStakeholder.get(key) ?? new Set();
      found.add(contract.contractId);
      this.#byStakeholder.set(key, found);
    }
  }

  remove(contractId: ContractId): void {
    const contract = this.#byId.get(contractId);
    if (contract === undefined) return;
    this.#byId.delete(contractId);
    for (const key of keysOf(contract)) {
      const found = this.#byStakeholder.get(key);
      found?.delete(contractId);
      if (found?.size === 0) this.#byStakeholder.delete(key);
    }
  }

  find(contractId: ContractId): Contract | undefined {
    return this.#byId.get(contractId);
  }

  /** Returns the contracts of one template that `party` signs or observes, in the order in which they were added. */
  of(party: Party, templateId: string): Contract[] {
    const ids = this.#byStakeholder.get(keyOf(party, templateId)) ?? [];
    return [...ids].flatMap((id) => this.#byId.get(id) ?? []);
  }

  *[Symbol.iterator](): IterableIterator<Contract> {
    yield* this.#byId.values();
  }
}

function keysOf({ signatories, observers, templateId }: Contract): string[] {
  return [...signatories, ...observers].map((party) => keyOf(party, templateId));
}

function keyOf(party: Party, templateId: string): string {
  return `${party} ${templateId}`;
}
