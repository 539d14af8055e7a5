// A holding of the development ledger: an amount of an instrument with an owner, possibly locked until a time. Holdings
// are immutable and spent whole; the amount left over becomes a new holding.

import { tokenInterfaces } from "../../adapters/ledger/network-profile.ts";
import { parseLedgerAmount } from "../../core/money/ledger-amount.ts";
import type { ContractId, Instrument, Party } from "../../ports/ledger/ledger.ts";
import type { ChoiceScope, Contract, Template } from "../contract-template.ts";
import { amountText, type Fields, isSameInstrument } from "../fields.ts";
import { contractFailure } from "../ledger-refusal.ts";

export const holdingTemplate = "#rialto-token-v1:Rialto.Token:Holding";

/** Maximum number of holdings that one payment may consume; the network's coin has the same limit. */
const inputsMax = 100;

/** Parties that hold a lock, its expiry and its reason. */
export interface HoldingLock {
  readonly holders: readonly Party[];
  readonly expiresAtMs: number;
  readonly context: string;
}

export const holding: Template = {
  id: holdingTemplate,
  signatories: (payload) => [payload.instrument("instrumentId").admin, payload.party("owner")],
  observers: (payload) => payload.optional("lock")?.parties("holders") ?? [],
  check(payload) {
    payload.amount("amount");
  },
  views: ({ json }) => {
    const { owner, instrumentId, amount, lock, meta } = json;
    return { [tokenInterfaces.holding]: { owner, instrumentId, amount, lock, meta } };
  },
  choices: {},
};

export interface NewHolding {
  readonly owner: Party;
  readonly instrument: Instrument;
  readonly units: bigint;
  readonly lock?: HoldingLock;
}

export function createHolding(scope: ChoiceScope, made: NewHolding): ContractId {
  const { owner, instrument, units, lock } = made;
  const locked =
    lock === undefined
      ? null
      : {
          holders: lock.holders,
          expiresAt: new Date(lock.expiresAtMs).toISOString(),
          expiresAfter: null,
          context: lock.context,
        };
  return scope.create(holdingTemplate, {
    owner,
    instrumentId: instrument,
    amount: amountText(units),
    lock: locked,
    meta: { values: {} },
  });
}

export interface Spending {
  readonly owner: Party;
  readonly instrument: Instrument;
  readonly units: bigint;
  readonly inputs: readonly ContractId[];
}

/** Consumes all inputs. Returns the amount above `units` as one new holding. */
export function spend(scope: ChoiceScope, spending: Spending): { changeCids: ContractId[] } {
  const { owner, instrument, units, inputs } = spending;
  if (inputs.length === 0 || inputs.length > inputsMax)
    throw contractFailure("BAD_INPUTS", `a payment must spend 1 to ${inputsMax} holdings`);
  let sum = 0n;
  for (const input of inputs) {
    sum += unlockedUnits(scope, input, owner, instrument);
    scope.archive(input);
  }
  if (sum < units)
    throw contractFailure("INSUFFICIENT_FUNDS", `the inputs hold less than ${amountText(units)}`);
  if (sum === units) return { changeCids: [] };
  return { changeCids: [createHolding(scope, { owner, instrument, units: sum - units })] };
}

function unlockedUnits(
  scope: ChoiceScope,
  input: ContractId,
  owner: Party,
  instrument: Instrument,
): bigint {
  const payload = scope.fetch(input, holdingTemplate);
  if (payload.party("owner") !== owner)
    throw contractFailure("BAD_INPUTS", `${input} belongs to another party`);
  if (!isSameInstrument(payload.instrument("instrumentId"), instrument))
    throw contractFailure("BAD_INPUTS", `${input} is a holding of another instrument`);
  if (isLocked(payload, scope.now)) throw contractFailure("LOCKED", `${input} is locked`);
  return payload.amount("amount");
}

/** True if the holding has a lock that has not expired. */
export function isLocked(payload: Fields, now: number): boolean {
  const lock = payload.optional("lock");
  return lock !== null && lock.time("expiresAt") > now;
}

/** Returns instrument and units of a holding; null for other contracts. */
export function holdingAmount(
  contract: Contract,
): { readonly instrument: Instrument; readonly units: bigint } | null {
  if (contract.templateId !== holdingTemplate) return null;
  const instrument = contract.payload["instrumentId"] as Instrument;
  return { instrument, units: parseLedgerAmount(String(contract.payload["amount"])) ?? 0n };
}
