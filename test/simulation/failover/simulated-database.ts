// What a venue of a failover run uses of the database: its journal, written by the real commit loop, and the lease.

import { isRetryable } from "../../../src/adapters/postgres/retryable.ts";
import type {
  CommitBatch,
  EventChunk,
  EventStore,
  StoredSnapshot,
} from "../../../src/ports/journal/event-store.ts";
import type {
  Candidate,
  LeadershipStore,
  Lease,
  Renewal,
  RenewalAnswer,
} from "../../../src/ports/leadership.ts";
import {
  BatchCommitter,
  type CommitSession,
} from "../../../src/services/journal/batch-committer.ts";
import type { JournalChain } from "../../../src/services/journal/following/journal-chain.ts";
import { quietLog } from "../../support/quiet-log.ts";
import {
  DatabaseFault,
  type Performed,
  type SimulatedCluster,
  type SimulatedSession,
  waitCut,
} from "./simulated-cluster.ts";
import { noChange, type SimulatedServer } from "./simulated-server.ts";
import type { SimulatedProcess, SimulatedTime } from "./simulated-time.ts";

/** Deliberate faults of the writer; a run with one of them must fail. */
export type DatabaseCanary =
  | "ignores-the-epoch"
  | "trusts-without-barrier"
  | "believes-a-commit-whose-wait-was-cut";

export interface SimulatedDatabaseParts {
  readonly cluster: SimulatedCluster;
  readonly time: SimulatedTime;
  readonly owner: SimulatedProcess;
  readonly canary: DatabaseCanary | null;
}

export class SimulatedDatabase implements EventStore {
  readonly #parts: SimulatedDatabaseParts;
  readonly #sessions = new Map<SimulatedSession["kind"], SimulatedSession>();
  /** The chained hash of what this venue commits; null before it leads. */
  chain: JournalChain | null = null;
  #writing: BatchCommitter | null = null;

  constructor(parts: SimulatedDatabaseParts) {
    this.#parts = parts;
  }

  /** Calls the server, over a session that is opened if there is none. A session that failed is replaced. */
  async call<T>(
    kind: SimulatedSession["kind"],
    perform: (server: SimulatedServer) => Performed<T>,
  ): Promise<T> {
    const { cluster, owner } = this.#parts;
    const session = this.#sessions.get(kind) ?? cluster.open(owner, kind);
    this.#sessions.set(kind, session);
    const { server } = session;
    try {
      return await cluster.call(session, () => perform(server));
    } catch (error) {
      if (this.#sessions.get(kind) === session) this.#sessions.delete(kind);
      throw error;
    }
  }

  async becomeWriter(claimed: string | null = null): Promise<string> {
    const { time, owner } = this.#parts;
    const epoch = claimed ?? "0";
    this.#writing = new BatchCommitter(
      {
        open: () => this.#open(epoch),
        isRetryable,
        isStopping: () => false,
        pause: (ms) => time.pause(owner, ms),
        log: quietLog,
      },
      await this.#open(epoch),
    );
    return epoch;
  }

  /** Opens a session for commits, once no earlier session can commit. */
  async #open(epoch: string): Promise<CommitSession> {
    const { cluster, owner, canary } = this.#parts;
    const session = cluster.open(owner, "journal");
    const { server } = session;
    await cluster.call(session, () => {
      const others = cluster.writersBeside(session);
      for (const other of others) if (other.owner === owner) cluster.end(other);
      if (others.some((other) => other.owner !== owner)) return null;
      this.#checkEpoch(server, epoch);
      return { value: null };
    });
    const locked = <T>(perform: () => Performed<T>): Promise<T> =>
      cluster.call(session, () => {
        if (server.waiting !== null) return null;
        this.#checkEpoch(server, epoch);
        return perform();
      });
    return {
      barrier: async () => {
        if (canary === "trusts-without-barrier") return;
        await locked(() => ({ value: null, commits: { ...noChange } }));
      },
      lastSeq: () => cluster.call(session, () => ({ value: server.lastSeq })),
      commit: async (batch) => {
        const events = eventsOf(batch);
        const committed = locked(() => {
          if (batch.firstSeq !== server.lastSeq + 1)
            throw new DatabaseFault("RL001", `a gap: ${batch.firstSeq} after ${server.lastSeq}`);
          return { value: null, commits: { ...noChange, events } };
        });
        await committed.catch((error) => {
          const isCut = error instanceof DatabaseFault && error.code === waitCut;
          if (!isCut || canary !== "believes-a-commit-whose-wait-was-cut") throw error;
        });
      },
      close: async () => undefined,
    };
  }

  #checkEpoch(server: SimulatedServer, epoch: string): void {
    if (server.epoch !== epoch && this.#parts.canary !== "ignores-the-epoch")
      throw new DatabaseFault("deposed", `epoch ${epoch} was replaced by ${server.epoch}`);
  }

  async appendBatch(batch: CommitBatch): Promise<void> {
    await this.#writing?.append(batch);
    for (const bytes of eventsOf(batch)) this.chain?.add(bytes);
  }

  lastSeq(): Promise<number> {
    return this.call("reader", (server) => ({ value: server.lastSeq }));
  }

  async readEvents(
    afterSeq: number,
    untilSeq: number | null,
    take: (chunk: EventChunk) => void,
  ): Promise<void> {
    const chunks: EventChunk[] = [];
    await this.call("reader", (server) => {
      server.read(afterSeq, untilSeq ?? Number.POSITIVE_INFINITY, (chunk) => chunks.push(chunk));
      return { value: null };
    });
    for (const chunk of chunks) take(chunk);
  }

  async openByRow(): Promise<number[]> {
    return [];
  }

  async *readSnapshots(limit: number): AsyncGenerator<StoredSnapshot> {
    yield* await this.call("reader", (server) => ({ value: server.newestSnapshots(limit) }));
  }

  async writeSnapshot(snapshot: StoredSnapshot): Promise<void> {
    await this.call("reader", (server) => {
      server.append({ ...noChange, snapshot });
      return { value: null };
    });
  }

  async close(): Promise<void> {
    // Its sessions end with its process.
  }
}

