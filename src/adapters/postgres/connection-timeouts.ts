// Bounds the time until client and server notice a silently lost connection: the client abandons a statement some time
// after the server's own timeout for it, and idle connections send keep-alives.

/** How long after the server's own statement timeout the client gives up. */
const answerMarginMs = 5_000;

/** Idle time before a connection sends a keep-alive; the system's default is two hours. */
export const keepAliveMs = 4_000;

/**
 * Time until the server ends a session without contact: 4 s idle and three probes 2 s apart, or 10 s with
 * unconfirmed data. The system's defaults are two hours and a quarter of an hour. Unix sockets cannot be cut
 * silently and ignore these.
 */
export const tcpTimeoutSettings: Readonly<Record<string, string>> = {
  tcp_keepalives_idle: "4",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "10000",
};

/** The maximum time of an answer in a session with these settings, in ms; null if the server has no limit. */
export function answerMsMaxOf(settings: Readonly<Record<string, string>>): number | null {
  const statementMs = Number(settings["statement_timeout"] ?? 0);
  return statementMs > 0 ? statementMs + answerMarginMs : null;
}
