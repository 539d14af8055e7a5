// One session with the server, through `pg`. A session never reconnects: its locks, transactions and channels end when
// it is lost, so its owner must be notified. Byte parameters are bound in binary, and COPY data is passed on as it
// arrives. All other results are text, because `pg` decodes binary results as UTF-8.
//
//   open ──▶ idle ⇄ one statement at a time, in order of the calls
//              └──── lost: ended by the server or network, or an answer timed out

import "../network/node-navigator.ts";
import pg from "pg";
import { JournalGap } from "../../ports/journal/journal-gap.ts";
import type { PostgresConnectionOptions } from "./connection-options.ts";
import { answerMsMaxOf, keepAliveMs, tcpTimeoutSettings } from "./connection-timeouts.ts";
import { PostgresFault, type PostgresFaultCode } from "./postgres-fault.ts";
import { Exchange, SentQuery } from "./protocol-exchanges.ts";
import { executeMessage, parseMessage, syncMessage } from "./protocol-messages.ts";
import { codeOf } from "./retryable.ts";
import { type Answer, type BoundText, parserOf, type Row } from "./sql.ts";

const connectTimeoutMs = 10_000;
/** Maximum time in milliseconds that closing waits for the server to close too. */
const closeMsMax = 2_000;

/** The connection was lost, so it is unknown whether the last statement was executed. */
export class ConnectionLost extends Error {
  override name = "ConnectionLost";
  readonly code = "CONNECTION_CLOSED";
}

/** The connection was lost during a commit, so it is unknown whether the transaction was committed. */
export class OutcomeUnknown extends ConnectionLost {
  override name = "OutcomeUnknown";
}

/** The server's function that waits for the synchronous standby; every notice names the function it comes from. */
const standbyWaitRoutine = "SyncRepWaitForLSN";

/**
 * True if the server gave up waiting for the synchronous standby. The transaction is then committed on this server
 * only, and is lost if the standby is promoted. The server reports this as a warning, and then success. Its text is
 * translated, so the name of the function decides; a pooler that drops that name leaves the English text.
 */
export function isUnreplicated({
  routine,
  message,
}: Pick<pg.DatabaseError, "routine" | "message">): boolean {
  return routine === standbyWaitRoutine || /wait for synchronous replication/.test(message);
}

/** A prepared statement; the server keeps its plan under the statement's name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Shows for which standbys commits wait; empty for none. */
const standbysStatement: Statement = {
  name: "standbys",
  text: "select current_setting('synchronous_standby_names') as names",
};
const standbysMessage = executeMessage(standbysStatement.name, []);

/** Parses values into the types that stores expect. */
const asStored = { getTypeParser: parserOf } as pg.CustomTypesConfig;
/** Maximum number of characters of a statement that an error message contains. */
const namedCharsMax = 60;

/** Leaves values as text. Large amounts of bytes are read by `copyOut` instead. */
const asSent = { getTypeParser: () => (value: unknown) => value } as pg.CustomTypesConfig;

/** Purpose of the session, which is its name in the server's session list. */
export type SessionPurpose =
  | "journal"
  | "reader"
  | "queries"
  | "migrations"
  | "notices"
  | "lease"
  | "devnet-ledger";

export class PgSession {
  readonly #client: pg.Client;
  /** Maximum time for an answer in milliseconds; null if the server has no statement timeout. */
  readonly #answerMsMax: number | null;
  /** Whether a commit counts only once a synchronous standby has it. */
  readonly #isSynchronous: boolean;
  /** Promise of the previous statement, for which the next one waits. */
  #turn: Promise<unknown> = Promise.resolve();
  #isLost = false;
  /** True once the server has stopped waiting for the standby of one of this session's commits. */
  #isUnreplicated = false;
  /** Resolves when the session is lost or closed. */
  readonly ended: Promise<void>;

