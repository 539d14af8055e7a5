// One session with the server through `pg`, for the journal and its snapshots. It is used there and
// not the `postgres` client of the other connections for three reasons: it binds byte buffers in
// binary; it never reconnects by itself, which would silently lose the venue's lock; and it hands over
// COPY data as it arrives, where the other one's stream was seen to stall. Other results come as
// text, because this client decodes binary ones as if they were UTF-8.

import pg from "pg";
import { JournalGap } from "../../ports/journal/journal-gap.ts";
import type { PostgresConnectionOptions } from "./connection.ts";
import { executeMessage, type Parameter } from "./execute-message.ts";
import { PostgresFault, type PostgresFaultCode } from "./postgres-fault.ts";
import { codeOf } from "./retryable.ts";
import { answerMsMaxOf, keepAliveMs, silenceSettings } from "./silence.ts";

const connectTimeoutMs = 10_000;
/** How long a connection that is closed waits for the server to close it too. */
const closeMsMax = 2_000;

/** The connection went away; whether the last statement was carried out is unknown. */
export class ConnectionLost extends Error {
  override name = "ConnectionLost";
  readonly code = "CONNECTION_CLOSED";
}

/** A prepared statement: its name makes the server keep the plan. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** No parsers: values stay as the text sent; bytes in quantity come by `copyOut`. */
const asSent = { getTypeParser: () => (value: unknown) => value } as pg.CustomTypesConfig;

export class PgSession {
  readonly #client: pg.Client;
  /** Null where the server has no limit either. */
  readonly #answerMsMax: number | null;

  private constructor(client: pg.Client, answerMsMax: number | null) {
    this.#client = client;
    this.#answerMsMax = answerMsMax;
  }

  /**
   * Connects with the given settings; throws what retryable.ts can judge. With a `statement_timeout` among them a
   * server that is silent for longer is given up: nothing tells a client that a network lost its connection.
   */
  static async open(
    options: PostgresConnectionOptions,
    purpose: "journal" | "reader",
    settings: Readonly<Record<string, string>>,
  ): Promise<PgSession> {
    const shared = {
      application_name: `rialto-${purpose}`,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
      options: Object.entries({ ...silenceSettings, ...settings })
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(" "),
    };
    const client = new pg.Client(
      "url" in options ? { ...shared, connectionString: options.url } : { ...shared, ...options },
    );
    // Each statement's own promise reports a lost connection; an idle one is found by the next.
    client.on("error", () => undefined);
    const session = new PgSession(client, answerMsMaxOf(settings));
    await session.#try(() => client.connect());
    return session;
  }

  /** Rows of a statement in text. */
  async ask<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    return (await this.#try(() => this.#within(this.#client.query<Row>(text)))).rows;
  }

  /** Rows of a prepared statement, values as the text sent; a Buffer parameter is bound in binary. */
  async run<Row extends Record<string, string | null>>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const query = { ...statement, values: [...values], types: asSent };
    return (await this.#try(() => this.#within(this.#client.query<Row>(query)))).rows;
  }

  /** Prepares a statement under its name, for `execute`. */
  async prepare({ name, text }: Statement): Promise<void> {
    await this.ask(`prepare ${name} as ${text}`);
  }

  /** Runs the statement prepared under `name`; what it answers is dropped. */
  async execute(name: string, parameters: readonly Parameter[]): Promise<void> {
    const message = executeMessage(name, parameters);
    const executed = new Promise<void>((resolve, reject) => {
      this.#client.query(new Execution(message, resolve, reject));
    });
    await this.#within(executed);
  }

  /**
   * Runs a COPY … TO STDOUT and hands over each row's bytes, which last until `take` returns: the client
   * writes the next ones into the same memory. Rejects with what `take` throws; the
   * session is of no use after a rejection.
   */
  async copyOut(text: string, take: (row: Buffer) => void): Promise<void> {
    const copied = new Promise<void>((resolve, reject) => {
      this.#client.query(new CopyOut(text, { take, resolve, reject }));
    });
    await this.#within(copied);
  }

  async close(): Promise<void> {
    const deadline = this.#droppedAfter(closeMsMax);
    await this.#client.end().catch(() => undefined);
    clearTimeout(deadline);
  }

  /** What is not answered in time is answered by the loss of its connection. */
  async #within<T>(answer: Promise<T>): Promise<T> {
    if (this.#answerMsMax === null) return answer;
    const deadline = this.#droppedAfter(this.#answerMsMax);
    try {
      return await answer;
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

/** What the client calls while a prepared statement runs; `handle…` are its names. */
class Execution implements pg.Submittable {
  readonly #message: Buffer;
  readonly #resolve: () => void;
  readonly #reject: (fault: unknown) => void;

  constructor(message: Buffer, resolve: () => void, reject: (fault: unknown) => void) {
    this.#message = message;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: pg.Connection): void {
    connection.stream.write(this.#message);
  }

  handleDataRow(): void {
    // Nobody asked for it.
  }

  handleCommandComplete(): void {
    // Not committed before the server is ready again.
  }

  handleReadyForQuery(): void {
    this.#resolve();
  }

  /** The server is ready again after an error too; the promise then has its answer. */
  handleError(error: unknown): void {
    this.#reject(faultOf(error));
  }
}

interface CopyOutEnds {
  readonly take: (row: Buffer) => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** What the client calls while a COPY runs; `handle…` are its names. */
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
    // The connection is free again only when the server says so.
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

/** What the venue's own functions raise where a group does not join the journal's end. */
const gapState = "RL002";
/** What else they raise. */
const faultByState: Readonly<Record<string, PostgresFaultCode>> = {
  RL001: "deposed",
  // Only a pooler that hands out server sessions by statement makes a session change its backend.
  RL003: "unfit",
};

/** The venue's own refusals as faults, a loss without a code as ConnectionLost, the rest as it is. */
function faultOf(error: unknown): unknown {
  const code = codeOf(error);
  const words = error instanceof Error ? error.message : String(error);
  if (code === gapState) return new JournalGap(words, { cause: error });
  const fault = faultByState[code];
  if (fault !== undefined) return new PostgresFault(fault, words, { cause: error });
  // The client reports a connection that ended or timed out in words only.
  return code === "" ? new ConnectionLost(words, { cause: error }) : error;
}
