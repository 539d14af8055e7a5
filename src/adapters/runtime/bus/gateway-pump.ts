// Connects the rings of a front in a gateway process with the bus, in the place that clearing and the journal have in
// the leader's process: it takes the front's commands from its rings and sends them to the leader, and writes committed
// events and replies into the front's ring in the leader's order. It runs on the front's own event loop, because a
// thread between them would add two wake-ups to every order.
//
//   front ══ orders, cancels ══▶ pump ── commands ──▶ bus ──▶ leader
//     ▲ ══════ committed ═══════ pump ◀── groups, replies ── bus ◀──┘
//
// A command waits here while the leader is away. It is answered "not executed" if its deadline passes before it was
// handed to the bus; afterwards only a leader's reply answers it. Until then it is sent again: to the next leader before
// anything new, and to the same one in case a message was lost.

import { assert } from "../../../core/assert.ts";
import { gatewaySignMs, leaderSignMs, resendMs } from "../../../core/bus-limits.ts";
import { OriginLane } from "../../../core/command-identity.ts";
import {
  emptyOrderUse,
  emptyReply,
  type OrderUse,
  type Reply,
} from "../../../core/generated/messages.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { type Bus, type BusSubjects, busSubjects } from "../../../ports/bus.ts";
import type { Log } from "../../../ports/log.ts";
import {
  CommandWindow,
  isOfOneSending,
  isUndone,
  lanesInTurn,
  type NumberedCommand,
} from "../../../services/bus/command-window.ts";
import type { GroupFollower, GroupFollowerParts } from "../../../services/bus/group-follower.ts";
import { notCounted, type OrderClaims } from "../../../services/bus/order-claims.ts";
import { BusLane, BusMessageReader, noSlot } from "../../../wire/bus-message.ts";
import type { CountersBuffer } from "../../../wire/counters-buffer.ts";
import { decodeCommand } from "../../../wire/generated/command-codec.ts";
import { decodeOrderUse, decodeReply, replyBytes } from "../../../wire/generated/message-codec.ts";
import { SpscRing } from "../../../wire/spsc-ring.ts";
import type { SourceMemory } from "../venue-memory.ts";
import { CommandMessages, registrationCorrelation } from "./command-messages.ts";
import { FrontRing } from "./front-ring.ts";
import { HeardLeader } from "./heard-leader.ts";

/** Longest wait in ms for the leader's answer to a request to join. */
const joinMsMax = 500;

/**
 * Time in ms after the end of a request at which its command's place is given up: the client has been told long before
 * that the outcome is unknown.
 */
const abandonMs = 5_000;

const laneNames = { [OriginLane.orders]: "orders", [OriginLane.cancels]: "cancels" } as const;

/** An answer of the leader, for the records of an operator. */
export interface PassedAnswer {
  readonly epoch: number;
  /** Seq of the last event that the answer depends on. */
  readonly seq: number;
  /** True if the command was sent more than once. */
  readonly isResent: boolean;
}

export interface GatewayPumpParts {
  readonly bus: Bus;
  readonly venue: string;
  readonly rings: SourceMemory;
  /** What the front's commands count for, and what the leader has counted. */
  readonly orderClaims: OrderClaims;
  readonly counters: CountersBuffer;
  readonly log: Log;
  /**
   * 1 to 36 characters, by which the leader recognises this gateway thread after a restart. No other may have it.
   */
  readonly name: string;
  /** A number that no other gateway thread has, at random. */
  readonly incarnation: number;
  /** The gateway's time in microseconds; the front stamps its commands with the same clock. */
  readonly nowUs: () => number;
  /** Time limit of a request in ms, after which its client is told that the outcome is unknown. */
  readonly requestMsMax: number;
  /** Creates the follower, whose events the pump passes on. */
  readonly follow: (parts: Pick<GroupFollowerParts, "pass" | "passed">) => GroupFollower;
  /** Makes the front read its ring soon. */
  readonly wake: () => void;
  /** Makes the front read a part of its ring now. */
  readonly makeRoom: () => void;
  /** No reply will come to the command with this correlation. */
  readonly abandon: (correlation: number) => void;
  /** Told of each answer that is passed to the front; null if nobody wants to know. */
  readonly onAnswer: ((answer: PassedAnswer) => void) | null;
  /** Number of the markets that this gateway knows. */
  readonly markets: number;
  /** Called, once, when the leader has markets that this gateway does not know. */
  readonly onMarketsAdded: () => void;
  /** The leader's last complete read of the ledger's updates, in ms before now; null for never. */
  readonly ledgerFollowed: (agoMs: number | null) => void;
}

