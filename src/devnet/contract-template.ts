// Contracts and templates of the development ledger: signatories, observers, and choices with their controllers and
// effects. Templates are pure functions of contract and argument; the interpreter enforces authority, visibility and
// single consumption.

import type { JsonObject } from "../adapters/ledger/api-shapes.ts";
import type { ContractId, Instrument, Party } from "../ports/ledger/ledger.ts";
import type { Fields } from "./fields.ts";

export interface Contract {
  readonly contractId: ContractId;
  readonly templateId: string;
  readonly payload: JsonObject;
  readonly signatories: readonly Party[];
  readonly observers: readonly Party[];
  /** Ledger offset of the creation; 0 until the creation is committed. */
  readonly createdOffset: number;
  /** Time of creation, in ISO 8601. */
  readonly createdAt: string;
}

/** Operations of a running choice, executed under the choice's authority. */
export interface ChoiceScope {
  readonly self: ContractId;
  /** Ledger time in milliseconds UTC. */
  readonly now: number;
  create(templateId: string, payload: JsonObject): ContractId;
  exercise(contractId: ContractId, choice: string, argument: JsonObject): JsonObject;
  /** Archives a contract; needs the authority of all signatories of the contract. */
  archive(contractId: ContractId): void;
  /** Returns the contract's fields; refused unless the contract is active and visible. */
  fetch(contractId: ContractId, templateId: string): Fields;
  /** True if the contract is active and visible. The check does not count as a use of the contract. */
  isActive(contractId: ContractId): boolean;
  /** Increases the supply of an instrument; only the instrument's admin may do this. */
  mint(instrument: Instrument, units: bigint): void;
}

export interface Choice {
  readonly isConsuming: boolean;
  /** Interface that the choice belongs to; absent for a choice of the template itself. */
  readonly interfaceId?: string;
  controllers(payload: Fields, argument: Fields): readonly Party[];
  run(scope: ChoiceScope, payload: Fields, argument: Fields): JsonObject;
}

export interface Template {
  readonly id: string;
  signatories(payload: Fields): readonly Party[];
  observers(payload: Fields): readonly Party[];
  /** Throws if the payload is invalid for this template. */
  check(payload: Fields): void;
  /** Returns the contract's interface views by interface id. */
  views(payload: Fields): Readonly<Record<string, JsonObject>>;
  readonly choices: Readonly<Record<string, Choice>>;
}

/** Returns the package part of a template or interface id such as `#venue-member-v1:Venue.Member:MemberAuth`. */
export function packageOf(templateId: string): string {
  return (templateId.split(":")[0] ?? "").replace(/^#/, "");
}
