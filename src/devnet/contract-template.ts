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
  /** 0 until it is committed. */
  readonly createdOffset: number;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** The operations of a running choice, under its authority. */
export interface ChoiceScope {
  readonly self: ContractId;
  /** Ledger time in milliseconds UTC. */
  readonly now: number;
  create(templateId: string, payload: JsonObject): ContractId;
  exercise(contractId: ContractId, choice: string, argument: JsonObject): JsonObject;
  /** Archives a contract; needs the authority of all its signatories. */
  archive(contractId: ContractId): void;
  /** The contract's fields; refused unless it is active and visible. */
  fetch(contractId: ContractId, templateId: string): Fields;
  /** Whether it is active and visible; does not count as a use. */
  isActive(contractId: ContractId): boolean;
  /** Increases the supply of an instrument; only its admin may. */
  mint(instrument: Instrument, units: bigint): void;
}

export interface Choice {
  readonly isConsuming: boolean;
  /** The interface of the choice; absent for a choice of the template. */
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
  /** Its interface views by interface id. */
  views(payload: Fields): Readonly<Record<string, JsonObject>>;
  readonly choices: Readonly<Record<string, Choice>>;
}

/** Package part of a template or interface id: `#venue-member-v1:Venue.Member:MemberAuth`. */
export function packageOf(templateId: string): string {
  return (templateId.split(":")[0] ?? "").replace(/^#/, "");
}
