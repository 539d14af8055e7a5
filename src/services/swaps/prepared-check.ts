// Checks what a wallet is asked to sign for a swap against what was agreed, and says each step in words. It
// imports nothing: the page and the command line both run it, with SHA-256 handed in. It reads the texts of
// the development ledger; of a network whose transactions it cannot read it says so and holds nothing for valid.

/** SHA-256 of the bytes: 32 bytes, now or later. */
export type Sha256 = (data: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** The answer of `prepare`, as far as it is checked. */
export interface PreparedToSign {
  readonly prepared_transaction: string;
  /** Standard base64 of the 32 bytes that are signed. */
  readonly prepared_transaction_hash: string;
}

/** A swap as the venue shows it, as far as it is what was agreed. */
export interface AgreedSwap {
  readonly swap_id: string;
  readonly pair: string;
  readonly side: "BUY" | "SELL";
  readonly status: string;
  /** Null before a quote was taken. */
  readonly accepted: {
    readonly qty: string;
    readonly quote_qty: string;
    readonly provider_party: string;
  } | null;
  readonly allocate_before: string | null;
  readonly settle_before: string | null;
}

export interface PreparedCheckOptions {
  readonly sha256: Sha256;
  /** The signer's own party. */
  readonly party: string;
}

export interface PreparedStep {
  readonly isOk: boolean;
  /** What was checked, and what came of it. */
  readonly words: string;
}

/** Every step up to the first that fails. */
export interface PreparedVerdict {
  /** False where the transaction is none that can be read here; then nothing about it is known. */
  readonly isReadable: boolean;
  readonly steps: readonly PreparedStep[];
  /** All steps hold: signing does what was agreed and nothing else. */
  readonly isValid: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** A payment as the proposal and the lock have it. */
interface Payment {
  readonly sender: string;
  readonly receiver: string;
  readonly amount: string;
  readonly asset: string;
}

/** What the trader pays and what it gets. */
interface Agreed {
  readonly pays: Payment;
  readonly gets: Payment;
  readonly swap: AgreedSwap;
  readonly party: string;
}

/** Something is not what it must be; the words say what. */
class Different extends Error {}

const hashLead = "devnet-prepared-v1\0";
const templates = {
  proposal: ":Venue.Swap:SwapProposal",
  factory: "Splice.Api.Token.AllocationInstructionV1:AllocationFactory",
  allocation: "Splice.Api.Token.AllocationV1:Allocation",
} as const;

const encoder = new TextEncoder();

/**
 * Compares what is to be signed with the swap it is for: while the swap is `accepted` the trader's lock,
 * while it is `releasing` the return of what is locked. It does not know the contracts of issuers: that a
 * coin's issuer is the right one is for the reader of the words.
 */
export async function checkPrepared(
  prepared: PreparedToSign,
  swap: AgreedSwap,
  { sha256, party }: PreparedCheckOptions,
): Promise<PreparedVerdict> {
  const bytes = bytesOf(prepared.prepared_transaction);
  const document = bytes === null ? null : parsed(bytes);
  if (bytes === null || document === null) {
    const words =
      "The transaction is of a network that this program cannot read: read it with a wallet that can before you sign.";
    return { isReadable: false, steps: [{ isOk: false, words }], isValid: false };
  }
  const isReturn = swap.status === "releasing";
  const checks: ReadonlyArray<() => string | Promise<string>> = [
    () => checkHash(bytes, prepared.prepared_transaction_hash, sha256),
    () => checkParty(document, party),
    ...(isReturn ? [() => checkReturn(document)] : lockChecks(document, agreedOf(swap, party))),
  ];
  const steps: PreparedStep[] = [];
  for (const check of checks) {
    const step = await stepOf(check);
    steps.push(step);
    if (!step.isOk) return { isReadable: true, steps, isValid: false };
  }
  return { isReadable: true, steps, isValid: true };
}

async function stepOf(check: () => string | Promise<string>): Promise<PreparedStep> {
  try {
    return { isOk: true, words: await check() };
  } catch (error) {
    if (!(error instanceof Different)) throw error;
    return { isOk: false, words: error.message };
  }
}

async function checkHash(bytes: Uint8Array, given: string, sha256: Sha256): Promise<string> {
  const lead = encoder.encode(hashLead);
  const whole = new Uint8Array(lead.length + bytes.length);
  whole.set(lead);
  whole.set(bytes, lead.length);
  const hash = base64Of(await sha256(whole));
  expect(hash === given, `The transaction hashes to ${hash}, but ${given} is to be signed.`);
  return `What is signed is the hash of this transaction, ${given}.`;
}

function checkParty(document: Fields, party: string): string {
  const actAs = list(document["actAs"]);
  expect(actAs.length === 1 && actAs[0] === party, `It acts for ${actAs.join(", ")}, not for you.`);
  return "It acts for you alone.";
}

function lockChecks(document: Fields, agreed: Agreed | null): Array<() => string> {
  if (agreed === null) return [() => fail("No quote of this swap was taken.")];
  return [
    () => checkCommands(document),
    () => checkProposal(document, agreed),
    () => checkLock(document, agreed),
    () => checkTimes(document, agreed),
  ];
}

/** The proposal of the swap and the lock of one's own payment, and no third thing. */
function checkCommands(document: Fields): string {
  const commands = commandsOf(document);
  const [create, exercise] = commands;
  expect(
    commands.length === 2 &&
      text(create, "CreateCommand", "templateId").endsWith(templates.proposal) &&
      text(exercise, "ExerciseCommand", "templateId").endsWith(templates.factory) &&
      text(exercise, "ExerciseCommand", "choice") === "AllocationFactory_Allocate",
    "It does something else than propose the swap and lock your payment.",
  );
  return "It proposes the swap and locks your payment, and does nothing else.";
}

function checkProposal(document: Fields, { pays, gets, swap, party }: Agreed): string {
  const terms = at(list(document["commands"])[0], "CreateCommand", "createArguments");
  const legs = list(at(terms, "legs")).map(paymentOf);
  const isAgreed =
    text(terms, "swapId") === swap.swap_id &&
    text(terms, "trader") === party &&
    text(terms, "provider") === gets.sender &&
    legs.length === 2 &&
    [pays, gets].every((leg) => legs.some((each) => isSame(each, leg)));
  expect(isAgreed, "The proposal is not what was agreed.");
  return `You get ${gets.amount} ${gets.asset} from ${gets.sender}, together with your payment or not at all.`;
}

function checkLock(document: Fields, { pays, swap }: Agreed): string {
  const [create, exercise] = list(document["commands"]);
  const allocation = at(exercise, "ExerciseCommand", "choiceArgument", "allocation");
  const leg = paymentOf(at(allocation, "transferLeg"));
  const settlement = at(allocation, "settlement");
  expect(isSame(leg, pays), `It locks ${leg.amount} ${leg.asset} for ${leg.receiver}.`);
  const operator = text(create, "CreateCommand", "createArguments", "operator");
  expect(
    text(settlement, "settlementRef", "id") === swap.swap_id &&
      text(settlement, "executor") === operator,
    "The lock is for another settlement than this swap's.",
  );
  const issuer = text(at(allocation, "transferLeg"), "instrumentId", "admin");
  return `You lock ${pays.amount} ${pays.asset}, issued by ${issuer}, for ${pays.receiver}; ${operator} may settle it with this swap alone.`;
}

function checkTimes(document: Fields, { swap }: Agreed): string {
  const [create, exercise] = list(document["commands"]);
  const terms = at(create, "CreateCommand", "createArguments");
  const settlement = at(exercise, "ExerciseCommand", "choiceArgument", "allocation", "settlement");
  for (const place of [terms, settlement]) {
    expect(
      isSameTime(text(place, "allocateBefore"), swap.allocate_before) &&
        isSameTime(text(place, "settleBefore"), swap.settle_before),
      `Its times are others than those agreed: your coins would be locked until ${text(place, "settleBefore")}.`,
    );
  }
  return `Your coins are locked until ${swap.settle_before} at the latest.`;
}

/** The lock is taken back, and perhaps the proposal withdrawn. */
function checkReturn(document: Fields): string {
  const commands = commandsOf(document).map((each) => at(each, "ExerciseCommand"));
  const [take, end] = commands;
  const isReturn =
    commands.length <= 2 &&
    text(take, "templateId").endsWith(templates.allocation) &&
    text(take, "choice") === "Allocation_Withdraw" &&
    (end === undefined ||
      (text(end, "templateId").endsWith(templates.proposal) &&
        text(end, "choice") === "SwapProposal_Withdraw"));
  expect(isReturn, "It does something else than give back what you locked.");
  return "It gives back what you locked, and does nothing else.";
}

function agreedOf(swap: AgreedSwap, party: string): Agreed | null {
  const { accepted, pair, side } = swap;
  if (accepted === null) return null;
  const { qty, quote_qty: value, provider_party: provider } = accepted;
  const [base = "", quote = ""] = pair.split("-");
  const [paid, got] = side === "BUY" ? [value, qty] : [qty, value];
  const [paidAsset, gotAsset] = side === "BUY" ? [quote, base] : [base, quote];
  const pays = { sender: party, receiver: provider, amount: paid, asset: paidAsset };
  const gets = { sender: provider, receiver: party, amount: got, asset: gotAsset };
  return { pays, gets, swap, party };
}

/** The commands, each of one kind: what stands beside it would be done unread. */
function commandsOf(document: Fields): Fields[] {
  const commands = list(document["commands"]).map(fieldsOf);
  const isPlain = commands.every((each) => Object.keys(each).length === 1);
  return isPlain ? commands : fail("A command of it is of more than one kind.");
}

function paymentOf(leg: unknown): Payment {
  return {
    sender: text(leg, "sender"),
    receiver: text(leg, "receiver"),
    amount: text(leg, "amount"),
    asset: text(leg, "instrumentId", "id"),
  };
}

function isSame(one: Payment, other: Payment): boolean {
  return (
    one.sender === other.sender &&
    one.receiver === other.receiver &&
    one.asset === other.asset &&
    plain(one.amount) === plain(other.amount)
  );
}

/** A decimal without zeros that say nothing. */
function plain(amount: string): string {
  return /^\d+(\.\d+)?$/.test(amount)
    ? amount
        .replace(/^0+(?=\d)/, "")
        .replace(/(\.\d*?)0+$/, "$1")
        .replace(/\.$/, "")
    : fail(`${amount} is no amount.`);
}

function isSameTime(one: string, other: string | null): boolean {
  return other !== null && Date.parse(one) === Date.parse(other);
}

function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((inner, name) => fieldsOf(inner)[name], value);
}

function text(value: unknown, ...names: readonly string[]): string {
  const found = at(value, ...names);
  return typeof found === "string" ? found : fail(`The transaction has no ${names.at(-1)}.`);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : fail("The transaction is not of the form it should have.");
}

function fieldsOf(value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  return fail("The transaction is not of the form it should have.");
}

function expect(holds: boolean, words: string): void {
  if (!holds) fail(words);
}

function fail(words: string): never {
  throw new Different(words);
}

/** The JSON object that the bytes are; null where they are something else. */
function parsed(bytes: Uint8Array): Fields | null {
  try {
    const found: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof found === "object" && found !== null ? fieldsOf(found) : null;
  } catch {
    return null;
  }
}

function bytesOf(base64: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  } catch {
    return null;
  }
}

function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
