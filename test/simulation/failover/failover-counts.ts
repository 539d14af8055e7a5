// The counts of failover runs, for their report, and how often each must have happened at least.

import assert from "node:assert/strict";

export interface FailoverCounts {
  /** Commands of clients, those answered, and those of which the client was told that nobody knows. */
  commands: number;
  answers: number;
  unknown: number;
  /** Commands that were sent again. */
  resent: number;
  events: number;
  /** Claims of the lease. */
  leaders: number;
  /** Killed venues and gateways, and planned handovers. */
  kills: number;
  gatewayKills: number;
  handovers: number;
  /** Frozen processes, and those of them that woke up as leaders that had been deposed. */
  freezes: number;
  zombies: number;
  /** Leaders whose lease got no answers for a while. */
  heldLeases: number;
  /** Leaders that were cut off from the database until another one had claimed the lease. */
  lateCommits: number;
  promotions: number;
  /** Transactions that a promotion undid. */
  undone: number;
  standbysLost: number;
  /** Commits whose wait for the standby was cut, and broken connections to the database. */
  cutWaits: number;
  breaks: number;
  /** Messages of the bus that were lost, and gaps that gateways filled. */
  lost: number;
  gaps: number;
  /** Followers that found that their journal was not the leader's. */
  divergences: number;
  /** Stored snapshots, and processes that started from one. */
  snapshots: number;
  snapshotStarts: number;
}

export function noCounts(): FailoverCounts {
  return {
    ...{ commands: 0, answers: 0, unknown: 0, resent: 0, events: 0, leaders: 0, kills: 0 },
    ...{ gatewayKills: 0, handovers: 0, freezes: 0, zombies: 0, heldLeases: 0, lateCommits: 0 },
    ...{
      promotions: 0,
      undone: 0,
      standbysLost: 0,
      cutWaits: 0,
      breaks: 0,
      lost: 0,
      gaps: 0,
      divergences: 0,
    },
    ...{ snapshots: 0, snapshotStarts: 0 },
  };
}

/** How often each must at least have happened in twenty runs, and in as many times more as there are runs. */
const leastInTwenty: Partial<FailoverCounts> = {
  ...{ commands: 1500, answers: 1000, unknown: 50, resent: 1000, events: 2000, leaders: 25 },
  ...{ kills: 5, gatewayKills: 4, handovers: 3, freezes: 20, zombies: 5, heldLeases: 8 },
  ...{ promotions: 15, undone: 12, standbysLost: 4, cutWaits: 4, breaks: 40, lost: 60 },
  ...{ gaps: 12, divergences: 1, snapshots: 40, snapshotStarts: 10 },
};

/** Asserts that in so many runs each fault happened: a fault that never strikes proves nothing. */
export function assertStruck(counts: FailoverCounts, runs: number): void {
  for (const [name, least] of Object.entries(leastInTwenty)) {
    const count = counts[name as keyof FailoverCounts];
    const enough = Math.floor((least * runs) / 20);
    assert(count >= enough, `${count} ${name} in ${runs} runs; there must be ${enough}`);
  }
}
