// Proves that a number of user data means the same event on every front, or none: two fronts that began at different
// events, as gateways do, and a client that leaves one for the other.

import assert from "node:assert/strict";
import { test } from "node:test";
import { testMarkets } from "../../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../../test/support/machine/test-venue.ts";
import type { VenueEvent } from "../../../../core/generated/events.ts";
import { MarketKind } from "../../../../core/markets.ts";
import { asUnixMs } from "../../../../core/unix-ms.ts";
import { apply } from "../../../../engine/state/apply/apply.ts";
import { VenueState } from "../../../../engine/state/venue-state.ts";
import { ReadModel } from "../../read-model.ts";
import type { StreamConnection } from "../stream-connection.ts";
import { UserStreams } from "./user-streams.ts";

const clock = { nowMs: () => asUnixMs(0), nowUs: () => 0 };

type Frame = Readonly<Record<string, unknown>>;

/** A front that begins after `before`. */
class Front {
  readonly #model: ReadModel;
  readonly streams: UserStreams;

  constructor(before: readonly VenueEvent[]) {
    const state = new VenueState(testMarkets, { remembersClientIds: false });
    for (const event of before) apply(state, event);
    const options = { isAwaited: () => true, fundingIntervalMs: 28_800_000 };
    this.#model = new ReadModel(state, options);
    this.streams = new UserStreams(this.#model, clock);
  }

  fold(events: readonly VenueEvent[]): void {
    for (const event of events) {
      this.#model.fold(event);
      this.streams.fold(event);
    }
  }

  /** Opens the account's stream; returns its frames, which grow. */
  open(account: number, resumeFrom: number | null): Frame[] {
    const frames: Frame[] = [];
    const send = (text: string) => frames.push(JSON.parse(text));
    const connection = { isBehind: false, send } as unknown as StreamConnection;
    const wrap = (text: string) => text;
    const terms = { account, surface: MarketKind.spot, keyId: 1, resumeFrom, wrap };
    this.streams.subscribe(connection, terms);
    return frames;
  }
}

test("STR-55 a client that resumes at a front which began at another event gets a snapshot, never other frames", async () => {
  const venue = new TestVenue();
  const [own, other] = [venue.fund(10n ** 12n), venue.fund(10n ** 12n)];
  const first = new Front(venue.events);
  const left = first.open(own, null);
  const started = venue.events.length;
  for (const account of [own, other, other, own]) venue.buy(account, 0, 1600, 1000);
  const second = new Front(venue.events);
  second.open(own, null);
  const between = venue.events.length;
  for (let count = 0; count < 8; count++) venue.buy(own, 0, 1600, 1000);
  first.fold(venue.events.slice(started));
  second.fold(venue.events.slice(between));
  await new Promise((resolve) => setImmediate(resolve));
  const reports = left.filter(({ e }) => e === "executionReport");
  assert.equal(reports.length, 10);
  for (const { seq } of reports) {
    const [resumed] = second.open(own, Number(seq));
    assert.deepEqual([resumed?.["e"], resumed?.["after"]], ["accountSnapshot", seq]);
  }
});
