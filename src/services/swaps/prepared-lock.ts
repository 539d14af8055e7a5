// Checks that a transaction locks what the trader agreed to pay, for the operator, issuers and contracts
// known to its wallet, and does nothing else.

import { type KnownNetwork, unknownNetwork } from "./known-network.ts";
import {
  type AgreedLock,
  differenceOf,
  lockDocument,
  type NamedParts,
  templates,
} from "./prepared-document.ts";
import {
  at,
  commandsOf,
  expect,
  type Fields,
  fieldsOf,
  list,
  OtherNetwork,
  text,
  timeIn,
} from "./prepared-reading.ts";

/** Longest time in ms for which funds may be locked. A swap takes only minutes. */
const lockMsMax = 3_600_000;

/**
 * A lock to check: the transaction as received, the agreed terms that it must have, and the parties and contracts that
 * only the transaction names.
 */
interface Lock {
  readonly document: Fields;
  readonly agreed: AgreedLock;
  readonly named: NamedParts;
}

/** The checks in order, each returning its message or throwing a Different. */
export function lockChecks(
  document: Fields,
  agreed: AgreedLock,
  known: KnownNetwork,
  nowMs: number,
): Array<() => string> {
  const lock = () => ({ document, agreed, named: namedIn(document, agreed) });
  return [
    () => checkCommands(document),
    () => checkTimes(agreed, nowMs),
    () => checkProposal(lock()),
    () => checkLock(lock()),
    () => checkNetwork(lock(), known),
    () => checkWhole(lock()),
  ];
}

/** Checks that there are exactly two commands: the swap's proposal and the lock of the payment. */
function checkCommands(document: Fields): string {
  const commands = commandsOf(document);
  const [create, exercise] = commands;
  expect(
    commands.length === 2 &&
      text(create, "CreateCommand", "templateId") === templates.proposal &&
      text(exercise, "ExerciseCommand", "templateId") === templates.factory &&
      text(exercise, "ExerciseCommand", "choice") === "AllocationFactory_Allocate",
    "It does something other than propose the swap and lock your payment.",
  );
  return "It proposes the swap, locks your payment and does nothing else.";
}

function checkTimes({ settleBefore }: AgreedLock, nowMs: number): string {
  const message = `Your funds are locked until ${settleBefore} at the latest.`;
  expect(Date.parse(settleBefore) <= nowMs + lockMsMax, `${message} That is more than an hour.`);
  return message;
}

function checkProposal(lock: Lock): string {
  const { amount, asset, sender } = lock.agreed.gets;
  const path = ["CreateCommand", "createArguments"];
  checkSame(lock, 0, path, "The proposal differs from the agreed terms");
  return `You receive ${amount} ${asset} from ${sender} in the same transaction as your payment, or not at all.`;
}

function checkLock(lock: Lock): string {
  const { amount, asset, receiver } = lock.agreed.pays;
  const { operator } = lock.named;
  const path = ["ExerciseCommand", "choiceArgument"];
  checkSame(lock, 1, path, "The locked payment differs from the agreed terms");
  return `You lock ${amount} ${asset} for ${receiver}. ${operator} can use it only to settle this swap.`;
}

function checkNetwork({ document, named, agreed }: Lock, known: KnownNetwork): string {
  const { pays, gets } = agreed;
  const seen = seenIn(document);
  const news: string[] = [];
  const compare = (what: string, now: string, before: string | null | undefined): void => {
    if (typeof before !== "string") news.push(`${what} ${now}`);
    else if (before !== now)
      throw new OtherNetwork(`It names ${what} ${now}, but this wallet knows ${before}.`);
  };
  compare("the venue's operator", named.operator, known.operator);
  for (const { asset } of [pays, gets])
    compare(`the issuer of ${asset}`, seen.issuers[asset] ?? "", ownOf(known.issuers, asset));
  const issuer = seen.issuers[pays.asset] ?? "";
  compare(`the contract of ${issuer}`, named.factory, ownOf(known.factories, issuer));
  if (news.length === 0) return "Operator, issuers and contract match those this wallet knows.";
  return `New to this wallet, so compare with what venue and issuers publish: ${news.join("; ")}.`;
}

