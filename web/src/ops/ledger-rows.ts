// The figures of settlement, custody, ledger traffic and epochs as rows with readable names. Pure functions.

import { agoText, durationText } from "./findings.ts";
import { bytesText } from "./machine-finding.ts";
import type { Metrics } from "./metrics-text.ts";

export interface LedgerRow {
  readonly name: string;
  readonly value: string;
}

const age = (seconds: number) => (seconds === 0 ? "–" : durationText(seconds));
const count = (value: number) => value.toLocaleString("en");

/** What each metric is called, and how its value is written. A label follows the name. */
const figures: ReadonlyArray<readonly [metric: string, name: string, text: (v: number) => string]> =
  [
    ["epoch_sealed_lag_seconds", "Newest sealed epoch ended", agoText],
    ["epoch_confirmed_lag_seconds", "Newest epoch on the ledger ended", agoText],
    ["ledger_silent_seconds", "Ledger last read to its end", agoText],
    ["settlement_mirror_age_seconds", "Wallets last compared with the ledger", agoText],
    ["settlement_lag_seconds", "Age of the oldest unsettled fill", age],
    ["settlement_pending_fills", "Unsettled fills", count],
    ["settlement_batches", "Settlement batches:", count],
    ["settlement_retries", "Settlement rounds retried", count],
    ["settlement_coins_astray", "Holdings that differ from the ledger", count],
    ["custody_holdings", "Custody holds:", count],
    ["custody_withdrawals_pending", "Withdrawals in progress", count],
    ["custody_deposits_unclaimed", "Deposits that await a decision", count],
    ["traffic_base_remaining_bytes", "Free ledger traffic left", bytesText],
    ["traffic_lane_left_bytes", "Free ledger traffic left:", bytesText],
  ];

/** The rows of all figures that the venue reports. */
export function ledgerRows(metrics: Metrics): LedgerRow[] {
  return figures.flatMap(([metric, name, text]) =>
    metrics.all(`rialto_${metric}`).map(({ labels, value }) => ({
      name: [name, ...Object.values(labels)].join(" ").replaceAll("_", " "),
      value: text(value),
    })),
  );
}
