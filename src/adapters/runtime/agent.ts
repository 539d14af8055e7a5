// The work of one thread as a duty cycle. Its runner (`agent-runner.ts`) decides how to wait between cycles;
// the agent only reports whether it has work.

export interface Agent {
  readonly roleName: string;
  /** Does a bounded amount of work; returns how much, 0 if there was none. */
  doWork(): number;
  /** True if `doWork` would find work. Called with the doorbell's flag up: must be cheap and pure. */
  hasWork(): boolean;
  /** Releases what the agent holds; nothing is called afterwards. */
  onClose(): void;
}
