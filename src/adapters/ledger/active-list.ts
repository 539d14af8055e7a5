// Reads all active contracts of a party at an offset, over several pages if necessary.

import type { Party } from "../../ports/ledger/ledger.ts";
import type { ActiveContractEntry, CreatedEvent, EventFormat } from "./api-shapes.ts";
import type { LedgerApiClient } from "./ledger-api-client.ts";

export interface ListedView {
  readonly party: Party;
  /** Ledger offset at which the contracts are read. */
  readonly at: number;
  readonly format: EventFormat;
  /** Maximum number of entries in a list. */
  readonly pageMax: number;
}

/**
 * Maximum number of pages, which allows ten thousand contracts at the usual page size of 200. A party with more
 * contracts must merge its coins.
 */
const pagesMax = 50;

/**
 * Reads one list and, if it is incomplete, all pages from the beginning. Throws for a party with too many contracts.
 * Networks before version 3.5 have no pages, so there one list must hold all contracts; otherwise the function throws.
 */
export async function wholeList(api: LedgerApiClient, view: ListedView): Promise<CreatedEvent[]> {
  const { at, format, pageMax } = view;
  const entries = await api.activeContracts(at, format, pageMax + 1);
  return createdIn(entries.length > pageMax ? await pagesOf(api, view) : entries);
}

async function pagesOf(
  api: LedgerApiClient,
  { party, at, format, pageMax }: ListedView,
): Promise<ActiveContractEntry[]> {
  const entries: ActiveContractEntry[] = [];
  let token: string | null = null;
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = await api.activeContractsPage(at, format, pageMax, token);
    entries.push(...page.activeContracts);
    token = page.nextPageToken || null;
    if (token === null) return entries;
  }
  throw new Error(`${party} has more contracts than are read at once (${pagesMax * pageMax})`);
}

/** Returns the contracts created, without contracts that are moving between synchronizers. */
export function createdIn(entries: readonly ActiveContractEntry[]): CreatedEvent[] {
  return entries.flatMap(
    ({ contractEntry }) => contractEntry?.JsActiveContract?.createdEvent ?? [],
  );
}
