// Sends commands to clearing. A sink never waits: if the ring is full it returns false, and the caller
// answers "not executed". Types only.

import type { Command } from "../core/generated/commands.ts";

/**
 * The ring on which a command is sent. Cancels have a separate ring, so that they never wait behind orders. The only
 * exception is a cancel by client id of an order that is still in flight: it must not overtake the order, so it uses
 * `orders`.
 */
export type CommandLane = "orders" | "cancels";

export interface CommandSink {
  /** Queues `command`. Returns false if the ring is full; then nothing was queued. */
  trySend(command: Command, lane: CommandLane): boolean;
}
