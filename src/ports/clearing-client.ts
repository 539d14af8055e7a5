// The client by which the operator, the main thread and settlement send commands to clearing and receive its replies.

import type { Command } from "../core/generated/commands.ts";
import type { Reply } from "../core/generated/messages.ts";

type Stamped = "source" | "correlation" | "atUs" | "deadlineUs";

/** A command before the client stamps it with its source, correlation, time and deadline. */
export type UnstampedCommand = Command extends infer C
  ? C extends Command
    ? Omit<C, Stamped>
    : never
  : never;

/** The command was not sent, or clearing read it too late. It was not executed, and may be sent again. */
export class ClearingBusy extends Error {
  override name = "ClearingBusy";
  readonly isBusy = true;

  constructor() {
    super("the venue is too busy: it did not execute a command");
  }
}

/** Sends commands to clearing: in a running venue, or in an engine that runs on a single thread. */
export interface ClearingClient {
  /**
   * Sends a command. Resolves with clearing's reply once every event that the reply depends on is durable; rejects with
   * `ClearingBusy` if it was not sent.
   */
  send(command: UnstampedCommand): Promise<Reply>;
}
