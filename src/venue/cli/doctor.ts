// `doctor`: looks at what a venue needs and says how to mend what is missing. It changes nothing: the
// embedded PostgreSQL is looked at, not started.

import { constants, existsSync } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { checkServer, openPostgres } from "../../adapters/postgres/connection.ts";
import { findPostmaster } from "../../adapters/postgres/postmaster.ts";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { controlSocketPath, isAnswered } from "../control-socket.ts";
import { ExitCode, say, show } from "./output.ts";

type Verdict = "ok" | "warning" | "fault";

interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly found: string;
  /** How to mend it; empty where nothing is wrong. */
  readonly mend: string;
}

const nodeMin = 20;
/** The binaries of the HTTP server exist up to this version. */
const nodeTestedMax = 22;
const diskBytesMin = 2 * 2 ** 30;

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("check the installation and say how to mend it")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ rialto doctor")
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examine();
      if (json) show(findings, true);
      else for (const finding of findings) sayFinding(finding);
      if (findings.some(({ verdict }) => verdict === "fault")) process.exitCode = ExitCode.failed;
    });
}

function sayFinding({ check, verdict, found, mend }: Finding): void {
  const mark = { ok: "ok     ", warning: "warning", fault: "FAULT  " }[verdict];
  say(`${mark}  ${check.padEnd(12)} ${found}`);
  if (mend !== "") say(`${" ".repeat(22)}${mend}`);
}

async function examine(): Promise<Finding[]> {
  const findings = [nodeFinding(), await serverFinding(), await clockFinding()];
  let config: Config;
  try {
    config = readConfig(process.env);
    findings.push(ok("settings", "every variable is valid"));
  } catch (error) {
    const words = error instanceof ConfigError ? error.faults.join("; ") : String(error);
    return [...findings, fault("settings", words, "correct the variables named here")];
  }
  const isRunning = await isAnswered(controlSocketPath(config.dataDir));
  findings.push(ok("venue", isRunning ? "is running" : "is not running"));
  findings.push(await folderFinding(config.dataDir), await diskFinding(config.dataDir));
  findings.push(await portFinding(config, isRunning), await databaseFinding(config));
  return findings;
}

function ok(check: string, found: string): Finding {
  return { check, verdict: "ok", found, mend: "" };
}

function fault(check: string, found: string, mend: string): Finding {
  return { check, verdict: "fault", found, mend };
}

function nodeFinding(): Finding {
  const major = Number(process.versions.node.split(".")[0]);
  const found = `Node.js ${process.versions.node}`;
  if (major < nodeMin)
    return fault("node", found, `install Node.js ${nodeMin} or ${nodeTestedMax}`);
  if (major <= nodeTestedMax) return ok("node", found);
  const mend = `the HTTP server is tested up to Node.js ${nodeTestedMax}`;
  return { check: "node", verdict: "warning", found, mend };
}

async function serverFinding(): Promise<Finding> {
  try {
    await import("uWebSockets.js");
    return ok("http server", "its binary loads");
  } catch (error) {
    const mend = "run npm install on this machine; the binary exists for Linux, macOS and Windows";
    return fault("http server", String(error), mend);
  }
}

/** A clock behind the moment this file was written was never set, or was set back. */
async function clockFinding(): Promise<Finding> {
  const now = new Date();
  const { mtime } = await stat(fileURLToPath(import.meta.url));
  if (now >= mtime) return ok("clock", now.toISOString());
  const found = `${now.toISOString()}, before this program was built`;
  return fault("clock", found, "set the machine's clock and keep it with NTP");
}

async function folderFinding(dataDir: string): Promise<Finding> {
  const isThere = existsSync(dataDir);
  // The first start makes the folder, in the nearest one there is.
  let nearest = resolve(dataDir);
  while (!existsSync(nearest)) nearest = dirname(nearest);
  try {
    await access(nearest, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const mend = `make ${dataDir} writable, or set DATA_DIR to a folder that is`;
    return fault("data folder", String(error), mend);
  }
  const key = await stat(join(dataDir, "master.key")).catch(() => null);
  if (key !== null && (key.mode & 0o077) !== 0) {
    const mend = `chmod 600 ${join(dataDir, "master.key")}`;
    return { check: "data folder", verdict: "warning", found: "the master key is readable", mend };
  }
  return ok("data folder", isThere ? dataDir : `${dataDir}, made by the first start`);
}

async function diskFinding(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir).catch(() => statfs(dirname(dataDir)));
  const free = bavail * bsize;
  const found = `${(free / 2 ** 30).toFixed(1)} GiB free`;
  if (free >= diskBytesMin) return ok("disk", found);
  return fault("disk", found, "make room: the database's log alone takes up to 2 GiB");
}

async function portFinding({ host, port }: Config, isRunning: boolean): Promise<Finding> {
  const error = await new Promise<Error | null>((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
  if (error === null) return ok("port", `${host}:${port} is free`);
  const isTaken = "code" in error && error.code === "EADDRINUSE";
  if (isTaken && isRunning) return ok("port", `${host}:${port} is in use, by the running venue`);
  return fault("port", error.message, "set PORT to a free one, or end the program that uses it");
}

async function databaseFinding({ databaseUrl, dataDir }: Config): Promise<Finding> {
  if (databaseUrl === null) {
    const found = await findPostmaster(join(dataDir, "postgres", "cluster"));
    const words =
      typeof found === "string" ? "is started by the venue" : `runs as process ${found.pid}`;
    return ok("database", `embedded, ${words}`);
  }
  const sql = openPostgres({ url: databaseUrl }, "queries");
  try {
    return ok("database", `PostgreSQL ${await checkServer(sql)}`);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const mend = "check DATABASE_URL: host, port, user, password, database, and the user's rights";
    return fault("database", words, mend);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
