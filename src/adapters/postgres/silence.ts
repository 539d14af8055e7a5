// How soon a client knows of a network that lost its connection and told nobody: what the server said nothing
// to is given up some time after the server would have ended it, and an idle connection asks.

/** What an answer may take beyond the time after which the server itself ends the statement. */
const answerMarginMs = 5_000;

/** How long a connection is idle before it asks whether the server is there; left to the system, two hours. */
export const keepAliveMs = 4_000;

/** How long an answer may take in a session with these settings, in ms; null where the server has no limit. */
export function answerMsMaxOf(settings: Readonly<Record<string, string>>): number | null {
  const statementMs = Number(settings["statement_timeout"] ?? 0);
  return statementMs > 0 ? statementMs + answerMarginMs : null;
}
