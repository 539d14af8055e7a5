// The database of a failover run: a primary and a synchronous standby, which lags. A commit is acknowledged only after
// the standby has it. If the wait is cut, the commit is on the primary alone, and its outcome unknown. If the standby is
// promoted, what it lacked never was. The old primary still answers its sessions until it is fenced, but has no standby;
// then it is rebuilt as the standby of the new one.
//
//   call ── asked ──▶ performed at the server ──▶ answered
//                └──▶ in the log ── standby has it, or the wait is cut ──▶ answered

import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { type LogEntry, SimulatedServer } from "./simulated-server.ts";
import type { SimulatedProcess } from "./simulated-time.ts";

/** An error of the database, with the code by which the venue decides whether it retries. */
export class DatabaseFault extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** What a statement gives: its value, and the transaction that must reach the standby first. Null: a lock is held. */
export type Performed<T> = { readonly value: T; readonly commits?: LogEntry } | null;

export interface SimulatedSession {
  readonly owner: SimulatedProcess;
  readonly kind: "journal" | "lease" | "reader";
  readonly server: SimulatedServer;
  /** The server was told to end it, and will soon. */
  isEnding: boolean;
  isEnded: boolean;
}

interface Call {
  readonly session: SimulatedSession;
  readonly perform: () => Performed<unknown>;
  readonly fail: (fault: Error) => void;
  readonly done: (value: unknown) => void;
  commits: LogEntry | null;
  value: unknown;
  /** The answer on its way; null until the server has one. */
  answer: (() => void) | null;
  /** True if nobody waits for the answer any more. */
  isOrphan: boolean;
}

export class SimulatedCluster {
  primary = new SimulatedServer();
  standby: SimulatedServer | null = new SimulatedServer();
  /** The former primary until it is fenced. */
  old: SimulatedServer | null = null;
  /** False while the standby gets nothing from the primary. */
  isReplicating = true;
  cuts = 0;
  promotions = 0;
  /** Transactions that a promotion undid. */
  undone = 0;
  readonly #random: SeededRandom;
  readonly #sessions = new Set<SimulatedSession>();
  readonly #calls: Call[] = [];

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  open(
    owner: SimulatedProcess,
    kind: SimulatedSession["kind"],
    server: SimulatedServer = this.primary,
  ): SimulatedSession {
    const session = { owner, kind, server, isEnding: false, isEnded: false };
    this.#sessions.add(session);
    return session;
  }

  hasSession(name: string, server: SimulatedServer): boolean {
    return [...this.#sessions].some(
      (one) =>
        one.kind === "lease" &&
        one.owner.name === name &&
        one.server === server &&
        !one.owner.isDead,
    );
  }

  /** Other sessions that may write the journal of the session's server. */
  writersBeside(session: SimulatedSession): SimulatedSession[] {
    return [...this.#sessions].filter(
      (one) => one !== session && one.kind === "journal" && one.server === session.server,
    );
  }

