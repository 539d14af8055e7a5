// What the journal thread begins with: the recovered state, and the coalesced rows that a killed
// venue may not have written.

import type { MarketTable } from "../src/core/markets.ts";
import { Projection, type UnwrittenRows } from "../src/services/journal/projection.ts";
import { packSnapshot, unpackSnapshot } from "../src/wire/snapshot-codec.ts";
import { openSeed } from "./birth.ts";

interface JournalSeed {
  readonly state: Uint8Array;
  readonly unwritten: UnwrittenRows;
}

/** `state` is a packed snapshot. */
export function packJournalSeed(state: Uint8Array, unwritten: UnwrittenRows): Uint8Array {
  return packSnapshot({ state, unwritten } satisfies JournalSeed);
}

/** A projection that goes on where recovery ended. */
export function openJournalSeed(
  bytes: Uint8Array,
  table: MarketTable,
  options: { readonly intervalMs: number; readonly nowMs: number },
): Projection {
  const { state, unwritten } = unpackSnapshot(bytes) as JournalSeed;
  const replica = openSeed(state, table, { remembersClientIds: false });
  const projection = new Projection(replica, options.intervalMs);
  projection.takeOver(unwritten, options.nowMs);
  return projection;
}
