// A test bed opens venues for tests within about a second. It holds one PostgreSQL server and an image: the database and
// the data folder of a venue that was started once and stopped. Each venue begins as a copy of the image, so that it
// neither migrates nor makes a demo, and its data ends with it.
//
//   image ──▶ copy ──▶ starting ──▶ open ──closed, owner gone, or the test bed ends──▶ dropped
//                             └──▶ spare ──▶ open
//
// One venue is kept started as a spare, with the settings of the venue opened last: tests ask for the same again. The copy
// for the next start is made ahead, so that a venue with other settings waits only for its process.

import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "../../adapters/process-life.ts";
import { folderHolder } from "../../adapters/runtime/folder-lock.ts";
import type { Log } from "../../ports/log.ts";
import { BedDatabase } from "./bed-database.ts";
import { BedVenue, venueFolder } from "./bed-venue.ts";

/** More venues need more memory and sessions than a machine for tests has. */
export const bedVenuesMax = 12;
const ownerLookMs = 1_000;
const startingLookMs = 20;
/** How often the removal of a folder is tried again, after a wait that grows by a tenth of a second each time. */
const removalsMax = 10;

/** How a venue is started. */
interface VenueSetup {
  readonly settings: Readonly<Record<string, string>>;
}

/** Who opens a venue, and how. */
export interface VenueRequest extends VenueSetup {
  /** The venue is closed when this process has ended; null if only a call closes it. */
  readonly ownerPid: number | null;
}

/** A venue as callers are told of it. */
export interface ShownVenue {
  readonly id: string;
  readonly address: string;
  /** Path of its control socket. */
  readonly control: string;
  readonly data_dir: string;
  readonly pid: number;
  readonly owner_pid: number | null;
  /** The program and its first arguments that run the command line of the venue's version. */
  readonly command: readonly string[];
  /** Settings with which such a command finds this venue and its data. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds from the request until it answered. */
  readonly started_in_ms: number;
}

interface StartedVenue {
  readonly id: string;
  readonly venue: BedVenue;
}

/** A venue that nobody has asked for yet. */
interface Spare {
  /** Names its setup. */
  readonly key: string;
  readonly started: Promise<StartedVenue>;
}

interface OpenVenue {
  readonly venue: BedVenue;
  readonly shown: ShownVenue;
}

/** The venue cannot be opened or closed as asked. */
export class TestbedRefusal extends Error {
  override name = "TestbedRefusal";
}

export interface TestbedParts {
  /** Absolute; this process holds its lock. */
  readonly folder: string;
  readonly program: string;
  /** Names the program: an image is used only by the program that made it. */
  readonly programId: string;
  readonly log: Log;
}

export class Testbed {
  readonly #parts: TestbedParts;
  readonly #database: BedDatabase;
  readonly #open = new Map<string, OpenVenue>();
  readonly #watch: NodeJS.Timeout;
  #spare: Spare | null = null;
  /** Resolves to the name of a copy of the image that no venue uses yet; null if there is none. */
  #copy: Promise<string> | null = null;
  readonly #ending = new AbortController();
  #starting = 0;
  #closing = 0;
  #last = 0;
  #usedMs = performance.now();

  /**
   * Starts the server, drops what a killed test bed left, and makes the image if this program has none yet. Ends what it has
   * started and returns null if the signal is aborted first.
   */
  static async open(parts: TestbedParts, signal: AbortSignal): Promise<Testbed | null> {
    const { folder, log } = parts;
    const database = await BedDatabase.open(folder, (message) => log.info({}, message));
    try {
      await endLeftovers(join(folder, "venues"));
      for (const name of await database.names("venue_")) await database.drop(name);
      const bed = new Testbed(parts, database);
      await bed.#makeImage(signal);
      if (!signal.aborted) {
        bed.#usedMs = performance.now();
        bed.#renewSpare({ settings: {} });
        return bed;
      }
      await bed.close();
      return null;
    } catch (error) {
      await database.close();
      if (signal.aborted) return null;
      throw error;
    }
  }

  private constructor(parts: TestbedParts, database: BedDatabase) {
    this.#parts = parts;
    this.#database = database;
    this.#watch = setInterval(() => this.#closeOrphans(), ownerLookMs);
    this.#watch.unref();
  }

