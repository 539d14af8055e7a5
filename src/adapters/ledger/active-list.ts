// All contracts of a party that are active at an offset, however many lists that takes.

import type { Party } from "../../ports/ledger/ledger.ts";
import type { ActiveContractEntry, CreatedEvent, EventFormat } from "./api-shapes.ts";
import type { LedgerApiClient } from "./ledger-api-client.ts";

export interface ListedView {
  readonly party: Party;
  /** The ledger's offset. */
  readonly at: number;
  readonly format: EventFormat;
  /** Entries of one list. */
  readonly pageMax: number;
}

/** Ten thousand contracts at the usual 200: whoever has more is asked to merge his coins. */
const pagesMax = 50;

/**
 * Asks for one list, and where that does not end, for pages from the beginning. Throws for a party with more
 * than is read at once; before version 3.5 networks have no pages, and it throws for what one list does not hold.
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

/** What was created; what is on its way between synchronizers is nobody's yet. */
export function createdIn(entries: readonly ActiveContractEntry[]): CreatedEvent[] {
  return entries.flatMap(
    ({ contractEntry }) => contractEntry?.JsActiveContract?.createdEvent ?? [],
  );
}
