// The leader's end of the bus: passes the commands of gateways to clearing, and committed events and replies to the
// gateways. Each gateway has a slot, which is a command source with rings of its own, so that one busy gateway leaves
// the others their turn. All slots share one ring from the journal, in which events and replies keep their order.
//
//   bus ── commands ──▶ slot s ══ orders, cancels ══▶ clearing ══▶ journal ══ committed ══▶ this thread ──▶ bus
//
// Events leave only after their commit, because the journal writes them to the ring only then.

import { RateTier } from "../../../core/accounts.ts";
import { AssertionFailure, assert, present } from "../../../core/assert.ts";
import { leaderSignMs } from "../../../core/bus-limits.ts";
import { fromDurations, isFromGateway } from "../../../core/gateway-commands.ts";
import { type Command, CommandKind } from "../../../core/generated/commands.ts";
import {
  emptyOrderClaim,
  emptyOrderUse,
  emptyReply,
  type Reply,
} from "../../../core/generated/messages.ts";
import { accountNumbersMax } from "../../../core/limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { type Answer, type Bus, type BusSubjects, busSubjects } from "../../../ports/bus.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";
import { type Counted, Limited, type RateLimiter } from "../../../services/access/rate-limiter.ts";
import { notCounted, OrderUses } from "../../../services/bus/order-claims.ts";
import { SlotTable } from "../../../services/bus/slot-table.ts";
import { BusLane, BusMessageReader, BusMessageWriter, noSlot } from "../../../wire/bus-message.ts";
import { type CountersBuffer, RunState } from "../../../wire/counters-buffer.ts";
import type { Doorbell } from "../../../wire/doorbell.ts";
import {
  commandBytes,
  decodeCommand,
  encodeCommand,
} from "../../../wire/generated/command-codec.ts";
import {
  decodeOrderClaim,
  decodeReply,
  encodeOrderUse,
  encodeReply,
  orderClaimBytes,
  orderUseBytes,
  replyBytes,
  replyCorrelation,
  replySource,
} from "../../../wire/generated/message-codec.ts";
import { createRecordViews } from "../../../wire/records/record-views.ts";
import { SpscRing } from "../../../wire/spsc-ring.ts";
import type { Agent } from "../agent.ts";
import type { SourceMemory } from "../venue-memory.ts";
import { registrationCorrelation } from "./command-messages.ts";

/** What is said of a command that the leader does not count. */
const uncounted = { per10s: notCounted, perMinute: 0 } as const;

/** Shortest time in µs between two signs of life of one gateway that are passed to clearing. */
const signUsMin = 100_000;

/** Maximum number of records taken from the journal's ring per cycle. */
const recordsPerCycle = 512;

export interface LeaderBusParts {
  readonly bus: Bus;
  readonly venue: string;
  /** Writer epoch of this leader. */
  readonly epoch: number;
  /** Seq of the state with which this leader started: everything up to it is durable. */
  readonly seq: number;
  /** The command sources of the slots, and the number of the first one among all sources. */
  readonly sources: readonly SourceMemory[];
  readonly firstSource: number;
  /** The ring from the journal, shared by all slots. */
  readonly committed: SharedArrayBuffer;
  readonly clearingBell: Doorbell;
  readonly counters: CountersBuffer;
  /** Counts the orders of all gateways together with those of this venue's own fronts. */
  readonly limiter: RateLimiter;
  /** Whether this venue may tell anybody anything: false while its lease has run out. */
  readonly mayAcknowledge: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether gateways may ask for what only development tools offer. */
  readonly hasDevelopmentTools: boolean;
  /** Number of the venue's markets. */
  readonly markets: number;
  /** Unix ms of the last complete read of the ledger's updates; 0 for never. */
  readonly followedMs: () => number;
}

/** Rings and unsent replies of one slot. */
class SlotLink {
  /** What the slot's commands have used of their order limits. */
  readonly uses = new OrderUses();
  readonly orders: SpscRing;
  readonly cancels: SpscRing;
  readonly replies = new BusMessageWriter();
  /** When clearing was last told that the gateway is alive. */
  signedUs = 0;

  constructor(memory: SourceMemory) {
    this.orders = new SpscRing(memory.orders);
    this.cancels = new SpscRing(memory.cancels);
  }
}

