// Many random days of the venue, up to a number of commands. In half of them matchers answer in any order; in the
// other half each command completes alone, and the slow margin model predicts clearing's decision. Each ends
// whole: conserved, agreed with the auditor, and with the state hash that folding its events gives.

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
import { drive, driveAlone, openAccounts, type Step, streams } from "./clearing-steps.ts";
import { assertConserved, assertSound } from "./conservation.ts";
import { assertVerdict, MarginModel } from "./margin-model.ts";

// Marks and accruals at every tick, so that the start time of a venue has no influence on them; frequent funding.
export const intervals = { markIntervalUs: 1, fundingIntervalUs: 60_000_000, rewardIntervalUs: 1 };

/** Counts of the runs. */
export interface Told {
  commands: number;
  transactions: number;
  trades: number;
  payments: number;
  claims: number;
  /** Positions taken over by the insurance fund or by deleveraging. */
  moves: number;
  /** Decisions that the model predicted, and how many of them were refusals. */
  foretold: number;
  short: number;
  beyond: number;
}

/** A venue whose events go to an auditor. */
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

/** Ticks after a stream; each lets every due account take a step of its liquidation. */
const turnsOfLiquidation = 60;

/** Runs streams of this seed up to `commands`; throws at the first violation. */
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
  assert(told.commands >= commands, "as many commands as were asked for");
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
      // It repeats the answer to an earlier command, without a new margin check.
      if (isRepeated) return;
      assertVerdict(verdict, reason, `margin of ${JSON.stringify(command, plain)}`);
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
  assertNobodyOwes(venue, model);
  const folded = new VenueState(testMarkets);
  for (const event of venue.events) apply(folded, event);
  assert.equal(stateHash(folded), stateHash(venue.state), "replay equals live");
  told.commands += steps.length;
  told.transactions += auditor.transactions;
  const countOf = (kind: EventKind) => venue.events.filter((event) => event.kind === kind).length;
  told.payments += countOf(EventKind.fundingPaid);
  told.claims += countOf(EventKind.rewardClaimed);
  told.moves += countOf(EventKind.positionMoved);
  told.trades += venue.state.nextTradeId - 1;
}

/** Holds prices constant until all liquidations have had their turns. */
function settleLiquidations(venue: TestVenue): void {
  venue.machine.settle();
  for (let turn = 0; turn < turnsOfLiquidation; turn++) {
    venue.machine.handle(venue.command({ kind: CommandKind.tick }));
    venue.machine.settle();
  }
}

/**
 * Asserts that every account below zero at the marks is being liquidated, and that an account with only a debt
 * owes more than the insurance fund can pay.
 */
function assertNobodyOwes({ state }: TestVenue, model: MarginModel): void {
  const fund = model.equity(SystemAccount.insurance);
  for (let slot = firstCustomerAccount; slot < state.accounts.next; slot++) {
    const account = state.accounts.at(slot);
    if (account === 0) continue;
    const equity = model.equity(account);
    if (equity >= 0n) continue;
    assert(state.liquidations.of(account) !== undefined, "who owes is being liquidated");
    const isFlat = testMarkets.markets.every(({ id }) => state.positions.qty(account, id) === 0);
    assert(!isFlat || fund + equity < 0n, "the fund pays what it can");
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
