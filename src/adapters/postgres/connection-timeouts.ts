// How soon either side knows of a network that lost their connection and told nobody: what the server said
// nothing to is given up some time after the server would have ended it, and an idle connection asks.

/** What an answer may take beyond the time after which the server itself ends the statement. */
const answerMarginMs = 5_000;

/** How long a connection is idle before it asks whether the server is there; left to the system, two hours. */
export const keepAliveMs = 4_000;

/**
 * How long a server that hears nothing keeps a session: 4 s of silence and three questions 2 s apart, or 10 s
 * with an answer unconfirmed. Its own settings are two hours and a quarter of one. Sockets in a folder cannot
 * be cut in silence and ignore these.
 */
export const tcpTimeoutSettings: Readonly<Record<string, string>> = {
  tcp_keepalives_idle: "4",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "10000",
};

/** How long an answer may take in a session with these settings, in ms; null where the server has no limit. */
export function answerMsMaxOf(settings: Readonly<Record<string, string>>): number | null {
  const statementMs = Number(settings["statement_timeout"] ?? 0);
  return statementMs > 0 ? statementMs + answerMarginMs : null;
}
