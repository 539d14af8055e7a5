// The fees of the account in a market: read once for each market of a session, because only the operator changes them.

import { signal } from "@preact/signals";
import type { Market } from "../markets/market.ts";
import type { FeeRates } from "../markets/ticket/fees.ts";
import { session } from "./session.ts";
import { requestSigned } from "./signed-request.ts";

const rates = signal<ReadonlyMap<string, FeeRates>>(new Map());

function keyOf({ symbol }: Market): string {
  return `${session.value?.userId} ${symbol}`;
}

/** The account's fees in a market; undefined until read. */
export function feeRatesIn(market: Market): FeeRates | undefined {
  return rates.value.get(keyOf(market));
}

async function read({ listed: symbol, isPerpetual }: Market): Promise<FeeRates> {
  if (!isPerpetual) {
    const path = "/compat/api/v3/account/commission";
    const answer = await requestSigned<{ standardCommission: FeeRates }>("GET", path, { symbol });
    return answer.standardCommission;
  }
  const { makerCommissionRate: maker, takerCommissionRate: taker } = await requestSigned<{
    makerCommissionRate: string;
    takerCommissionRate: string;
  }>("GET", "/compat/fapi/v1/commissionRate", { symbol });
  return { maker, taker };
}

/** Reads the account's fees in a market, unless they are known. Without a session it does nothing. */
export async function readFeeRates(market: Market): Promise<void> {
  if (session.value === null || feeRatesIn(market) !== undefined) return;
  const key = keyOf(market);
  const found = await read(market);
  rates.value = new Map(rates.value).set(key, found);
}
