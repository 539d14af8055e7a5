// Metrics of a gateway's way to its leader. A venue's own front has them without values, so that both have one list of
// metrics.

import { Counter, Gauge, type Registry } from "prom-client";

/** What a gateway thread has counted on the bus since its start, and what it waits for now. */
export interface BusFigures {
  readonly gaps: number;
  readonly resends: number;
  readonly refused: number;
  readonly discarded: number;
  readonly unanswered: number;
  /** Milliseconds since a leader was last heard that takes commands. */
  readonly leaderAwayMs: number;
  /** Milliseconds since the connection to the bus was lost; 0 while there is one. */
  readonly busAwayMs: number;
}

const metrics: readonly [
  kind: "counter" | "gauge",
  name: string,
  help: string,
  of: (figures: BusFigures) => number,
][] = [
  [
    "counter",
    "gaps_total",
    "Gaps in the leader's events that the gateway filled from the journal",
    ({ gaps }) => gaps,
  ],
  [
    "counter",
    "resends_total",
    "Commands sent again, because their answer was missing or a leader took none",
    ({ resends }) => resends,
  ],
  [
    "counter",
    "messages_refused_total",
    "Messages of the leader that the gateway could not read: another version, or damaged",
    ({ refused }) => refused,
  ],
  [
    "counter",
    "messages_discarded_total",
    "Messages of leaders with an earlier writer epoch, which were discarded",
    ({ discarded }) => discarded,
  ],
  [
    "gauge",
    "commands_unanswered",
    "Commands handed to the bus and not yet answered",
    ({ unanswered }) => unanswered,
  ],
  [
    "gauge",
    "leader_away_seconds",
    "Seconds since the gateway last heard a leader that takes its commands; absent in a venue",
    ({ leaderAwayMs }) => leaderAwayMs / 1000,
  ],
  [
    "gauge",
    "away_seconds",
    "Seconds since the gateway lost its connection to the bus; 0 while connected, absent in a venue",
    ({ busAwayMs }) => busAwayMs / 1000,
  ],
];

/** Adds the metrics to `registry`. `figures` is null in a venue's own front. */
export function addBusMetrics(registry: Registry, figures: (() => BusFigures) | null): void {
  for (const [kind, name, help, of] of metrics) {
    const about = { name: `rialto_bus_${name}`, help, registers: [registry] };
    if (kind === "gauge") {
      new Gauge({
        ...about,
        collect() {
          if (figures === null) this.remove();
          else this.set(of(figures()));
        },
      });
      continue;
    }
    new Counter({
      ...about,
      collect() {
        if (figures === null) this.remove();
        else {
          this.reset();
          this.inc(of(figures()));
        }
      },
    });
  }
}
