// The commands of one gateway thread that have no reply yet. Some wait because the leader is away or because too many
// are unanswered; the others were handed to the bus and may have been executed. The difference decides what a client
// is told: a command that was never handed over was not executed, and of the others nobody knows.
//
//   queued ──handed over──▶ unanswered ──reply──▶ gone
//      └── deadline: "not executed"   └── long past the request's end: abandoned, the client was told "unknown"
//
// A leader that stops, or takes no commands at the moment, refuses them undone. If each sending of a command was refused,
// it was certainly not executed; it waits for the next leader like the others, and is told apart at its deadline. The
// oldest refused command of a lane is tried for all of them, so a leader that takes none is not flooded.
//
// Commands of one lane are numbered in the order in which they were first handed over, and keep their numbers. Clearing
// recognises a command that is sent again by its number, and needs no result below the oldest unanswered one.

import { OriginLane } from "../../core/command-identity.ts";
import { type Command, CommandKind } from "../../core/generated/commands.ts";
import { originWindowMax } from "../../core/limits.ts";
import { isOrderLimit, RejectReason } from "../../core/reject-reason.ts";

export interface NumberedCommand {
  /** The command as the front stamped it, with the gateway's times. */
  readonly command: Command;
  /** Number of the command in its lane, from 1. */
  readonly number: number;
  /** The origin under which it was first handed over; under another one it might be executed twice. */
  readonly origin: number;
  /** How often it was handed to the bus. */
  timesSent: number;
  /** When it was last handed to the bus, by the gateway's clock in microseconds. */
  sentUs: number;
  /** How often a leader has said that it did not take it. */
  timesRefused: number;
}

/** True if no sending of the command may have been executed. */
export function isUndone({ timesSent, timesRefused }: NumberedCommand): boolean {
  return timesRefused === timesSent;
}

/** True for a refusal by the leader's bus: it says nothing about other sendings of the command. */
export function isOfOneSending(reason: RejectReason): boolean {
  return reason === RejectReason.stopping || isOrderLimit(reason);
}

class Lane {
  readonly queued = new Map<number, Command>();
  /** By correlation, in the order of their numbers. */
  readonly unanswered = new Map<number, NumberedCommand>();
  lastNumber = 0;
  /** The refused command that is tried for all refused ones; null if none was refused. */
  tried: NumberedCommand | null = null;

  /** Results up to this number are not needed any more. */
  get confirmedUpTo(): number {
    const [oldest] = this.unanswered.values();
    return oldest === undefined ? this.lastNumber : oldest.number - 1;
  }
}

export class CommandWindow {
  readonly #lanes: readonly [orders: Lane, cancels: Lane] = [new Lane(), new Lane()];

  /** Number of commands that wait to be handed over. */
  get queued(): number {
    return this.#lanes.reduce((sum, { queued }) => sum + queued.size, 0);
  }

  /** Number of commands that were handed over and have no reply. */
  get unanswered(): number {
    return this.#lanes.reduce((sum, { unanswered }) => sum + unanswered.size, 0);
  }

  add(command: Command, lane: OriginLane): void {
    this.#lanes[lane].queued.set(command.correlation, command);
  }

  /** True if `handOver` would return a command. */
  hasNext(lane: OriginLane): boolean {
    const { queued, lastNumber, confirmedUpTo } = this.#lanes[lane];
    return queued.size > 0 && lastNumber < confirmedUpTo + originWindowMax;
  }

  /**
   * Numbers the next command of the lane and returns it; the caller sends it at `nowUs`. From here on it counts as
   * possibly executed. Undefined if none waits, or too many are unanswered.
   */
  handOver(lane: OriginLane, origin: number, nowUs: number): NumberedCommand | undefined {
    if (!this.hasNext(lane)) return undefined;
    const own = this.#lanes[lane];
    const [command] = own.queued.values();
    if (command === undefined) return undefined;
    own.queued.delete(command.correlation);
    own.lastNumber++;
    const sent = { timesSent: 1, sentUs: nowUs, timesRefused: 0 };
    const numbered = { command, number: own.lastNumber, origin, ...sent };
    own.unanswered.set(command.correlation, numbered);
    return numbered;
  }

