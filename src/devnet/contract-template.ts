// What a contract of the development ledger is and what its templates say: who signs, who sees, which
// choices there are, who controls them and what they do. Templates are pure functions of contract and
// argument; the interpreter holds them to authority, visibility and single use.

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

/** What a choice may do while it runs, with the authority it has. */
export interface ChoiceScope {
  readonly self: ContractId;
  /** Ledger time in milliseconds UTC. */
  readonly now: number;
  create(templateId: string, payload: JsonObject): ContractId;
  exercise(contractId: ContractId, choice: string, argument: JsonObject): JsonObject;
  /** Ends a contract; needs the authority of all its signatories. */
  archive(contractId: ContractId): void;
  /** The contract as it is, if it is active and visible. */
  fetch(contractId: ContractId, templateId: string): Fields;
  /** Whether it is active and visible, without using it. */
  isActive(contractId: ContractId): boolean;
  /** Lets the supply of an instrument grow by this much; only its admin may. */
  mint(instrument: Instrument, units: bigint): void;
}

export interface Choice {
  readonly isConsuming: boolean;
  /** The interface it belongs to; absent for a choice of the template itself. */
  readonly interfaceId?: string;
  controllers(payload: Fields, argument: Fields): readonly Party[];
  run(scope: ChoiceScope, payload: Fields, argument: Fields): JsonObject;
}

export interface Template {
  readonly id: string;
  signatories(payload: Fields): readonly Party[];
  observers(payload: Fields): readonly Party[];
  /** Throws where the payload is no contract of this template. */
  check(payload: Fields): void;
  /** Its interface views by interface id. */
  views(payload: Fields): Readonly<Record<string, JsonObject>>;
  readonly choices: Readonly<Record<string, Choice>>;
}

/** Package part of a template or interface id: `#venue-member-v1:Venue.Member:MemberAuth`. */
export function packageOf(templateId: string): string {
  return (templateId.split(":")[0] ?? "").replace(/^#/, "");
}
