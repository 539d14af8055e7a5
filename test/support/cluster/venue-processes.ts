// Venue processes with data folders of their own on one database or on copies of it, for tests of restarts and changes of
// the leader.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { callControl, controlSocketPath } from "../../../src/adapters/runtime/control-socket.ts";
import type { Json } from "../client/json.ts";
import { createTestDatabase, type TestDatabase } from "../database/postgres.ts";
import { CliProcess, type Settings } from "../venue/cli-process.ts";

const markMsMax = 120_000;

export class VenueProcesses {
  readonly #folder: string;
  readonly #databases: TestDatabase[] = [];
  readonly #started: CliProcess[] = [];

  static async open(): Promise<VenueProcesses> {
    return new VenueProcesses(await mkdtemp(join(tmpdir(), "rialto-processes-")));
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** A new database, or a copy of one that no process uses, as a restored backup is. */
  async database(of?: TestDatabase): Promise<TestDatabase> {
    const database = await (of === undefined ? createTestDatabase() : of.copy());
    this.#databases.push(database);
    return database;
  }

  /** Settings of a venue with the data folder `name`, which journals nothing of its own accord. */
  settings({ url }: TestDatabase, name = "venue", more: Settings = {}): Settings {
    const place = { DATABASE_URL: url, DATA_DIR: join(this.#folder, name), PORT: "0" };
    const key = { MASTER_KEY: "5a".repeat(32), LEDGER_PROFILE: "none", LOG_LEVEL: "warn" };
    return { ...place, ...key, LIABILITIES_EPOCHS: "0", ...more };
  }

  markFile(name = "venue"): string {
    return join(this.#folder, name, "journal-mark.json");
  }

  async start(settings: Settings, until = /^Rialto is open at/m): Promise<CliProcess> {
    const venue = new CliProcess(["start"], settings);
    this.#started.push(venue);
    await venue.untilPrinted(until);
    return venue;
  }

  /** Starts a venue that must refuse its journal; returns what it complains. */
  async refusal(settings: Settings): Promise<string> {
    const venue = new CliProcess(["start"], settings);
    this.#started.push(venue);
    const opened = venue.untilPrinted(/^Rialto is open at/m).then(
      () => "it leads",
      () => venue.ended,
    );
    assert.equal(await opened, 5, venue.complained);
    return venue.complained;
  }

  /** Calls the venue on its control socket; returns the result. */
  async call(settings: Settings, name: string, parameters: object): Promise<Json> {
    const path = controlSocketPath(settings["DATA_DIR"] ?? "");
    const { isOk, error, result } = await callControl(path, name, parameters);
    assert(isOk, error);
    return result as Json;
  }

  /** Opens accounts, each of which is acknowledged; returns the seq of the newest event. */
  async acknowledge(settings: Settings, accounts: number): Promise<number> {
    for (let each = 0; each < accounts; each++)
      await this.call(settings, "accounts/create", { type: "standard" });
    return (await this.call(settings, "status", {})).committed_seq;
  }

  /** Waits until the venue with the data folder `name` has marked the event. */
  async untilMarked(seq: number, name = "venue"): Promise<void> {
    const file = this.markFile(name);
    const marked = async () =>
      JSON.parse(await readFile(file, "utf8").catch(() => '{"seq":0}')).seq;
    for (const endMs = performance.now() + markMsMax; (await marked()) < seq; await sleep(50))
      assert(performance.now() < endMs, "the mark is not written");
  }

  async close(): Promise<void> {
    for (const venue of this.#started) {
      venue.signal("SIGKILL");
      await venue.ended;
    }
    for (const database of this.#databases) await database.drop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