/** A place among the leader's gateways. */
interface Place {
  readonly slot: number;
  readonly epoch: number;
}

export class GatewayPump {
  readonly #parts: GatewayPumpParts;
  readonly #subjects: BusSubjects;
  readonly #window = new CommandWindow();
  readonly #commands: { readonly [lane in OriginLane]: SpscRing };
  readonly #committed: FrontRing;
  readonly #follower: GroupFollower;
  readonly #reader = new BusMessageReader();
  readonly #messages: CommandMessages;
  readonly #reply = emptyReply();
  readonly #orderUse = emptyOrderUse();
  /** Replies that wait for an event they follow, in the leader's order. */
  readonly #heldReplies: { readonly reply: Reply; readonly use: OrderUse }[] = [];
  readonly #listened = new Set<number>();
  readonly #timer: NodeJS.Timeout;
  #place: Place | null = null;
  #isJoining = false;
  #isClosed = false;
  #isTurnOpen = false;
  readonly #endTurn = () => {
    this.#isTurnOpen = false;
    if (!this.#isClosed) this.#sendCollected();
  };
  /** The number under which the leader knows this gateway's commands; 0 before the registration. */
  #origin = 0;
  #registeredUs = 0;
  #epoch = 0;
  readonly #leader = new HeardLeader();
  #sentUs = 0;
  #isLossTold = true;
  #isOutdated = false;
  #resends = 0;
  /** Messages of the leader that could not be read, or came from an earlier one. */
  readonly #unread = { refused: 0, discarded: 0 };
  #lastFault = "";

