// The clearing thread's duty cycle: matcher replies first, then cancels, then other commands. The sources are served
// round robin, with a bounded batch each. Output is published once per batch. Invariants: clearing takes a command or a
// matcher's answer only while the journal ring has room for the longest transaction, and takes a command only while
// every matcher lane has a credit, that is, fewer requests in flight than its limit. Therefore clearing never waits for
// a ring, and only the journal can slow it down.
//
// A barrier of the main thread also holds what it sends after it, until clearing has answered the barrier. So a replay can
// send what depends on earlier answers of matchers without waiting for the commit that its own replies wait for.

import { CommandKind } from "../../core/generated/commands.ts";
import type { VenueEvent } from "../../core/generated/events.ts";
import type { MatchRequest, Reply } from "../../core/generated/messages.ts";
import { matcherRecordBytes } from "../../core/limits.ts";
import { MatchLane } from "../../core/match-messages.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { Clearing, type ClearingOutput } from "../../engine/clearing/clearing.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";
import { Doorbell } from "../../wire/doorbell.ts";
import { decodeCommand } from "../../wire/generated/command-codec.ts";
import { encodeEvent, eventBytes } from "../../wire/generated/event-codec.ts";
import {
  deliverMatchReply,
  encodeMatchRequest,
  encodeReply,
  replyBytes,
} from "../../wire/generated/message-codec.ts";
import { RefusalCounts } from "../../wire/refusal-counts.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import type { Agent } from "./agent.ts";
import type { InputLog } from "./input-log.ts";
import {
  clearingClientSources,
  type MatcherMemory,
  type ThreadSlots,
  transactionRoomBytes,
  type VenueMemory,
} from "./venue-memory.ts";

/** Maximum number of commands taken from one source before the next source and the matchers get their turn. */
const commandsPerTurn = 32;

/**
 * Maximum number of answers taken from one matcher before publishing: about twice as many as the longest sweep gives.
 */
const answersPerTurn = 2048;

/**
 * Cycles for which output for the journal is kept back while a barrier of the main thread waits: some tenths of a
 * millisecond. The next cycle is near, and waking the journal costs as much as several commands.
 */
const keptCyclesMax = 8;

/** Rings and doorbell of one matcher, as used by clearing. */
class MatcherLink {
  readonly lanes: readonly [orders: SpscRing, cancels: SpscRing];
  readonly replies: SpscRing;
  readonly bell: Doorbell;

  constructor(memory: MatcherMemory, bell: SharedArrayBuffer | undefined) {
    this.lanes = [new SpscRing(memory.orders), new SpscRing(memory.cancels)];
    this.replies = new SpscRing(memory.replies);
    this.bell = new Doorbell(bell ?? Doorbell.allocate());
  }

  publish(): void {
    const [orders, cancels] = this.lanes;
    const hasOrders = orders.publish();
    if (cancels.publish() || hasOrders) this.bell.ring();
  }
}

export interface ClearingAgentParts {
  readonly state: VenueState;
  readonly memory: VenueMemory;
  readonly slots: ThreadSlots;
  readonly counters: CountersBuffer;
  /** Microseconds between two computations of the marks. */
  readonly markIntervalUs: number;
  readonly opensWithoutIndex: boolean;
  /** Microseconds between funding settlements. */
  readonly fundingIntervalUs: number;
  /** Microseconds between two accruals of commission. */
  readonly rewardIntervalUs: number;
  readonly inputLog: InputLog | null;
}

export class ClearingAgent implements Agent, ClearingOutput {
  readonly roleName = "clearing";
  readonly #state: VenueState;
  readonly #counters: CountersBuffer;
  readonly #clearing: Clearing;
  readonly #matchers: readonly MatcherLink[];
  readonly #cancels: readonly SpscRing[];
  readonly #orders: readonly SpscRing[];
  readonly #journal: SpscRing;
  readonly #journalBell: Doorbell;
  readonly #mainBell: Doorbell;
  readonly #inputLog: InputLog | null;
  readonly #refusals: RefusalCounts;
  readonly #mainSource: number;
  /** Correlation of the main thread's barrier that has no answer yet, or null. */
  #fence: number | null = null;
  #hasBegun = false;
  #firstSource = 0;
  #quietUntilUs = 0;
  /** Cycles since output was kept back. */
  #keptCycles = 0;
  #hasResumed = false;

