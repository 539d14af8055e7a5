// How the operator, the venue's own thread and settlement ask clearing for something and hear what
// became of it. Types only.

import type { Command } from "../core/generated/commands.ts";
import type { Reply } from "../core/generated/messages.ts";

type Stamped = "source" | "correlation" | "atUs" | "deadlineUs";

/** A command before the desk stamps it. */
export type Ask = Command extends infer C ? (C extends Command ? Omit<C, Stamped> : never) : never;

/** Whoever answers such commands: a running venue, or one machine without threads. */
export interface Desk {
  /** Resolves with clearing's answer once everything it rests on is durable. */
  ask(ask: Ask): Promise<Reply>;
}
