// Proves that reports which are read from the journal are those that were sent when the events happened: on random days with
// orders of every kind, lists, self-trade prevention and sub-accounts, on a front that saw the day and on one that began
// after it.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { auditedVenue } from "../../../../test/model/clearing-runs.ts";
import { drive, streams } from "../../../../test/model/clearing-steps.ts";
import type { Step } from "../../../../test/model/step-scene.ts";
import { testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { FakeHistory } from "../../../../test/surface/fake-history.ts";
import { FakeOrderEvents } from "../../../../test/surface/fake-order-events.ts";
import { EventKind, type VenueEvent } from "../../../core/generated/events.ts";
import { asUnixMs } from "../../../core/unix-ms.ts";
import { apply } from "../../../engine/state/apply/apply.ts";
import { VenueState } from "../../../engine/state/venue-state.ts";
import { SeededRandom } from "../../../tools/load/seeded-random.ts";
import { ReadModel } from "../read-model.ts";
import { UserStreams } from "../streams/user/user-streams.ts";
import { rereadEventsMax, rereadReportsMax, resendsLimit } from "./fix-limits.ts";
import { numbersPerEvent, reportNumber } from "./fix-numbers.ts";
import { executionReport } from "./fix-reports.ts";
import { ResentReports } from "./resent-reports.ts";

let nowMs = 0;
const clock = { nowMs: () => asUnixMs(nowMs), nowUs: () => 1000 * nowMs };
const nothing = () => undefined;

interface Report {
  readonly seq: number;
  readonly fields: string;
}

/** A front that notes the reports of every account, over a journal in memory. */
class Front {
  readonly model: ReadModel;
  readonly sent = new Map<number, Report[]>();
  readonly history: FakeHistory;
  readonly orderEvents: FakeOrderEvents;
  readonly resent: ResentReports;
  readonly #users: UserStreams;

  constructor(
    state = new VenueState(testMarkets, { remembersClientIds: false }),
    history = new FakeHistory(testMarkets),
    orderEvents = new FakeOrderEvents(),
  ) {
    this.model = new ReadModel(state, { isAwaited: () => false, fundingIntervalMs: 28_800_000 });
    this.history = history;
    this.orderEvents = orderEvents;
    this.#users = new UserStreams(this.model, clock);
    const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
    this.resent = new ResentReports({ model: this.model, history, orderEvents, clock, log });
  }

  fold(events: readonly VenueEvent[]): void {
    for (const event of events) {
      const isOpened =
        event.kind === EventKind.accountOpened || event.kind === EventKind.subAccountOpened;
      if (isOpened) this.#follow(event.account);
      this.history.fold(event);
      this.orderEvents.fold(event);
      this.model.fold(event);
      this.#users.fold(event);
    }
  }

  #follow(account: number): void {
    const reports: Report[] = [];
    this.sent.set(account, reports);
    this.#users.follow(account, (update, { seq }) => {
      const market = testMarkets.market(update.order.market);
      const fields = executionReport(update, market, seq);
      reports.push({ seq: reportNumber(seq), fields });
    });
  }
}

async function check(front: Front, sent: Front["sent"], random: SeededRandom): Promise<number> {
  let compared = 0;
  for (const [account, reports] of sent) {
    for (let ranges = 0; ranges < 6; ranges++) {
      const [a, b] = [1 + random.below(front.model.state.seq), random.below(numbersPerEvent)];
      const from = ranges === 0 ? numbersPerEvent : reportNumber(a) + b;
      const last = from + reportNumber(ranges < 2 ? front.model.state.seq : random.below(400));
      const resent = await front.resent.read(account, { from, last }, isWanted);
      assert(typeof resent !== "string", String(resent));
      const expected = reports.filter(({ seq }) => seq >= from && seq <= last);
      assert.deepEqual(
        resent.map(({ seq, fields }) => ({ seq, fields })),
        expected,
      );
      compared += expected.length;
    }
  }
  return compared;
}

