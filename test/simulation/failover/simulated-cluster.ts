// The database of a failover run: a primary and a synchronous standby, which lags. A commit is acknowledged only after
// the standby has it. If the wait is cut, the commit is on the primary alone, and its outcome unknown. If the standby is
// promoted, what it lacked never was. The old primary still answers its sessions until it is fenced, but has no standby;
// then it is rebuilt as the standby of the new one. A standby may be promoted only once it has caught up.
//
//   call ── asked ──▶ performed at the server ──▶ answered
//                └──▶ in the log ── standby has it, or the wait is cut ──▶ answered

import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { type LogEntry, SimulatedServer } from "./simulated-server.ts";
import type { SimulatedProcess } from "./simulated-time.ts";

/** The code of a commit whose wait for the standby was cut. */
export const waitCut = "57014";

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

/** Steps after which a session ends that was told to: one of so many. Until then it goes on with its calls. */
const endOneIn = 24;

export class SimulatedCluster {
  primary = new SimulatedServer();
  standby: SimulatedServer | null = new SimulatedServer();
  /** The former primary until it is fenced. */
  old: SimulatedServer | null = null;
  /** False while the standby gets nothing from the primary. */
  isReplicating = true;
  /** False from when a standby is built until it has caught up: it may lack what was acknowledged before. */
  #isSynchronous = true;
  /** By name, the seq of each venue that follows. */
  readonly followers = new Map<string, number>();
  cuts = 0;
  promotions = 0;
  /** Transactions that a promotion undid. */
  undone = 0;
  readonly #random: SeededRandom;
  readonly #sessions = new Set<SimulatedSession>();
  /** Kinds of sessions of a process that get no answers at present, as if their network were cut. */
  readonly #held = new Set<string>();
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

  /** From now on the server hears nothing of these sessions, and says nothing to them. */
  hold({ name }: SimulatedProcess, kind: SimulatedSession["kind"]): void {
    this.#held.add(`${name} ${kind}`);
  }

  release({ name }: SimulatedProcess, kind: SimulatedSession["kind"]): void {
    this.#held.delete(`${name} ${kind}`);
  }

  #isHeld({ owner, kind }: SimulatedSession): boolean {
    return this.#held.size > 0 && this.#held.has(`${owner.name} ${kind}`);
  }

  /** Lets one call get on, or one session end. Returns false if there is nothing to do. */
  step(): boolean {
    for (const session of this.#sessions)
      if ((session.isEnding || session.owner.isDead) && this.#random.below(endOneIn) === 0)
        this.end(session);
    const ready = this.#calls.filter(({ answer, commits, session }) => {
      if (this.#isHeld(session)) return false;
      return answer === null ? commits === null : !session.owner.isFrozen;
    });
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
    if (standby.log.length === primary.log.length) this.#isSynchronous = true;
    if (primary.waiting === next) this.#wasReplicated(next);
    return true;
  }

  /** Cuts the wait of a commit: it stays on its server, and its session learns that nobody knows more. */
  cutWait(server: SimulatedServer): void {
    const call = this.#calls.find(({ commits }) => commits !== null && commits === server.waiting);
    server.show();
    if (call === undefined) return;
    this.cuts++;
    this.#fail(call, new DatabaseFault(waitCut, "the wait for the standby was cut"));
  }

  /** Ends a session: a commit of it that waits for the standby is there, and nobody was told. */
  end(session: SimulatedSession): void {
    session.isEnded = true;
    this.#sessions.delete(session);
    for (const call of this.#calls) {
      // What the server answered before is on its way.
      if (call.session !== session || call.answer !== null) continue;
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
    const { standby, old } = this;
    if (standby === null || old !== null || !this.#isSynchronous) return;
    this.promotions++;
    this.undone += this.primary.log.length - standby.log.length;
    this.old = this.primary;
    this.primary = standby;
    this.standby = null;
  }

  /** Ends every session of the old primary, which then becomes the standby, rebuilt from the new primary. */
  fence(): void {
    if (this.old === null) return;
    this.#endAllOf(this.old);
    this.old = null;
    this.buildStandby();
  }

  /** The standby is lost: until another one is built and has caught up, no commit is acknowledged. */
  loseStandby(): boolean {
    if (this.standby === null || this.old !== null) return false;
    this.#endAllOf(this.standby);
    this.standby = null;
    return true;
  }

  #endAllOf(server: SimulatedServer): void {
    for (const session of this.#sessions) if (session.server === server) this.end(session);
  }

  /** Builds a standby, unless there is one, from a copy of the primary that lacks the newest transactions. */
  buildStandby(): void {
    if (this.standby !== null || this.old !== null) return;
    this.standby = new SimulatedServer();
    const until = this.primary.log.length - this.#random.below(3);
    for (const entry of this.primary.log.slice(0, Math.max(until, 0))) this.standby.append(entry);
    this.#isSynchronous = until >= this.primary.log.length;
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