  private constructor(client: pg.Client, answerMsMax: number | null, isSynchronous: boolean) {
    this.#client = client;
    this.#answerMsMax = answerMsMax;
    this.#isSynchronous = isSynchronous;
    this.ended = new Promise((resolve) => {
      client.on("end", () => {
        this.#isLost = true;
        resolve();
      });
    });
    // Record the loss only. The statement in progress reports it, or the next one if the session is idle.
    client.on("error", () => {
      this.#isLost = true;
    });
    client.on("notice", (notice) => {
      if (isUnreplicated({ routine: notice.routine, message: notice.message ?? "" }))
        this.#isUnreplicated = true;
    });
  }

  /**
   * Connects with the given settings; throws errors that retryable.ts can judge. If the settings have a
   * `statement_timeout`, the connection counts as lost when an answer takes longer than that and a margin, because a
   * client is not notified of a broken network. Another `answerMsMax` replaces that limit; it also covers the wait for
   * a standby, which the server's timeout does not.
   */
  static async open(
    options: PostgresConnectionOptions,
    purpose: SessionPurpose,
    settings: Readonly<Record<string, string>>,
    answerMsMax = answerMsMaxOf(settings),
  ): Promise<PgSession> {
    const { synchronous, leader, isReadOnly = false, ...address } = options;
    const demanded: Readonly<Record<string, string>> = {
      ...(synchronous !== undefined && { synchronous_commit: "on" }),
      ...(isReadOnly && { default_transaction_read_only: "on" }),
    };
    const shared = {
      application_name: nameOf(purpose, leader),
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
      options: Object.entries({ ...tcpTimeoutSettings, ...settings, ...demanded })
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(" "),
    };
    const client = new pg.Client(
      "url" in address ? { ...shared, connectionString: address.url } : { ...shared, ...address },
    );
    const session = new PgSession(client, answerMsMax, synchronous !== undefined);
    await session.#try(() => client.connect());
    // A venue that follows opens these sessions before it leads: one compares the writer epoch, one the lease itself.
    const isEarly = purpose === "journal" || purpose === "lease";
    if (leader !== undefined && !isEarly) await session.#checkLeader(leader);
    return session;
  }