export class LeaderBus implements Agent {
  readonly roleName = "bus";
  readonly #parts: LeaderBusParts;
  readonly #subjects: BusSubjects;
  readonly #table: SlotTable;
  readonly #links: readonly SlotLink[];
  readonly #committed: SpscRing;
  readonly #events = new BusMessageWriter();
  readonly #joins = new BusMessageWriter();
  readonly #reader = new BusMessageReader();
  /** A reply that clearing does not give. */
  readonly #own = createRecordViews(new ArrayBuffer(replyBytes));
  readonly #claim = emptyOrderClaim();
  readonly #use = emptyOrderUse();
  readonly #reply = emptyReply();
  readonly #counted: { -readonly [K in keyof Counted]: Counted[K] } = {
    keyId: 0,
    account: 0,
    tier: RateTier.standard,
  };
  readonly #timer: NodeJS.Timeout;
  #seq: number;
  #sentMs = 0;
  #lastFault = "";

  constructor(parts: LeaderBusParts) {
    this.#parts = parts;
    const { sources, committed, bus } = parts;
    this.#seq = parts.seq;
    this.#subjects = busSubjects(parts.venue);
    this.#table = new SlotTable(sources.length);
    this.#links = sources.map((memory) => new SlotLink(memory));
    this.#committed = new SpscRing(committed);
    bus.subscribe(this.#subjects.join, (bytes, answer) => this.#hearJoin(bytes, answer));
    for (const slot of sources.keys())
      bus.subscribe(this.#subjects.commands(slot), (bytes) => this.#hearCommands(slot, bytes));
    this.#timer = setInterval(() => this.#giveSign(), leaderSignMs);
    // Gateways hear at once that there is another leader.
    this.#giveSign();
  }

  /**
   * Passes on what the journal has written. The lease may have run out since, for example if the process was paused:
   * then it waits, because another venue may have led meanwhile.
   */
  doWork(): number {
    if (!this.#parts.mayAcknowledge()) return 0;
    const ring = this.#committed;
    let records = 0;
    while (records < recordsPerCycle) {
      const offset = ring.next();
      if (offset < 0) break;
      records++;
      if (ring.length === replyBytes) this.#takeReply(ring, offset);
      else {
        if (!this.#events.hasRoom()) this.#sendEvents();
        this.#events.add(ring.u8, offset, ring.length);
      }
    }
    if (records === 0) return 0;
    ring.release();
    // Events first: a gateway holds back a reply whose events it does not have.
    if (this.#events.count > 0) this.#sendEvents();
    for (const [slot, { replies }] of this.#links.entries())
      if (replies.count > 0) this.#sendReplies(slot);
    return records;
  }

  hasWork(): boolean {
    return !this.#committed.isEmpty() && this.#parts.mayAcknowledge();
  }

  onClose(): void {
    clearInterval(this.#timer);
  }

  #takeReply(ring: SpscRing, start: number): void {
    const { u8: bytes, length } = ring;
    const slot = replySource(bytes, start) - this.#parts.firstSource;
    const link = present(this.#links[slot], "the slot of a reply");
    const correlation = replyCorrelation(bytes, start);
    if (correlation === registrationCorrelation) {
      decodeReply(ring, start, length, this.#reply);
      const { reason, subject: origin, lastSeq } = this.#reply;
      this.#table.gave(slot, reason === RejectReason.none ? { origin, lastSeq } : null);
    }
    if (!link.replies.hasRoom()) {
      // The events before the reply leave first.
      if (this.#events.count > 0) this.#sendEvents();
      this.#sendReplies(slot);
    }
    this.#addReply(link, bytes, start, length);
    this.#table.replied(slot, correlation);
  }

  /** Adds a reply to the slot's next message, with what its key has used of its order limits. */
  #addReply({ replies, uses }: SlotLink, bytes: Uint8Array, start: number, length: number): void {
    uses.read(replyCorrelation(bytes, start), this.#use);
    const at = replies.add(bytes, start, length, orderUseBytes);
    encodeOrderUse(replies.views, at, this.#use);
  }

  #sendEvents(): void {
    const firstSeq = this.#seq + 1;
    this.#seq += this.#events.count;
    const header = { ...this.#headerOf(0xffff, 0), firstSeq };
    this.#parts.bus.publish(this.#subjects.groups, this.#events.take(header));
    this.#sentMs = this.#parts.clock.nowMs();
  }

  #sendReplies(slot: number): void {
    const { replies } = present(this.#links[slot], "the slot of a reply");
    const bytes = replies.take(this.#headerOf(slot, this.#table.incarnationOf(slot)));
    this.#parts.bus.publish(this.#subjects.replies(slot), bytes);
  }

  #headerOf(slot: number, incarnation: number) {
    const { epoch, clock, followedMs, markets } = this.#parts;
    const state = { sentUs: clock.nowUs(), followedMs: followedMs(), markets };
    const durableSeq = this.#seq;
    const own = { lane: 0, epoch, origin: 0 };
    return { slot, ...own, incarnation, firstSeq: durableSeq + 1, durableSeq, ...state };
  }

  /** Tells the gateways that the leader is there, and what is durable: a lost last message would go unnoticed. */
  #giveSign(): void {
    if (!this.#parts.mayAcknowledge()) return;
    if (this.#parts.clock.nowMs() - this.#sentMs < leaderSignMs) return;
    this.doWork();
    if (this.#parts.clock.nowMs() - this.#sentMs >= leaderSignMs) this.#sendEvents();
  }

  #hearJoin(message: Uint8Array, answer: Answer): void {
    const { clock, log, sources } = this.#parts;
    const fault = this.#reader.open(message);
    if (fault !== null) {
      this.#tell(fault);
      this.#joins.addText(fault);
      answer(this.#joins.take(this.#headerOf(noSlot, 0)));
      return;
    }
    if (!this.#parts.mayAcknowledge()) return;
    const { incarnation, epoch } = this.#reader.header;
    // A gateway that knows of a later leader asks that one; an answer from here would only hide the other.
    if (epoch > this.#parts.epoch) return;
    const slot = this.#table.join(incarnation, clock.nowMs());
    if (slot === undefined) {
      const reason = `all ${sources.length} slots are taken: raise GATEWAY_SLOTS of the leader`;
      this.#tell(reason);
      this.#joins.addText(reason);
      answer(this.#joins.take(this.#headerOf(noSlot, incarnation)));
      return;
    }
    log.info({ slot, incarnation }, "a gateway joined");
    answer(this.#joins.take(this.#headerOf(slot, incarnation)));
  }

  #hearCommands(slot: number, message: Uint8Array): void {
    const { clock, epoch } = this.#parts;
    const fault = this.#reader.open(message);
    if (fault !== null) {
      this.#tell(fault);
      return;
    }
    const { header } = this.#reader;
    // Commands for another leader are not this one's: their gateway sends them again if it may.
    if (header.epoch !== epoch) return;
    if (!this.#table.heard(slot, header.incarnation, clock.nowMs())) return;
    if (header.lane === BusLane.leaving) this.#table.left(slot, header.incarnation);
    const nowUs = clock.nowUs();
    this.#table.used(slot, header.origin);
    this.#passSign(slot, header.origin, nowUs);
    for (let at = this.#reader.next(); at >= 0; at = this.#reader.next())
      this.#passCommand(slot, at, nowUs);
    const link = present(this.#links[slot], "the slot of a gateway");
    const hasCancels = link.cancels.publish();
    if (link.orders.publish() || hasCancels) this.#parts.clearingBell.ring();
    if (link.replies.count > 0) this.#sendReplies(slot);
  }

  /** Tells clearing that a gateway is alive. A sign that finds no room is dropped: the next one follows soon. */
  #passSign(slot: number, origin: number, nowUs: number): void {
    const link = present(this.#links[slot], "the slot of a gateway");
    if (origin === 0 || nowUs - link.signedUs < signUsMin) return;
    const stamp = { correlation: 0, atUs: nowUs, deadlineUs: nowUs, account: 0 };
    const source = this.#parts.firstSource + slot;
    const sign = { kind: CommandKind.signOfLife, source, ...stamp, origin, front: 0 } as const;
    const to = link.cancels.tryClaim(commandBytes(sign));
    if (to < 0) return;
    encodeCommand(link.cancels, to, sign);
    link.cancels.commit();
    link.signedUs = nowUs;
  }

  #passCommand(slot: number, at: number, nowUs: number): void {
    const command = this.#commandAt(at);
    if (command === null) return;
    const { header } = this.#reader;
    const link = present(this.#links[slot], "the slot of a gateway");
    if (command.kind === CommandKind.registerOrigin && this.#answersRepeated(slot)) return;
    command.source = this.#parts.firstSource + slot;
    fromDurations(command, nowUs);
    // A message that was under way for long has less time left.
    command.deadlineUs -= Math.max(0, nowUs - header.sentUs);
    const length = commandBytes(command);
    const ring = header.lane === BusLane.cancels ? link.cancels : link.orders;
    const to = this.#takesCommands() ? ring.tryClaim(length) : -1;
    if (to < 0) {
      link.uses.note(command.correlation, uncounted);
      this.#refuse(slot, command.correlation, RejectReason.stopping, 0);
      return;
    }
    const limited = this.#count(command, link.uses);
    if (limited !== RejectReason.none) {
      ring.abort();
      this.#refuse(slot, command.correlation, limited, this.#limitOf(limited));
      return;
    }
    encodeCommand(ring, to, command);
    ring.commit();
    this.#table.passed(slot, command.correlation);
  }

  /**
   * Answers a registration that the gateway repeats with the number that it got, or leaves it to the reply under way;
   * false if clearing must decide.
   */
  #answersRepeated(slot: number): boolean {
    if (this.#table.isInFlight(slot, registrationCorrelation)) return true;
    const given = this.#table.givenTo(slot);
    if (given === null) return false;
    const { origin: subject, lastSeq } = given;
    const own = { correlation: registrationCorrelation, reason: RejectReason.none };
    this.#answer(slot, { ...emptyReply(), ...own, subject, lastSeq });
    return true;
  }

  /**
   * Counts the command's order for its key and its account, among those of all gateways and of this venue's own fronts.
   * Returns why it must be refused, or `none`. A command that is sent again is not counted again. Spec GWY-20.
   */
  #count({ account, correlation }: Command, uses: OrderUses): RejectReason {
    const { keyId, owner: named, orders, keyTier, accountTier } = this.#claim;
    // Clearing refuses an account that cannot exist.
    if (orders === 0 || account <= 0 || account >= accountNumbersMax) {
      uses.note(correlation, uncounted);
      return RejectReason.none;
    }
    const { limiter, clock } = this.#parts;
    const counted = this.#counted;
    counted.keyId = keyId;
    counted.account = account;
    counted.tier = keyTier;
    // A faulty gateway may name an owner that cannot exist.
    const owner = named > 0 && named < accountNumbersMax ? named : account;
    const limited = limiter.admitAs(counted, accountTier, 0, orders, clock.nowMs(), owner);
    this.#use.per10s = limiter.ordersPer10s;
    this.#use.perMinute = limiter.ordersPerMinute;
    uses.note(correlation, this.#use);
    if (limited === Limited.no) return RejectReason.none;
    return limited === Limited.orders10s
      ? RejectReason.tooManyOrdersIn10s
      : RejectReason.tooManyOrdersInMinute;
  }

  /** The limit that has refused the last command. */
  #limitOf(reason: RejectReason): number {
    const { ordersPer10s, ordersPerMinute } = this.#parts.limiter.limits;
    return reason === RejectReason.tooManyOrdersIn10s ? ordersPer10s : ordersPerMinute;
  }

  /** The command at `at`, if the record is one that a gateway may send: clearing trusts what is in its rings. */
  #commandAt(at: number): Command | null {
    const { hasDevelopmentTools } = this.#parts;
    try {
      const { views, length } = this.#reader;
      assert(length > orderClaimBytes, "a command must follow its claim");
      decodeOrderClaim(views, at, orderClaimBytes, this.#claim);
      const command = decodeCommand(views, at + orderClaimBytes, length - orderClaimBytes);
      if (isFromGateway(command, { hasDevelopmentTools })) return command;
      this.#tell(`a gateway sent a command of kind ${command.kind}, which no gateway may send`);
    } catch (error) {
      if (!(error instanceof AssertionFailure)) throw error;
      this.#tell(`a gateway sent a record that is not a command: ${error.message}`);
    }
    return null;
  }

  #takesCommands(): boolean {
    const { counters } = this.#parts;
    return !counters.isJournalStalled() && counters.state() < RunState.draining;
  }

  /** Answers a command that clearing does not get. */
  #refuse(slot: number, correlation: number, reason: RejectReason, subject: number): void {
    this.#answer(slot, { ...emptyReply(), correlation, reason, subject, lastSeq: 0 });
  }

  #answer(slot: number, reply: Reply): void {
    if (!this.#parts.mayAcknowledge()) return;
    const link = present(this.#links[slot], "the slot of a gateway");
    if (!link.replies.hasRoom()) this.#sendReplies(slot);
    encodeReply(this.#own, 0, reply);
    this.#addReply(link, this.#own.u8, 0, replyBytes);
  }

  #tell(fault: string): void {
    if (fault === this.#lastFault) return;
    this.#lastFault = fault;
    this.#parts.log.error({ reason: fault }, "a gateway cannot be served");
  }
}
