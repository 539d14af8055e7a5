// What a process knows to be wrong besides its counters: price sources that fail, a ledger that is read late, and makers
// that may not trade.

import type { PriceSourceState } from "../../ports/price-source.ts";
import { ledgerLateSecondsMax, type Problem, problem } from "../../ports/venue-problems.ts";
import type { MakerTrading } from "./maker-watch.ts";

export interface OwnSight {
  readonly priceSources: readonly PriceSourceState[];
  /** Milliseconds since the ledger was read to its end; 0 before the first time, and without a ledger. */
  readonly ledgerSilentMs: number;
  readonly makers: MakerTrading;
}

/**
 * Returns a problem for each source that gives no price, for a ledger that is late, and for makers that may not trade.
 * Spec OPS-120, OPS-124, OPS-137.
 */
export function ownProblems({ priceSources, ledgerSilentMs, makers }: OwnSight): Problem[] {
  const seconds = Math.floor(ledgerSilentMs / 1000);
  const failing = priceSources.flatMap(({ name, failing }) =>
    failing === null ? [] : [problem("feed_failing", failingText(name, failing))],
  );
  const isLate = seconds >= ledgerLateSecondsMax;
  return [
    ...failing,
    ...(isLate ? [problem("ledger_late", String(seconds))] : []),
    ...(makers.state === "ok" ? [] : [problem("makers_held", `${makers.state}: ${makers.reason}`)]),
  ];
}

function failingText(name: string, { sinceMs, message }: NonNullable<PriceSourceState["failing"]>) {
  const since = new Date(sinceMs).toISOString().slice(11, 19);
  return `${name} has given no price since ${since} UTC: ${message}`;
}
