// Which of several venues on one database leads. A store keeps one lease. Whoever takes it over raises the writer
// epoch of the journal, so an earlier leader can no longer commit, whatever it believes about the time. The lease only
// says when a follower may try.

/** The journal's chained hash at two seqs. `hash` can be computed from `base` and the events between them. */
export interface ChainMark {
  readonly baseSeq: number;
  readonly base: Uint8Array;
  readonly seq: number;
  readonly hash: Uint8Array;
}

/** The lease as stored. */
export interface Lease {
  /** Name of the leading venue; empty if nobody leads. */
  readonly holder: string;
  readonly epoch: string;
  readonly address: string;
  readonly leaseMs: number;
  /** True if the holder has a session of its lease; one that is killed loses it at once. */
  readonly isConnected: boolean;
  /** Grows with each renewal and take-over. */
  readonly renewals: number;
  /** The venue that may take the lease at once; null for none. */
  readonly handedTo: string | null;
  /** All rows of events up to this seq are written. */
  readonly settledSeq: number;
  /** Null if the leader has not published one yet. */
  readonly chain: ChainMark | null;
}

/** A venue that wants to lead. */
export interface Candidate {
  /** A random name of this venue since its start. */
  readonly name: string;
  readonly address: string;
  readonly leaseMs: number;
}

export interface Renewal {
  readonly settledSeq: number;
  readonly chain: ChainMark | null;
  readonly handedTo: string | null;
}

export interface RenewalAnswer {
  /** Seq of the follower that is furthest behind; null without followers. */
  readonly slowestSeq: number | null;
  /** Name of the follower that is furthest ahead; null without followers. */
  readonly nearest: string | null;
  /** The same among the followers that are connected to the bus. */
  readonly nearestOnBus: string | null;
}

export interface LeadershipStore {
  read(): Promise<Lease>;
  /** Records that this venue follows, how far it is, and whether it is connected to the bus. */
  follow(candidate: Candidate, seq: number, hasBus: boolean): Promise<void>;
  /**
   * Calls `hear` when a holder hands over, so that a follower need not wait until it looks again. A call may be lost
   * with the session.
   */
  listen(hear: () => void): void;
  /** Opens what a claim needs, so that it is quick. */
  prepare(): Promise<void>;
  /**
   * Takes the lease if it is still exactly as `seen`: ends the sessions of its holder, raises the writer epoch, and
   * resolves once that is durable. Resolves with the new epoch, or with null if the lease changed meanwhile. Throws a
   * fault `second-venue` if a venue without a lease writes the journal, and a fault `unfit` if commits would wait for no
   * standby although they must. `endSessions` must follow.
   */
  claim(candidate: Candidate, seen: Lease): Promise<string | null>;
  /** Ends the sessions that a former holder opened while the lease was claimed; it can open no more. */
  endSessions(holder: string): Promise<void>;
  /** Renews the lease; null if another venue has taken it. */
  renew(holder: string, renewal: Renewal): Promise<RenewalAnswer | null>;
  /** Gives the lease up, so that a follower need not wait. Does nothing if another venue has taken it. */
  release(holder: string): Promise<void>;
  close(): Promise<void>;
}
