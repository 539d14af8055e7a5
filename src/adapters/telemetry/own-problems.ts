// What a process knows to be wrong besides its counters: price sources that fail, a ledger that is read late, makers that
// may not trade, totals that do not balance, a deficit, a full disk, late threads and slow acknowledgements.

import type { PriceSourceState } from "../../ports/price-source.ts";
import {
  diskKind,
  ledgerLateSecondsMax,
  type Problem,
  problem,
  slowAckSeconds,
} from "../../ports/venue-problems.ts";
import type { MakerTrading } from "./maker-watch.ts";

export interface OwnSight {
  readonly priceSources: readonly PriceSourceState[];
  /** Milliseconds since the ledger was read to its end; 0 before the first time, and without a ledger. */
  readonly ledgerSilentMs: number;
  readonly makers: MakerTrading;
  /** Number of assets whose totals did not balance at the newest snapshot. */
  readonly assetsAstray: number;
  /** Codes of assets of which custody holds less than the venue owes, by the newest statement of liabilities. */
  readonly deficits: readonly string[];
  readonly machine: MachineSight;
}

/** What a process sees of its threads and its machine. */
export interface MachineSight {
  /** The disk of the data folder in bytes; null while unknown. */
  readonly disk: { readonly free: number; readonly size: number } | null;
  /** Threads and rings that have been late for a while, each as a sentence without a full stop. */
  readonly late: readonly string[];
  readonly areAcksSlow: boolean;
}

/** Returns a problem for each thing that is wrong. Spec LIA-11, OPS-120, OPS-124, OPS-137, OPS-142. */
export function ownProblems(sight: OwnSight): Problem[] {
  const { priceSources, ledgerSilentMs, makers, assetsAstray, deficits, machine } = sight;
  const seconds = Math.floor(ledgerSilentMs / 1000);
  const failing = priceSources.flatMap(({ name, failing }) =>
    failing === null ? [] : [problem("feed_failing", failingText(name, failing))],
  );
  const isLate = seconds >= ledgerLateSecondsMax;
  return [
    ...(assetsAstray > 0 ? [problem("totals_astray", String(assetsAstray))] : []),
    ...machineProblems(machine),
    ...failing,
    ...(deficits.length > 0 ? [problem("custody_short", deficits.join(", "))] : []),
    ...(isLate ? [problem("ledger_late", String(seconds))] : []),
    ...(makers.state === "ok" ? [] : [problem("makers_held", `${makers.state}: ${makers.reason}`)]),
  ];
}

function machineProblems({ disk, late, areAcksSlow }: MachineSight): Problem[] {
  const kind = disk === null ? null : diskKind(disk.free, disk.size);
  const free = `${((disk?.free ?? 0) / 2 ** 30).toFixed(1)} GiB`;
  return [
    ...(kind === null ? [] : [problem(kind, free)]),
    ...(areAcksSlow ? [problem("acks_slow", slowAckSeconds.toFixed(1))] : []),
    ...late.map((which) => problem("thread_late", which)),
  ];
}

function failingText(name: string, { sinceMs, message }: NonNullable<PriceSourceState["failing"]>) {
  const since = new Date(sinceMs).toISOString().slice(11, 19);
  return `${name} has given no price since ${since} UTC: ${message}`;
}