  /** Tells the server to end the sessions of a venue; it does so a little later. */
  endSoon(name: string, server: SimulatedServer): void {
    for (const one of this.#sessions)
      if (one.owner.name === name && one.server === server) one.isEnding = true;
  }

  call<T>(session: SimulatedSession, perform: () => Performed<T>): Promise<T> {
    return new Promise((done, fail) => {
      this.#calls.push({
        ...{ session, perform, fail, done: done as (value: unknown) => void },
        ...{ commits: null, value: null, answer: null, isOrphan: session.owner.isDead },
      });
    });
  }

  /** Lets one call get on, or one session end. Returns false if there is nothing to do. */
  step(): boolean {
    for (const session of this.#sessions)
      if ((session.isEnding || session.owner.isDead) && this.#random.below(4) === 0)
        this.end(session);
    const ready = this.#calls.filter(
      ({ answer, commits, session }) =>
        (answer === null && commits === null) || (answer !== null && !session.owner.isFrozen),
    );
    const call = ready[this.#random.below(Math.max(ready.length, 1))];
    if (call === undefined) return false;
    if (call.answer === null) this.#perform(call);
    else this.#answer(call);
    return true;
  }

  get isQuiet(): boolean {
    return this.#calls.length === 0;
  }

  #answer(call: Call): void {
    this.#calls.splice(this.#calls.indexOf(call), 1);
    if (!call.isOrphan && !call.session.owner.isDead) call.answer?.();
  }

  #perform(call: Call): void {
    const { session, perform, done } = call;
    if (session.isEnded) {
      this.#fail(call, new DatabaseFault("ECONNRESET", "no session"));
      return;
    }
    try {
      const performed = perform();
      if (performed === null) return;
      call.value = performed.value;
      call.commits = performed.commits ?? null;
    } catch (error) {
      if (!(error instanceof DatabaseFault)) throw error;
      this.#fail(call, error);
      return;
    }
    if (call.commits === null) {
      call.answer = () => done(call.value);
      return;
    }
    session.server.waiting = call.commits;
    session.server.append(call.commits);
  }

  #fail(call: Call, fault: Error): void {
    call.answer = () => call.fail(fault);
  }

  /** The standby gets the next transaction. If the primary waits for it, the commit is done. */
  replicate(): boolean {
    const { primary, standby } = this;
    const next = primary.log[standby?.log.length ?? primary.log.length];
    if (standby === null || next === undefined || !this.isReplicating) return false;
    standby.append(next);
    if (primary.waiting === next) this.#wasReplicated(next);
    return true;
  }

  /** Cuts the wait of a commit: it stays on its server, and its session learns that nobody knows more. */
  cutWait(server: SimulatedServer): void {
    const call = this.#calls.find(({ commits }) => commits !== null && commits === server.waiting);
    server.show();
    if (call === undefined) return;
    this.cuts++;
    this.#fail(call, new DatabaseFault("57014", "the wait for the standby was cut"));
  }

  /** Ends a session: a commit of it that waits for the standby is there, and nobody was told. */
  end(session: SimulatedSession): void {
    session.isEnded = true;
    this.#sessions.delete(session);
    for (const call of this.#calls) {
      if (call.session !== session) continue;
      if (call.commits !== null && call.commits === session.server.waiting) session.server.show();
      this.#fail(call, new DatabaseFault("ECONNRESET", "the session was ended"));
    }
  }

  /** Breaks the connection of any session: its process gets an error, while the server goes on with the call. */
  breakAny(): void {
    const calls = this.#calls.filter(({ isOrphan, answer }) => !isOrphan && answer === null);
    const call = calls[this.#random.below(Math.max(calls.length, 1))];
    if (call === undefined) return;
    call.isOrphan = true;
    const told = { ...call, isOrphan: false, commits: null, value: null };
    this.#calls.push(told);
    this.#fail(told, new DatabaseFault("ECONNRESET", "the connection broke"));
  }

  /** Promotes the standby. The old primary goes on without a standby until it is fenced. */
  promote(): void {
    if (this.standby === null || this.old !== null) return;
    this.promotions++;
    this.undone += this.primary.log.length - this.standby.log.length;
    this.old = this.primary;
    this.primary = this.standby;
    this.standby = null;
  }

  /** Ends every session of the old primary, which then becomes the standby, rebuilt from the new primary. */
  fence(): void {
    if (this.old === null) return;
    for (const session of this.#sessions) if (session.server === this.old) this.end(session);
    this.old = null;
    this.standby = new SimulatedServer();
    const until = this.primary.log.length - this.#random.below(3);
    for (const entry of this.primary.log.slice(0, Math.max(until, 0))) this.standby.append(entry);
    this.isReplicating = true;
    if (this.primary.waiting !== null && this.standby.log.includes(this.primary.waiting))
      this.#wasReplicated(this.primary.waiting);
  }

  #wasReplicated(entry: LogEntry): void {
    this.primary.show();
    const call = this.#calls.find(({ commits }) => commits === entry);
    if (call !== undefined) call.answer ??= () => call.done(call.value);
  }
}
