// The times that clearing knows, from the commands that bring them: the market's, at which events happen, and the edge's,
// with which deadlines of requests and the ends of sessions and keys are compared. Both are one, except in a venue that
// can be rewound, whose main thread tells the edge's time before each tick. Event times are none of its business.

import { type Command, CommandKind } from "../../core/generated/commands.ts";

export class ClearingTime {
  /** The market's time in µs. V8 keeps a field initialised with a number unboxed. */
  nowUs = 0;
  #edgeUs = 0;
  #tickUs = 0;

  /** Begins at `atUs`, the time of the newest event. */
  constructor(atUs: number) {
    this.nowUs = atUs;
    this.#tickUs = atUs;
  }

  /** Whether the edge has a time of its own. */
  get isTwofold(): boolean {
    return this.#edgeUs > 0;
  }

  /**
   * The edge's time in µs. Where it is another than the market's, it is that of the last tick, so nothing is called late
   * too early: not when the market's time leaps, and not while it is paused and no ticks come. Spec REW-12.
   */
  get edgeUs(): number {
    return this.#edgeUs || this.nowUs;
  }

  /**
   * Takes the time that a command brings. Ticks arrive in order from one clock, so an earlier tick means that the clock was
   * set back. Deadlines then use the earlier time, because otherwise all commands would be late until the clock caught up.
   */
  tell(command: Command): void {
    const { kind, atUs } = command;
    const isTick = kind === CommandKind.tick;
    this.nowUs = isTick && atUs < this.#tickUs ? atUs : Math.max(this.nowUs, atUs);
    if (isTick) this.#tickUs = atUs;
    else if (kind === CommandKind.edgeTime) this.#edgeUs = command.edgeUs;
  }
}
