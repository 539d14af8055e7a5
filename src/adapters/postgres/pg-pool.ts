// A pool of sessions. A session serves one statement or transaction at a time. If no session is free, the caller waits
// for one, within a time limit. A lost session is replaced at the next call. No statement is sent twice or moves to
// another session.
//
//   statement     take ─▶ send ─▶ answer ─▶ release          lost: rejected, once
//   transaction   take ─▶ begin ─▶ steps ─▶ commit ─▶ release
//                           │        │         └─ lost: committed or not, unknown (OutcomeUnknown)
//                           └────────┴─ lost or refused: undone; no step is sent after that

import { ConnectionLost, OutcomeUnknown, type PgSession } from "./pg-session.ts";
import { codeOf } from "./retryable.ts";
import { type Answer, type Row, type Sql, type Statements, statementsOver } from "./sql.ts";

export interface PoolSettings {
  readonly open: () => Promise<PgSession>;
  readonly sessionsMax: number;
  /** Maximum time to wait for a free session in milliseconds; null for no limit. */
  readonly waitMsMax: number | null;
}

interface Waiter {
  readonly resolve: (session: PgSession | null) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

export class PgPool {
  readonly #settings: PoolSettings;
  readonly #idle: PgSession[] = [];
  readonly #busy = new Set<PgSession>();
  readonly #waiting: Waiter[] = [];
  /** Number of sessions that are open or being opened. */
  #count = 0;
  #isEnding = false;
  #onQuiet: () => void = () => undefined;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
  }

  /** Returns the pool in the form that stores use. */
  sql(): Sql {
    const statements = statementsOver((statement) =>
      this.#using((session) => session.query(statement)),
    );
    return Object.assign(statements, {
      begin: <T>(work: (tx: Statements) => Promise<T>, mode = "") =>
        this.#using((session) => inTransaction(session, work, mode)),
      end: (options?: { readonly timeout: number }) => this.#end(options?.timeout ?? null),
    });
  }

  async #using<T>(work: (session: PgSession) => Promise<T>): Promise<T> {
    const session = await this.#take();
    try {
      return await work(session);
    } finally {
      this.#give(session);
    }
  }

  async #take(): Promise<PgSession> {
    if (this.#isEnding) throw ended();
    const session = this.#idleOne() ?? (await this.#opened()) ?? (await this.#waited());
    this.#busy.add(session);
    return session;
  }

  #idleOne(): PgSession | null {
    for (;;) {
      const session = this.#idle.pop();
      if (session === undefined) return null;
      if (!session.isLost) return session;
      this.#count -= 1;
    }
  }

  /** Opens a session if the pool has room for one; otherwise returns null. */
  async #opened(): Promise<PgSession | null> {
    if (this.#count >= this.#settings.sessionsMax) return null;
    this.#count += 1;
    try {
      const session = await this.#settings.open();
      if (!this.#isEnding) return session;
      await session.close();
      throw ended();
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  /** Waits for the next released session; opens a new one if that session was lost. */
  async #waited(): Promise<PgSession> {
    const { waitMsMax } = this.#settings;
    const given = await new Promise<PgSession | null>((resolve, reject) => {
      const late = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        const error = new Error(`no connection to the database was free within ${waitMsMax} ms`);
        // Give the error a retryable code, although the server did not send one: the server may be gone while every
        // session waits for it.
        reject(Object.assign(error, { code: "08000" }));
      };
      const timer = waitMsMax === null ? undefined : setTimeout(late, waitMsMax);
      const waiter = { resolve, timer };
      this.#waiting.push(waiter);
    });
    return given ?? this.#take();
  }

  #give(session: PgSession): void {
    this.#busy.delete(session);
    // Drop a session whose transaction is still open, because the transaction would include the next caller's
    // statements.
    if (!session.isIdle) session.drop();
    if (session.isLost) this.#leave();
    // Count the session as gone only after it is closed, so that the end of the pool means that the server has no
    // session of the pool left.
    else if (this.#isEnding) void session.close().finally(() => this.#leave());
    else if (!this.#next(session)) this.#idle.push(session);
  }

  /** Counts one session less, so that a waiting caller can open a new one. */
  #leave(): void {
    this.#count -= 1;
    this.#next(null);
    if (this.#isEnding && this.#count === 0) this.#onQuiet();
  }

  #next(session: PgSession | null): boolean {
    const waiter = this.#waiting.shift();
    if (waiter === undefined) return false;
    clearTimeout(waiter.timer);
    waiter.resolve(session);
    return true;
  }

  async #end(timeoutS: number | null): Promise<void> {
    this.#isEnding = true;
    while (this.#next(null));
    const idle = this.#idle.splice(0);
    this.#count -= idle.length;
    const closed = idle.map((session) => session.close());
    if (this.#count > 0) {
      const quiet = new Promise<void>((resolve) => {
        this.#onQuiet = resolve;
      });
      const drop = () => {
        for (const session of this.#busy) session.drop();
        this.#onQuiet();
      };
      const timer = timeoutS === null ? undefined : setTimeout(drop, 1000 * timeoutS);
      await quiet;
      clearTimeout(timer);
    }
    await Promise.all(closed);
  }
}

function ended(): ConnectionLost {
  return new ConnectionLost("the connections to the database are closed");
}

function undone(cause?: unknown): ConnectionLost {
  const message = cause instanceof Error ? `: ${cause.message}` : "";
  return new ConnectionLost(`connection lost: the transaction is undone${message}`, { cause });
}

async function inTransaction<T>(
  session: PgSession,
  work: (tx: Statements) => Promise<T>,
  mode: string,
): Promise<T> {
  const say = (text: string) => session.query({ text, name: undefined, values: [] });
  let isOver = false;
  const steps = statementsOver(async (statement): Promise<Answer<Row[]>> => {
    // A statement that the caller did not await must not be sent after the transaction has ended.
    if (isOver) throw new Error("the transaction has ended");
    return session.query(statement);
  });
  await say(`begin ${mode}`);
  let made: T;
  try {
    made = await work(steps);
  } catch (error) {
    isOver = true;
    if (session.isLost) throw undone(error);
    // If the rollback fails, drop the connection; the server then undoes the transaction.
    await say("rollback").catch(() => session.drop());
    throw error;
  }
  isOver = true;
  if (session.isLost) throw undone();
  let answer: Answer<Row[]>;
  try {
    answer = await say("commit");
  } catch (error) {
    const isAnswered = /^(?!08|57P)[0-9A-Z]{5}$/.test(codeOf(error));
    if (isAnswered) throw error;
    throw new OutcomeUnknown("it is unknown if the transaction was committed", { cause: error });
  }
  // A statement failed and the caller ignored this, so the server answers COMMIT with ROLLBACK.
  if (answer.command === "ROLLBACK")
    throw new Error("a statement failed, so the transaction is undone");
  return made;
}
