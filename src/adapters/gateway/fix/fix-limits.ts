// Limits of FIX connections, with their reasons. Where Binance publishes a limit, it is Binance's.

import type { WindowLimit } from "./account-window.ts";

/** Longest body of a message in bytes: ten times the longest that an order needs. */
export const bodyBytesMax = 8_192;

/** Time in ms from the connection to a valid Logon. */
export const logonMsMax = 10_000;

/** Heartbeat intervals that a client may choose, in seconds. */
export const heartBtIntMin = 5;
export const heartBtIntMax = 60;

/** What a session is for. */
export type SessionKind = "orderEntry" | "dropCopy" | "marketData";

/** Limits of one kind of session. */
interface SessionLimits {
  /** Sessions of one account at a time. */
  readonly sessions: number;
  /** Logons of one account. */
  readonly logons: WindowLimit;
  /** Messages that the client of a session may send; one more ends it. */
  readonly messages: WindowLimit;
}

export const sessionLimits: Readonly<Record<SessionKind, SessionLimits>> = {
  orderEntry: {
    sessions: 10,
    logons: { max: 15, windowMs: 30_000 },
    messages: { max: 10_000, windowMs: 10_000 },
  },
  dropCopy: {
    sessions: 10,
    logons: { max: 15, windowMs: 30_000 },
    messages: { max: 60, windowMs: 60_000 },
  },
  marketData: {
    sessions: 100,
    logons: { max: 300, windowMs: 300_000 },
    messages: { max: 2_000, windowMs: 60_000 },
  },
};

/** Streams of one market data session. */
export const streamsPerSessionMax = 1_000;

/** Connections to one listener: each may hold a message, its backlog and its messages for resends. */
export const connectionsMax = 512;

/**
 * Messages that may wait for the answer to an earlier one: a burst of a maker. Their characters together are bounded too,
 * because all connections may have so many at a time: 128 MiB.
 */
export const waitingMessagesMax = 1_000;
export const waitingCharactersMax = 262_144;

/** Messages that a session keeps to send them again: a few seconds of a busy maker. */
export const resentMessagesMax = 1_024;

/** Characters of messages that a session may hold while older reports are read from the journal: some 2,000 reports. */
export const heldCharactersMax = 1_048_576;

/** Resends of one account: some for each session that comes back. */
export const resendsLimit: WindowLimit = { max: 60, windowMs: 60_000 };

/** Events of the venue that are looked through for reports to send again: about a second of the database's time. */
export const rereadEventsMax = 2_000_000;

/** Events of one account among them. */
export const rereadReportsMax = 5_000;

/** Reports that are rendered and sent at once, so that others on this front need not wait. */
export const resentAtOnce = 256;

/** Time in ms for reading older reports and sending them. */
export const resendMsMax = 30_000;

/** Bytes that may wait for a client that reads slowly; more end the connection. */
export const backlogBytesMax = 1_048_576;

/** The same for market data: the snapshots of eight deep books, 5,000 levels of 45 bytes per side. */
export const marketBacklogBytesMax = 4_194_304;
