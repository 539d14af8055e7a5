// The supervisor process of the tests' PostgreSQL. It starts the server, creates the migrated template database, and
// stops and removes everything once the run has ended or the server is unused for a while. It sends signals only to the
// server that it started.

import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres } from "../../../src/adapters/postgres/connection.ts";
import { withDatabase } from "../../../src/adapters/postgres/connection-options.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { startEmbeddedPostgres } from "../../../src/adapters/postgres/server/embedded-postgres.ts";
import { isAlive } from "../../../src/adapters/process-life.ts";
import { type RunFolder, runFolder, templateName } from "./postgres.ts";

/**
 * After this time without users the server is stopped. It is longer than the pause between two test files. The limit
 * also ends runs whose starting process is a shell that stays open.
 */
const idleMsMax = 20_000;
const lookEveryMs = 200;

const runPid = Number(process.argv[2]);
const folder = runFolder(runPid);

try {
  await keep(folder);
} catch (error) {
  await writeFile(folder.failedFile, error instanceof Error ? error.message : String(error));
}

async function keep({ path, dataDir, readyFile }: RunFolder): Promise<void> {
  await writeFile(join(path, "supervisor.pid"), String(process.pid));
  const server = await startEmbeddedPostgres({ dataDir, holderFile: null, log: () => undefined });
  try {
    await makeTemplate(server.connection);
    const unfinished = `${readyFile}.new`;
    await writeFile(unfinished, JSON.stringify(server.connection));
    await rename(unfinished, readyFile);
    for (;;) {
      await untilUnused();
      await rm(readyFile, { force: true });
      // A test process may have registered and read the ready file just before its removal.
      if (!(await hasUsers())) break;
      await writeFile(readyFile, JSON.stringify(server.connection));
    }
  } finally {
    await server.stop("immediate");
    // Rename the folder first, so that a new run finds either all of it or nothing.
    const leaving = `${path}-ended-${process.pid}`;
    await rename(path, leaving);
    await rm(leaving, { recursive: true, force: true });
  }
}

async function makeTemplate(server: Parameters<typeof withDatabase>[0]): Promise<void> {
  const admin = openPostgres(withDatabase(server, "postgres"), "queries");
  await admin.unsafe(`create database ${templateName}`);
  await admin.end();
  // PostgreSQL copies a template only while nobody is connected to it.
  const template = openPostgres(withDatabase(server, templateName), "migrations");
  await migrate(template);
  await template.end();
}

async function untilUnused(): Promise<void> {
  let lastUsedMs = Date.now();
  for (;;) {
    if (await hasUsers()) lastUsedMs = Date.now();
    else if (!isAlive(runPid) || Date.now() - lastUsedMs > idleMsMax) return;
    await sleep(lookEveryMs);
  }
}

async function hasUsers(): Promise<boolean> {
  const names = await readdir(folder.usersFolder);
  let isUsed = false;
  for (const name of names) {
    if (isAlive(Number(name))) isUsed = true;
    else await rm(join(folder.usersFolder, name), { force: true });
  }
  return isUsed;
}
