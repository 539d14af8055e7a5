// One thread's work as a duty cycle. The runner of an agent (`agent-runner.ts`) decides how to wait
// between cycles; the agent only says whether anything waits for it.

export interface Agent {
  readonly roleName: string;
  /** Does what is there, within a bound; answers how much it did, 0 when there was nothing to do. */
  doWork(): number;
  /** True if `doWork` would find something. Called with the doorbell's flag up: must be cheap and pure. */
  hasWork(): boolean;
  /** Releases what the agent holds; nothing is called afterwards. */
  onClose(): void;
}
