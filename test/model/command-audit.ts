// Checks a journal against what clients of gateways were answered: each command was executed once or not at all, its
// answer is its recorded result, and a mass cancel's answer is the number of orders that it cancelled.

import assert from "node:assert/strict";
import type { CommandIdentity } from "../../src/core/command-identity.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { type CommandDone, EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import type { SentCommand } from "./model-gateway.ts";

interface Recorded {
  readonly done: CommandDone;
  /** The other events of the transaction. */
  readonly effects: readonly VenueEvent[];
}

function nameOf({ origin, lane, number }: Omit<CommandIdentity, "confirmedUpTo">): string {
  return `${origin}/${lane}/${number}`;
}

/** The recorded results by command, and how many events that only a gateway's command causes have none. */
function recordedIn(journal: readonly VenueEvent[]): Map<string, Recorded[]> {
  const found = new Map<string, Recorded[]>();
  let effects: VenueEvent[] = [];
  for (const event of journal) {
    if (event.kind === EventKind.commandDone) {
      assert(event.isTransactionEnd, "the result of a command must end its transaction");
      const name = nameOf(event);
      found.set(name, [...(found.get(name) ?? []), { done: event, effects }]);
    } else if (!event.isTransactionEnd) {
      effects.push(event);
      continue;
    }
    effects = [];
  }
  return found;
}

/** Kinds of commands that may succeed without an effect. */
const mayChangeNothing: ReadonlySet<CommandKind> = new Set([
  CommandKind.cancelAllOrders,
  CommandKind.cancelOrders,
  CommandKind.setCountdown,
  CommandKind.barrier,
  CommandKind.setReferrer,
  CommandKind.claimReward,
  CommandKind.settleFunding,
  CommandKind.endConnection,
]);

function auditSteps(steps: readonly Recorded[], label: string): void {
  let closed = 0;
  for (const { done, effects } of steps) {
    closed += effects.length;
    assert.equal(done.subject, closed, `${label}: each step must count the orders that it closed`);
    const isOnlyClosing = effects.every(({ kind }) => kind === EventKind.orderClosed);
    assert(isOnlyClosing && effects.length > 0, `${label}: each step must cancel orders`);
  }
}

function auditAnswer({ command, answer }: SentCommand, finished: Recorded[], label: string): void {
  if (answer === null) return;
  const [one] = finished;
  if (answer.reason !== RejectReason.none) {
    assert.equal(one, undefined, `${label}: a refused command must have no effect`);
  } else if (one === undefined) {
    // A mass quote that changes no order says only which sides were refused.
    const isQuote = command.kind === CommandKind.massQuote;
    const isFree = isQuote || (mayChangeNothing.has(command.kind) && answer.subject === 0);
    assert(isFree || answer.isRepeated, `${label}: a done command must be recorded`);
  } else {
    const said = [answer.subject, answer.lastSeq];
    assert.deepEqual(said, [one.done.subject, one.done.seq], `${label}: the answer`);
  }
}

/** Asserts that the journal has what the commands' answers say, once. */
export function auditCommands(journal: readonly VenueEvent[], sent: readonly SentCommand[]): void {
  const recorded = recordedIn(journal);
  for (const one of sent) {
    const results = one.identities.flatMap((identity) => recorded.get(nameOf(identity)) ?? []);
    const label = `kind ${one.command.kind}, ${one.identities.map(nameOf).join(" and ")}`;
    const finished = results.filter(({ done }) => done.isFinished);
    const steps = results.filter(({ done }) => !done.isFinished);
    assert(finished.length <= 1, `${label}: executed ${finished.length} times`);
    auditSteps(steps, label);
    const { kind } = one.command;
    const isMass = kind === CommandKind.cancelAllOrders || kind === CommandKind.cancelOrders;
    const total = finished[0]?.done.subject;
    if (isMass && total !== undefined)
      assert.equal(total, steps.at(-1)?.done.subject, `${label}: the sum of its steps`);
    auditAnswer(one, finished, label);
  }
}