  constructor(parts: GatewayPumpParts) {
    this.#parts = parts;
    const { rings, bus, venue } = parts;
    this.#messages = new CommandMessages(this.#window, parts.orderClaims);
    this.#subjects = busSubjects(venue);
    this.#commands = {
      [OriginLane.orders]: new SpscRing(rings.orders),
      [OriginLane.cancels]: new SpscRing(rings.cancels),
    };
    this.#committed = new FrontRing(rings.committed, parts.makeRoom);
    this.#follower = parts.follow({
      pass: (bytes, start, length) => this.#committed.writeEvent(bytes, start, length),
      passed: () => this.#passed(),
    });
    bus.subscribe(this.#subjects.groups, (bytes) => this.#hearGroups(bytes));
    bus.onChange((isConnected) => {
      this.#place = null;
      this.#leader.busChanged(isConnected, parts.nowUs());
      if (isConnected) this.#join();
    });
    this.#timer = setInterval(() => this.#tick(), leaderSignMs);
  }

  /** True while the leader takes commands, and every event that it announced has been passed to the front. */
  get isReady(): boolean {
    const isHeard = this.#isLeaderHere() && this.#place !== null && this.#origin !== 0;
    return isHeard && this.#follower.isLevel;
  }

  /** Figures for metrics. */
  get figures() {
    const { queued, unanswered } = this.#window;
    const { gaps, durableSeq } = this.#follower;
    const counts = { gaps, resends: this.#resends, ...this.#unread };
    const away = this.#leader.away(this.#parts.nowUs());
    return { queued, unanswered, ...counts, durableSeq, epoch: this.#epoch, ...away };
  }

  /**
   * Called when the front has published commands: takes the place of clearing's doorbell. While others are unanswered,
   * all commands of a turn of the event loop leave in one message: the leader commits in groups, so none is answered
   * later, and each message costs the leader time.
   */
  ring(): void {
    if (this.#window.unanswered === 0) {
      this.#sendCollected();
      return;
    }
    if (this.#isTurnOpen) return;
    this.#isTurnOpen = true;
    setImmediate(this.#endTurn);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#follower.close();
    if (this.#place !== null) this.#publish(this.#place, "leaving");
  }

  #sendCollected(): void {
    for (const lane of lanesInTurn) this.#collect(lane);
    this.#send(this.#parts.nowUs());
  }

  #collect(lane: OriginLane): void {
    const ring = this.#commands[lane];
    for (let at = ring.next(); at >= 0; at = ring.next())
      this.#window.add(decodeCommand(ring, at, ring.length), lane);
    ring.release();
  }

  /** Hands queued commands to the bus, as far as the leader is there and the window has room. */
  #send(nowUs: number): void {
    const place = this.#place;
    if (place === null || this.#origin === 0 || !this.#isLeaderHere()) return;
    for (const lane of lanesInTurn) {
      while (this.#window.hasNext(lane) && this.#parts.bus.isConnected)
        this.#sendNext(place, lane, nowUs);
    }
  }

  /** Hands over one message of commands. */
  #sendNext(place: Place, lane: OriginLane, nowUs: number): void {
    while (this.#messages.hasRoom()) {
      const next = this.#window.handOver(lane, this.#origin, nowUs);
      if (next === undefined) break;
      this.#messages.add(next, lane, nowUs, true);
    }
    this.#publish(place, laneNames[lane]);
  }

  /** Sends commands again. A leader that has one already does nothing, or repeats its answer. */
  #repeat(place: Place, lane: OriginLane, commands: readonly NumberedCommand[]): void {
    const nowUs = this.#parts.nowUs();
    for (const numbered of commands) {
      if (!this.#messages.hasRoom()) this.#publish(place, laneNames[lane]);
      const isNew = isUndone(numbered);
      numbered.timesSent++;
      numbered.sentUs = nowUs;
      this.#resends++;
      this.#messages.add(numbered, lane, nowUs, isNew);
    }
    if (this.#messages.count > 0) this.#publish(place, laneNames[lane]);
  }

  /**
   * Asks the leader for the number under which it knows this gateway's commands. A number that another leader gave before
   * ends when the new one is used.
   */
  #register(place: Place): void {
    this.#registeredUs = this.#parts.nowUs();
    this.#messages.addRegistration(this.#parts.name);
    this.#publish(place, "orders");
  }

  #publish({ slot, epoch }: Place, lane: keyof typeof BusLane): void {
    const { bus, incarnation, nowUs } = this.#parts;
    this.#sentUs = nowUs();
    const bytes = this.#messages.take({
      ...{ slot, epoch, incarnation, firstSeq: 0 },
      lane: BusLane[lane],
      durableSeq: this.#follower.seq,
      sentUs: this.#leader.leaderTimeUs(this.#sentUs),
      followedMs: 0,
      markets: 0,
      origin: this.#origin,
    });
    bus.publish(this.#subjects.commands(slot), bytes);
  }

  #isLeaderHere(): boolean {
    return this.#leader.isHere(this.#parts.nowUs());
  }

  /** Opens a message of the leader. Returns false if it must be discarded. */
  #open(message: Uint8Array): boolean {
    const fault = this.#reader.open(message);
    if (fault !== null) {
      this.#unread.refused++;
      this.#tell(fault);
      return false;
    }
    const { epoch, sentUs, followedMs, markets } = this.#reader.header;
    if (epoch < this.#epoch) {
      this.#unread.discarded++;
      return false;
    }
    if (markets > this.#parts.markets && !this.#isOutdated) {
      this.#isOutdated = true;
      this.#parts.onMarketsAdded();
    }
    if (epoch > this.#epoch) this.#followEpoch(epoch);
    const isServing = this.#place !== null && this.#origin !== 0;
    this.#leader.hear(this.#parts.nowUs(), sentUs, isServing);
    this.#parts.ledgerFollowed(followedMs === 0 ? null : sentUs / 1000 - followedMs);
    if (this.#isLossTold) {
      this.#parts.log.info({ epoch }, "the leader is heard");
      this.#isLossTold = false;
    }
    return true;
  }

  #followEpoch(epoch: number): void {
    const { durableSeq } = this.#reader.header;
    const { log } = this.#parts;
    const last = this.#follower.seq;
    if (durableSeq < last) {
      log.error({ epoch, durableSeq, last }, "a later leader lacks events that this gateway has");
    }
    assert(
      durableSeq >= last,
      "a later leader must have every event that an earlier one announced",
    );
    this.#epoch = epoch;
    this.#place = null;
    // The next leader answers these commands again.
    this.#heldReplies.length = 0;
  }

  #hearGroups(message: Uint8Array): void {
    if (!this.#open(message)) return;
    this.#follower.take(this.#reader, message);
    if (this.#place === null) this.#join();
    else if (this.#window.queued > 0) this.#send(this.#parts.nowUs());
  }

  #hearReplies(slot: number, message: Uint8Array): void {
    if (slot !== this.#place?.slot || !this.#open(message)) return;
    const reader = this.#reader;
    if (reader.header.incarnation !== this.#parts.incarnation) return;
    for (let at = reader.next(); at >= 0; at = reader.next()) {
      const useAt = at + replyBytes;
      decodeReply(reader.views, at, replyBytes, this.#reply);
      decodeOrderUse(reader.views, useAt, reader.length - replyBytes, this.#orderUse);
      if (this.#heldReplies.length === 0 && this.#reply.lastSeq <= this.#follower.seq)
        this.#deliver(this.#reply, this.#orderUse);
      else this.#heldReplies.push({ reply: { ...this.#reply }, use: { ...this.#orderUse } });
    }
    this.#passed();
  }

  /** Writes a reply into the front's ring, unless the command has been answered or given up. */
  #deliver(reply: Reply, use: OrderUse): void {
    if (reply.correlation === registrationCorrelation) {
      this.#registered(reply);
      return;
    }
    if (isOfOneSending(reply.reason)) {
      const isUndone = this.#window.refused(reply.correlation);
      // The client waits for the next leader, or for this one to take commands again. No limit refuses a command that
      // was sent again, so another sending than this one is answered otherwise.
      if (reply.reason === RejectReason.stopping || !isUndone) return;
    }
    const answered = this.#window.answered(reply.correlation);
    if (answered === undefined) return;
    if (reply.reason === RejectReason.unknownOrigin) {
      // Commands of an earlier origin may be refused after the gateway has got another one, which lives.
      if (answered.origin === this.#origin) this.#origin = 0;
      // An earlier leader may have executed it, so only its client can find out.
      if (answered.timesSent > 1) {
        this.#parts.abandon(reply.correlation);
        return;
      }
    }
    const { onAnswer, orderClaims } = this.#parts;
    orderClaims.uses.note(reply.correlation, use);
    if (onAnswer !== null) {
      const isResent = answered.timesSent > 1;
      onAnswer({ epoch: this.#epoch, seq: reply.lastSeq, isResent });
    }
    this.#committed.writeReply(reply);
    this.#sendFreed(answered);
  }

  /** Sends the refused commands again as soon as the one that was tried for them is answered. */
  #sendFreed(answered: NumberedCommand): void {
    const place = this.#place;
    if (place === null) return;
    for (const lane of lanesInTurn) this.#repeat(place, lane, this.#window.freedBy(answered, lane));
  }

  /** Publishes what was written, with the replies that it allows, and lets the front read it. */
  #passed(): void {
    const { counters, wake } = this.#parts;
    const { seq } = this.#follower;
    const held = this.#heldReplies;
    for (let first = held[0]; first !== undefined && first.reply.lastSeq <= seq; first = held[0]) {
      held.shift();
      this.#deliver(first.reply, first.use);
    }
    if (!this.#committed.publish()) return;
    if (seq > counters.committedSeq()) {
      counters.storeCommittedSeq(seq);
      counters.storeIssuedSeq(seq);
    }
    wake();
  }

  /** Asks the leader for a slot. The answer comes before any reply on that slot. */
  #join(): void {
    if (this.#isJoining || !this.#parts.bus.isConnected) return;
    this.#isJoining = true;
    const { bus, incarnation } = this.#parts;
    const none = { slot: noSlot, lane: 0, firstSeq: 0, sentUs: 0, followedMs: 0, markets: 0 };
    const known = { epoch: this.#epoch, incarnation, durableSeq: this.#follower.seq };
    const asked = this.#messages.take({ ...none, ...known, origin: this.#origin });
    void bus.request(this.#subjects.join, asked, joinMsMax).then((answer) => {
      this.#isJoining = false;
      if (answer !== null && this.#open(answer)) this.#joined();
    });
  }

  #joined(): void {
    const { slot, epoch, incarnation } = this.#reader.header;
    if (slot === noSlot) {
      this.#tell(this.#reader.nextText());
      return;
    }
    if (incarnation !== this.#parts.incarnation || epoch !== this.#epoch) return;
    // A subscription stays for good: a slot that is another gateway's now brings messages that are discarded.
    if (!this.#listened.has(slot)) {
      this.#listened.add(slot);
      this.#parts.bus.subscribe(this.#subjects.replies(slot), (bytes) =>
        this.#hearReplies(slot, bytes),
      );
    }
    this.#lastFault = "";
    const place = { slot, epoch };
    this.#place = place;
    this.#parts.log.info({ slot, epoch }, "joined the leader");
    if (this.#origin === 0) this.#register(place);
    else for (const lane of lanesInTurn) this.#repeat(place, lane, this.#window.unansweredOf(lane));
    this.ring();
  }

  #registered({ reason, subject }: Reply): void {
    // A late answer must not replace the number under which commands are on their way.
    if (this.#origin !== 0) return;
    if (reason !== RejectReason.none) {
      this.#tell(`the leader gives this gateway no number for its commands (reason ${reason})`);
      return;
    }
    this.#lastFault = "";
    this.#origin = subject;
    this.#parts.log.info({ origin: subject }, "registered with the leader");
    this.ring();
  }

  #tick(): void {
    const { log, nowUs, abandon, requestMsMax } = this.#parts;
    const now = nowUs();
    for (const { correlation } of this.#window.takeOverdue(now)) this.#refuse(correlation);
    const abandonedUs = now - (requestMsMax + abandonMs) * 1000;
    for (const { correlation } of this.#window.takeAbandoned(abandonedUs)) abandon(correlation);
    if (!this.#isLeaderHere()) {
      if (!this.#isLossTold) log.warn({}, "the leader is silent; commands wait");
      this.#isLossTold = true;
      this.#place = null;
      // The leader may have become silent only for this gateway, or not know it any more.
      this.#join();
    } else if (this.#place === null) this.#join();
    else this.#keepUp(this.#place, now);
    this.ring();
    this.#passed();
  }

  /** Repeats what may have been lost, and gives a sign of life if nothing else is sent. */
  #keepUp(place: Place, nowUs: number): void {
    if (this.#origin === 0) {
      if (nowUs - this.#registeredUs > resendMs * 1000) this.#register(place);
    } else {
      const beforeUs = nowUs - resendMs * 1000;
      for (const lane of lanesInTurn) this.#repeat(place, lane, this.#window.dueOf(lane, beforeUs));
    }
    if (nowUs - this.#sentUs > gatewaySignMs * 1000) this.#publish(place, "orders");
  }

  /** Answers a command that was never handed over. */
  #refuse(correlation: number): void {
    this.#parts.orderClaims.uses.note(correlation, { per10s: notCounted, perMinute: 0 });
    const reason = RejectReason.deadlinePassed;
    this.#committed.writeReply({
      ...emptyReply(),
      correlation,
      reason,
      lastSeq: this.#follower.seq,
    });
  }

  /** Logs a fault once, until another one or a success follows. */
  #tell(fault: string): void {
    if (fault === this.#lastFault) return;
    this.#lastFault = fault;
    this.#parts.log.error({ reason: fault }, "the leader cannot be used");
  }
}