  /** Closes the session and throws a PostgresFault `deposed` if another process leads. */
  async #checkLeader(leader: string): Promise<void> {
    const [row] = await this.queryText<{ holder: string }>("select holder from leadership");
    if (row?.holder === leader) return;
    await this.close();
    throw new PostgresFault("deposed", "another venue leads on this database");
  }

  /** True if the session has been lost. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** True if the session is not inside a transaction. */
  get isIdle(): boolean {
    return this.#client.getTransactionStatus() === "I";
  }

  /** Drops the connection; statements in progress fail with `ConnectionLost`. */
  drop(): void {
    this.#isLost = true;
    this.#client.connection.stream.destroy();
  }

  /**
   * Runs a statement and returns its rows. Calls are answered in their order. Throws errors that retryable.ts can
   * judge; the error of a lost connection contains the statement. A text without values may contain several statements;
   * the rows of the last one are returned.
   */
  async query(statement: BoundText): Promise<Answer<Row[]>> {
    const turn = this.#turn.then(() => this.#answered(statement));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #answered(statement: BoundText): Promise<Answer<Row[]>> {
    const { text, name, values } = statement;
    try {
      if (this.#isLost) throw new ConnectionLost("the connection was lost before this statement");
      const query = {
        ...(name === undefined ? {} : { name }),
        ...(values.length === 0 ? {} : { values: [...values] }),
        text,
        types: asStored,
      };
      const given: unknown = await this.#try(() => this.#within(this.#client.query<Row>(query)));
      const { rows, rowCount, command } = (
        Array.isArray(given) ? given.at(-1) : given
      ) as pg.QueryResult<Row>;
      if (this.#isSynchronous && this.isIdle && command !== "SELECT") await this.checkStandbys();
      const facts = { count: { value: rowCount ?? 0 }, command: { value: command } };
      return Object.defineProperties(rows, facts) as Answer<Row[]>;
    } catch (error) {
      if (isLast(error)) this.#isLost = true;
      if (!(error instanceof ConnectionLost)) throw error;
      const head = text.trim().replace(/\s+/g, " ").slice(0, namedCharsMax);
      const Kind = error instanceof OutcomeUnknown ? OutcomeUnknown : ConnectionLost;
      throw new Kind(`${error.message} (in: ${head})`, { cause: error });
    }
  }

  /** Calls `hear` with the payload of each notification on `channel` until the session ends. */
  async listen(channel: string, hear: (payload: string) => void): Promise<void> {
    this.#client.on("notification", (notice) => {
      if (notice.channel === channel) hear(notice.payload ?? "");
    });
    await this.queryText(`listen ${channel}`);
  }

  /** Runs a text without parameters and returns its rows. */
  async queryText<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    return (await this.#try(() => this.#within(this.#client.query<Row>(text)))).rows;
  }

  /** Runs a prepared statement and returns its rows, with values as text. A Buffer parameter is bound in binary. */
  async run<Row extends Record<string, string | null>>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const query = { ...statement, values: [...values], types: asSent };
    return (await this.#try(() => this.#within(this.#client.query<Row>(query)))).rows;
  }

  /** Prepares a statement under its name, for later messages of `exchange`. */
  async prepare({ name, text }: Statement): Promise<void> {
    await this.exchange([parseMessage(name, text)]);
  }

  /**
   * Sends messages of protocol-messages.ts by one write, and drops their results. Outside a transaction, they are one
   * transaction: the server commits it after the last message, or undoes all of it if one of them fails.
   */
  async exchange(messages: readonly Buffer[]): Promise<void> {
    const message = Buffer.concat([...messages, syncMessage]);
    await this.#within(this.#exchanged(message));
  }

  #exchanged(message: Buffer): Promise<void> {
    const done = new Promise<void>((resolve, reject) => {
      this.#client.query(new Exchange(message, resolve, reject));
    });
    return this.#try(() => done);
  }

  /**
   * Sends messages like `exchange`, for a commit that must be on a standby. Throws OutcomeUnknown if commits wait for no
   * standby afterwards. That is read after the commit, in the same write: the server tells its sessions of a changed
   * setting before it stops to wait, so no commit can slip between.
   */
  async exchangeWithStandby(messages: readonly Buffer[]): Promise<void> {
    const message = Buffer.concat([...messages, syncMessage, standbysMessage, syncMessage]);
    const done = this.#exchanged(message);
    const names = new Promise<string>((resolve, reject) => {
      this.#client.query(new SentQuery(resolve, reject));
    });
    const [, shown] = await this.#within(Promise.all([done, this.#try(() => names)]));
    this.#checkNames(shown);
  }

  /** Prepares the statement that `exchangeWithStandby` sends. */
  prepareStandbys(): Promise<void> {
    return this.prepare(standbysStatement);
  }

  /** Throws OutcomeUnknown, and drops the session, if commits wait for no standby: the last one may be here only. */
  async checkStandbys(): Promise<void> {
    const [row] = await this.queryText<{ names: string }>(standbysStatement.text);
    this.#checkNames(row?.names ?? "");
  }

  #checkNames(names: string): void {
    if (names.trim() !== "") return;
    this.drop();
    throw new OutcomeUnknown(
      "SYNCHRONOUS_STANDBY=required: synchronous_standby_names has been emptied, so the last commit may be on this server only: name the standbys again",
    );
  }

  /**
   * Runs one or more COPY … TO STDOUT, separated by semicolons, and passes each row's bytes to `take`. The bytes are
   * valid only until `take` returns, because the client reuses the memory. Rejects with the error that `take` throws;
   * the session is then unusable. Reading may take any time, but the wait for each row is limited.
   */
  async copyOut(text: string, take: (row: Buffer) => void): Promise<void> {
    const deadline = this.#answerMsMax === null ? null : this.#droppedAfter(this.#answerMsMax);
    try {
      await new Promise<void>((resolve, reject) => {
        const taken = (row: Buffer): void => {
          take(row);
          deadline?.refresh();
        };
        this.#client.query(new CopyOut(text, { take: taken, resolve, reject }));
      });
    } finally {
      clearTimeout(deadline ?? undefined);
    }
  }

  async close(): Promise<void> {
    const deadline = this.#droppedAfter(closeMsMax);
    await this.#client.end().catch(() => undefined);
    clearTimeout(deadline);
  }

  /**
   * Limits the wait for an answer; a timeout becomes a lost connection. An answer after which the server reports ready
   * counts only if the server did not give up waiting for the standby meanwhile.
   */
  async #within<T>(answer: Promise<T>): Promise<T> {
    const deadline = this.#answerMsMax === null ? undefined : this.#droppedAfter(this.#answerMsMax);
    try {
      const answered = await answer;
      if (!this.#isUnreplicated) return answered;
      this.drop();
      throw new OutcomeUnknown(
        "the standby did not confirm a commit: it may be on this server only",
      );
    } finally {
      clearTimeout(deadline);
    }
  }

  #droppedAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#client.connection.stream.destroy(), ms);
  }

  async #try<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw faultOf(error);
    }
  }
}

