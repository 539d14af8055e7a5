// How whoever stands outside clearing asks it for something. A sink never waits: a full ring is an
// answer, and the one who asked turns it into "not executed". Types only.

import type { Command } from "../core/generated/commands.ts";

/**
 * Which ring carries a command. Cancels have their own so that they never queue behind orders; one
 * that must not overtake its own order (by client id, the order still in flight) takes `orders`.
 */
export type CommandLane = "orders" | "cancels";

export interface CommandSink {
  /** Queues `command`; false when the ring is full, and then nothing was queued. */
  trySend(command: Command, lane: CommandLane): boolean;
}
