// The text of a statement of liabilities: what the venue owes of each asset after an epoch's last entry, how the sum tree
// proves it, and what the venue holds. Canonical JSON, so that the same figures give the same digest. Spec LIA-8.

import { createHash } from "node:crypto";
import { isPerpetual, type MarketTable } from "../../core/markets.ts";
import { formatScaled } from "../../core/money/amounts.ts";
import type { Asset } from "../../core/money/assets.ts";
import { ledgerDecimals, toLedgerAmount } from "../../core/money/ledger-amount.ts";
import { canonicalJson } from "./proof-verifier.ts";

/** What custody has of an asset, in units of 10^−10. */
export interface StatedHoldings {
  readonly holdings: bigint;
  readonly inFlight: bigint;
  readonly claims: bigint;
  readonly surplus: bigint;
}

/** One asset; amounts in minor units. */
export interface StatedAsset {
  readonly asset: Asset;
  /** Number of leaves of the tree, padding included. */
  readonly leaves: number;
  readonly root: Uint8Array;
  /** The sum at the root. */
  readonly total: bigint;
  /** What accounts below zero owe the venue; at least 0. */
  readonly shortfall: bigint;
  /** The insurance fund's amount, which is part of the total or of the shortfall. */
  readonly insurance: bigint;
  /** What a development venue's faucet has granted; at least 0. */
  readonly faucetDebt: bigint;
  /** Null if unknown: there is no ledger, it does not answer, or it does not have the asset. */
  readonly held: StatedHoldings | null;
}

export interface StatementParts {
  readonly venue: string;
  readonly epoch: number;
  /** The last entry of the epoch. */
  readonly seq: number;
  readonly assets: readonly StatedAsset[];
  /** Ticks by market id. */
  readonly marks: Float64Array;
  readonly table: MarketTable;
  /** The offset up to which the ledger was read; null if the holdings are unknown. */
  readonly ledgerOffset: number | null;
}

/** The statement's text. */
export function statementText(parts: StatementParts): string {
  const { venue, epoch, seq, assets, marks, table, ledgerOffset } = parts;
  return canonicalJson({
    version: 1,
    venue,
    epoch: String(epoch),
    seq: String(seq),
    ledger_offset: ledgerOffset === null ? null : String(ledgerOffset),
    marks: table.markets.filter(isPerpetual).map(({ id, symbol, tickDecimals }) => {
      const ticks = marks[id] ?? 0;
      return { market: symbol, ticks, price: formatScaled(ticks, tickDecimals) };
    }),
    assets: assets.map(assetFields),
  });
}

function assetFields({ asset, held, ...stated }: StatedAsset): object {
  const units = (amount: bigint | undefined) =>
    amount === undefined ? null : formatScaled(amount, ledgerDecimals);
  return {
    asset: asset.code,
    number: asset.id,
    decimals: asset.decimals,
    leaves: stated.leaves,
    root: Buffer.from(stated.root).toString("hex"),
    total: String(stated.total),
    shortfall: String(stated.shortfall),
    liabilities: String(stated.total - stated.shortfall),
    insurance: String(stated.insurance),
    faucet_debt: String(stated.faucetDebt),
    holdings: units(held?.holdings),
    in_flight: units(held?.inFlight),
    claims: units(held?.claims),
    surplus: units(held?.surplus),
  };
}

/** SHA-256 of the text's bytes. */
export function digestOfStatement(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

/**
 * Whether custody is known to hold less of an asset than the venue owes, apart from what a development venue's faucet
 * granted. Spec LIA-11.
 */
export function isDeficit({
  asset,
  held,
  faucetDebt,
}: Pick<StatedAsset, "asset" | "held" | "faucetDebt">): boolean {
  return held !== null && held.surplus + toLedgerAmount(faucetDebt, asset.decimals) < 0n;
}
