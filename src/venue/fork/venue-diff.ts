// Compares two venues of one line: a venue and its fork, or two forks. Both may run or be stopped; they are only read. What is
// compared is their states now, the fills since they parted, and where their journals first differ.

import { OperatorRefusal } from "../operator/operator-commands.ts";
import { isoOf } from "./fork-point.ts";
import {
  type FillsDifference,
  fillsDifference,
  firstDifferentEntry,
  timeOfEvent,
} from "./history-diff.ts";
import { relationOf } from "./lineage.ts";
import { type StateDifferences, stateDifferences } from "./state-diff.ts";
import type { StoredVenue } from "./stored-venue.ts";

export interface ShownVenue {
  readonly venue: string;
  readonly data_dir: string;
  readonly seq: number;
  readonly time: string;
}

export interface VenueDiff {
  readonly a: ShownVenue;
  readonly b: ShownVenue;
  readonly relation: string;
  /** The last event that both have; null for one venue that is compared with itself. */
  readonly partedAfter: number | null;
  /** The first entry of the journals that differs, or that one of them lacks; null if they are equal. */
  readonly firstDifferentEntry: number | null;
  readonly state: StateDifferences;
  readonly fills: readonly FillsDifference[];
  readonly isSame: boolean;
}

/** Compares `a` with `b`. Throws an OperatorRefusal if neither comes from the other, nor both from a third. */
export async function diffVenues(
  a: StoredVenue,
  b: StoredVenue,
  onProgress: (done: number, total: number) => void,
): Promise<VenueDiff> {
  const relation = relationOf(
    { ...a.identity, lastSeq: a.span.lastSeq },
    { ...b.identity, lastSeq: b.span.lastSeq },
  );
  if (relation === null)
    throw new OperatorRefusal(
      `${a.config.dataDir} and ${b.config.dataDir} have no events in common: neither venue is a fork of the other, nor ` +
        "are both forks of a third one",
    );
  const { state: ofA } = await a.stateAfter(a.span.lastSeq, onProgress);
  const { state: ofB } = await b.stateAfter(b.span.lastSeq, onProgress);
  const state = stateDifferences(ofA, ofB);
  const { partedAfter } = relation;
  // A fork has no entries from before it was made, so entries are compared from where both have them.
  const sinceSeq = Math.max(partedAfter ?? 0, a.span.baseSeq, b.span.baseSeq);
  const { markets } = ofA.marketCount >= ofB.marketCount ? ofA.table : ofB.table;
  const afterUs = (await timeOfEvent(a, sinceSeq)) ?? (await timeOfEvent(b, sinceSeq)) ?? 0;
  const fills = await fillsDifference(
    { sql: a.sql, afterUs, untilUs: ofA.tsUs },
    { sql: b.sql, afterUs, untilUs: ofB.tsUs },
    markets,
  );
  const differs = [fills, ...Object.values(state)].some((one) => one.length > 0);
  return {
    a: shown(a, ofA.tsUs),
    b: shown(b, ofB.tsUs),
    relation: relation.text,
    partedAfter,
    firstDifferentEntry: await firstDifferentEntry(a, b, sinceSeq),
    ...{ state, fills, isSame: !differs },
  };
}

function shown({ identity, config, span }: StoredVenue, tsUs: number): ShownVenue {
  const { name: venue } = identity;
  return { venue, data_dir: config.dataDir, seq: span.lastSeq, time: isoOf(tsUs) };
}
