// What the venue owes beside what custody holds, asset by asset. The books are taken at one seq, the
// ledger at one offset that is not before it, and what is between the two is told; so the surplus of a
// venue changes only when somebody outside gives or takes, whatever is on its way.
//
//   surplus = ledger holdings + in flight − liabilities

import type { Asset } from "../../core/assets.ts";
import { toLedgerAmount } from "../../core/ledger-amount.ts";
import { liabilitiesOf } from "../../engine/clearing/liabilities.ts";
import type { VenueState } from "../../engine/clearing/venue-state.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LedgerMoment, SolvencyReader } from "../../ports/solvency.ts";
import { inFlightOf } from "./in-flight.ts";

export interface SolvencyReportParts {
  /** Folded up to what was committed when it was last asked for. */
  readonly state: VenueState;
  readonly reader: SolvencyReader;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<unknown>;
}

/** One asset; amounts in units of 10^−10. */
export interface SolvencyItem {
  readonly asset: Asset;
  readonly liabilities: bigint;
  readonly holdings: bigint;
  readonly inFlight: bigint;
  readonly surplus: bigint;
  readonly asOfMs: number;
  readonly ledgerOffset: number;
}

/** Why there is no report now. */
export type NoReport = "unreached" | "uneven";

/** Deposits are read a moment after coins; a report waits for that, but not longer than this. */
const looksMax = 150;
const lookMs = 20;

export class SolvencyReport {
  readonly #parts: SolvencyReportParts;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<readonly SolvencyItem[] | NoReport> | null = null;

  constructor(parts: SolvencyReportParts) {
    this.#parts = parts;
  }

  /** One is made at a time: who asks while it is gets the next one, together with all others. */
  items(): Promise<readonly SolvencyItem[] | NoReport> {
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        const made = this.#make();
        this.#running = made;
        return made;
      });
    return this.#next;
  }

  async #make(): Promise<readonly SolvencyItem[] | NoReport> {
    const { state, reader, clock, pause } = this.#parts;
    for (let looks = 1; ; looks++) {
      // All of it before anything else is folded: one moment of the books.
      const { seq, nextTradeId, withdrawals } = state;
      const pendingWithdrawals = [...withdrawals.all()].map(({ withdrawalId }) => withdrawalId);
      const owed = liabilitiesOf(state);
      const asOfMs = clock.nowMs();
      const ledger = await reader.read({ seq, nextTradeId, pendingWithdrawals });
      if (typeof ledger !== "string") return this.#items(owed, ledger, asOfMs);
      if (ledger === "unreached" || looks >= looksMax) return ledger;
      await pause(lookMs);
    }
  }

  #items(owed: readonly bigint[], ledger: LedgerMoment, asOfMs: number): SolvencyItem[] {
    const { table } = this.#parts.state;
    const flying = inFlightOf(table, ledger);
    const { ledgerOffset } = ledger;
    return ledger.holdings.map(({ asset: id, units: holdings }) => {
      const asset = table.asset(id);
      const liabilities = toLedgerAmount(owed[id] ?? 0n, asset.decimals);
      const inFlight = toLedgerAmount(flying[id] ?? 0n, asset.decimals);
      const surplus = holdings + inFlight - liabilities;
      return { asset, liabilities, holdings, inFlight, surplus, asOfMs, ledgerOffset };
    });
  }
}