/** Returns the name of a session in the server's list: its purpose and, for a leader, whose it is. */
export function nameOf(purpose: SessionPurpose, leader: string | undefined): string {
  return leader === undefined ? `rialto-${purpose}` : `rialto-${purpose} ${leader}`;
}

interface CopyOutEnds {
  readonly take: (row: Buffer) => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Receives the client's callbacks while a COPY runs. The client defines the `handle…` names. */
class CopyOut implements pg.Submittable {
  readonly #text: string;
  readonly #ends: CopyOutEnds;
  #isOver = false;

  constructor(text: string, ends: CopyOutEnds) {
    this.#text = text;
    this.#ends = ends;
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text);
  }

  handleCopyData(message: { chunk: Buffer }): void {
    if (this.#isOver) return;
    try {
      this.#ends.take(message.chunk);
    } catch (error) {
      this.#refuse(error);
    }
  }

  handleCommandComplete(): void {
    // Nothing to do: the connection is free only when the server reports ready.
  }

  handleReadyForQuery(): void {
    if (!this.#isOver) this.#ends.resolve();
    this.#isOver = true;
  }

  handleError(error: unknown): void {
    this.#refuse(faultOf(error));
  }

  #refuse(error: unknown): void {
    if (!this.#isOver) this.#ends.reject(error);
    this.#isOver = true;
  }
}

/** True if the error is the server's announcement that the session ends. */
function isLast(error: unknown): boolean {
  const severity = error instanceof Error && "severity" in error ? error.severity : "";
  return severity === "FATAL" || severity === "PANIC" || /^(08|57P)/.test(codeOf(error));
}

/** SQL state that the venue's SQL functions raise if a batch does not follow directly on the journal's last event. */
const gapState = "RL002";
/** Faults by the other SQL states that the venue's SQL functions raise. */
const faultByState: Readonly<Record<string, PostgresFaultCode>> = {
  RL001: "deposed",
  // Raised if the session's server process has changed. Only a pooler that assigns a process per statement does that.
  RL003: "unfit",
  RL004: "second-venue",
};

/** Maps the venue's SQL states to faults, and a loss without a code to ConnectionLost; other errors are unchanged. */
function faultOf(error: unknown): unknown {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (code === gapState) return new JournalGap(message, { cause: error });
  const fault = faultByState[code];
  if (fault !== undefined) return new PostgresFault(fault, message, { cause: error });
  // The client's errors for a connection that ended or timed out have no code.
  return code === "" ? new ConnectionLost(message, { cause: error }) : error;
}
