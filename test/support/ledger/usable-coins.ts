// Coins that a party can use on a development ledger: those without a lock and those with an expired lock.

import type { CreatedEvent } from "../../../src/adapters/ledger/api-shapes.ts";
import type { LedgerApiClient } from "../../../src/adapters/ledger/ledger-api-client.ts";
import { holdingsOf, holdingView, viewIn } from "../../../src/adapters/ledger/update-parsing.ts";

export interface Coins {
  readonly USDC: bigint;
  readonly CC: bigint;
}

const pageMax = 201;

/** Returns sums in units of the ledger. The API client's user must have read access to the party. */
export async function usableCoins(api: LedgerApiClient, party: string): Promise<Coins> {
  const entries = await api.activeContracts(await api.ledgerEnd(), holdingView(party), pageMax);
  const own = entries
    .flatMap(({ contractEntry }) => contractEntry?.JsActiveContract?.createdEvent ?? [])
    .filter(isUsable)
    .flatMap(holdingsOf)
    .filter(({ owner }) => owner === party);
  const sumOf = (asset: string) =>
    own.reduce((sum, { instrument, amount }) => sum + (instrument.id === asset ? amount : 0n), 0n);
  return { USDC: sumOf("USDC"), CC: sumOf("CC") };
}

function isUsable(event: CreatedEvent): boolean {
  const view = viewIn(event, ":Splice.Api.Token.HoldingV1:Holding") as {
    readonly lock?: { readonly expiresAt?: string } | null;
  } | null;
  const freeAt = view?.lock?.expiresAt;
  return freeAt === undefined || Date.parse(freeAt) <= Date.now();
}
