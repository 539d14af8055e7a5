// Sends commands to clearing. A sink never waits: if the ring is full it returns false, and the caller
// answers "not executed". Types only.

import type { Command } from "../core/generated/commands.ts";

/**
 * The ring that carries a command. Cancels have their own, so that they never queue behind orders. A cancel
 * that must not overtake its own order, because it names a client id still in flight, uses `orders`.
 */
export type CommandLane = "orders" | "cancels";

export interface CommandSink {
  /** Queues `command`; false if the ring is full, and then nothing was queued. */
  trySend(command: Command, lane: CommandLane): boolean;
}
