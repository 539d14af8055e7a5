// `replay --verify`: folds the whole journal from the first event, compares the state with every stored snapshot on
// the way and with the projections at the end, and lists the differences.

import type { StoredProjections } from "../../adapters/postgres/queries/journal/projections.ts";
import { isRetryable } from "../../adapters/postgres/retryable.ts";
import { EventKind, type MarketAdded, type VenueEvent } from "../../core/generated/events.ts";
import type { MarketTable } from "../../core/markets.ts";
import { apply } from "../../engine/state/apply/apply.ts";
import { VenueState } from "../../engine/state/venue-state.ts";
import { stateHash } from "../../engine/state-hash.ts";
import type { EventStore } from "../../ports/journal/event-store.ts";
import {
  announced,
  isOfOtherFormat,
  newestSnapshot,
  openSnapshot,
} from "../../services/journal/replay.ts";
import { foldChunk } from "../../wire/records/event-bytes.ts";
import { termsDigest } from "../operator/market-terms.ts";
import { ProjectionAudit } from "./projection-audit.ts";

/** Maximum number of snapshots to read; a venue stores fewer. */
const snapshotsRead = 100;
/** Maximum number of differences that are listed; the others are only counted. */
const differencesListed = 20;

export interface Verification {
  readonly seq: number;
  readonly stateHash: string;
  readonly snapshotsCompared: number;
  /** Snapshots of an older format, which cannot be compared. */
  readonly snapshotsPassedOver: number;
  readonly events: number;
  readonly tookMs: number;
  readonly eventsPerSecond: number;
  /** Rows of the projections compared. */
  readonly rowsCompared: number;
  readonly rowsBehind: number;
  readonly differences: readonly string[];
}

/**
 * Replays from `afterSeq`, after which the journal begins, up to `untilSeq`, and compares the projections, if given, as of
 * that seq. The journal of a fork begins with the state in a snapshot.
 */
export async function verifyReplay(
  store: Pick<EventStore, "readEvents" | "readSnapshots">,
  table: MarketTable,
  options: {
    readonly afterSeq?: number;
    readonly untilSeq: number;
    readonly projections: StoredProjections | null;
    readonly onProgress: (seq: number) => void;
  },
): Promise<Verification> {
  const startedMs = performance.now();
  const { hashes, snapshotsPassedOver, differences } = await storedSnapshots(store, table);
  const { afterSeq = 0, projections } = options;
  const state = await stateAfter(store, table, afterSeq);
  const audit = projections === null ? null : await ProjectionAudit.open(projections, state);
  const newest = Math.max(0, ...[...hashes.keys()].filter((seq) => seq <= options.untilSeq));
  if (newest <= afterSeq) audit?.beginLag();
  const fold = (event: VenueEvent): void => {
    apply(state, event, audit);
    if (event.seq === newest) audit?.beginLag();
    if (event.kind === EventKind.marketAdded) differences.push(...termsFaults(table, event));
    const expected = hashes.get(event.seq);
    if (expected === undefined) return;
    const found = stateHash(state);
    if (found !== expected)
      differences.push(`snapshot ${event.seq}: state hash ${expected}, the journal gives ${found}`);
  };
  let isWhole = true;
  try {
    await store.readEvents(afterSeq, options.untilSeq, (chunk) => {
      foldChunk(chunk, fold);
      options.onProgress(state.seq);
    });
  } catch (error) {
    if (isRetryable(error)) throw error;
    isWhole = false;
    const message = error instanceof Error ? error.message : String(error);
    differences.push(`the journal cannot be replayed after event ${state.seq}: ${message}`);
  }
  const tookMs = performance.now() - startedMs;
  // If part of the journal is unreadable, every later row would differ, so a comparison would be meaningless.
  const compared = audit !== null && isWhole ? await audit.compare() : null;
  differences.push(...(compared?.differences ?? []));
  return {
    seq: state.seq,
    stateHash: stateHash(state),
    snapshotsCompared: [...hashes.keys()].filter((seq) => seq <= state.seq).length,
    snapshotsPassedOver,
    events: state.seq - afterSeq,
    tookMs: Math.round(tookMs),
    eventsPerSecond: Math.round(((state.seq - afterSeq) / tookMs) * 1000),
    rowsCompared: compared?.rows ?? 0,
    rowsBehind: compared?.rowsBehind ?? 0,
    differences,
  };
}

/** The state with which the journal begins. Throws if it is not stored. */
async function stateAfter(
  store: Pick<EventStore, "readEvents" | "readSnapshots">,
  table: MarketTable,
  afterSeq: number,
): Promise<VenueState> {
  if (afterSeq === 0) return new VenueState(table);
  const { state } = await newestSnapshot(announced(store, afterSeq), table);
  if (state.seq === afterSeq) return state;
  throw new Error(`the snapshot of event ${afterSeq}, with which this fork begins, cannot be read`);
}

/** Returns the hashes of the stored snapshots by seq, and the errors of unreadable snapshots. */
async function storedSnapshots(store: Pick<EventStore, "readSnapshots">, table: MarketTable) {
  const differences: string[] = [];
  const hashes = new Map<number, string>();
  let snapshotsPassedOver = 0;
  for await (const stored of store.readSnapshots(snapshotsRead)) {
    if ("message" in stored) {
      differences.push(`snapshot ${stored.seq} is damaged: ${stored.message}`);
      continue;
    }
    if (isOfOtherFormat(stored)) {
      snapshotsPassedOver++;
      continue;
    }
    hashes.set(stored.seq, stored.stateHash);
    try {
      openSnapshot(stored, table);
    } catch (error) {
      differences.push(`snapshot ${stored.seq} cannot be read: ${String(error)}`);
    }
  }
  return { hashes, snapshotsPassedOver, differences };
}

/** Returns the faults of an added market whose terms do not match the digest in the journal. Spec OPS-28. */
function termsFaults(table: MarketTable, event: MarketAdded): string[] {
  const market = table.markets[event.market];
  if (market === undefined)
    return [`market ${event.market} was added in the journal, but has no row`];
  const { termsHigh, termsLow } = termsDigest(market);
  if (termsHigh === event.termsHigh && termsLow === event.termsLow) return [];
  return [`market ${market.symbol}: its terms differ from those in the journal`];
}

/** Returns the first differences, and a line with the number of the others. */
export function listed(differences: readonly string[]): string[] {
  if (differences.length <= differencesListed) return [...differences];
  const more = differences.length - differencesListed;
  return [...differences.slice(0, differencesListed), `… and ${more} more`];
}
