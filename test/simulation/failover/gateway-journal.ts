// What a gateway of a failover run reads of the database: the journal and the snapshots, at the standby if there is one.
// A standby shows commits before they are acknowledged.

import type {
  EventChunk,
  EventStore,
  StoredSnapshot,
} from "../../../src/ports/journal/event-store.ts";
import type { SimulatedCluster, SimulatedSession } from "./simulated-cluster.ts";
import type { SimulatedServer } from "./simulated-server.ts";
import type { SimulatedProcess } from "./simulated-time.ts";

export class GatewayJournal
  implements Pick<EventStore, "lastSeq" | "readEvents" | "readSnapshots">
{
  readonly #cluster: SimulatedCluster;
  readonly #owner: SimulatedProcess;
  #session: SimulatedSession | null = null;

  constructor(cluster: SimulatedCluster, owner: SimulatedProcess) {
    this.#cluster = cluster;
    this.#owner = owner;
  }

  lastSeq(): Promise<number> {
    return this.#ask((server) => server.lastSeq);
  }

  async readEvents(
    afterSeq: number,
    untilSeq: number | null,
    take: (chunk: EventChunk) => void,
  ): Promise<void> {
    const chunks = await this.#ask((server) => {
      const read: EventChunk[] = [];
      server.read(afterSeq, untilSeq ?? Number.POSITIVE_INFINITY, (chunk) => read.push(chunk));
      return read;
    });
    for (const chunk of chunks) take(chunk);
  }

  async *readSnapshots(limit: number): AsyncGenerator<StoredSnapshot> {
    yield* await this.#ask((server) => server.newestSnapshots(limit));
  }

  #ask<T>(of: (server: SimulatedServer) => T): Promise<T> {
    const cluster = this.#cluster;
    const isUsable = this.#session?.isEnded === false && this.#session.server !== cluster.old;
    this.#session = isUsable
      ? this.#session
      : cluster.open(this.#owner, "reader", cluster.standby ?? cluster.primary);
    const session = this.#session as SimulatedSession;
    return cluster.call(session, () => ({ value: of(session.server) }));
  }
}
