// When a group of events is closed and committed. The rule is the simplest that is fast at both ends
// of the load: while no commit is in flight, whatever is there goes at once (a single order waits for
// nothing); while one is in flight, everything that arrives collects, up to the bounds. Age plays no
// part: the commit in flight is the clock.

import { groupBytesMax, groupEventsMax } from "../../core/limits.ts";

/** What has been collected so far; always whole units. */
export interface Collected {
  readonly events: number;
  readonly bytes: number;
}

/** True if another unit may join: a unit that crosses a bound is the group's last. */
export function mayCollect(collected: Collected): boolean {
  return collected.events < groupEventsMax && collected.bytes < groupBytesMax;
}

/** What else decides whether a commit starts now. */
export interface CommitSituation {
  readonly isInFlight: boolean;
  /** Rows of projections that waited for a group of events to join and met none. */
  readonly hasOverdueRows: boolean;
}

/** True if the collected group is to be committed now. */
export function mayCommit(collected: Collected, situation: CommitSituation): boolean {
  if (situation.isInFlight) return false;
  return collected.events > 0 || situation.hasOverdueRows;
}