function eventsOf({ bytes, lengths }: CommitBatch): Uint8Array[] {
  let at = 0;
  return lengths.map((length) => {
    at += length;
    return bytes.slice(at - length, at);
  });
}

/** The lease in the simulated database. */
export class SimulatedLeadership implements LeadershipStore {
  readonly #database: SimulatedDatabase;
  readonly #cluster: SimulatedCluster;

  constructor(database: SimulatedDatabase, cluster: SimulatedCluster) {
    this.#database = database;
    this.#cluster = cluster;
  }

  read(): Promise<Lease> {
    return this.#database.call("lease", (server) => {
      const { lease } = server;
      const isConnected = this.#cluster.hasSession(lease.holder, server);
      return { value: { ...lease, isConnected } };
    });
  }

  follow({ name }: Candidate, seq: number): Promise<void> {
    return this.#database.call("lease", () => {
      this.#cluster.followers.set(name, seq);
      return { value: undefined };
    });
  }

  listen(): void {
    // A simulated follower looks at each of its turns.
  }

  async prepare(): Promise<void> {
    // Sessions are opened when they are needed.
  }

  claim({ name, address, leaseMs }: Candidate, seen: Lease): Promise<string | null> {
    return this.#database.call<string | null>("lease", (server) => {
      const { lease, waiting } = server;
      if (waiting?.epoch !== null && waiting !== null) return null;
      if (lease.holder !== seen.holder || lease.renewals !== seen.renewals) return { value: null };
      if (lease.holder !== name) this.#cluster.endSoon(lease.holder, server);
      if (waiting !== null) return null;
      const epoch = String(Number(server.epoch) + 1);
      const renewals = lease.renewals + 1;
      const own = { holder: name, epoch, address, leaseMs, renewals };
      const taken = { ...lease, ...own, handedTo: null, chain: null };
      return { value: epoch, commits: { ...noChange, lease: taken, epoch } };
    });
  }

  async endSessions(holder: string): Promise<void> {
    await this.#database.call("lease", (server) => {
      this.#cluster.endSoon(holder, server);
      return { value: null };
    });
  }

  renew(holder: string, { settledSeq, chain, handedTo }: Renewal): Promise<RenewalAnswer | null> {
    return this.#database.call<RenewalAnswer | null>("lease", (server) => {
      const { lease, waiting } = server;
      if (waiting !== null && waiting.lease !== null) return null;
      if (lease.holder !== holder) return { value: null };
      const renewed = { ...lease, settledSeq, handedTo, renewals: lease.renewals + 1 };
      server.append({ ...noChange, lease: { ...renewed, chain: chain ?? lease.chain } });
      return { value: { slowestSeq: null, nearest: this.#nearest(server), nearestOnBus: null } };
    });
  }

  /** The follower that is furthest ahead and has a session. */
  #nearest(server: SimulatedServer): string | null {
    const following = [...this.#cluster.followers].filter(([name]) =>
      this.#cluster.hasSession(name, server),
    );
    following.sort(([, one], [, other]) => other - one);
    return following[0]?.[0] ?? null;
  }

  async release(): Promise<void> {
    // Venues of these runs end without giving the lease up.
  }

  async close(): Promise<void> {
    // Its session ends with its process.
  }
}
