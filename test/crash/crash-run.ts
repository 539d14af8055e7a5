// Kills a venue under load again and again, and audits after each kill. The venue is the real one,
// started by its command line, with its own PostgreSQL; the clients speak to it over sockets.
//
//   load ── random instant ──▶ kill ──▶ back ──▶ clients pause ──▶ audit ──▶ load …
//
// Kinds of kill: the venue with all its threads; the postmaster under a living venue; the journal's
// own database session; venue and postmaster together.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { VenueProcess } from "../../bench/venue/venue-process.ts";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { findPostmaster } from "../../src/adapters/postgres/postmaster.ts";
import { createLoadKeys } from "../../src/venue/load/load-accounts.ts";
import { SeededRandom } from "../../src/venue/load/seeded-random.ts";
import { type AuditCounts, audit } from "./audit.ts";
import { CrashClient } from "./crash-client.ts";
import { JournalFacts } from "./journal-facts.ts";
import { answerFaults, tableFaults } from "./table-audit.ts";

export const killKinds = ["venue", "postmaster", "session", "both"] as const;
export type KillKind = (typeof killKinds)[number];

export interface CrashRunOptions {
  readonly kills: number;
  readonly clients: number;
  readonly seed: number;
  /** Which kill comes at `round`; both ends of the list are used. */
  readonly kindOf: (round: number) => KillKind;
  readonly say: (words: string) => void;
}

export interface CrashReport {
  readonly faults: readonly string[];
  readonly kills: Readonly<Record<KillKind, number>>;
  readonly counts: AuditCounts;
  readonly events: number;
  /** From the kill until a client was answered again, per kill, in milliseconds. */
  readonly outagesMs: readonly number[];
}

/** Load runs this long before a kill, at random between the two. */
const loadMsMin = 200;
const loadMsMax = 1_200;
const recoveryMsMax = 60_000;
const faultsShown = 20;

