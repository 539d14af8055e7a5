// Runs random days of the venue up to a number of commands. In half of the runs matchers answer in any order. In the
// other half each command completes alone, and the slow margin model predicts clearing's decision. At the end of each
// run every asset must be conserved, the state must agree with the auditor, and folding the run's events must give the
// same state hash.

import assert from "node:assert/strict";
import fc from "fast-check";
import { firstCustomerAccount, SystemAccount } from "../../src/core/accounts.ts";
import { type Command, CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import type { Reply } from "../../src/core/generated/messages.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import { apply } from "../../src/engine/state/apply/apply.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import { stateHash } from "../../src/engine/state-hash.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { TestVenue } from "../support/machine/test-venue.ts";
import { ClearingAuditor } from "./clearing-auditor.ts";
import { drive, driveAlone, openAccounts, streams } from "./clearing-steps.ts";
import { assertConserved, assertSound } from "./conservation.ts";
import { assertVerdict, MarginModel } from "./margin-model.ts";
import type { Step } from "./step-scene.ts";

// Marks and rewards are computed at every tick, so that a venue's start time does not influence them. Funding is
// frequent.
export const intervals = { markIntervalUs: 1, fundingIntervalUs: 60_000_000, rewardIntervalUs: 1 };

/** What a number of runs covered. */
export interface Told {
  commands: number;
  transactions: number;
  trades: number;
  payments: number;
  claims: number;
  /** Number of positions that the insurance fund took over or deleveraging closed. */
  moves: number;
  /**
   * Number of decisions that the model predicted; `short` and `beyond` count refusals for too little balance and for
   * too much leverage.
   */
  foretold: number;
  short: number;
  beyond: number;
}

/** Creates a venue whose events go to an auditor. */
export function auditedVenue(matcherCount: number): {
  venue: TestVenue;
  auditor: ClearingAuditor;
} {
  const auditor = new ClearingAuditor(testMarkets);
  const onEvent = (event: VenueEvent) => auditor.take(event);
  const venue = new TestVenue({ matcherCount, onEvent, ...intervals });
  openAccounts(venue);
  return { venue, auditor };
}

const stepsOfStream = 3000;

/** Number of ticks after a stream. At each tick every account in liquidation takes one step. */
const turnsOfLiquidation = 60;

/** Runs random streams of this seed until they have `commands` commands; throws at the first violation. */
export function runStreams({ seed, commands }: { seed: number; commands: number }): Told {
  const told = {
    commands: 0,
    transactions: 0,
    trades: 0,
    payments: 0,
    claims: 0,
    moves: 0,
    foretold: 0,
    short: 0,
    beyond: 0,
  };
  const run = (steps: readonly Step[], matcherCount: number, isAlone: boolean) => {
    if (told.commands < commands) runStream(steps, matcherCount, isAlone, told);
  };
  const properties = [
    streams(stepsOfStream),
    fc.integer({ min: 1, max: 3 }),
    fc.boolean(),
  ] as const;
  fc.assert(fc.property(...properties, run), {
    seed,
    numRuns: Math.ceil((2 * commands) / stepsOfStream),
    endOnFailure: true,
  });
  assert(told.commands >= commands, "the streams had too few commands");
  return told;
}

function runStream(
  steps: readonly Step[],
  matcherCount: number,
  isAlone: boolean,
  told: Told,
): void {
  const { venue, auditor } = auditedVenue(matcherCount);
  const model = new MarginModel(testMarkets, auditor);
  const foretell = (command: Command) => {
    const verdict = model.verdictOn(command);
    return ({ reason, isRepeated }: Reply) => {
      // The reply repeats the answer to an earlier command, so clearing made no new margin check.
      if (isRepeated) return;
      assertVerdict(
        verdict,
        reason,
        `the reply must be as the margin model predicts: ${JSON.stringify(command, plain)}`,
      );
      if (verdict !== null) told.foretold++;
      if (reason === RejectReason.insufficientBalance) told.short++;
      if (reason === RejectReason.positionBeyondLeverage) told.beyond++;
    };
  };
  for (const [index, step] of steps.entries()) {
    if (isAlone) driveAlone(venue, step, foretell);
    else drive(venue, step);
    if (index % 64 === 0) assertConserved(venue.state, { isQuiet: false });
    if (index % 512 === 0) {
      venue.machine.settle();
      assertSound(venue.state, auditor);
    }
  }
  settleLiquidations(venue);
  assertSound(venue.state, auditor);
  assertNothingLost(venue);
  assertNobodyOwes(venue, model);
  const folded = new VenueState(testMarkets);
  for (const event of venue.events) apply(folded, event);
  assert.equal(stateHash(folded), stateHash(venue.state), "replay must equal live");
  told.commands += steps.length;
  told.transactions += auditor.transactions;
  const countOf = (kind: EventKind) => venue.events.filter((event) => event.kind === kind).length;
  told.payments += countOf(EventKind.fundingPaid);
  told.claims += countOf(EventKind.rewardClaimed);
  told.moves += countOf(EventKind.positionMoved);
  told.trades += venue.state.nextTradeId - 1;
}

/** Asserts that every order whose connection was lost has been cancelled. */
function assertNothingLost({ state: { connections } }: TestVenue): void {
  const lost = connections.bound().filter(({ orderId }) => connections.isLost(orderId));
  assert.deepEqual(lost, [], "an order must not outlive its connection");
}

/** Ticks with constant prices until all liquidations have ended. */
function settleLiquidations(venue: TestVenue): void {
  venue.machine.settle();
  for (let turn = 0; turn < turnsOfLiquidation; turn++) {
    venue.machine.handle(venue.command({ kind: CommandKind.tick }));
    venue.machine.settle();
  }
}

/**
 * Asserts that every account with negative equity is being liquidated, and that an account with a debt and no
 * position owes more than the insurance fund can pay, or may pay in this hour (RSK-38).
 */
function assertNobodyOwes({ state }: TestVenue, model: MarginModel): void {
  const fund = model.equity(SystemAccount.insurance);
  const isHeld = testMarkets.markets.some(({ id }) => state.fundHours.isPaused(id));
  for (let slot = firstCustomerAccount; slot < state.accounts.next; slot++) {
    const account = state.accounts.at(slot);
    if (account === 0) continue;
    const equity = model.equity(account);
    if (equity >= 0n) continue;
    assert(
      state.liquidations.of(account) !== undefined,
      "an account with negative equity must be in liquidation",
    );
    const isFlat = testMarkets.markets.every(({ id }) => state.positions.qty(account, id) === 0);
    assert(!isFlat || isHeld || fund + equity < 0n, "the insurance fund must pay what it can");
  }
}

function plain(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}

export function sayTold(told: Told): string {
  return Object.entries(told)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}
