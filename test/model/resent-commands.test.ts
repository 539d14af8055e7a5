// Proves on random flows that commands of gateways survive a change of leader: sent again after any crash point, they
// give the same journal, state and answers, and nothing is executed twice.

import assert from "node:assert/strict";
import { test } from "node:test";
import { OriginLane } from "../../src/core/command-identity.ts";
import { type Command, CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import type { Reply } from "../../src/core/generated/messages.ts";
import { apply } from "../../src/engine/state/apply/apply.ts";
import { captureState, restoreState } from "../../src/engine/state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import { stateHash } from "../../src/engine/state-hash.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { TestVenue } from "../support/machine/test-venue.ts";
import { intervals } from "./clearing-runs.ts";
import { openAccounts } from "./clearing-steps.ts";
import { type FailoverCanary, FailoverRun } from "./failover-run.ts";
import { drawnFlow } from "./model-gateway.ts";

const seed = 20261124;

/** A command with its answer, and the number of events before and after it. */
interface Answered {
  readonly command: Command;
  readonly reply: Reply;
  readonly from: number;
  readonly to: number;
}

/** Orders and lists that cause work of the venue after their transaction, which a change of leader may delay. */
function hasFollowUp(command: Command): boolean {
  if (command.kind === CommandKind.placeList) return true;
  if (command.kind === CommandKind.endConnection) return !command.keepsOrders;
  if (command.kind !== CommandKind.placeOrder) return command.kind === CommandKind.settleFunding;
  const { isReduceOnly, triggerPrice, activationPrice, trailingBps } = command;
  return isReduceOnly || triggerPrice > 0 || activationPrice > 0 || trailingBps > 0;
}

/** Runs commands one after another; `lag` is how many answers back the gateway confirms. */
function straightRun(random: SeededRandom, length: number, lag: number) {
  const venue = new TestVenue(intervals);
  openAccounts(venue);
  const origin = venue.done({ kind: CommandKind.registerOrigin, name: "gate" });
  const opening = venue.events.length;
  const answered: Answered[] = [];
  for (let number = 1; answered.length < length; ) {
    const flow = drawnFlow(venue, random, 1_000_000 + number);
    for (const draft of flow) {
      const lane = OriginLane.orders;
      const identity = { origin, lane, number, confirmedUpTo: Math.max(number - 1 - lag, 0) };
      const command = { ...venue.command(draft), identity };
      if (hasFollowUp(command)) continue;
      number++;
      const from = venue.events.length;
      venue.machine.handle(structuredClone(command));
      const reply = { ...venue.replyTo(command) };
      answered.push({ command, reply, from, to: venue.events.length });
    }
  }
  return { venue, answered, opening };
}

/** The state with which a leader takes over, from the journal or from a snapshot. */
function takenOver(journal: readonly VenueEvent[], isRestored: boolean): VenueState {
  const state = new VenueState(testMarkets);
  for (const event of journal) apply(state, event);
  return isRestored ? restoreState(testMarkets, captureState(state)) : state;
}

type StraightRun = ReturnType<typeof straightRun>;

/** Numbers of events at which a leader may die: between transactions, often within a mass cancel. */
function crashPoints({ venue, opening }: StraightRun, random: SeededRandom): number[] {
  const ends = venue.events.flatMap(({ isTransactionEnd }, index) =>
    isTransactionEnd && index >= opening ? [index + 1] : [],
  );
  const steps = ends.filter((end) => {
    const last = venue.events[end - 1];
    return last?.kind === EventKind.commandDone && !last.isFinished;
  });
  const drawn = (points: readonly number[]) =>
    points.length === 0 ? [] : Array.from({ length: 12 }, () => anyOf(random, points));
  return [...drawn(steps), ...drawn(ends)];
}

/** What a gateway may send after a crash: some commands that are done and not confirmed, then all that are not done. */
function sentAgain(
  { answered }: StraightRun,
  { commandResults }: VenueState,
  cut: number,
  random: SeededRandom,
): Answered[] {
  const isKept = ({ command: { identity = null } }: Answered) =>
    identity !== null && commandResults.resultOf(identity)?.isFinished === true;
  const done = answered.filter(({ from, to }) => to > from && to <= cut);
  const open = answered.filter(({ to }) => to > cut);
  // A command without an effect has no place in the journal; it belongs before or after the crash by its neighbours.
  const next = open[0]?.command.correlation ?? Number.POSITIVE_INFINITY;
  const rest = answered.filter(({ command }) => command.correlation >= next);
  return [...done.slice(-random.below(60)).filter(isKept), ...rest];
}

/**
 * Lets another leader take over after `cut` events and continues the run; the journal, the answers and the state must
 * be those of the run without a change. Returns how many commands were sent, and how many of them were done before.
 */
function continued(run: StraightRun, cut: number, random: SeededRandom) {
  const { events, state: lived } = run.venue;
  const state = takenOver(events.slice(0, cut), random.below(2) === 0);
  const next = new TestVenue({ state, ...intervals });
  const again = sentAgain(run, state, cut, random);
  next.machine.handle(next.command({ kind: CommandKind.signOfLife, origin: 1, front: 0 }));
  for (const { command, reply } of again) {
    next.machine.handle(structuredClone(command));
    assert.deepEqual(next.replyTo(command), reply, JSON.stringify(command, plain));
  }
  assert.deepEqual(next.events, events.slice(cut), "the journal must be the same");
  assert.equal(stateHash(next.state), stateHash(lived));
  return { sent: again.length, repeated: again.filter(({ to }) => to <= cut).length };
}

test("CMD-1 CMD-3 sent again after any crash point, any commands give the same journal, state and answers", (t) => {
  const random = new SeededRandom(seed);
  const counts = { crashes: 0, sent: 0, repeated: 0 };
  for (const lag of [0, 3, 40, 400]) {
    const run = straightRun(random, 250, lag);
    for (const cut of crashPoints(run, random)) {
      const { sent, repeated } = continued(run, cut, random);
      counts.crashes++;
      counts.sent += sent;
      counts.repeated += repeated;
    }
  }
  t.diagnostic(JSON.stringify(counts));
  assert(counts.crashes > 80 && counts.repeated > 500, "the crashes must interrupt much");
});

test("CMD-1 CMD-2 CMD-3 CMD-4 under load and changes of leader each command is executed once and answered by its result", (t) => {
  const total = { commands: 0, changes: 0, landed: 0, resent: 0, restarts: 0 };
  for (let run = 0; run < 8; run++) {
    const counts = new FailoverRun({ seed: seed + run, steps: 1000 }).run();
    for (const [name, count] of Object.entries(counts)) total[name as keyof typeof total] += count;
  }
  t.diagnostic(JSON.stringify(total));
  assert(total.changes > 100 && total.landed > 50 && total.resent > 1000 && total.restarts > 20);
});

for (const canary of ["forgets-results", "renumbers", "loses-steps"] satisfies FailoverCanary[]) {
  test(`a leader or gateway that ${canary} is caught`, () => {
    const run = () => {
      for (let at = 0; at < 8; at++)
        new FailoverRun({ seed: seed + at, steps: 1000, canary }).run();
    };
    assert.throws(
      run,
      /finished only once|one answer|executed 2 times|the answer|no effect|step must|sum of/,
    );
  });
}

function anyOf<T>(random: SeededRandom, values: readonly T[]): T {
  return values[random.below(values.length)] as T;
}

function plain(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}
