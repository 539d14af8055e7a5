// The only file of this folder that calls the venue's code to get record bytes and leaf bodies. When that code moves,
// only this file has to change.

import { createHash } from "node:crypto";
import { type Command, CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import type { MatchRequest, Reply } from "../../src/core/generated/messages.ts";
import { matcherRecordBytes } from "../../src/core/limits.ts";
import { MatchLane, MatchRequestKind } from "../../src/core/match-messages.ts";
import { apply } from "../../src/engine/state/apply/apply.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import { stateHash } from "../../src/engine/state-hash.ts";
import { VenueMachine } from "../../src/engine/venue-machine.ts";
import type { EpochRecord } from "../../src/ports/journal/epoch-store.ts";
import { LeafHasher } from "../../src/services/epochs/leaf-hasher.ts";
import { EntryHasher, emptyEpochs, openAfter } from "../../src/services/epochs/open-epoch.ts";
import { openSnapshot, takeSnapshot } from "../../src/services/journal/replay.ts";
import { encodeCommand } from "../../src/wire/generated/command-codec.ts";
import {
  type ControlMessage,
  encodeControlMessage,
} from "../../src/wire/generated/control-messages.ts";
import { encodeEvent } from "../../src/wire/generated/event-codec.ts";
import * as match from "../../src/wire/generated/message-codec.ts";
import { decodeEventBytes } from "../../src/wire/records/event-bytes.ts";
import { createRecordViews } from "../../src/wire/records/record-views.ts";
import { testMarkets } from "../support/machine/test-markets.ts";

/** A drawn record: field values by name, in no fixed order. */
export type Drawn = Readonly<Record<string, unknown>>;

/** The codes that the venue uses now, by what they identify. */
export const codesOfToday: Readonly<Record<string, readonly number[]>> = {
  events: Object.values(EventKind),
  commands: Object.values(CommandKind),
  matchRequests: Object.values(MatchRequestKind),
};

const views = createRecordViews(new ArrayBuffer(1024));
const hasher = new LeafHasher(testMarkets, createHash("sha256").update("unchanged").digest());

/**
 * Returns the bytes that `write` wrote; `write` returns their number. The memory is first filled with `before`: an
 * event sets every byte of its record, other records may leave some unchanged.
 */
function written(write: () => number, before = 0): Uint8Array {
  views.u8.fill(before);
  return views.u8.subarray(0, write());
}

/** Returns the event's bytes in the journal. The next record overwrites them. */
export function eventBytes(event: Drawn): Uint8Array {
  return written(() => encodeEvent(views, 0, event as unknown as VenueEvent), 0xff);
}

/** Returns what epochs commit to: the bodies shown to owners, and the hash of the leaf. */
export function eventLeaf(drawnEvent: Drawn): string {
  const event = onTable(drawnEvent);
  const { body, hash } = hasher.openJournal(event);
  const said = [body, Buffer.from(hash).toString("hex")];
  if (event.kind === EventKind.traded) {
    for (const side of ["taker", "maker"] as const) said.push(hasher.openSide(event, side).body);
    said.push(hasher.openFill(event).body);
  }
  return said.join("\n");
}

/** Maps any code to an existing market or asset, because a body contains its name. */
function onTable(event: Drawn): VenueEvent {
  const known: Record<string, unknown> = { ...event };
  const { markets, assets } = testMarkets;
  if ("market" in known) known["market"] = Number(known["market"]) % markets.length;
  if ("asset" in known) known["asset"] = Number(known["asset"]) % assets.length;
  return known as unknown as VenueEvent;
}

/** Returns the command's bytes in a front's ring. */
export function commandBytes(command: Drawn): Uint8Array {
  return written(() => encodeCommand(views, 0, command as unknown as Command));
}

/** Returns the request's bytes in a matcher's ring. */
export function matchRequestBytes(request: Drawn): Uint8Array {
  return written(() => {
    match.encodeMatchRequest(views, 0, request as unknown as MatchRequest);
    return matcherRecordBytes;
  });
}

const answers: Readonly<Record<string, (figures: number[]) => void>> = {
  filled: ([a = 0, b = 0, c = 0, d = 0]) => match.encodeFilled(views, 0, a, b, c, d),
  reduced: ([a = 0, b = 0, c = 0]) => match.encodeReduced(views, 0, a, b, c),
  removed: ([a = 0, b = 0, c = 1, d = 0]) => match.encodeRemoved(views, 0, a, b, c as 1, d),
  met: ([a = 0, b = 0]) => match.encodeMet(views, 0, a, b),
  ended: ([a = 0, b = 0, c = 0, d = 0, e = 1, f = 0, g = 0, h = 0]) =>
    match.encodeEnded(views, 0, a, b, c, d as 0, e as 1, f, g, h),
};

/** Returns the bytes that a matcher's answer called `name` has in clearing's ring. */
export function matchAnswerBytes(answer: Drawn, name: string): Uint8Array {
  return written(() => {
    answers[name]?.(Object.values(answer) as number[]);
    return matcherRecordBytes;
  });
}

/** Returns the reply's bytes in a front's ring. */
export function replyRecord(reply: Drawn): Uint8Array {
  return written(() => {
    match.encodeReply(views, 0, reply as unknown as Reply);
    return match.replyBytes;
  });
}

/** Returns the control message as threads post it. */
export function controlBytes(message: Drawn): Uint8Array {
  return encodeControlMessage(message as unknown as ControlMessage);
}

/** A queue of unread answers from a matcher. */
export interface MatcherLane {
  readonly matcher: number;
  readonly lane: number;
}

/** Callbacks that receive the venue's output. */
type Hears = Readonly<Record<"onEvent" | "onReply", (record: Drawn) => void>>;

/** The venue on one thread, with drawn commands as input. */
export class Machine {
  readonly #hears: Hears;
  #machine: VenueMachine;

  constructor(hears: Hears) {
    this.#hears = hears;
    this.#machine = this.#made(new VenueState(testMarkets));
  }

  /** Restarts from a snapshot of the state; requires that no command or answer is pending. */
  restart(): void {
    this.#machine = this.#made(openSnapshot(takeSnapshot(this.#machine.state), testMarkets));
  }

  #made(state: VenueState): VenueMachine {
    const { onEvent, onReply } = this.#hears;
    return new VenueMachine({
      state,
      onEvent: (event) => onEvent({ ...event }),
      onReply: (reply) => onReply({ ...reply }),
      matcherCount: 2,
      ordersMax: 1 << 14,
      opensWithoutIndex: true,
      markIntervalUs: 200_000,
      fundingIntervalUs: 60_000_000,
      rewardIntervalUs: 5_000_000,
    });
  }

  canAccept(): boolean {
    return this.#machine.canAccept();
  }

  take(command: Drawn): void {
    this.#machine.take(command as unknown as Command);
  }

  /** Processes all pending input. */
  settle(): void {
    this.#machine.settle();
  }

  waitingLanes(): MatcherLane[] {
    const machine = this.#machine;
    return [0, 1]
      .flatMap((matcher) => Object.values(MatchLane).map((lane) => ({ matcher, lane })))
      .filter(({ matcher, lane }) => machine.waiting(matcher, lane) > 0);
  }

  answerNext({ matcher, lane }: MatcherLane): void {
    this.#machine.answerNext(matcher, lane as MatchLane);
  }

  stateHash(): string {
    return stateHash(this.#machine.state);
  }

  booksHash(): number {
    return this.#machine.booksHash();
  }
}

/** Names of event kinds, by number. */
export const eventNames: ReadonlyMap<number, string> = new Map(
  Object.entries(EventKind).map(([name, kind]) => [kind, name]),
);

/** Decodes an event. */
export function eventOf(bytes: Uint8Array): Drawn {
  return { ...decodeEventBytes(bytes, 0, bytes.length) };
}

/** Replays a journal; returns the state hash after each requested seq. */
export function replayedHashes(events: readonly Uint8Array[], at: readonly number[]): string[] {
  const state = new VenueState(testMarkets);
  const hashes: string[] = [];
  for (const [index, bytes] of events.entries()) {
    apply(state, decodeEventBytes(bytes, 0, bytes.length));
    if (at.includes(index + 1)) hashes.push(stateHash(state));
  }
  return hashes;
}

/** Returns the roots of a journal's epochs. Each epoch is `epochMs` long; the first starts at the first event. */
export function epochRoots(events: readonly Uint8Array[], epochMs: number): string[] {
  const decoded = events.map((bytes) => decodeEventBytes(bytes, 0, bytes.length));
  const epochOf = ({ tsUs }: VenueEvent) => Math.floor(tsUs / 1000 / epochMs);
  const firstEpoch = epochOf(decoded[0] as VenueEvent);
  const terms = { venue: "unchanged", epochMs, firstEpoch, nonceKeyCheck: "" };
  let sealed: EpochRecord | null = null;
  let under = new EntryHasher(hasher, openAfter(null, firstEpoch));
  let epoch = firstEpoch;
  const roots: string[] = [];
  const close = (until: number) => {
    sealed = under.seal(terms, []);
    const empty = emptyEpochs(sealed, until - 1, terms, hasher);
    roots.push(sealed.root, ...empty.map(({ root }) => root));
    sealed = empty.at(-1) ?? sealed;
    under = new EntryHasher(hasher, openAfter(sealed, firstEpoch));
    epoch = until;
  };
  for (const event of decoded) {
    if (epochOf(event) > epoch) close(epochOf(event));
    under.add(event);
  }
  close(epoch + 1);
  return roots;
}
