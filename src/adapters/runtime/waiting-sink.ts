// Sends the commands of a front to clearing, and keeps them while the journal is stalled, as while a database fails
// over. A command that clearing does not have was not executed, so its client can be told so for certain: if the journal
// does not go on before the command's deadline, it is refused here. Cancels are sent first. The bridge before this sink
// bounds how many commands wait (`requestsInFlightMax`).

import { type Command, CommandKind } from "../../core/generated/commands.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { CommandLane, CommandSink } from "../../ports/command-sink.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";
import type { CommandRingSink } from "./command-ring-sink.ts";

/** Pause in ms between two looks whether the journal goes on. */
const lookMs = 10;

export interface WaitingSinkParts {
  readonly sink: Pick<CommandRingSink, "trySend" | "takes">;
  readonly counters: Pick<CountersBuffer, "isJournalStalled">;
  /** The time of the deadlines in microseconds. */
  readonly nowUs: () => number;
  /** Answers a command that clearing does not get. */
  readonly refuse: (command: Command, reason: RejectReason) => void;
}

export class WaitingSink implements CommandSink {
  readonly #parts: WaitingSinkParts;
  readonly #waiting: { readonly [lane in CommandLane]: Command[] } = { cancels: [], orders: [] };
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: WaitingSinkParts) {
    this.#parts = parts;
  }

  /** Number of commands that wait for the journal. */
  get waiting(): number {
    return this.#waiting.cancels.length + this.#waiting.orders.length;
  }

  trySend(command: Command, lane: CommandLane): boolean {
    const { sink, counters } = this.#parts;
    // What waits was sent earlier, so nothing passes it.
    if (this.#timer === null && !counters.isJournalStalled()) return sink.trySend(command, lane);
    // A sign of life says nothing later.
    if (!sink.takes(lane) || command.kind === CommandKind.signOfLife) return false;
    this.#waiting[lane].push(command);
    this.#timer ??= setInterval(() => this.#look(), lookMs);
    return true;
  }

  #look(): void {
    for (const lane of ["cancels", "orders"] as const) {
      const commands = this.#waiting[lane].splice(0);
      for (const command of commands) this.#sendOrKeep(command, lane);
    }
    if (this.waiting > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #sendOrKeep(command: Command, lane: CommandLane): void {
    const { sink, counters, nowUs, refuse } = this.#parts;
    const kept = this.#waiting[lane];
    if (!sink.takes(lane)) refuse(command, RejectReason.stopping);
    else if (command.deadlineUs < nowUs()) refuse(command, RejectReason.deadlinePassed);
    else if (kept.length > 0 || counters.isJournalStalled() || !sink.trySend(command, lane))
      kept.push(command);
  }
}
