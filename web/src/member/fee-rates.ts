// The account's fee rates, read when they are first needed in a session.

import { effect, signal } from "@preact/signals";
import { requestOwn, session } from "./session.ts";

interface Rates {
  readonly maker_bps: number;
  readonly taker_bps: number;
}

interface FeeRates {
  readonly perp: Rates;
  readonly spot: Rates;
}

/** In basis points of the value; null before they are read, and without a session. */
export const feeRates = signal<FeeRates | null>(null);

effect(() => {
  if (session.value === null) feeRates.value = null;
});

export async function readFeeRates(): Promise<void> {
  if (feeRates.peek() === null) feeRates.value = await requestOwn<FeeRates>("GET", "/v1/fees/me");
}
