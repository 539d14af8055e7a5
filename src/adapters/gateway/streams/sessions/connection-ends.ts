// Ends connections that were lost, so that their orders are cancelled. An end is sent until clearing has it: the ring may
// be full, the journal may be stalled, or the leader of a gateway may change meanwhile.

import { CommandKind } from "../../../../core/generated/commands.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
import type { VenueState } from "../../../../engine/state/venue-state.ts";
import type { Clock } from "../../../../ports/clock.ts";
import { type CommandBridge, withoutWindow } from "../../orders/command-bridge.ts";

/** Time in ms after which an end without an answer is sent again. */
const resendMs = 2_000;

interface Ending {
  readonly account: number;
  /** When it was sent last; −∞ if it must be sent. */
  sentMs: number;
}

export interface ConnectionEndsParts {
  readonly bridge: Pick<CommandBridge, "send">;
  readonly state: Pick<VenueState, "connections">;
  readonly clock: Clock;
}

export class ConnectionEnds {
  readonly #parts: ConnectionEndsParts;
  readonly #endings = new Map<number, Ending>();

  constructor(parts: ConnectionEndsParts) {
    this.#parts = parts;
  }

  /** Connections whose end clearing may not have. */
  get waiting(): number {
    return this.#endings.size;
  }

  /** Ends a connection and cancels its orders. */
  add(connectionId: number, account: number): void {
    this.#endings.set(connectionId, { account, sentMs: Number.NEGATIVE_INFINITY });
    this.#send(connectionId);
  }

  /** Called when the connection has ended, for whatever reason. */
  ended(connectionId: number): void {
    this.#endings.delete(connectionId);
  }

  /** Sends again what clearing may not have. */
  retry(): void {
    const before = this.#parts.clock.nowMs() - resendMs;
    for (const [connectionId, { sentMs }] of [...this.#endings]) {
      if (sentMs <= before) this.#send(connectionId);
    }
  }

  #send(connectionId: number): void {
    const { bridge, clock } = this.#parts;
    const ending = this.#endings.get(connectionId);
    if (ending === undefined) return;
    const { account } = ending;
    const command = { kind: CommandKind.endConnection, account, connectionId, keepsOrders: false };
    // On the lane of cancels it overtakes the connection's own orders, which are then refused.
    const isSent = bridge.send({ ...command } as const, "cancels", withoutWindow, ({ reason }) => {
      if (reason === RejectReason.none) this.#endings.delete(connectionId);
      else ending.sentMs = Number.NEGATIVE_INFINITY;
    });
    if (isSent) ending.sentMs = clock.nowMs();
  }
}
