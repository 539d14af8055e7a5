// Builds the transactions a wallet signs for a swap, in the development ledger's format: the lock of the
// payment with the proposal, and the return of the lock. Each is built completely from the agreed terms, so that any
// deviation of a prepared transaction shows as a difference. No imports, so that pages can use this file too.

export interface AgreedPayment {
  readonly legId: "base" | "quote";
  readonly sender: string;
  readonly receiver: string;
  readonly asset: string;
  /** A decimal of at most ten places. */
  readonly amount: string;
}

export interface AgreedLock {
  readonly swapId: string;
  readonly party: string;
  readonly provider: string;
  /** Paid by the party. */
  readonly pays: AgreedPayment;
  /** Paid by the provider. */
  readonly gets: AgreedPayment;
  /** ISO 8601, UTC. */
  readonly allocateBefore: string;
  readonly settleBefore: string;
}

/** Parties and contracts known only from the transaction; compared with the wallet's knowledge. */
export interface NamedParts {
  readonly operator: string;
  readonly issuers: Readonly<Record<string, string>>;
  /** The locking contract of the issuer. */
  readonly factory: string;
}

/** Parts that may have any well-formed value, because they do not affect the agreed terms. */
export interface FreeParts {
  readonly requestedAt: string;
  /** The party's coins that fund the payment; the party gets the change at once. */
  readonly inputs: readonly string[];
  readonly maxRecordTime: string;
  /** Contracts that are disclosed so that the transaction can use them. */
  readonly disclosed: readonly unknown[];
}

/**
 * The only templates that a transaction may use. Each id includes the package, because a contract of another package
 * could do anything, even under the same name.
 */
export const templates = {
  proposal: "#venue-swap-v1:Venue.Swap:SwapProposal",
  factory:
    "#splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory",
  allocation: "#splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation",
} as const;

const nothing = { values: {} };
const extraArgs = { context: nothing, meta: nothing };
const ledgerDecimals = 10;

/** The lock of the party's payment, with the proposal. */
export function lockDocument(lock: AgreedLock, named: NamedParts, free: FreeParts): object {
  const { swapId, party, pays, gets } = lock;
  const { operator, factory } = named;
  const { inputs, requestedAt, maxRecordTime, disclosed } = free;
  const payments = pays.legId === "base" ? [pays, gets] : [gets, pays];
  const times = { allocateBefore: lock.allocateBefore, settleBefore: lock.settleBefore };
  const proposal = {
    ...{ swapId, trader: party, provider: lock.provider, operator },
    legs: payments.map((each) => ({ legId: each.legId, ...paymentText(each, named) })),
    ...times,
  };
  const reference = {
    "splice.lfdecentralizedtrust.org/reason": swapId,
    "rialto.exchange/batch-id": swapId,
  };
  const settlement = {
    ...{ executor: operator, settlementRef: { id: swapId, cid: null }, requestedAt },
    ...{ ...times, meta: { values: reference } },
  };
  const transferLeg = { ...paymentText(pays, named), meta: nothing };
  const choiceArgument = {
    expectedAdmin: named.issuers[pays.asset],
    allocation: { settlement, transferLegId: pays.legId, transferLeg },
    ...{ requestedAt, inputHoldingCids: inputs, extraArgs },
  };
  const exercise = {
    ...{ templateId: templates.factory, contractId: factory },
    ...{ choice: "AllocationFactory_Allocate", choiceArgument },
  };
  return {
    commandId: `rfq:${swapId}:lock`,
    commands: [
      { CreateCommand: { templateId: templates.proposal, createArguments: proposal } },
      { ExerciseCommand: exercise },
    ],
    ...{ actAs: [party], disclosedContracts: disclosed, maxRecordTime },
  };
}

export interface ReturnParts {
  readonly swapId: string;
  readonly party: string;
  /** The contract that holds the party's payment. */
  readonly allocation: string;
  /** The proposal, if it is withdrawn too. */
  readonly proposal: string | null;
}

/** The return of what the party has locked for one swap. */
export function returnDocument(
  { swapId, party, allocation, proposal }: ReturnParts,
  { maxRecordTime, disclosed }: Pick<FreeParts, "maxRecordTime" | "disclosed">,
): object {
  const take = {
    ...{ templateId: templates.allocation, contractId: allocation },
    ...{ choice: "Allocation_Withdraw", choiceArgument: { extraArgs } },
  };
  const end = {
    ...{ templateId: templates.proposal, contractId: proposal },
    ...{ choice: "SwapProposal_Withdraw", choiceArgument: {} },
  };
  return {
    commandId: `rfq:${swapId}:withdraw`,
    commands: [{ ExerciseCommand: take }, ...(proposal === null ? [] : [{ ExerciseCommand: end }])],
    ...{ actAs: [party], disclosedContracts: disclosed, maxRecordTime },
  };
}

function paymentText(payment: AgreedPayment, { issuers }: NamedParts): object {
  const { sender, receiver, asset, amount } = payment;
  const instrumentId = { admin: issuers[asset], id: asset };
  return { sender, receiver, instrumentId, amount: ledgerText(amount) };
}

/** A decimal in the ledger's format; an invalid one is unchanged and therefore matches nothing. */
function ledgerText(amount: string): string {
  const [, whole = "", places = ""] = /^0*(\d+)(?:\.(\d{1,10}))?$/.exec(amount) ?? [];
  return whole === "" ? amount : `${whole}.${places.padEnd(ledgerDecimals, "0")}`;
}

/** The first difference of two JSON values, as text that continues a sentence after "its"; null if they are equal. */
export function differenceOf(actual: unknown, expected: unknown, path = ""): string | null {
  if (typeof expected !== "object" || expected === null) {
    return actual === expected ? null : `${path} is ${shown(actual)}, not ${shown(expected)}`;
  }
  const isOther = Array.isArray(actual) !== Array.isArray(expected);
  if (typeof actual !== "object" || actual === null || isOther)
    return `${path} is ${shown(actual)}, not ${shown(expected)}`;
  const [own, wanted] = [new Map(Object.entries(actual)), new Map(Object.entries(expected))];
  for (const name of new Set([...wanted.keys(), ...own.keys()])) {
    const inner = path === "" ? name : `${path}.${name}`;
    if (!wanted.has(name)) return `${inner} should not be there`;
    const difference = differenceOf(own.get(name), wanted.get(name), inner);
    if (difference !== null) return difference;
  }
  return null;
}

function shown(value: unknown): string {
  return value === undefined ? "missing" : JSON.stringify(value).slice(0, 100);
}
