// Finds the coins that a party can use now: coins without a lock, and coins whose lock has expired although the ledger
// still shows it.

import type { Holding, Party } from "../../ports/ledger/ledger.ts";
import { createdIn } from "./active-list.ts";
import type { CreatedEvent } from "./api-shapes.ts";
import type { LedgerApiClient } from "./ledger-api-client.ts";
import { holdingsOf } from "./update-parsing.ts";

/** Returns the active contracts of a view: at most `pageMax` + 1, so that the caller recognises an incomplete list. */
export async function activeEvents(
  api: LedgerApiClient,
  view: Parameters<LedgerApiClient["activeContracts"]>[1],
  pageMax: number,
): Promise<CreatedEvent[]> {
  return createdIn(await api.activeContracts(await api.ledgerEnd(), view, pageMax + 1));
}

/** Returns the party's coins among `events` that are free at `nowMs`. */
export function freeCoinsIn(
  events: readonly CreatedEvent[],
  party: Party,
  nowMs: number,
): Holding[] {
  return events.flatMap(holdingsOf).filter((coin) => coin.owner === party && isFree(coin, nowMs));
}

function isFree({ isLocked, lockedUntilMs }: Holding, nowMs: number): boolean {
  return !isLocked || (lockedUntilMs !== null && lockedUntilMs <= nowMs);
}
