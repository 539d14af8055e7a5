// The time of a failover run and the timers of its processes. Nothing runs by itself: a timer fires when the schedule
// lets the time pass. The timers of a frozen process fire once it runs again, those of a dead one never.

/** A process of a run: a venue or a gateway. */
export interface SimulatedProcess {
  readonly name: string;
  isFrozen: boolean;
  isDead: boolean;
}

interface Timer {
  readonly owner: SimulatedProcess;
  readonly call: () => void;
  /** Milliseconds between two calls; null for a single call. */
  readonly everyMs: number | null;
  dueMs: number;
}

export class SimulatedTime {
  /** Monotonic time of all machines, in ms. */
  nowMs = 0;
  #timers: Timer[] = [];

  /** Lets `ms` pass, then calls every timer that is due, in the order in which they fell due. */
  pass(ms: number): void {
    this.nowMs += ms;
    this.#timers = this.#timers.filter(({ owner }) => !owner.isDead);
    const due = this.#timers.filter(({ dueMs, owner }) => dueMs <= this.nowMs && !owner.isFrozen);
    due.sort((one, other) => one.dueMs - other.dueMs);
    for (const timer of due) {
      if (timer.everyMs === null) this.#timers.splice(this.#timers.indexOf(timer), 1);
      else timer.dueMs = this.nowMs + timer.everyMs;
      timer.call();
    }
  }

  after(owner: SimulatedProcess, ms: number, call: () => void): void {
    this.#timers.push({ owner, call, everyMs: null, dueMs: this.nowMs + ms });
  }

  pause(owner: SimulatedProcess, ms: number): Promise<void> {
    return new Promise((done) => this.after(owner, ms, done));
  }

  /** Makes something whose intervals belong to `owner` and follow this time. */
  withIntervalsOf<T>(owner: SimulatedProcess, make: () => T): T {
    const { setInterval } = globalThis;
    const simulated = (call: () => void, everyMs = 1): undefined => {
      this.#timers.push({ owner, call, everyMs, dueMs: this.nowMs + everyMs });
    };
    globalThis.setInterval = simulated as unknown as typeof setInterval;
    try {
      return make();
    } finally {
      globalThis.setInterval = setInterval;
    }
  }
}
