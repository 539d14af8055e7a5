// The work of one thread as a duty cycle. Its runner (`agent-runner.ts`) decides how to wait between cycles;
// the agent only reports whether it has work.

export interface Agent {
  readonly roleName: string;
  /** Does a bounded amount of work; returns the amount, 0 if there was no work. */
  doWork(): number;
  /**
   * True if `doWork` would find work. It is called while the thread prepares to sleep, so it must be cheap and change
   * nothing.
   */
  hasWork(): boolean;
  /** Releases what the agent holds; nothing is called afterwards. */
  onClose(): void;
}
