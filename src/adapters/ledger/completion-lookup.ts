// Reads completions to find the charges of submissions and whether a change is on the ledger. The search covers all
// completions since the first attempt. An accepted completion is final. A rejection counts only for the latest attempt,
// because an earlier rejection says nothing about later attempts.

import type { ChangeKey, Charge, ChargePage, Lookup } from "../../ports/ledger/ledger.ts";
import type { Completion, CompletionEntry, OffsetCheckpoint } from "./api-shapes.ts";

/** Maximum number of pages that one lookup reads; a change has far fewer completions after its first attempt. */
const pagesMax = 1000;

interface Search {
  searchedTo: number;
  recordTime: string | null;
  rejection: string | null;
}

/**
 * Looks up the outcome of a change. Calls `read` for one page after the other, until a completion accepts the change or
 * a page is not full. Rethrows the errors of `read`.
 */
export async function lookUp(
  change: ChangeKey,
  pageMax: number,
  read: (after: number) => Promise<readonly CompletionEntry[]>,
): Promise<Lookup> {
  const search: Search = { searchedTo: change.dedupOffset, recordTime: null, rejection: null };
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = await read(search.searchedTo);
    for (const { completionResponse } of page) {
      const checkpoint = completionResponse?.OffsetCheckpoint?.value;
      if (checkpoint !== undefined) pass(search, checkpoint.offset, timeOf(checkpoint));
      const found = completionResponse?.Completion?.value;
      if (found === undefined) continue;
      const accepted = consider(search, change, found);
      if (accepted !== null) return accepted;
    }
    if (page.length < pageMax) break;
  }
  const { rejection, searchedTo, recordTime } = search;
  if (rejection !== null) return { kind: "rejected", code: rejection, searchedTo, recordTime };
  return { kind: "absent", searchedTo, recordTime };
}

/** Returns the charges in a page of completions. */
export function chargesOf(page: readonly CompletionEntry[], after: number): ChargePage {
  const charges: Charge[] = [];
  let through = after;
  for (const { completionResponse } of page) {
    const { Completion: completion, OffsetCheckpoint: checkpoint } = completionResponse ?? {};
    const seen = completion?.value ?? checkpoint?.value;
    if (seen !== undefined) through = Math.max(through, seen.offset);
    if (completion === undefined) continue;
    const { commandId, paidTrafficCost, synchronizerTime } = completion.value;
    const recordedMs = Date.parse(synchronizerTime.recordTime);
    charges.push({ commandId, bytes: paidTrafficCost ?? 0, recordedMs });
  }
  return { charges, through };
}

function consider(search: Search, change: ChangeKey, found: Completion): Lookup | null {
  pass(search, found.offset, found.synchronizerTime.recordTime);
  if (found.commandId !== change.commandId) return null;
  const { updateId, offset } = found;
  if ((found.status?.code ?? 0) === 0 && updateId) return { kind: "committed", updateId, offset };
  if (found.submissionId === change.submissionId) search.rejection = found.status?.message ?? "";
  return null;
}

function pass(search: Search, offset: number, recordTime: string | null): void {
  search.searchedTo = Math.max(search.searchedTo, offset);
  search.recordTime = recordTime ?? search.recordTime;
}

function timeOf({ synchronizerTimes }: OffsetCheckpoint): string | null {
  return synchronizerTimes?.[0]?.recordTime ?? null;
}
