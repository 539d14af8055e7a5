// How a venue comes to lead: its threads follow what the leader commits, until the lease is this venue's. Then the
// journal thread writes under the new epoch.

import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "../../adapters/runtime/system-clock.ts";
import { SafetyFigures } from "../../adapters/telemetry/safety-figures.ts";
import type { MarketTable } from "../../core/markets.ts";
import type { Log } from "../../ports/log.ts";
import type { Crew } from "../crew.ts";
import type { VenueDatabase } from "../database.ts";
import type { ClockMonitor } from "../duties/clock-monitor.ts";
import { KeyWatch } from "../keys/key-watch.ts";
import type { VenueKeys } from "../keys/venue-keys.ts";
import type { Topology } from "../topology.ts";
import type { HeldLease } from "./held-lease.ts";
import type { Seat } from "./seat.ts";
import type { Leadership } from "./stand-by.ts";

export interface TakenLead
  extends Pick<Leadership, "warm" | "chainHash" | "isAlone" | "claimedMs"> {
  readonly lease: HeldLease;
  /** The database, with sessions that end when another venue leads. */
  readonly database: VenueDatabase;
  /** Resolves when the former leader tells nobody anything any more. */
  readonly isSilent: Promise<void>;
  /** Ends what listens for the follower, right before the fronts do. */
  readonly freeAddress: () => Promise<void>;
}

export interface TakeLeadParts {
  readonly topology: Topology;
  readonly time: ClockMonitor;
  readonly keys: VenueKeys;
  readonly table: MarketTable;
  readonly crew: Crew;
  readonly log: Log;
}

/** Waits until this venue leads; see `Seat.untilLeading` for what ends the wait. */
export async function takeLead(seat: Seat, parts: TakeLeadParts): Promise<TakenLead> {
  const { topology, time, keys, table, crew, log } = parts;
  const keyWatch = new KeyWatch({ keys, threads: crew.fronts, log });
  const waiting = seat.untilLeading({
    table,
    clock: time.clock,
    figures: new SafetyFigures(topology.memory.safety),
    onState: (bytes) => crew.offer(bytes),
    onEvents: (chunk) => crew.follow(chunk),
    // The journal thread takes the lock while the follower folds the rest.
    onClaimed: (epoch) => crew.journal.tell({ kind: "lead", epoch }),
  });
  const leadership = await waiting.finally(() => keyWatch.close());
  const isSilent = untilMonotonic(leadership.servesFromMs);
  const lease = seat.hold(leadership, crew.journal);
  const database = seat.leadersDatabase();
  await keyWatch.look();
  return { ...leadership, database, lease, isSilent, freeAddress: () => seat.freeAddress() };
}

async function untilMonotonic(atMs: number): Promise<void> {
  const restMs = atMs - monotonicMs();
  if (restMs > 0) await sleep(restMs);
}
