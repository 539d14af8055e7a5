// Limits how long client and server take to notice a connection that was lost silently. The client abandons a statement
// some time after the server's own timeout for it, and idle connections send keep-alives.

/** Time after the server's statement timeout at which the client gives up, in milliseconds. */
const answerMarginMs = 5_000;

/** Milliseconds that a connection is idle before it sends a keep-alive; the system's default is two hours. */
export const keepAliveMs = 4_000;

/**
 * Settings by which the server ends a session without contact: after 4 s idle and three probes 2 s apart, or after 10 s
 * with unconfirmed data. The system's defaults are two hours and a quarter of an hour. Unix sockets cannot be cut
 * silently and ignore these settings.
 */
export const tcpTimeoutSettings: Readonly<Record<string, string>> = {
  tcp_keepalives_idle: "4",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "10000",
};

/** Returns the maximum time for an answer in a session with these settings, in ms; null if the server has no limit. */
export function answerMsMaxOf(settings: Readonly<Record<string, string>>): number | null {
  const statementMs = Number(settings["statement_timeout"] ?? 0);
  return statementMs > 0 ? statementMs + answerMarginMs : null;
}