  constructor(parts: ClearingAgentParts) {
    const { memory, slots, state } = parts;
    this.#state = state;
    this.#counters = parts.counters;
    this.#inputLog = parts.inputLog;
    this.#refusals = new RefusalCounts(memory.refusals);
    this.#matchers = memory.matchers.map(
      (rings, index) => new MatcherLink(rings, memory.bells[slots.matchers[index] ?? -1]),
    );
    this.#cancels = memory.sources.map((source) => new SpscRing(source.cancels));
    this.#orders = memory.sources.map((source) => new SpscRing(source.orders));
    this.#journal = new SpscRing(memory.journal);
    this.#journalBell = new Doorbell(memory.bells[slots.journal] ?? Doorbell.allocate());
    this.#mainBell = new Doorbell(memory.bells[slots.main] ?? Doorbell.allocate());
    this.#mainSource = clearingClientSources(memory).main;
    const count = this.#matchers.length;
    this.#clearing = new Clearing({
      state,
      output: this,
      matcherCount: count,
      matcherOf: (market) => market % count,
      markIntervalUs: parts.markIntervalUs,
      opensWithoutIndex: parts.opensWithoutIndex,
      fundingIntervalUs: parts.fundingIntervalUs,
      rewardIntervalUs: parts.rewardIntervalUs,
    });
  }

  doWork(): number {
    let work = this.#begin() + this.#resume();
    for (const [index, matcher] of this.#matchers.entries()) {
      work += this.#hearMatcher(matcher, index);
    }
    work += this.#takeCommands(this.#cancels);
    work += this.#takeCommands(this.#orders);
    if (work > 0) this.#publish();
    return work;
  }

  /** Sends, in the first cycle, what a start must send before it takes a command. */
  #resume(): number {
    if (this.#hasResumed) return 0;
    this.#hasResumed = true;
    return this.#clearing.resume() ? 1 : 0;
  }

  hasWork(): boolean {
    if (!this.#hasBegun) return true;
    if (!this.#hasRoom()) return false;
    if (this.#matchers.some(({ replies }) => !replies.isEmpty())) return true;
    if (!this.#clearing.canAccept()) return false;
    const hasOrders = this.#orders.some((ring, source) => !ring.isEmpty() && !this.#isHeld(source));
    return hasOrders || this.#cancels.some((ring) => !ring.isEmpty());
  }

  onClose(): void {
    this.#inputLog?.close();
  }

  /** Implements ClearingOutput. Credits limit the requests in flight, so the lane always has room. */
  request(matcher: number, lane: MatchLane, request: MatchRequest): void {
    const ring = this.#matchers[matcher]?.lanes[lane === MatchLane.orders ? 0 : 1];
    if (ring === undefined) throw new RangeError("the matcher must belong to this venue");
    encodeMatchRequest(ring, ring.claim(matcherRecordBytes), request);
    ring.commit();
  }

  /** Implements ClearingOutput. The event is encoded once, so fronts and journal receive the same bytes. */
  event(event: VenueEvent): void {
    const ring = this.#journal;
    encodeEvent(ring, ring.claim(eventBytes(event)), event);
    ring.commit();
  }

  /** Implements ClearingOutput. */
  reply(reply: Reply): void {
    if (reply.reason !== RejectReason.none) this.#refusals.count(reply.reason);
    if (reply.correlation === this.#fence && reply.source === this.#mainSource) this.#fence = null;
    const ring = this.#journal;
    encodeReply(ring, ring.claim(replyBytes), reply);
    ring.commit();
  }

  /** Lets clearing end what was lost with the leader before, in the first cycle. */
  #begin(): number {
    if (this.#hasBegun) return 0;
    this.#hasBegun = true;
    this.#clearing.begin();
    return 1;
  }

  #hasRoom(): boolean {
    return this.#journal.freeBytes() >= transactionRoomBytes;
  }

  #hearMatcher({ replies }: MatcherLink, matcher: number): number {
    let answers = 0;
    while (answers < answersPerTurn && this.#hasRoom()) {
      const offset = replies.next();
      if (offset < 0) break;
      answers++;
      this.#inputLog?.matched(matcher, replies, offset, replies.length);
      deliverMatchReply(replies, offset, replies.length, this.#clearing);
    }
    if (answers > 0) replies.release();
    return answers;
  }

  /** Takes a bounded number of commands from each source; each call starts with the next source. */
  #takeCommands(rings: readonly SpscRing[]): number {
    let taken = 0;
    this.#firstSource = (this.#firstSource + 1) % rings.length;
    for (let turn = 0; turn < rings.length; turn++) {
      const source = (this.#firstSource + turn) % rings.length;
      const ring = rings[source];
      if (ring !== undefined) taken += this.#takeFrom(ring, source);
    }
    return taken;
  }

  #isHeld(source: number): boolean {
    return source === this.#mainSource && this.#fence !== null;
  }

  #takeFrom(ring: SpscRing, source: number): number {
    let taken = 0;
    while (taken < commandsPerTurn && this.#clearing.canAccept() && this.#hasRoom()) {
      if (this.#isHeld(source)) break;
      const offset = ring.next();
      if (offset < 0) break;
      taken++;
      this.#inputLog?.commanded(ring, offset, ring.length);
      const command = decodeCommand(ring, offset, ring.length);
      if (command.kind === CommandKind.barrier && source === this.#mainSource)
        this.#fence = command.correlation;
      this.#clearing.handle(command);
    }
    if (taken > 0) ring.release();
    return taken;
  }

  /** Publishes the output. It is called only between commands and answers, so published transactions are complete. */
  #publish(): void {
    for (const matcher of this.#matchers) matcher.publish();
    if (this.#mayKeepOutput()) return;
    // Stored before the replies leave: whoever has the reply to a barrier finds the time of the tick before it.
    this.#tellQuiet();
    if (this.#journal.publish()) this.#journalBell.ring();
    if (this.#state.seq > this.#counters.issuedSeq()) {
      this.#counters.storeIssuedSeq(this.#state.seq);
    }
  }

  /** Without room for another transaction, clearing waits for the journal, which must then have the output. */
  #mayKeepOutput(): boolean {
    const isKept = this.#fence !== null && this.#keptCycles < keptCyclesMax && this.#hasRoom();
    this.#keptCycles = isKept ? this.#keptCycles + 1 : 0;
    return isKept;
  }

  #tellQuiet(): void {
    const { quietUntilUs } = this.#clearing;
    if (quietUntilUs === this.#quietUntilUs) return;
    this.#quietUntilUs = quietUntilUs;
    this.#counters.storeQuietUntilUs(quietUntilUs);
    // The main thread may sleep until the end of the quiet time, but must now send every tick again.
    if (quietUntilUs === 0) this.#mainBell.ring();
  }
}
