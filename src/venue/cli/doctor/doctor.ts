// What `doctor` does: checks what a venue needs and suggests fixes. It changes nothing and does not start the embedded
// PostgreSQL.

import { constants, existsSync } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadServerLibrary } from "../../../adapters/gateway/server/server-library.ts";
import {
  callControl,
  controlSocketPath,
  isAnswered,
} from "../../../adapters/runtime/control-socket.ts";
import { readClocks } from "../../../adapters/runtime/system-clock.ts";
import { type Config, ConfigError, readConfig } from "../../config/config.ts";
import { beginning, type ShownClock } from "../../duties/clock-monitor.ts";
import { gatewaySettings } from "../../gateway/gateway-settings.ts";
import { ExitCode, say, show, speaksJson } from "../terminal/output.ts";
import { paint } from "../terminal/paint.ts";
import { runningAddress } from "../venue-address.ts";
import { stateOf } from "../venue-state.ts";
import { busFindings } from "./bus-findings.ts";
import { databaseFindings } from "./database-findings.ts";
import { type Finding, fault, ok, skipped } from "./finding.ts";
import { keyFinding } from "./key-finding.ts";
import {
  clockFinding,
  diskFinding,
  nodeFinding,
  serverFinding,
  stepFinding,
} from "./machine-findings.ts";
import { stateFindings } from "./state-findings.ts";

/** Examines, says each finding, and sets the exit code. `isGateway`: the settings are those of a gateway. */
export async function diagnose(isGateway: boolean): Promise<void> {
  const findings: Finding[] = [];
  for await (const finding of examine(isGateway)) {
    findings.push(finding);
    if (!speaksJson()) sayFinding(finding);
  }
  if (speaksJson()) show(findings);
  process.exitCode = exitCodeOf(findings);
}

const marks = {
  ok: ["green", "ok     "],
  skipped: ["yellow", "skipped"],
  warning: ["yellow", "warning"],
  fault: ["red", "FAULT  "],
} as const;

function sayFinding({ check, verdict, found, mend }: Finding): void {
  const [colour, mark] = marks[verdict];
  say(`${paint(colour, mark, process.stdout)}  ${check.padEnd(12)} ${found}`);
  if (mend !== "") say(`${" ".repeat(22)}${mend}`);
}

/** Examines one thing after the other; each finding is told at once, because a later check may take its time. */
async function* examine(isGateway: boolean): AsyncGenerator<Finding> {
  const { mtime } = await stat(fileURLToPath(import.meta.url));
  yield nodeFinding(process.versions.node);
  yield await serverFinding(() => loadServerLibrary());
  yield clockFinding(new Date(), mtime);
  let config: Config;
  try {
    config = readConfig(process.env);
    if (isGateway) gatewaySettings(config);
  } catch (error) {
    const message = error instanceof ConfigError ? error.faults.join("; ") : String(error);
    yield fault("settings", message, "correct these variables");
    return;
  }
  yield ok("settings", "every variable is valid");
  const isRunning = await isAnswered(controlSocketPath(config.dataDir));
  yield runningFinding(isRunning, isGateway);
  const address = isRunning ? await runningAddress(config.dataDir) : null;
  if (address !== null) yield* stateFindings(await stateOf(address));
  yield stepFinding(await clockDifference(config, isRunning));
  const { bavail, blocks, bsize } = await statfs(nearestFolder(config.dataDir));
  yield await folderFinding(config.dataDir);
  yield diskFinding(bavail * bsize, blocks * bsize);
  yield await keyFinding(config, isRunning, isGateway);
  yield await portFinding(config, address);
  yield* await databaseFindings(config, isGateway);
  yield* await busFindings(config, isGateway);
}

const venueCheck = "venue";

/** Says whether the venue or gateway runs and, if not, what remains unknown. */
function runningFinding(isRunning: boolean, isGateway: boolean): Finding {
  if (isRunning) return ok(venueCheck, "running");
  if (isGateway)
    return skipped(
      venueCheck,
      "the gateway is not running: its settings and what it needs are checked; its state is not",
      "run 'rialto gateway', then this again",
    );
  return skipped(
    venueCheck,
    "not running: the installation is checked; state, markets, ledger and journal position are not",
    "run 'rialto start', then this again",
  );
}

function exitCodeOf(findings: readonly Finding[]): number {
  if (findings.some(({ verdict }) => verdict === "fault")) return ExitCode.failed;
  const isAway = findings.some(
    ({ check, verdict }) => check === venueCheck && verdict === "skipped",
  );
  return isAway ? ExitCode.notRunning : ExitCode.done;
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

/** `address`: of the venue that runs on the data folder; null if none does. */
async function portFinding({ host, port }: Config, address: string | null): Promise<Finding> {
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
