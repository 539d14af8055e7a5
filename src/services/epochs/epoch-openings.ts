// The nonces that open the leaves of one sealed epoch, for an auditor who has its entries (AUD-5). They are disclosed
// instead of the nonce key, which would open the leaves of every other epoch too.

import { EventKind } from "../../core/generated/events.ts";
import { nonceBytes } from "../../engine/epochs/leaf.ts";
import type { EpochRecord } from "../../ports/journal/epoch-store.ts";
import type { EventStore } from "../../ports/journal/event-store.ts";
import { foldChunk } from "../../wire/records/event-bytes.ts";
import { NonceKey, NonceKind } from "./nonces.ts";

/** Nonces of a trade's entry besides its own: those of taker, maker and fill. */
const noncesMorePerTrade = 3;

/**
 * The nonces of an epoch's entries, by seq, 16 bytes each: that of the entry; for a trade then those of its taker, its
 * maker and its fill.
 */
export async function openingsOf(
  journal: Pick<EventStore, "readEvents">,
  nonceKey: Uint8Array,
  { firstSeq, lastSeq, journalCount, fillCount }: EpochRecord,
): Promise<Buffer> {
  const keys = new NonceKey(nonceKey);
  const nonces = Buffer.alloc((journalCount + noncesMorePerTrade * fillCount) * nonceBytes);
  let at = 0;
  const add = (kind: NonceKind, number: number) => {
    keys.derive(kind, number, nonces.subarray(at, at + nonceBytes));
    at += nonceBytes;
  };
  if (journalCount === 0) return nonces;
  await journal.readEvents(firstSeq - 1, lastSeq, (chunk) => {
    foldChunk(chunk, (event) => {
      add(NonceKind.journal, event.seq);
      if (event.kind !== EventKind.traded) return;
      add(NonceKind.taker, event.seq);
      add(NonceKind.maker, event.seq);
      add(NonceKind.fill, event.tradeId);
    });
  });
  return nonces;
}