/** Returns an own property; a name such as `constructor`, which every object inherits, gives undefined. */
function ownOf(names: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

function checkWhole(lock: Lock): string {
  const { document } = lock;
  const difference = differenceOf(document, expectedLock(lock));
  expect(difference === null, `The transaction has unexpected content: its ${difference}.`);
  const shown = list(document["disclosedContracts"]);
  const isOwn = shown.every((each) => text(each, "contractId") === lock.named.factory);
  expect(shown.length <= 1 && isOwn, "It discloses contracts that a lock does not need.");
  return "It contains nothing else.";
}

function checkSame(lock: Lock, command: number, path: readonly string[], message: string): void {
  const inner = (whole: unknown) => at(list(at(whole, "commands"))[command], ...path);
  const difference = differenceOf(inner(lock.document), inner(expectedLock(lock)));
  expect(difference === null, `${message}: its ${difference}.`);
}

function expectedLock({ document, agreed, named }: Lock): object {
  const argument = at(list(document["commands"])[1], "ExerciseCommand", "choiceArgument");
  const inputs = list(at(argument, "inputHoldingCids")).map((each) =>
    text({ input: each }, "input"),
  );
  expect(
    new Set(inputs).size === inputs.length && inputs.length > 0,
    "It spends no holdings, or names one of them twice.",
  );
  return lockDocument(agreed, named, {
    ...{ requestedAt: timeIn(argument, "requestedAt"), inputs },
    ...freeIn(document, agreed.allocateBefore),
  });
}

/** The commit deadline and the disclosed contracts; fails if they are malformed or the deadline is after `before`. */
export function freeIn(document: Fields, before: string) {
  const maxRecordTime = timeIn(document, "maxRecordTime");
  expect(
    Date.parse(maxRecordTime) <= Date.parse(before),
    `It could still be committed at ${maxRecordTime}, after its deadline.`,
  );
  const disclosed = list(document["disclosedContracts"]);
  for (const each of disclosed) {
    const names = Object.keys(fieldsOf(each)).sort().join();
    const isPlain = names === "contractId,createdEventBlob,synchronizerId,templateId";
    expect(isPlain, "It discloses contracts in an unknown form.");
    for (const name of Object.keys(fieldsOf(each))) text(each, name);
  }
  return { maxRecordTime, disclosed };
}

/** The parties and contracts that only the transaction names; fails if it names no issuer of an agreed asset. */
function namedIn(document: Fields, { pays, gets }: AgreedLock): NamedParts {
  const { operator, issuers } = seenIn(document);
  for (const { asset } of [pays, gets])
    expect(
      Object.hasOwn(issuers, asset),
      `The proposal differs from the agreed terms: it has no ${asset}.`,
    );
  const factory = text(list(document["commands"])[1], "ExerciseCommand", "contractId");
  return { operator: operator ?? "", issuers, factory };
}

/** The parties and contracts that the transaction names, whether or not the wallet knows them. */
export function seenIn(document: Fields): KnownNetwork {
  const [create, exercise] = list(document["commands"]);
  const terms = at(create, "CreateCommand", "createArguments");
  const instruments = list(at(terms, "legs")).map((leg) => at(leg, "instrumentId"));
  const issuers = Object.fromEntries(
    instruments.map((each) => [text(each, "id"), text(each, "admin")]),
  );
  const issuer = text(exercise, "ExerciseCommand", "choiceArgument", "expectedAdmin");
  const factories = { [issuer]: text(exercise, "ExerciseCommand", "contractId") };
  return { ...unknownNetwork, operator: text(terms, "operator"), issuers, factories };
}
