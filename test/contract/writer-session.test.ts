// Proves that the database server notices within seconds that the venue is gone, even if the connection closes
// without a message. This matters because the venue's lock ends with the session. Unix sockets cannot be cut off
// like that, so the server of this test listens on loopback.

import assert from "node:assert/strict";
import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { migrate } from "../../src/adapters/postgres/migrate.ts";
import { startEmbeddedPostgres } from "../../src/adapters/postgres/server/embedded-postgres.ts";
import { WriterSession } from "../../src/adapters/postgres/writer-session.ts";

/** The system's table of TCP sockets with their timers (proc(5)). */
const sockets = "/proc/net/tcp";
const ticksPerSecond = 100;
const idleSecondsMax = 10;
const looksMax = 1_000;
const lookPauseMs = 20;
/** The kernel's code of the timer for keepalive probes. */
const keepaliveTimer = "02";

interface SocketTimer {
  readonly timer: string;
  readonly seconds: number;
}

/** Returns the timer of the server's socket for the connection from `clientPort`; both ends are on 127.0.0.1. */
async function timerOf(serverPort: number, clientPort: number): Promise<SocketTimer> {
  const address = (port: number) => `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = (await readFile(sockets, "utf8")).split("\n").map((row) => row.trim().split(/\s+/));
  const row = rows.find(
    ([, local, remote]) => local === address(serverPort) && remote === address(clientPort),
  );
  const [timer = "", ticks = ""] = row?.[5]?.split(":") ?? [];
  return { timer, seconds: Number.parseInt(ticks, 16) / ticksPerSecond };
}

test("JRN-12 JRN-21 the server probes the connection of a silent writer within seconds", async (t) => {
  const isTold = await access(sockets).then(
    () => true,
    () => false,
  );
  if (!isTold) return t.skip(`the system has no ${sockets}`);
  // The path is too long for a Unix socket, so the server listens on loopback.
  const folder = await mkdtemp(join(tmpdir(), `rialto-${"long-".repeat(16)}`));
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    holderFile: null,
    log: () => undefined,
  });
  const { connection } = server;
  assert("port" in connection && connection.host === "127.0.0.1");
  const sql = openPostgres(connection, "migrations");
  try {
    await migrate(sql);
    const session = await WriterSession.open(connection, null);
    const [client] = await sql<{ port: number }[]>`
      select client_port as port from pg_stat_activity where application_name = 'rialto-journal'`;
    let found = await timerOf(connection.port, client?.port ?? 0);
    // The client's kernel acknowledges the last answer a moment later; until then the timer for unacknowledged bytes
    // runs. A row of the list may be missing if others come and go while it is read.
    for (let looks = 0; found.timer !== keepaliveTimer && looks < looksMax; looks++) {
      await sleep(lookPauseMs);
      found = await timerOf(connection.port, client?.port ?? 0);
    }
    await session.close();
    assert.equal(found.timer, keepaliveTimer);
    assert(found.seconds <= idleSecondsMax, `the server would probe only after ${found.seconds} s`);
  } finally {
    await sql.end();
    await server.stop("immediate");
    await rm(folder, { recursive: true, force: true });
  }
});