/** Runs all rounds; stops at the first round with a fault. */
export async function runCrashes(options: CrashRunOptions): Promise<CrashReport> {
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-crash-"));
  const run = new CrashRun(options, dataDir);
  try {
    return await run.run();
  } finally {
    await run.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

class CrashRun {
  readonly #options: CrashRunOptions;
  readonly #dataDir: string;
  readonly #random: SeededRandom;
  readonly #facts = new JournalFacts();
  readonly #kills: Record<KillKind, number> = { venue: 0, postmaster: 0, session: 0, both: 0 };
  readonly #outagesMs: number[] = [];
  #clients: CrashClient[] = [];
  #venue: VenueProcess | null = null;
  #killedPostmaster = 0;

  constructor(options: CrashRunOptions, dataDir: string) {
    this.#options = options;
    this.#dataDir = dataDir;
    this.#random = new SeededRandom(options.seed);
  }

  async run(): Promise<CrashReport> {
    const { kills, clients, seed, kindOf } = this.#options;
    this.#venue = await this.#start();
    const keys = await createLoadKeys(this.#dataDir, clients);
    this.#clients = keys.map(
      (key, place) => new CrashClient(key, place, seed, () => this.#running().endpoint),
    );
    let faults: readonly string[] = [];
    let counts: AuditCounts | null = null;
    for (let round = 0; round < kills && faults.length === 0; round++) {
      const known = this.#clients.map(({ history }) => history.orders.size);
      await this.#round(kindOf(round));
      const report = await this.#audit(known);
      faults = report.faults;
      counts = report.counts;
      this.#options.say(
        `kill ${round + 1} (${kindOf(round)}): back after ${this.#outagesMs.at(-1)?.toFixed(0)} ms, ` +
          `${counts.acknowledged} orders acknowledged so far, ${faults.length} faults`,
      );
    }
    if (counts === null) throw new Error("a crash run has at least one kill");
    return {
      faults: faults.slice(0, faultsShown),
      kills: this.#kills,
      counts,
      events: this.#facts.state.seq,
      outagesMs: this.#outagesMs,
    };
  }

  async close(): Promise<void> {
    for (const { client } of this.#clients) client.close();
    await this.#venue?.stop();
  }

  #running(): VenueProcess {
    if (this.#venue === null) throw new Error("the venue was not started");
    return this.#venue;
  }

  /** Small snapshots, so that recoveries start from different ones. */
  #start(): Promise<VenueProcess> {
    const settings = { SNAPSHOT_EVENTS: "3000", SNAPSHOT_INTERVAL_MS: "2000" };
    return VenueProcess.start({ dataDir: this.#dataDir, settings });
  }

  async #round(kind: KillKind): Promise<void> {
    for (const client of this.#clients) client.resume();
    await sleep(loadMsMin + this.#random.below(loadMsMax - loadMsMin));
    const killedMs = performance.now();
    await this.#kill(kind);
    this.#kills[kind] += 1;
    if (kind === "venue" || kind === "both") this.#venue = await this.#start();
    await this.#untilAcknowledged();
    this.#outagesMs.push(performance.now() - killedMs);
    await Promise.all(this.#clients.map((client) => client.pause()));
  }

  async #kill(kind: KillKind): Promise<void> {
    if (kind === "session") return this.#killSession();
    const venue = this.#running();
    const first = kind === "both" && this.#random.next() < 0.5;
    if (kind === "venue" || first) await venue.kill();
    if (kind !== "venue") await this.#killPostmaster();
    if (kind === "both" && !first) await venue.kill();
  }

  async #killPostmaster(): Promise<void> {
    const found = await findPostmaster(this.#cluster());
    if (typeof found === "string") throw new Error(`no postmaster to kill: ${found}`);
    process.kill(found.pid, "SIGKILL");
    this.#killedPostmaster = found.pid;
  }

  /** Sessions outlive their postmaster for a moment and still commit: back means a new one is ready. */
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
    const sql = openPostgres(await this.#running().database(), "queries");
    const [row] = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity
      where application_name = 'rialto-journal' and pid <> pg_backend_pid()`;
    await sql.end({ timeout: 1 });
    if (row === undefined) throw new Error("no journal session to kill");
    process.kill(row.pid, "SIGKILL");
  }

  /** Waits until somebody's order is acknowledged, after everything that was out before the kill. */
  async #untilAcknowledged(): Promise<void> {
    const untilMs = Date.now() + recoveryMsMax;
    await this.#untilPostmaster(untilMs);
    const before = this.#acknowledged();
    // More than were out at the kill: one of them at least was sent after it.
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
    const histories = this.#clients.map(({ history }) => history);
    const { faults, counts } = audit(histories, this.#facts);
    const answers = await Promise.all(
      this.#clients.map(({ client, history }, place) => {
        const fresh = [...history.orders.keys()].slice(known[place]);
        return answerFaults(client, history, fresh, this.#facts);
      }),
    );
    return {
      faults: [...faults, ...(await tableFaults(connection, this.#facts)), ...answers.flat()],
      counts,
    };
  }
}

/** The report as a person reads it. */
export function renderReport({ kills, counts, events, outagesMs, faults }: CrashReport): string {
  const sorted = [...outagesMs].sort((one, other) => one - other);
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0);
  return [
    `kills: ${killKinds.map((kind) => `${kills[kind]} ${kind}`).join(", ")}`,
    `told and found exactly once: ${counts.acknowledged} orders, ${counts.cancelled} cancels, ` +
      `${counts.fills} fills; ${events} journal entries without a gap`,
    `outcome unknown to the client: ${counts.unknown}, of which ${counts.unknownFound} had happened; ` +
      `promised not executed: ${counts.notExecuted}`,
    `back to acknowledging after ${at(0.5)} ms (median), ${at(1)} ms (longest)`,
    `faults: ${faults.length}`,
    ...faults,
  ].join("\n");
}
