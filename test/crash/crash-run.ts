// Kills a venue under load again and again, and audits it after each kill. The venue is started by its command line,
// with its own PostgreSQL; the clients connect over sockets.
//
//   load ── random instant ──▶ kill ──▶ back ──▶ clients pause ──▶ audit ──▶ load …
//
// Each kill ends one of these: the venue's process; the postmaster, by a kill or by a fast shutdown; both of them; the
// journal's database session; the ledger's process. Some venues are killed again while they recover. Some clients are
// members, whose fills settle on the ledger; other users deposit and withdraw at the same time.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { VenueProcess } from "../../bench/venue/venue-process.ts";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { findPostmaster } from "../../src/adapters/postgres/server/postmaster.ts";
import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import { createLoadKeys, fundLoadAccount } from "../../src/tools/load/load-accounts.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import { auditedVenue } from "../audit/audit-kit.ts";
import { runCli } from "../support/venue/cli-process.ts";
import { endRemains } from "../support/venue/venue-remains.ts";
import { type AuditCounts, audit } from "./audit.ts";
import { CrashClient, type CrashClientOptions } from "./crash-client.ts";
import { CrashLedger, ledgerSettings, moneyMoved } from "./crash-ledger.ts";
import { ccUsdc, cethUsdc, ethPerp, perpetualFunding } from "./crash-market.ts";
import { type DoneRequests, doneText, sumOf } from "./done-requests.ts";
import { FamilyClient, familyRestMs } from "./family-client.ts";
import { JournalFacts } from "./journal-facts.ts";
import { SessionClient } from "./session-client.ts";
import { SignedClient } from "./signed-client.ts";
import { freshAnswerFaults, tableFaults } from "./table-audit.ts";
import type { ToldHistory } from "./told-history.ts";

export const killKinds = ["venue", "postmaster", "session", "both", "ledger", "restart"] as const;
export type KillKind = (typeof killKinds)[number];

export interface CrashRunOptions {
  readonly kills: number;
  readonly clients: number;
  /** Number of clients that are members of the ledger. */
  readonly members: number;
  /** Number of users who deposit and withdraw, in addition to the clients. */
  readonly users: number;
  readonly seed: number;
  /** Chooses the kind of kill for each round, counted from 0. */
  readonly kindOf: (round: number) => KillKind;
  readonly say: (detail: string) => void;
}

export interface CrashReport {
  readonly faults: readonly string[];
  readonly counts: AuditCounts;
  readonly done: DoneRequests;
  readonly events: number;
  /**
   * Number of fills that were reported to clients as settled on the ledger; then the numbers of credited deposits and
   * of paid withdrawals.
   */
  readonly settled: number;
  readonly credited: number;
  readonly withdrawn: number;
  /** Number of additional kills of a venue that was still recovering from the previous kill. */
  readonly duringRecovery: number;
  /**
   * Milliseconds from each kill until a request that was sent after the kill was acknowledged, by kind of kill. For a
   * kill of the ledger, until the ledger was ready again.
   */
  readonly outagesMs: Readonly<Record<KillKind, readonly number[]>>;
}

/** Load runs for a random time between these two bounds before each kill, in milliseconds. */
const loadMsMin = 200;
const loadMsMax = 1_200;
/** Requests of a client on the average that are acknowledged before each kill. */
const loadPerClient = 3;
/**
 * One in `strikesAgain` kills of the venue is followed by a second kill during recovery, between `againMsMin` and
 * `againMsMax` milliseconds later.
 */
const strikesAgain = 3;
const againMsMin = 50;
const againMsMax = 1_500;
const recoveryMsMax = 120_000;
/** The load before the last kill lasts until money has moved both ways, or this long: a slow machine may need it. */
const moneyMsMax = 180_000;
const faultsShown = 20;
const logShown = 4_000;

/** Runs all rounds, or stops after the first round with a fault. */
export async function runCrashes(options: CrashRunOptions): Promise<CrashReport> {
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-crash-"));
  const run = new CrashRun(options, dataDir);
  try {
    const report = await run.run();
    if (report.faults.length > 0) options.say(await logEnds(dataDir));
    return report;
  } catch (error) {
    const detail = await logEnds(dataDir);
    throw new Error(`${error instanceof Error ? error.message : error}\n${detail}`, {
      cause: error,
    });
  } finally {
    await run.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Returns the last lines that venue and PostgreSQL logged, for the report of a failed run. */
async function logEnds(dataDir: string): Promise<string> {
  const files = ["venue.log", "postgres/server.log"];
  const ends = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(dataDir, file), "utf8").catch(() => "");
      return `${file}:\n${text.slice(-logShown)}`;
    }),
  );
  return ends.join("\n");
}

