// Checks a transaction prepared for signing against the agreed swap and the wallet's knowledge of the
// network, and reports each step. Used by the page and the CLI; SHA-256 is injected. It reads the development
// ledger's format; a transaction in any other format is reported as unreadable and never valid.

import { type KnownNetwork, withKnown } from "./known-network.ts";
import { type AgreedLock, differenceOf, returnDocument } from "./prepared-document.ts";
import { freeIn, lockChecks, seenIn } from "./prepared-lock.ts";
import {
  at,
  base64Of,
  bytesOf,
  commandsOf,
  Different,
  expect,
  type Fields,
  fail,
  list,
  OtherNetwork,
  parsed,
  printable,
  text,
} from "./prepared-reading.ts";

/** SHA-256 of the bytes: 32 bytes, synchronous or not. */
export type Sha256 = (data: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** The part of the answer to `prepare` that is checked. */
export interface PreparedToSign {
  readonly prepared_transaction: string;
  /** Standard base64 of the 32 bytes to sign. */
  readonly prepared_transaction_hash: string;
}

/** The agreed part of a swap as shown by the venue. */
export interface AgreedSwap {
  readonly swap_id: string;
  readonly pair: string;
  readonly side: "BUY" | "SELL";
  readonly status: string;
  /** Null before a quote was accepted. */
  readonly accepted: {
    readonly qty: string;
    readonly quote_qty: string;
    readonly provider_party: string;
  } | null;
  readonly allocate_before: string | null;
  readonly settle_before: string | null;
  /** `details` of the step to `trader_allocated` names the contracts that hold the payment. */
  readonly moves: ReadonlyArray<{ readonly to: string; readonly details: string }>;
}

export interface PreparedCheckOptions {
  readonly sha256: Sha256;
  /** The signer's party. */
  readonly party: string;
  /** What the signer already knows of the network. */
  readonly known: KnownNetwork;
  /** Milliseconds UTC. */
  readonly nowMs: number;
}

export interface PreparedStep {
  readonly isOk: boolean;
  /** The check and its result. */
  readonly message: string;
}

/** The result of a check; `steps` ends with the first step that fails. */
export interface PreparedVerdict {
  /** False if the transaction has a format that this program cannot read, so that nothing is known about it. */
  readonly isReadable: boolean;
  readonly steps: readonly PreparedStep[];
  /** True if all steps passed: signing does exactly what was agreed. */
  readonly isValid: boolean;
  /** True if the transaction names an operator, issuer or contract other than the one that the wallet knows. */
  readonly isOtherNetwork: boolean;
  /** What the wallet knows after signing, including names seen here for the first time. */
  readonly known: KnownNetwork;
}

const hashLead = "devnet-prepared-v1\0";

const encoder = new TextEncoder();

/**
 * Compares a transaction with its swap: the trader's lock while the swap is `accepted`, the return of the
 * lock while it is `releasing`. Anything unexpected is refused. Parties and contracts seen for the first time
 * are accepted, and the message says so.
 */
export async function checkPrepared(
  prepared: PreparedToSign,
  swap: AgreedSwap,
  options: PreparedCheckOptions,
): Promise<PreparedVerdict> {
  const { sha256, party, known } = options;
  const unread = { isReadable: false, isValid: false, isOtherNetwork: false, known };
  const bytes = bytesOf(prepared.prepared_transaction);
  const document = bytes === null ? null : parsed(bytes);
  if (bytes === null || document === null) {
    const message = "The transaction is in a format that this program cannot read.";
    return { ...unread, steps: [{ isOk: false, message }] };
  }
  const isReturn = swap.status === "releasing";
  const checks: ReadonlyArray<() => string | Promise<string>> = [
    () => checkHash(bytes, document, prepared.prepared_transaction_hash, sha256),
    () => checkParty(document, party),
    ...(isReturn ? returnChecks(document, swap, party) : lockOf(document, swap, options)),
  ];
  const steps: PreparedStep[] = [];
  for (const check of checks) {
    const fault = await faultOf(check, (message) => steps.push({ isOk: true, message }));
    if (fault === null) continue;
    steps.push({ isOk: false, message: printable(fault.message) });
    const isOtherNetwork = fault instanceof OtherNetwork;
    return { ...unread, isReadable: true, steps, isOtherNetwork };
  }
  const seen = isReturn ? known : withKnown(known, seenIn(document));
  return { isReadable: true, steps, isValid: true, isOtherNetwork: false, known: seen };
}

/** Runs a check. Returns the fault that it throws; otherwise reports its message to `say` and returns null. */
async function faultOf(
  check: () => string | Promise<string>,
  say: (message: string) => void,
): Promise<Different | null> {
  try {
    say(printable(await check()));
    return null;
  } catch (error) {
    if (error instanceof Different) return error;
    throw error;
  }
}

async function checkHash(
  bytes: Uint8Array,
  document: Fields,
  given: string,
  sha256: Sha256,
): Promise<string> {
  const lead = encoder.encode(hashLead);
  const whole = new Uint8Array(lead.length + bytes.length);
  whole.set(lead);
  whole.set(bytes, lead.length);
  const hash = base64Of(await sha256(whole));
  expect(hash === given, `The transaction hashes to ${hash}, but the hash to sign is ${given}.`);
  // A duplicate key could be read differently by another program.
  const once = encoder.encode(JSON.stringify(document));
  const isOnce = once.length === bytes.length && once.every((byte, index) => byte === bytes[index]);
  expect(isOnce, "The transaction is not in the canonical form of the ledger.");
  return `The hash to sign, ${given}, is the hash of this transaction.`;
}

function checkParty(document: Fields, party: string): string {
  const actAs = list(document["actAs"]);
  const shown = actAs.map((each) => (typeof each === "string" ? each : "unknown")).join(", ");
  expect(actAs.length === 1 && actAs[0] === party, `It acts for ${shown}, not for you.`);
  return "It acts for you only.";
}

function lockOf(document: Fields, swap: AgreedSwap, options: PreparedCheckOptions) {
  const agreed = agreedOf(swap, options.party);
  if (agreed === null) return [() => fail("No quote of this swap was accepted.")];
  return lockChecks(document, agreed, options.known, options.nowMs);
}

/** The checks of a return: the transaction must withdraw the lock, and may withdraw the proposal too. */
function returnChecks(document: Fields, swap: AgreedSwap, party: string): Array<() => string> {
  return [
    () => {
      const commands = commandsOf(document).map((each) => at(each, "ExerciseCommand"));
      const [take, end] = commands;
      const isReturn =
        commands.length <= 2 &&
        text(take, "choice") === "Allocation_Withdraw" &&
        (end === undefined || text(end, "choice") === "SwapProposal_Withdraw");
      expect(isReturn, "It does something other than return your locked funds.");
      return "It returns your locked funds and does nothing else.";
    },
    () => {
      const { allocation, proposal } = lockedBy(swap);
      const hasEnd = list(document["commands"]).length === 2;
      const own = { allocation, proposal: hasEnd ? proposal : null };
      const free = freeIn(document, swap.settle_before ?? "");
      expect(free.disclosed.length <= 1, "It discloses contracts that a return does not need.");
      const expected = returnDocument({ swapId: swap.swap_id, party, ...own }, free);
      const difference = differenceOf(document, expected);
      expect(difference === null, `It does not return the funds of this swap: its ${difference}.`);
      return "It returns the funds that were locked for this swap.";
    },
  ];
}

/** The trader's lock and proposal, as named by the swap's steps. */
function lockedBy({ moves }: AgreedSwap): { allocation: string; proposal: string } {
  const step = moves.find(({ to }) => to === "trader_allocated");
  const details = step === undefined ? null : parsed(encoder.encode(step.details));
  if (details === null) return fail("The swap does not list your locked funds.");
  return { allocation: text(details, "allocation"), proposal: text(details, "proposal") };
}

function agreedOf(swap: AgreedSwap, party: string): AgreedLock | null {
  const { accepted, pair, side, allocate_before: allocate, settle_before: settle } = swap;
  if (accepted === null || allocate === null || settle === null) return null;
  const { qty, quote_qty: value, provider_party: provider } = accepted;
  const [base = "", quote = ""] = pair.split("-");
  const [seller, buyer] = side === "BUY" ? [provider, party] : [party, provider];
  const first = {
    legId: "base",
    sender: seller,
    receiver: buyer,
    asset: base,
    amount: qty,
  } as const;
  const second = { legId: "quote", sender: buyer, receiver: seller, asset: quote } as const;
  const money = { ...second, amount: value };
  const [pays, gets] = side === "BUY" ? [money, first] : [first, money];
  const times = { allocateBefore: allocate, settleBefore: settle };
  return { swapId: swap.swap_id, party, provider, pays, gets, ...times };
}
