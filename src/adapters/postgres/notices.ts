// Receives notifications through the database. A lost session is reopened until the caller stops listening.
// Notifications sent while there is no session are missed. Therefore `listening` is called after each connect, so that
// the caller checks for changes.

import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresConnectionOptions } from "./connection-options.ts";
import { PgSession } from "./pg-session.ts";

/** Milliseconds to wait before a reconnect. */
const pauseMs = 500;

/** Maximum time to wait for the server when closing. */
const closeMsMax = 1_000;

const settings = { statement_timeout: "15000", lock_timeout: "5000" };

export interface Listening {
  readonly channel: string;
  readonly hear: (payload: string) => void;
  readonly listening: () => void;
  /** Called once each time the session is lost. */
  readonly lost: (error: unknown) => void;
}

/**
 * Starts listening and returns a function that stops it. The promise of that function resolves when the session is
 * closed.
 */
export function listenTo(
  connection: PostgresConnectionOptions,
  { channel, hear, listening, lost }: Listening,
): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const heard = async (listened: () => void) => {
    const session = await PgSession.open(connection, "notices", settings);
    const close = () => void session.close();
    signal.addEventListener("abort", close);
    try {
      await session.listen(channel, hear);
      listened();
      listening();
      if (!signal.aborted) await session.ended;
    } finally {
      signal.removeEventListener("abort", close);
      await session.close();
    }
  };
  const run = async () => {
    let isLost = false;
    while (!signal.aborted) {
      const listened = () => {
        isLost = false;
      };
      const error: unknown = await heard(listened).then(
        () => new Error("the listening session has ended"),
        (fault: unknown) => fault,
      );
      if (!signal.aborted && !isLost) lost(error);
      isLost = true;
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return async () => {
    ending.abort();
    await Promise.race([running, sleep(closeMsMax, undefined, { ref: false })]);
  };
}
