// The transactions that a wallet signs for a swap, as the development ledger writes them down: the lock of
// one's payment together with the proposal, and the return of what is locked. Each is made here whole from what
// was agreed, so that what was not agreed differs somewhere. It imports nothing but types.

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
  /** By the party. */
  readonly pays: AgreedPayment;
  /** By the provider. */
  readonly gets: AgreedPayment;
  /** ISO 8601, UTC. */
  readonly allocateBefore: string;
  readonly settleBefore: string;
}

/** What only the transaction says: parties and contracts, which are compared with what a wallet knows. */
export interface NamedParts {
  readonly operator: string;
  readonly issuers: Readonly<Record<string, string>>;
  /** The contract of the issuer of what is paid. */
  readonly factory: string;
}

/** What may be anything of its form: it changes nothing that was agreed. */
export interface FreeParts {
  readonly requestedAt: string;
  /** The party's own coins that the payment is taken from; what is left of them comes back at once. */
  readonly inputs: readonly string[];
  readonly maxRecordTime: string;
  /** Contracts that are only shown, so that those named above can be used. */
  readonly disclosed: readonly unknown[];
}

/** Full names: a contract of another package may do anything. */
export const templates = {
  proposal: "#venue-swap-v1:Venue.Swap:SwapProposal",
  factory:
    "#splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory",
  allocation: "#splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation",
} as const;

const nothing = { values: {} };
const extraArgs = { context: nothing, meta: nothing };
const ledgerDecimals = 10;

/** The lock of the party's own payment, and the proposal that it is for. */
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
  /** The proposal, where it is withdrawn too. */
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

/** A decimal as the ledger writes it; one that it cannot write stays as it is, and equals nothing there. */
function ledgerText(amount: string): string {
  const [, whole = "", places = ""] = /^0*(\d+)(?:\.(\d{1,10}))?$/.exec(amount) ?? [];
  return whole === "" ? amount : `${whole}.${places.padEnd(ledgerDecimals, "0")}`;
}

/** Where two JSON values differ first, in words that continue "its"; null where they are the same. */
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
