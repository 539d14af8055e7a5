// Measures the traffic charged for the venue's submissions, including failed submissions and those whose
// answers were lost. The charges are read from ledger completions. Each charge is stored in one transaction
// with the offset read, so that no charge is counted twice after a crash.

import { charged, laneOf, TrafficLane, trafficLanes } from "../../../core/traffic.ts";
import type { Charge, LedgerNetwork } from "../../../ports/ledger/ledger.ts";
import type { LaneCharges, TrafficSource, TrafficStore } from "../../../ports/ledger/traffic.ts";

export interface TrafficMeterParts {
  readonly store: TrafficStore;
  readonly network: Pick<LedgerNetwork, "charges" | "prunedTo">;
  readonly source: TrafficSource;
  readonly now: () => number;
}

const pagesMax = 100;
/** Charges are summed over intervals of this length. */
const intervalMs = 10_000;
/** Settlement starts to save traffic once it has used four fifths of its lane. */
const scarceBytes = (trafficLanes[TrafficLane.settlement]?.budgetBytes ?? 0) * 0.8;

export class TrafficMeter {
  readonly #parts: TrafficMeterParts;
  #settled = 0;

  constructor(parts: TrafficMeterParts) {
    this.#parts = parts;
  }

  /** True if little of settlement's traffic lane was left at the last check. */
  get isScarce(): boolean {
    return this.#settled > scarceBytes;
  }

  async work(): Promise<void> {
    const { store, source, now } = this.#parts;
    await this.#read();
    const measured = await source.measure();
    if (measured !== null) await store.correct(measured);
    this.#settled = await store.used(TrafficLane.settlement, now());
  }

  /** Reads charges after the stored offset. The first call reads everything that the participant retains. */
  async #read(): Promise<void> {
    const { store, network, now } = this.#parts;
    const { offset, base: stored } = await store.state();
    let base = stored;
    for (let from = offset, pages = 0; pages < pagesMax; pages++) {
      const { charges, through } = await network.charges(from ?? (await network.prunedTo()));
      base = charges.reduce(
        (left, { bytes, recordedMs }) => charged(left, bytes, recordedMs),
        base,
      );
      await store.add({ from, through, charges: byInterval(charges), base, readMs: now() });
      if (charges.length === 0) return;
      from = through;
    }
  }
}

function byInterval(charges: readonly Charge[]): LaneCharges[] {
  const groups = new Map<string, LaneCharges>();
  for (const { commandId, bytes, recordedMs } of charges) {
    const lane = laneOf(commandId);
    const startMs = Math.floor(recordedMs / intervalMs) * intervalMs;
    const key = `${startMs} ${lane}`;
    const before = groups.get(key) ?? { bytes: 0, submissions: 0 };
    groups.set(key, {
      startMs,
      lane,
      bytes: before.bytes + bytes,
      submissions: before.submissions + 1,
      lastBytes: bytes,
    });
  }
  return [...groups.values()];
}
