// `doctor`: checks what a venue needs and suggests fixes. It changes nothing and does not start the embedded
// PostgreSQL.

import { constants, existsSync } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { loadServerLibrary } from "../../../adapters/gateway/server/server-library.ts";
import { checkServer, openPostgres, type Sql } from "../../../adapters/postgres/connection.ts";
import { PostgresFault } from "../../../adapters/postgres/postgres-fault.ts";
import { findPostmaster } from "../../../adapters/postgres/server/postmaster.ts";
import {
  callControl,
  controlSocketPath,
  isAnswered,
} from "../../../adapters/runtime/control-socket.ts";
import { readClocks } from "../../../adapters/runtime/system-clock.ts";
import { type Config, ConfigError, readConfig } from "../../config/config.ts";
import { beginning, type ShownClock } from "../../duties/clock-monitor.ts";
import { ExitCode, say, show, speaksJson } from "../terminal/output.ts";
import { paint } from "../terminal/paint.ts";
import { runningAddress } from "../venue-address.ts";
import { type Finding, fault, ok } from "./finding.ts";
import { keyFinding } from "./key-finding.ts";
import {
  clockFinding,
  diskFinding,
  nodeFinding,
  serverFinding,
  stepFinding,
} from "./machine-findings.ts";

const clockOffMsMax = 1_000;

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("check the installation and suggest fixes")
    .addHelpText("after", "\nExample:\n  $ rialto doctor")
    .action(async () => {
      const findings = await examine();
      if (speaksJson()) show(findings);
      else for (const finding of findings) sayFinding(finding);
      if (findings.some(({ verdict }) => verdict === "fault")) process.exitCode = ExitCode.failed;
    });
}

const marks = {
  ok: ["green", "ok     "],
  warning: ["yellow", "warning"],
  fault: ["red", "FAULT  "],
} as const;

function sayFinding({ check, verdict, found, mend }: Finding): void {
  const [colour, mark] = marks[verdict];
  say(`${paint(colour, mark, process.stdout)}  ${check.padEnd(12)} ${found}`);
  if (mend !== "") say(`${" ".repeat(22)}${mend}`);
}

async function examine(): Promise<Finding[]> {
  const { mtime } = await stat(fileURLToPath(import.meta.url));
  const findings = [
    nodeFinding(process.versions.node),
    await serverFinding(() => loadServerLibrary()),
    clockFinding(new Date(), mtime),
  ];
  let config: Config;
  try {
    config = readConfig(process.env);
    findings.push(ok("settings", "every variable is valid"));
  } catch (error) {
    const message = error instanceof ConfigError ? error.faults.join("; ") : String(error);
    return [...findings, fault("settings", message, "correct these variables")];
  }
  const isRunning = await isAnswered(controlSocketPath(config.dataDir));
  findings.push(ok("venue", isRunning ? "running" : "not running"));
  findings.push(stepFinding(await clockDifference(config, isRunning)));
  const { bavail, bsize } = await statfs(nearestFolder(config.dataDir));
  findings.push(await folderFinding(config.dataDir), diskFinding(bavail * bsize));
  findings.push(await keyFinding(config, isRunning), await portFinding(config));
  return [...findings, ...(await databaseFindings(config))];
}

/**
 * Checks that the clocks of the database server and of this machine agree, because sealing and settlement compare times
 * of both clocks.
 */
async function serverClockFinding(sql: Sql): Promise<Finding> {
  const beforeMs = Date.now();
  const [row] = await sql<{ ms: string }[]>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::text as ms`;
  const offMs = Math.abs(Number(row?.ms) - (beforeMs + Date.now()) / 2);
  if (offMs <= clockOffMsMax) return ok("db clock", "agrees with this machine's clock");
  const found = `${(offMs / 1000).toFixed(1)} s from this machine's clock`;
  return fault("db clock", found, "synchronise both machines' clocks with NTP");
}

/**
 * Returns by how many seconds the machine's clock is ahead of the venue's time; null if the venue trusts the clock or
 * does not answer. If no venue runs, the answer is the one that the next start would give.
 */
async function clockDifference(config: Config, isRunning: boolean): Promise<number | null> {
  if (!isRunning) {
    const began = beginning(config, 0, false);
    if (began.kind !== "held") return null;
    const { wallMs, monotonicMs } = readClocks();
    return (wallMs - monotonicMs - began.offsetMs) / 1000;
  }
  const answer = await callControl(controlSocketPath(config.dataDir), "clock/show", {});
  if (!answer.isOk) return null;
  const { state, difference_s: differenceS } = answer.result as ShownClock;
  return state === "held" ? differenceS : null;
}

/**
 * Returns `dataDir` if it exists, otherwise the nearest folder above it that exists. The first start creates what is
 * missing.
 */
function nearestFolder(dataDir: string): string {
  let nearest = resolve(dataDir);
  while (!existsSync(nearest)) nearest = dirname(nearest);
  return nearest;
}

async function folderFinding(dataDir: string): Promise<Finding> {
  const nearest = nearestFolder(dataDir);
  const mend = `make ${dataDir} a folder this user can write to, or set DATA_DIR to one`;
  try {
    if (!(await stat(nearest)).isDirectory())
      return fault("data folder", `${nearest} is not a folder`, mend);
    await access(nearest, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return fault("data folder", error instanceof Error ? error.message : String(error), mend);
  }
  const isThere = nearest === resolve(dataDir);
  // Kernel file systems such as /proc report no blocks, and no folder can be created in them.
  if (!isThere && (await statfs(nearest)).blocks === 0)
    return fault("data folder", `${nearest} cannot hold files`, mend);
  return ok("data folder", isThere ? dataDir : `${dataDir}, created on the first start`);
}

async function portFinding({ host, port, dataDir }: Config): Promise<Finding> {
  const address = await runningAddress(dataDir);
  if (address !== null) return ok("port", `the running venue listens at ${address}`);
  const error = await new Promise<Error | null>((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
  if (error === null) return ok("port", `${host}:${port} is free`);
  return fault(
    "port",
    error.message,
    "set PORT to a free port, or stop the program that uses this one",
  );
}

async function databaseFindings({ databaseUrl, dataDir }: Config): Promise<Finding[]> {
  if (databaseUrl === null) {
    const found = await findPostmaster(join(dataDir, "postgres", "cluster"));
    const message =
      typeof found === "string" ? "the venue starts it" : `running as process ${found.pid}`;
    return [ok("database", `embedded, ${message}`)];
  }
  const sql = openPostgres({ url: databaseUrl }, "queries");
  try {
    const found = ok("database", `PostgreSQL ${await checkServer(sql)}`);
    return [found, await serverClockFinding(sql)];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isUnfit = error instanceof PostgresFault && error.code === "unfit";
    const mend = isUnfit
      ? "give the venue a UTF8 database on PostgreSQL 15 or newer, owned by its own login"
      : "check DATABASE_URL (host, port, user, password, database) and that the server is running";
    return [fault("database", message, mend)];
  } finally {
    await sql.end({ timeout: 1 });
  }
}