  /** Results of the lane up to this number are not needed any more. */
  confirmedUpTo(lane: OriginLane): number {
    return this.#lanes[lane].confirmedUpTo;
  }

  /** Removes and returns the unanswered command with this correlation; undefined if the reply is late or repeated. */
  answered(correlation: number): NumberedCommand | undefined {
    for (const { unanswered } of this.#lanes) {
      const command = unanswered.get(correlation);
      if (command !== undefined) {
        unanswered.delete(correlation);
        return command;
      }
    }
    return undefined;
  }

  /**
   * A leader did not take one sending of the command with this correlation. It stays unanswered. Returns true if no other
   * sending may have been executed.
   */
  refused(correlation: number): boolean {
    for (const { unanswered } of this.#lanes) {
      const command = unanswered.get(correlation);
      if (command === undefined) continue;
      command.timesRefused++;
      return isUndone(command);
    }
    return false;
  }

  /**
   * Commands of the lane that were last sent before `beforeUs`, in the order of their numbers, and the oldest of those
   * that were refused each time: it is tried for the others, see `freedBy`.
   */
  dueOf(lane: OriginLane, beforeUs: number): readonly NumberedCommand[] {
    const own = this.#lanes[lane];
    const unanswered = this.unansweredOf(lane);
    own.tried = unanswered.find(isUndone) ?? null;
    return unanswered.filter((one) => one.sentUs < beforeUs || one === own.tried);
  }

  /**
   * The refused commands of the lane, in the order of their numbers, if `answered` is the one that was tried for them:
   * its leader takes commands again. Otherwise none.
   */
  freedBy(answered: NumberedCommand, lane: OriginLane): readonly NumberedCommand[] {
    return this.#lanes[lane].tried === answered ? this.unansweredOf(lane).filter(isUndone) : [];
  }

  /** Commands of the lane that were handed over, in the order of their numbers, to be sent again. */
  unansweredOf(lane: OriginLane): readonly NumberedCommand[] {
    return [...this.#lanes[lane].unanswered.values()];
  }

  /** Removes and returns the commands past their deadline that were certainly not executed. */
  takeOverdue(nowUs: number): Command[] {
    return this.#lanes.flatMap(({ queued, unanswered }) => {
      const isPast = ({ deadlineUs }: Command) => deadlineUs < nowUs;
      const waited = [...queued.values()].filter(isPast);
      for (const { correlation } of waited) queued.delete(correlation);
      const refused = [...unanswered.values()]
        .filter((numbered) => isUndone(numbered) && isPast(numbered.command))
        .map(({ command }) => command);
      for (const { correlation } of refused) unanswered.delete(correlation);
      return [...refused, ...waited];
    });
  }

  /**
   * Removes and returns the unanswered commands that the front sent before `beforeUs`. Their deadline does not matter: a
   * client may demand one that is much earlier than the end of its request, and an answer is welcome until then.
   */
  takeAbandoned(beforeUs: number): Command[] {
    return this.#lanes.flatMap(({ unanswered }) => {
      const past: Command[] = [];
      // The oldest command comes first.
      for (const { command } of unanswered.values()) {
        if (command.atUs >= beforeUs) break;
        past.push(command);
      }
      for (const { correlation } of past) unanswered.delete(correlation);
      return past;
    });
  }
}

/** Whether the command is numbered for clearing. A barrier changes nothing that could be done twice. */
export function hasIdentity({ kind }: Command): boolean {
  return kind !== CommandKind.barrier;
}

/** The lanes in the order in which they are sent: cancels overtake the other commands. */
export const lanesInTurn = [OriginLane.cancels, OriginLane.orders] as const;
