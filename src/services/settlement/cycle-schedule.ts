// Decides when a cycle of settlement or custody runs. Cycles never overlap. While there is work, they are a poll apart.
// A cycle that found nothing to do lets the next one wait longer, but a change ends the wait at once.

export interface CycleScheduleParts {
  readonly pollMs: number;
  /**
   * Runs a cycle, and returns how many milliseconds the next cycle may wait if nothing changes meanwhile. Must not
   * reject.
   */
  readonly cycle: () => Promise<number>;
}

export class CycleSchedule {
  readonly #parts: CycleScheduleParts;
  #timer: NodeJS.Timeout | null = null;
  #isRunning = false;
  #isResting = false;
  #isWoken = false;
  #hasChanged = true;
  #isStopped = false;

  /** The first cycle runs after a poll. */
  constructor(parts: CycleScheduleParts) {
    this.#parts = parts;
    this.#startIn(parts.pollMs);
  }

  /** True while the next cycle waits longer than a poll, because the last one found nothing to do. */
  get isResting(): boolean {
    return this.#isResting;
  }

  /** Runs the next cycle at once. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isRunning) this.#startIn(0);
  }

  /** Ends a rest, because there may be work. Otherwise the next cycle, at most a poll away, finds it. */
  changed(): void {
    this.#hasChanged = true;
    if (this.#isResting) this.wake();
  }

  /** Starts no more cycles. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #startIn(delayMs: number): void {
    if (this.#isStopped) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), delayMs);
  }

  async #run(): Promise<void> {
    const { pollMs, cycle } = this.#parts;
    this.#isRunning = true;
    this.#isResting = false;
    this.#isWoken = false;
    // A row may be stored shortly after the change that announced it. So the first cycle after a change is followed by
    // another one.
    const wasChanged = this.#hasChanged;
    this.#hasChanged = false;
    const restMs = await cycle();
    this.#isRunning = false;
    this.#isResting = restMs > pollMs && !wasChanged && !this.#hasChanged && !this.#isWoken;
    const delayMs = this.#isResting ? restMs : Math.min(restMs, pollMs);
    this.#startIn(this.#isWoken ? 0 : delayMs);
  }
}
