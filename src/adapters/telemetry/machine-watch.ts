// Looks at threads, rings, acknowledgements and the disk once a second, so that /health tells at once what lasts. It also
// keeps what the charts of /ops show of the last ten minutes.

import { statfs } from "node:fs/promises";
import { slowAckSeconds } from "../../ports/venue-problems.ts";
import { CountersBuffer } from "../../wire/counters-buffer.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import { JournalFigures } from "./journal-figures.ts";
import { Lateness } from "./lateness.ts";
import type { MetricsSources } from "./metrics-sources.ts";
import type { MachineSight } from "./own-problems.ts";
import type { SharedHistogram } from "./shared-histogram.ts";
import { ThreadFigures } from "./thread-figures.ts";
import { ThreadStaleness } from "./thread-staleness.ts";

const lookMs = 1_000;
/** Number of looks over which acknowledgements are counted. */
const ackLooks = 10;

export class MachineWatch {
  readonly #sources: MetricsSources;
  readonly #counters: CountersBuffer;
  readonly #staleness: ThreadStaleness;
  readonly #figures: readonly ThreadFigures[];
  readonly #rings: ReadonlyArray<{ readonly name: string; readonly ring: SpscRing }>;
  readonly #acks: SharedHistogram;
  readonly #ackCounts: { readonly all: number; readonly quick: number }[] = [];
  readonly #lateness = new Lateness();
  #disk: MachineSight["disk"] = null;
  #isLookingAtDisk = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(sources: MetricsSources) {
    const { threadNames, threadFigures } = sources;
    this.#sources = sources;
    this.#counters = new CountersBuffer(sources.counters);
    this.#staleness = new ThreadStaleness(this.#counters, threadNames.length);
    this.#figures = threadNames.map((_, index) => new ThreadFigures(threadFigures, index));
    this.#rings = sources.rings.map(({ name, buffer }) => ({ name, ring: new SpscRing(buffer) }));
    this.#acks = new JournalFigures(sources.journalFigures).ackSeconds;
  }

  start(): void {
    this.#look();
    this.#timer = setInterval(() => this.#look(), lookMs);
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  get sight(): MachineSight {
    const { late, areAcksSlow } = this.#lateness;
    return { disk: this.#disk, late, areAcksSlow };
  }

  #look(): void {
    const threads = this.#sources.threadNames.flatMap((name, index) =>
      // A thread that was never started is not silent: settlement does not run without a ledger.
      this.#counters.heartbeats(index) === 0
        ? []
        : [
            {
              name,
              silentSeconds: this.#staleness.secondsOf(index),
              loopDelaySeconds: this.#figures[index]?.loopDelaySeconds ?? 0,
            },
          ],
    );
    const rings = this.#rings.map(({ name, ring }) => ({
      name,
      share: ring.usedBytes / ring.capacityBytes,
    }));
    const areAcksSlow = this.#areAcksSlow();
    this.#lateness.look({ threads, rings, areAcksSlow }, performance.now());
    void this.#lookAtDisk();
  }

  /** Whether more than one in a hundred of the acknowledgements since the earliest look was slow. */
  #areAcksSlow(): boolean {
    const all = this.#acks.count;
    const quick =
      this.#acks.cumulative().findLast(({ bound }) => bound <= slowAckSeconds)?.count ?? 0;
    this.#ackCounts.push({ all, quick });
    if (this.#ackCounts.length > ackLooks + 1) this.#ackCounts.shift();
    const [from = { all, quick }] = this.#ackCounts;
    return quick - from.quick < 0.99 * (all - from.all);
  }

  async #lookAtDisk(): Promise<void> {
    // A disk that hangs must not collect looks.
    if (this.#isLookingAtDisk) return;
    this.#isLookingAtDisk = true;
    const found = await statfs(this.#sources.dataDir).catch(() => null);
    this.#isLookingAtDisk = false;
    if (found === null) return;
    const { bavail, blocks, bsize } = found;
    this.#disk = { free: bavail * bsize, size: blocks * bsize };
  }
}
