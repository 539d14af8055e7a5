// The bus over NATS core. Each connection is used until it is lost and is then replaced by this file, not by the client
// library: the library would send at the reconnect what was written meanwhile, and commands would arrive long after
// their callers gave up.

import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Authenticator,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
  type TlsOptions,
} from "@nats-io/transport-node";
import type { Answer, Bus } from "../../ports/bus.ts";
import type { Log } from "../../ports/log.ts";

export interface NatsSettings {
  /** Addresses of the servers of one cluster, such as tls://bus-1.internal:4222. */
  readonly urls: readonly string[];
  /** Certificates that may sign the servers' certificates; null for those of the system. */
  readonly caFile: string | null;
  /** Credentials (JWT and seed) of this role; null for none. */
  readonly credentialsFile: string | null;
  /** Seed of this role's NKey; null for none. */
  readonly nkeyFile: string | null;
}

export interface NatsBusParts {
  readonly settings: NatsSettings;
  /** Name of this connection, as the operator of the servers sees it. */
  readonly name: string;
  readonly log: Log;
}

/** Pause before the second attempt to connect in a row; doubles up to the maximum. */
const pauseMsMin = 50;
const pauseMsMax = 1_000;
/** Longest attempt to connect to one server. */
const connectMsMax = 2_000;
/** The server is asked for a sign of life this often; two missing ones end the connection. */
const pingMs = 1_000;
/** Longest wait at a close for what was sent last. */
const flushMsMax = 500;

type Taker = (bytes: Uint8Array, answer: Answer) => void;

export class NatsBus implements Bus {
  readonly #parts: NatsBusParts;
  readonly #takers: (readonly [subject: string, take: Taker])[] = [];
  readonly #told: ((isConnected: boolean) => void)[] = [];
  readonly #ended: Promise<void>;
  /** The newest connection, which has the subscriptions; messages are sent only over `#connection`. */
  #listening: NatsConnection | null = null;
  #connection: NatsConnection | null = null;
  #isClosing = false;
  #endPause: () => void = () => undefined;

  /** Begins to connect, and goes on until `close`. */
  constructor(parts: NatsBusParts) {
    this.#parts = parts;
    this.#ended = this.#run();
  }

  get isConnected(): boolean {
    return this.#connection !== null && !this.#connection.isClosed();
  }

  publish(subject: string, bytes: Uint8Array): boolean {
    const connection = this.#connection;
    if (connection === null || !this.isConnected) return false;
    connection.publish(subject, bytes);
    return true;
  }

  subscribe(subject: string, take: Taker): void {
    this.#takers.push([subject, take]);
    const listening = this.#listening;
    if (listening !== null && !listening.isClosed()) this.#listen(listening, subject, take);
  }

  async request(subject: string, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array | null> {
    const connection = this.#connection;
    if (connection === null) return null;
    try {
      const { data } = await connection.request(subject, bytes, { timeout: timeoutMs });
      return data;
    } catch {
      // No answer in time, nobody who listens, or a lost connection: the caller asks again in each case.
      return null;
    }
  }

  onChange(told: (isConnected: boolean) => void): void {
    this.#told.push(told);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#endPause();
    const connection = this.#listening;
    if (connection !== null && !connection.isClosed()) {
      // A server that is gone takes nothing any more, so the flush gets little time.
      const flushed = connection.flush().catch(() => undefined);
      await Promise.race([flushed, sleep(flushMsMax, undefined, { ref: false })]);
      await connection.close();
    }
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { log, settings } = this.#parts;
    let pauseMs = pauseMsMin;
    let isToldAway = false;
    for (let attempt = 0; !this.#isClosing; attempt++) {
      // One server after the other, so that the certificate is compared with the address that was called.
      const url = settings.urls[attempt % settings.urls.length] ?? "";
      try {
        const connection = await connect(await this.#options(url));
        pauseMs = pauseMsMin;
        isToldAway = false;
        await this.#use(connection);
      } catch (error) {
        // Each attempt fails in the same way until the operator acts, so the failure is logged once.
        if (!isToldAway && !this.#isClosing)
          log.warn(
            { servers: settings.urls.length, reason: wordsOf(error) },
            "NATS is not reached; trying again",
          );
        isToldAway = true;
      }
      await this.#pause(pauseMs);
      pauseMs = Math.min(2 * pauseMs, pauseMsMax);
    }
  }

  /** Uses the connection until it is lost. */
  async #use(connection: NatsConnection): Promise<void> {
    if (this.#isClosing) return connection.close();
    for (const [subject, take] of this.#takers) this.#listen(connection, subject, take);
    // What is subscribed from here on is added to this connection at once, although it is not used yet.
    this.#listening = connection;
    void endWhenStale(connection);
    // The server has the subscriptions once it has answered this; only then may others be told of the connection. The
    // library leaves a flush open for ever if the connection is lost meanwhile.
    await Promise.race([connection.flush(), connection.closed()]);
    if (connection.isClosed()) return;
    this.#connection = connection;
    this.#parts.log.info({ server: connection.getServer() }, "connected to NATS");
    this.#tell(true);
    const fault = await connection.closed();
    this.#connection = null;
    if (!this.#isClosing) {
      const reason = fault === undefined ? "the server closed it" : wordsOf(fault);
      this.#parts.log.warn({ reason }, "the connection to NATS is lost; connecting again");
    }
    this.#tell(false);
  }

  #listen(connection: NatsConnection, subject: string, take: Taker): void {
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) take(message.data, (bytes) => void message.respond(bytes));
      },
    });
  }

  #tell(isConnected: boolean): void {
    for (const told of this.#told) told(isConnected);
  }

  /** Reads the files at each attempt, so that the operator can replace them while the program runs. */
  async #options(url: string): Promise<ConnectionOptions> {
    const { settings, name } = this.#parts;
    const { caFile } = settings;
    const isSecure = caFile !== null || url.startsWith("tls://");
    const address = url.replace(/^\w+:\/\//, "");
    const ca = caFile === null ? {} : { ca: await readFile(caFile, "utf8") };
    // The client library names hosts, but no addresses, for the comparison with the certificate.
    const host = address.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
    const secure: TlsOptions & { readonly host: string } = { ...ca, host };
    const authenticator = await authenticatorOf(settings);
    return {
      servers: [address],
      name,
      reconnect: false,
      noEcho: true,
      timeout: connectMsMax,
      pingInterval: pingMs,
      maxPingOut: 2,
      ...(isSecure && { tls: secure }),
      ...(authenticator !== null && { authenticator }),
    };
  }

  #pause(ms: number): Promise<void> {
    if (this.#isClosing) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/**
 * Ends a connection whose server gives no sign of life. The library would first send what waits, which never ends if the
 * other side takes nothing.
 */
async function endWhenStale(connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status())
    if (type === "staleConnection") void connection.close();
}

async function authenticatorOf(settings: NatsSettings): Promise<Authenticator | null> {
  const { credentialsFile, nkeyFile } = settings;
  if (credentialsFile !== null) return credsAuthenticator(await readFile(credentialsFile));
  if (nkeyFile === null) return null;
  const text = await readFile(nkeyFile, "utf8");
  return nkeyAuthenticator(new TextEncoder().encode(text.trim()));
}

/** The message of an error. Errors of the client name servers and files, never credentials. */
function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