const isWanted = () => true;

/** A step of this kind is a list, one of the other a limit or market order. */
const listKind = 54;
const orderKind = 10;

function withLists(steps: readonly Step[]): Step[] {
  return steps.map(([kind, ...rest], at) => {
    if (at % 5 === 0) return [listKind, ...rest];
    return at % 3 === 0 ? [orderKind, ...rest] : [kind, ...rest];
  });
}

test("FIX-28 reports read from the journal are those that were sent when the events happened", async (t) => {
  const random = new SeededRandom(89);
  let compared = 0;
  for (const steps of fc.sample(streams(1_500), { seed: 20261129, numRuns: 3 })) {
    const { venue } = auditedVenue(2);
    for (const step of withLists(steps)) drive(venue, step);
    venue.machine.settle();
    const front = new Front();
    const half = Math.floor(venue.events.length / 2);
    front.fold(venue.events.slice(0, half));
    compared += await check(front, front.sent, random);
    front.fold(venue.events.slice(half));
    compared += await check(front, front.sent, random);
    const state = new VenueState(testMarkets, { remembersClientIds: false });
    for (const event of venue.events) apply(state, event);
    const later = new Front(state, front.history, front.orderEvents);
    compared += await check(later, front.sent, random);
  }
  t.diagnostic(`${compared} reports compared`);
  assert(compared > 3_000, "the days had too few reports");
});

test("FIX-30 a range with too many events is refused in words, and a read that fails ends nothing else", async () => {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 12n);
  const front = new Front();
  for (let count = 0; count <= rereadReportsMax / 2; count++)
    venue.cancel(account, 0, venue.buy(account, 0, 1000, 2000));
  front.fold(venue.events);
  const from = numbersPerEvent;
  const last = reportNumber(front.model.state.seq);
  assert.match(
    String(await front.resent.read(account, { from, last }, isWanted)),
    /5000 .* \(141\) Y/,
  );
  const near = { from: last - reportNumber(9), last };
  const newest = await front.resent.read(account, near, isWanted);
  assert.equal(newest.length, 10);
  front.model.state.seq += rereadEventsMax + 1;
  assert.match(
    String(await front.resent.read(account, { from, last }, isWanted)),
    /2000000 .* \(141\) Y/,
  );
  front.model.state.seq -= rereadEventsMax + 1;
  front.history.isBroken = true;
  front.model.closed.find = () => undefined;
  assert.match(String(await front.resent.read(account, near, isWanted)), /could not be read/);
  front.history.isBroken = false;
  assert.equal((await front.resent.read(account, near, isWanted)).length, 10);
});

test("FIX-30 of one account one read waits, and others are not behind all of its reads", async () => {
  const venue = new TestVenue();
  const [busy, other] = [venue.fund(10n ** 12n), venue.fund(10n ** 12n)];
  for (const account of [busy, other]) venue.buy(account, 0, 1000, 2000);
  const front = new Front();
  front.fold(venue.events);
  const range = { from: numbersPerEvent, last: reportNumber(front.model.state.seq) };
  const order: string[] = [];
  const reads = [busy, busy, busy, other].map((account, at) =>
    front.resent.read(account, range, isWanted).then(() => order.push(`${account} ${at}`)),
  );
  await Promise.all(reads);
  assert.deepEqual(order, [`${busy} 0`, `${other} 3`, `${busy} 1`, `${busy} 2`]);
});

test("FIX-30 an account has a limited number of resends within a minute, and others have theirs", () => {
  const front = new Front();
  const { max, windowMs } = resendsLimit;
  nowMs += windowMs;
  for (let count = 0; count < max; count++) assert(front.resent.allows(1));
  assert.deepEqual([front.resent.allows(1), front.resent.allows(2)], [false, true]);
  nowMs += windowMs;
  assert(front.resent.allows(1));
});
