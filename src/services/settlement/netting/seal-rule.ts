// Decides when an open batch is sealed. A batch with a large exposure is sealed at once; the smaller the exposure, the
// longer the batch may wait. A longer window nets more fills into one transaction, which saves traffic.

/** The asset in which exposures and their limits are measured. */
export const sealUnit = "USDC";

/** Limits of a batch; exposures in minor units of USDC. */
export interface SealSettings {
  readonly fillsMax: number;
  /** Up to this exposure a batch may wait for the longest window. */
  readonly lowExposure: bigint;
  /** From this exposure on a batch may wait only for the shortest window. */
  readonly midExposure: bigint;
  /** From this exposure on a batch is sealed at once. */
  readonly largeExposure: bigint;
  readonly longestWindowMs: number;
  readonly shortestWindowMs: number;
  /** Minimum window while settlement is short of traffic, for every exposure below `largeExposure`. */
  readonly scarceWindowMs: number;
}

const oneUsdc = 1_000_000n;

export const sealDefaults: SealSettings = {
  fillsMax: 500,
  lowExposure: 1_000n * oneUsdc,
  midExposure: 25_000n * oneUsdc,
  largeExposure: 100_000n * oneUsdc,
  longestWindowMs: 900_000,
  shortestWindowMs: 60_000,
  scarceWindowMs: 300_000,
};

/** An open batch as the cycle finds it. */
export interface OpenBatch {
  readonly fillCount: number;
  /** Value of the batch's payments at the prices of its fills; minor units of USDC, at least 0. */
  readonly exposure: bigint;
  readonly ageMs: number;
  /** True if a member's free coins are less than 110 % of what the member has yet to deliver. */
  readonly isShortOfHeadroom: boolean;
  /** True if one of the batch's markets is halted or delisted. */
  readonly isMarketClosing: boolean;
}

export type SealReason = "fills" | "exposure" | "headroom" | "closing" | "age";

/** How long a batch may wait, in ms. Falls with the logarithm of its exposure. */
export function sealWindowMs(exposure: bigint, settings: SealSettings): number {
  const { lowExposure, midExposure, longestWindowMs, shortestWindowMs } = settings;
  if (exposure <= lowExposure) return longestWindowMs;
  if (exposure >= midExposure) return shortestWindowMs;
  const share =
    Math.log(Number(exposure) / Number(lowExposure)) /
    Math.log(Number(midExposure) / Number(lowExposure));
  return Math.round(longestWindowMs - (longestWindowMs - shortestWindowMs) * share);
}

/** Why `batch` must be sealed now; null while it may collect more fills. An empty batch is never sealed. */
export function sealReason(
  batch: OpenBatch,
  isTrafficScarce: boolean,
  settings: SealSettings,
): SealReason | null {
  if (batch.fillCount === 0) return null;
  if (batch.fillCount >= settings.fillsMax) return "fills";
  if (batch.exposure >= settings.largeExposure) return "exposure";
  if (batch.isShortOfHeadroom) return "headroom";
  if (batch.isMarketClosing) return "closing";
  const wanted = sealWindowMs(batch.exposure, settings);
  const window = isTrafficScarce ? Math.max(wanted, settings.scarceWindowMs) : wanted;
  return batch.ageMs >= Math.min(window, settings.longestWindowMs) ? "age" : null;
}
