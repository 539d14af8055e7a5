// How two venues are related, and after which event they parted. A venue's line is its ancestors, each up to the event after
// which the next one begins, and itself up to its newest event.

import type { VenueIdentity } from "./stored-venue.ts";

export interface Related extends Pick<VenueIdentity, "name" | "venue" | "ancestors"> {
  readonly lastSeq: number;
}

export interface Relation {
  readonly text: string;
  /** The last event that both have; null for one venue that is compared with itself. */
  readonly partedAfter: number | null;
}

/** Returns how `a` and `b` are related; null if they are not. */
export function relationOf(a: Related, b: Related): Relation | null {
  if (a.venue === b.venue) return { text: "A and B are the same venue", partedAfter: null };
  const [lineA, lineB] = [lineOf(a), lineOf(b)];
  for (const { venue, seq } of lineA.reverse()) {
    const met = lineB.findLast((one) => one.venue === venue);
    if (met === undefined) continue;
    return { text: textOf(a, b, venue), partedAfter: Math.min(seq, met.seq) };
  }
  return null;
}

function lineOf({ venue, ancestors, lastSeq }: Related) {
  return [...ancestors, { venue, seq: lastSeq }];
}

function textOf(a: Related, b: Related, common: string): string {
  if (common === a.venue) return "B is a fork of A";
  if (common === b.venue) return "A is a fork of B";
  return "A and B are forks of the same venue";
}