/** A client over an order session whose orders are cancelled when the venue is killed. */
function guardedClient(
  key: LoadKey,
  options: CrashClientOptions,
  endpoint: () => Endpoint,
): CrashClient {
  const http = new SignedClient(key, 0, "10.9.0.1", endpoint);
  const url = () => `ws://${endpoint().host}:${endpoint().port}/compat/ws-api/v3`;
  const session = new SessionClient(key, http, url, { cancelsOnDisconnect: true });
  return new CrashClient(session, key.account, 0, options);
}

class CrashRun {
  readonly #options: CrashRunOptions;
  readonly #dataDir: string;
  readonly #random: SeededRandom;
  readonly #facts = new JournalFacts();
  readonly #ledger: CrashLedger;
  readonly #outagesMs: Record<KillKind, number[]> = {
    ...{ venue: [], postmaster: [], session: [], both: [], ledger: [], restart: [] },
  };
  #clients: CrashClient[] = [];
  #family: FamilyClient | null = null;
  #venue: VenueProcess | null = null;
  #killedPostmaster = 0;
  #duringRecovery = 0;

  constructor(options: CrashRunOptions, dataDir: string) {
    this.#options = options;
    this.#dataDir = dataDir;
    this.#ledger = new CrashLedger(dataDir);
    this.#random = new SeededRandom(options.seed);
  }

  async run(): Promise<CrashReport> {
    const { kills, kindOf, say } = this.#options;
    await this.#open();
    let faults: readonly string[] = [];
    let counts: AuditCounts | null = null;
    for (let round = 0; round < kills && faults.length === 0; round++) {
      const known = this.#clients.map(({ history }) => history.orders.size);
      const outageMs = await this.#round(kindOf(round), round === kills - 1);
      const report = await this.#audit(known);
      faults = report.faults;
      counts = report.counts;
      say(
        `kill ${round + 1} (${kindOf(round)}): back after ${outageMs.toFixed(0)} ms, ` +
          `${counts.acknowledged} orders acknowledged so far, ${faults.length} faults`,
      );
    }
    if (counts === null) throw new Error("a crash run needs at least one kill");
    if (faults.length === 0) {
      faults = await this.#withLedgerStore((sql) => this.#ledger.finish(sql, this.#histories()));
    }
    if (faults.length === 0) faults = await this.#kitFaults();
    return {
      faults: faults.slice(0, faultsShown),
      counts,
      done: sumOf(this.#clients.map(({ done }) => done)),
      events: this.#facts.state.seq,
      settled: this.#histories().reduce((sum, { settled }) => sum + settled.size, 0),
      ...(await this.#withLedgerStore(moneyMoved)),
      outagesMs: this.#outagesMs,
      duringRecovery: this.#duringRecovery,
    };
  }

  async #open(): Promise<void> {
    const { clients, members, users, seed } = this.#options;
    this.#venue = await this.#start();
    const endpoint = () => this.#running().endpoint;
    const keys = await createLoadKeys(this.#dataDir, clients - members);
    for (const { account } of keys) {
      await fundLoadAccount(this.#dataDir, account, perpetualFunding);
    }
    if (members > 0) keys.push(...(await this.#ledger.members(members)));
    // Members trade in this one market only: their funds are coins in their wallets.
    this.#clients = keys.map((key, index) => {
      const markets = index < clients - members ? [ccUsdc, ccUsdc, cethUsdc, ethPerp] : [ccUsdc];
      const options = { seed, markets };
      if (index > 0) return CrashClient.overHttp(key, index, options, endpoint);
      return guardedClient(key, { ...options, markets: [ccUsdc] }, endpoint);
    });
    this.#clients.push(...(await this.#openFamily(endpoint)));
    await this.#ledger.users(users, seed, endpoint);
    await this.#withLedgerStore((sql) => this.#ledger.begin(sql));
  }

  /** Opens an owner with sub-accounts, and returns the clients that trade for it. */
  async #openFamily(endpoint: () => Endpoint): Promise<CrashClient[]> {
    const { clients, seed } = this.#options;
    const parts = { dataDir: this.#dataDir, seed, address: "10.11.0.1", endpoint };
    this.#family = await FamilyClient.open(parts);
    const options = { seed, markets: [ccUsdc, ethPerp], restMs: familyRestMs };
    return this.#family.traders.map((key, index) =>
      CrashClient.overHttp(key, clients + index, options, endpoint),
    );
  }

  /** What the auditor's kit finds in the journal, epochs, statements and balances that the venue exports. */
  async #kitFaults(): Promise<string[]> {
    const settings = { DATA_DIR: this.#dataDir };
    const run = (args: readonly string[]) => runCli(args, settings, this.#dataDir);
    const found = await auditedVenue(run, this.#dataDir);
    this.#options.say(`the auditor's kit: ${JSON.stringify(found)}`);
    if (found.result !== "agrees") return [`the auditor's kit: ${found.rule}, ${found.seq}`];
    return found.liabilities_statements === 0 ? ["no liabilities were stated"] : [];
  }

  #histories(): ToldHistory[] {
    return this.#clients.map(({ history }) => history);
  }

  /** Runs `send` with a database connection that is separate from the venue's. */
  async #withLedgerStore<T>(send: (sql: Sql) => Promise<T>): Promise<T> {
    const sql = openPostgres(await this.#running().database(), "queries");
    try {
      return await send(sql);
    } finally {
      await sql.end({ timeout: 5 });
    }
  }

  async close(): Promise<void> {
    for (const { client } of this.#clients) client.close();
    await this.#venue?.stop();
    // If a venue was killed and did not come back, its ledger and its database are still running: end them.
    await endRemains(this.#dataDir);
  }

  #running(): VenueProcess {
    if (this.#venue === null) throw new Error("the venue was not started");
    return this.#venue;
  }

  /**
   * Starts the venue with frequent small snapshots, so that recoveries start from different snapshots, and with an epoch and
   * a statement of liabilities each second, so that kills interrupt both.
   */
  #start(): Promise<VenueProcess> {
    return VenueProcess.start(this.#venueOptions());
  }

  #venueOptions() {
    const snapshots = { SNAPSHOT_EVENTS: "3000", SNAPSHOT_INTERVAL_MS: "2000" };
    const epochs = { EPOCH_SECONDS: "1", LIABILITIES_EPOCHS: "1" };
    return { dataDir: this.#dataDir, settings: { ...snapshots, ...epochs, ...ledgerSettings } };
  }

  /** Starts the venue and kills it before it is ready. If it became ready first, the kill is not counted. */
  async #strikeAgain(): Promise<void> {
    const afterMs = againMsMin + this.#random.below(againMsMax - againMsMin);
    if (await VenueProcess.killStarting(this.#venueOptions(), afterMs)) this.#duringRecovery += 1;
  }

  async #round(kind: KillKind, isLast: boolean): Promise<number> {
    for (const client of this.#clients) client.resume();
    this.#family?.resume();
    this.#ledger.resume();
    const before = this.#acknowledged();
    await sleep(loadMsMin + this.#random.below(loadMsMax - loadMsMin));
    await this.#untilBusy(before);
    if (isLast) await this.#untilMoneyMoved();
    const killedMs = performance.now();
    await this.#kill(kind);
    if (kind === "venue" || kind === "both") {
      if (this.#random.below(strikesAgain) === 0) await this.#strikeAgain();
      this.#venue = await this.#start();
    }
    if (kind === "ledger") await this.#ledger.untilBack();
    else await this.#untilAcknowledged();
    const outageMs = performance.now() - killedMs;
    this.#outagesMs[kind].push(outageMs);
    const others = [this.#ledger.pause(), this.#family?.pause()];
    await Promise.all([...this.#clients.map((client) => client.pause()), ...others]);
    return outageMs;
  }

  /** Waits until some requests of each client were acknowledged: a slow machine needs longer than the load lasts. */
  async #untilBusy(before: number): Promise<void> {
    const wanted = before + loadPerClient * this.#clients.length;
    const endMs = performance.now() + recoveryMsMax;
    while (this.#acknowledged() < wanted && performance.now() < endMs) await sleep(10);
  }

  async #untilMoneyMoved(): Promise<void> {
    const endMs = performance.now() + moneyMsMax;
    while (performance.now() < endMs) {
      const { credited, withdrawn } = await this.#withLedgerStore(moneyMoved);
      if (credited > 0 && withdrawn > 0) return;
      await sleep(loadMsMin);
    }
  }

  async #kill(kind: KillKind): Promise<void> {
    if (kind === "session") return this.#killSession();
    if (kind === "ledger") return this.#ledger.kill();
    const venue = this.#running();
    const first = kind === "both" && this.#random.next() < 0.5;
    if (kind === "venue" || first) await venue.kill();
    // SIGINT is PostgreSQL's fast shutdown: it rolls back open transactions and ends all sessions.
    if (kind !== "venue") await this.#killPostmaster(kind === "restart" ? "SIGINT" : "SIGKILL");
    if (kind === "both" && !first) await venue.kill();
  }

  async #killPostmaster(signal: NodeJS.Signals): Promise<void> {
    const found = await findPostmaster(this.#cluster());
    if (typeof found === "string") throw new Error(`found no postmaster to kill: ${found}`);
    process.kill(found.pid, signal);
    this.#killedPostmaster = found.pid;
  }

  /**
   * Waits until a new postmaster is ready. Until then, an answer proves nothing: sessions of the killed postmaster
   * outlive it for a moment and can still commit.
   */
  async #untilPostmaster(untilMs: number): Promise<void> {
    for (;;) {
      const found = await findPostmaster(this.#cluster());
      const isNew = typeof found !== "string" && found.pid !== this.#killedPostmaster;
      if (isNew && found.status === "ready") return;
      if (Date.now() > untilMs) throw new Error("PostgreSQL did not come back");
      await sleep(20);
    }
  }

  #cluster(): string {
    return join(this.#dataDir, "postgres", "cluster");
  }

  async #killSession(): Promise<void> {
    const [row] = await this.#withLedgerStore(
      (sql) => sql<{ pid: number }[]>`
        select pid from pg_stat_activity
        where application_name = 'rialto-journal' and pid <> pg_backend_pid()`,
    );
    if (row === undefined) throw new Error("found no journal session to kill");
    process.kill(row.pid, "SIGKILL");
  }

  /** Waits until a request that was sent after the kill is acknowledged. */
  async #untilAcknowledged(): Promise<void> {
    const untilMs = Date.now() + recoveryMsMax;
    await this.#untilPostmaster(untilMs);
    const before = this.#acknowledged();
    // Each client had at most one request pending, so the last of these acknowledgements answers a request sent
    // after the kill.
    while (this.#acknowledged() <= before + this.#clients.length) {
      if (!this.#running().isRunning) throw new Error("the venue ended by itself");
      if (Date.now() > untilMs) throw new Error("the venue did not come back");
      await sleep(10);
    }
  }

  #acknowledged(): number {
    return this.#clients.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  async #audit(known: readonly number[]): Promise<{ faults: string[]; counts: AuditCounts }> {
    const connection = await this.#running().database();
    await this.#facts.readOn(connection);
    const { faults, counts } = audit(this.#histories(), this.#facts);
    const money = await this.#withLedgerStore((sql) => this.#ledger.faults(sql, this.#histories()));
    const answers = await freshAnswerFaults(this.#clients, known, this.#facts, connection);
    return {
      faults: [
        ...faults,
        ...(this.#family?.faults(this.#facts.state) ?? []),
        ...money,
        ...(await tableFaults(connection, this.#facts)),
        ...answers,
      ],
      counts,
    };
  }
}

/** Formats the report as lines of text. */
export function renderReport(report: CrashReport): string {
  const { counts, events, faults, outagesMs } = report;
  return [
    `kills: ${killKinds.map((kind) => `${outagesMs[kind].length} ${kind}`).join(", ")}, and ` +
      `${report.duringRecovery} additional kills during recovery`,
    doneText(report.done),
    `acknowledged and found exactly once: ${counts.acknowledged} orders, ${counts.cancelled} cancels, ` +
      `${counts.fills} fills; ${events} journal entries without a gap`,
    `on the ledger: ${report.settled} fills reported as settled, ${report.credited} payments credited, ` +
      `${report.withdrawn} withdrawals paid`,
    `outcome unknown to the client: ${counts.unknown}, of which ${counts.unknownFound} had happened; ` +
      `promised not executed: ${counts.notExecuted}`,
    ...killKinds.map((kind) => `back after a kill of ${kind}: ${distribution(outagesMs[kind])}`),
    `faults: ${faults.length}`,
    ...faults,
  ].join("\n");
}

function distribution(values: readonly number[]): string {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0);
  return `p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, max ${at(1)} ms`;
}
