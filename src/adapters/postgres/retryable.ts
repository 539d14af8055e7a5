// Lists the database errors that are retried; no other error is. A retry repeats the same batch after looking up the
// last seq, so adding a code never risks a double write. A code belongs here if waiting can help.

/** An error code, and the reason why a retry can succeed. */
export interface RetryRule {
  /** A complete error code, or a two-character class of SQLSTATE codes. */
  readonly code: string;
  readonly because: string;
}

/** Rules for SQLSTATE codes, SQLSTATE classes, and error codes of the client and the operating system. */
export const retryRules: readonly RetryRule[] = [
  { code: "08", because: "connection exception: the server is gone or not yet started" },
  {
    code: "25006",
    because:
      "read-only for now: the disk of a managed server is full, or a standby is not promoted yet",
  },
  { code: "40001", because: "serialization failure: the whole transaction was rolled back" },
  { code: "40P01", because: "deadlock: the whole transaction was rolled back" },
  { code: "53", because: "out of disk, memory or connections: an operator can free some" },
  { code: "55P03", because: "lock not available within lock_timeout" },
  { code: "57014", because: "statement cancelled, by its timeout or by an operator" },
  { code: "57P01", because: "terminated by an administrator or by a shutdown" },
  { code: "57P02", because: "terminated because another backend crashed" },
  { code: "57P03", because: "starting up, recovering or shutting down" },
  { code: "58030", because: "input/output error on the server" },
  { code: "ECONNREFUSED", because: "no server listens at the moment" },
  { code: "ECONNRESET", because: "the server died or was killed" },
  { code: "EPIPE", because: "written to a connection the server had closed" },
  { code: "ENOENT", because: "the Unix socket does not exist while the server restarts" },
  { code: "ETIMEDOUT", because: "the network did not answer" },
  { code: "ECONNABORTED", because: "the operating system closed the connection" },
  { code: "ENETUNREACH", because: "this machine has no route at the moment" },
  { code: "ENETDOWN", because: "this machine's network is down at the moment" },
  { code: "EADDRNOTAVAIL", because: "this machine has no local address at the moment" },
  { code: "EHOSTDOWN", because: "the host is down at the moment" },
  { code: "EHOSTUNREACH", because: "the network has no route at the moment" },
  { code: "ENOTFOUND", because: "the name does not resolve at the moment" },
  { code: "EAI_AGAIN", because: "the name service does not answer" },
  { code: "CONNECTION_CLOSED", because: "the client saw the connection close" },
  { code: "CONNECTION_ENDED", because: "the client is replacing the connection" },
  { code: "CONNECTION_DESTROYED", because: "the client closed the connection" },
  { code: "CONNECT_TIMEOUT", because: "the server did not finish the handshake in time" },
];

const readOnly = /Read-only file system/;
const reasonByCode = new Map(retryRules.map((rule) => [rule.code, rule.because]));

/** Returns the code of a database error, or "" if it has none. */
export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/**
 * True if the server's disk is read-only at the moment, which an operator can fix. The server uses the same code for a
 * missing right, which waiting does not fix, so the message decides. Only the English message is recognised: with other
 * `lc_messages` the error is not retried, and the venue stops.
 */
function isDiskReadOnly(error: object): boolean {
  return codeOf(error) === "42501" && "message" in error && readOnly.test(String(error.message));
}

/**
 * True if the server panicked. It restarts after a panic, so a panic is retried even if its code is not on the list.
 * The severity is translated, so a panic is recognised only if the server's `lc_messages` is English.
 */
function isPanic(error: object): boolean {
  return "severity" in error && error.severity === "PANIC";
}

/** Codes and classes that only a running server sends, so it may have processed the statement. */
const answered: ReadonlySet<string> = new Set([
  ...["25006", "40001", "40P01", "53", "55P03", "57014", "58030"],
]);

/** True if no server answers now: it is starting, shutting down or unreachable. */
export function isServerAway(error: unknown): boolean {
  const code = codeOf(error);
  return isRetryable(error) && !answered.has(code) && !answered.has(code.slice(0, 2));
}

/** True if `error` is on the list, so that the same work may succeed when it is repeated. */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  if (reasonByCode.has(code)) return true;
  if (typeof error !== "object" || error === null) return false;
  if (isPanic(error) || isDiskReadOnly(error)) return true;
  // An SQLSTATE has five characters; the first two are its class.
  return /^[0-9A-Z]{5}$/.test(code) && reasonByCode.has(code.slice(0, 2));
}