  /** Milliseconds since a venue was open, was asked for, or was being closed. */
  get idleMs(): number {
    if (this.#open.size + this.#starting + this.#closing > 0) return 0;
    return performance.now() - this.#usedMs;
  }

  venues(): readonly ShownVenue[] {
    return [...this.#open.values()].map(({ shown }) => shown);
  }

  /** Opens a venue; throws a TestbedRefusal if `bedVenuesMax` are open, and with its complaint if it does not start. */
  async openVenue({ ownerPid, ...setup }: VenueRequest): Promise<ShownVenue> {
    if (this.#ending.signal.aborted) throw new TestbedRefusal("the test bed is ending");
    if (this.#open.size + this.#starting >= bedVenuesMax)
      throw new TestbedRefusal(`${bedVenuesMax} venues are open already: close one first`);
    this.#starting += 1;
    const startedMs = performance.now();
    try {
      const { id, venue } = (await this.#takeSpare(setup)) ?? (await this.#start(setup));
      const { address, control, dataDir, pid } = venue;
      const shown = {
        ...{ id, address, control, data_dir: dataDir, pid, owner_pid: ownerPid },
        command: [process.execPath, ...process.execArgv, this.#parts.program],
        environment: { DATA_DIR: dataDir, DATABASE_URL: this.#database.urlOf(id) },
        started_in_ms: Math.round(performance.now() - startedMs),
      };
      this.#open.set(id, { venue, shown });
      this.#renewSpare(setup);
      return shown;
    } finally {
      this.#starting -= 1;
      this.#usedMs = performance.now();
    }
  }

  /** Ends a venue and drops its data. */
  async closeVenue(id: string): Promise<void> {
    const found = this.#open.get(id);
    if (found === undefined) throw new TestbedRefusal(`no venue ${id} is open`);
    this.#open.delete(id);
    this.#closing += 1;
    try {
      // Nobody will read its data, so nothing is written at the end.
      await found.venue.end("kill");
      await this.#drop(id);
    } finally {
      this.#closing -= 1;
      this.#usedMs = performance.now();
    }
  }

  /** Ends all venues, then the server. */
  async close(): Promise<void> {
    clearInterval(this.#watch);
    this.#ending.abort();
    while (this.#starting > 0) await sleep(startingLookMs);
    const ids = [...this.#open.keys()];
    await Promise.all([this.#endSpare(), ...ids.map((id) => this.closeVenue(id))]);
    const copy = await this.#takeCopy();
    if (copy !== null) await this.#drop(copy);
    await this.#database.close();
  }

  /** Returns the spare if it has this setup and still runs; it is then no spare any more. */
  async #takeSpare(setup: VenueSetup): Promise<StartedVenue | null> {
    const spare = this.#spare;
    if (spare?.key !== keyOf(setup)) return null;
    this.#spare = null;
    const started = await spare.started.catch(() => null);
    if (started === null || started.venue.isRunning) return started;
    await this.#drop(started.id);
    return null;
  }

  /** Starts a spare with this setup, unless there is one. A spare that does not start is missed by nobody. */
  #renewSpare(setup: VenueSetup): void {
    const key = keyOf(setup);
    if (this.#spare?.key === key || this.#ending.signal.aborted) return;
    const ended = this.#endSpare();
    const started = ended.then(() => this.#start(setup));
    started.catch((err: unknown) => this.#parts.log.info({ err }, "no spare venue was started"));
    this.#spare = { key, started };
  }

  async #endSpare(): Promise<void> {
    const spare = this.#spare;
    this.#spare = null;
    const started = await spare?.started.catch(() => null);
    if (started === undefined || started === null) return;
    await started.venue.end("kill");
    await this.#drop(started.id);
  }

  async #start({ settings }: VenueSetup): Promise<StartedVenue> {
    const { folder, program } = this.#parts;
    const id = (await this.#takeCopy()) ?? (await this.#makeCopy());
    const [dataDir, databaseUrl] = [venueFolder(folder, id), this.#database.urlOf(id)];
    const { signal } = this.#ending;
    try {
      const venue = await BedVenue.start({ program, dataDir, databaseUrl, settings, signal });
      this.#renewCopy();
      return { id, venue };
    } catch (error) {
      await this.#drop(id);
      throw error;
    }
  }

  /** Takes the copy that was made ahead; null if there is none, or if it could not be made. */
  async #takeCopy(): Promise<string | null> {
    const copy = this.#copy;
    this.#copy = null;
    return (await copy?.catch(() => null)) ?? null;
  }

  #renewCopy(): void {
    if (this.#copy !== null || this.#ending.signal.aborted) return;
    this.#copy = this.#makeCopy();
    this.#copy.catch((err: unknown) => this.#parts.log.info({ err }, "no copy was made ahead"));
  }

  /** Copies the image's database and folder; returns the name of the venue that will use them. */
  async #makeCopy(): Promise<string> {
    this.#last += 1;
    const id = `venue_${this.#last}`;
    const { folder } = this.#parts;
    await mkdir(join(folder, "venues"), { recursive: true, mode: 0o711 });
    const made = await Promise.allSettled([
      this.#database.create(id, this.#imageName),
      cp(this.#imageFolder, venueFolder(folder, id), { recursive: true }),
    ]);
    const failed = made.find(({ status }) => status === "rejected");
    if (failed === undefined) return id;
    await this.#drop(id).catch(() => undefined);
    throw (failed as PromiseRejectedResult).reason;
  }

  async #drop(id: string): Promise<void> {
    await this.#database.drop(id);
    await removeFolder(venueFolder(this.#parts.folder, id));
  }

  get #imageName(): string {
    return `image_${this.#parts.programId}`;
  }

  get #imageFolder(): string {
    return join(this.#parts.folder, "images", this.#parts.programId);
  }

  /** Starts a venue once on an empty database and stops it cleanly. An image that is not complete is made anew. */
  async #makeImage(signal: AbortSignal): Promise<void> {
    const images = join(this.#parts.folder, "images");
    const kept = await readdir(images).catch((): string[] => []);
    const isMade = kept.includes(this.#parts.programId);
    if (isMade && (await this.#database.has(this.#imageName))) return;
    for (const name of await this.#database.names("image_")) await this.#database.drop(name);
    await rm(images, { recursive: true, force: true });
    this.#parts.log.info({}, "making the image of a venue, once for this program");
    const unfinished = join(this.#parts.folder, "image.new");
    await endHolder(unfinished);
    await removeFolder(unfinished);
    await this.#database.create(this.#imageName);
    const venue = await BedVenue.start({
      program: this.#parts.program,
      dataDir: unfinished,
      databaseUrl: this.#database.urlOf(this.#imageName),
      settings: {},
      signal,
    });
    try {
      // So every venue of the image goes on with its epochs, and none begins its own.
      await this.#database.untilSealing(this.#imageName, signal);
    } finally {
      await venue.end("stop");
    }
    await mkdir(images, { recursive: true, mode: 0o711 });
    await cp(unfinished, this.#imageFolder, { recursive: true });
    await removeFolder(unfinished);
  }

  #closeOrphans(): void {
    for (const [id, { venue, shown }] of this.#open) {
      const isOwned = shown.owner_pid === null || isAlive(shown.owner_pid);
      if (isOwned && venue.isRunning) continue;
      const reason = isOwned ? "its process ended" : "its owner ended";
      this.#parts.log.info({ id, reason }, "closing a venue");
      void this.closeVenue(id).catch((err: unknown) => {
        this.#parts.log.warn({ id, err }, "a venue could not be dropped");
      });
    }
  }
}

/** Kills the venues of a killed test bed, and removes their folders. */
async function endLeftovers(venues: string): Promise<void> {
  const names = await readdir(venues).catch((): string[] => []);
  await Promise.all(names.map((name) => endHolder(join(venues, name))));
  // A venue that was just starting has no lock yet. Without its folder and its database it ends by itself.
  await removeFolder(venues);
}

/** Removes a folder into which a process that is ending may still write. */
async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: removalsMax });
}

/** Kills the venue that runs on a folder; resolves when it writes there no more. */
async function endHolder(folder: string): Promise<void> {
  const holder = await folderHolder(folder);
  if (holder === null) return;
  process.kill(holder.pid, "SIGKILL");
  while ((await folderHolder(folder))?.pid === holder.pid) await sleep(startingLookMs);
}

/** Equal setups have equal keys. */
function keyOf({ settings }: VenueSetup): string {
  return JSON.stringify(Object.entries(settings).sort());
}
