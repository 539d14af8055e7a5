// The messages of a gateway to the leader: commands with their numbers, with durations instead of times, and each after
// the claim of its orders.

import type { OriginLane } from "../../../core/command-identity.ts";
import { toDurations } from "../../../core/gateway-commands.ts";
import { type Command, CommandKind } from "../../../core/generated/commands.ts";
import { type BusHeader, emptyOrderClaim } from "../../../core/generated/messages.ts";
import {
  type CommandWindow,
  hasIdentity,
  type NumberedCommand,
} from "../../../services/bus/command-window.ts";
import type { OrderClaims } from "../../../services/bus/order-claims.ts";
import { BusMessageWriter } from "../../../wire/bus-message.ts";
import { commandBytes, encodeCommand } from "../../../wire/generated/command-codec.ts";
import { encodeOrderClaim, orderClaimBytes } from "../../../wire/generated/message-codec.ts";

/** Correlation of a registration. The numbers of requests begin far above it. */
export const registrationCorrelation = 0;

/** Time in ms after which a leader need not answer a registration: the gateway asks again long before. */
const registerMsMax = 5_000;

/**
 * Time in microseconds after which a command that waits for a leader is no longer counted by order limits: it was sent
 * at another time, and all that waited arrives at once.
 */
const countedUsMax = 1_000_000;

export class CommandMessages {
  readonly #window: CommandWindow;
  readonly #claims: OrderClaims;
  readonly #writer = new BusMessageWriter();
  readonly #claim = emptyOrderClaim();

  constructor(window: CommandWindow, claims: OrderClaims) {
    this.#window = window;
    this.#claims = claims;
  }

  /** Number of commands in the message that is being written. */
  get count(): number {
    return this.#writer.count;
  }

  /** True if another command fits into the message. */
  hasRoom(): boolean {
    return this.#writer.hasRoom();
  }

  /** Returns the message, and starts the next one. */
  take(header: Omit<BusHeader, "protocol" | "count">): Uint8Array {
    return this.#writer.take(header);
  }

  /**
   * Adds a command that is sent at `nowUs`. The leader counts its orders if `isNew`: what may have been executed must not
   * be refused by a limit, and was counted then. What has waited is not counted either.
   */
  add(numbered: NumberedCommand, lane: OriginLane, nowUs: number, isNew: boolean): void {
    const { command, number, origin } = numbered;
    const confirmedUpTo = this.#window.confirmedUpTo(lane);
    const identity = { origin, lane, number, confirmedUpTo };
    const sent = { ...command, identity: hasIdentity(command) ? identity : null };
    toDurations(sent, nowUs);
    this.#claims.read(command.correlation, this.#claim);
    if (!isNew || nowUs - command.atUs > countedUsMax) this.#claim.orders = 0;
    this.#write(sent);
  }

  /** Adds the request for the number under which the leader knows this gateway's commands. */
  addRegistration(name: string): void {
    const kind = CommandKind.registerOrigin;
    const stamp = { source: 0, correlation: registrationCorrelation, account: 0, atUs: 0 } as const;
    this.#claim.orders = 0;
    this.#write({ kind, ...stamp, deadlineUs: registerMsMax * 1000, name });
  }

  #write(command: Command): void {
    const { views } = this.#writer;
    const at = this.#writer.claim(orderClaimBytes + commandBytes(command));
    encodeOrderClaim(views, at, this.#claim);
    encodeCommand(views, at + orderClaimBytes, command);
  }
}
