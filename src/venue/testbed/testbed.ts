// A test bed opens venues for tests within about a second. It holds one PostgreSQL server and an image: the database and
// the data folder of a venue that was started once and stopped. Each venue begins as a copy of the image, so that it
// neither migrates nor makes a demo, and its data ends with it.
//
//   image ──copy──▶ starting ──▶ open ──closed, owner gone, or the test bed ends──▶ dropped

import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isAlive } from "../../adapters/postgres/server/postmaster.ts";
import type { Log } from "../../ports/log.ts";
import { BedDatabase } from "./bed-database.ts";
import { BedVenue, venueFolder } from "./bed-venue.ts";

/** More venues need more memory and sessions than a machine for tests has. */
export const bedVenuesMax = 12;
const ownerLookMs = 1_000;

/** Who opens a venue, and how. */
export interface VenueRequest {
  /** The venue is closed when this process has ended; null if only a call closes it. */
  readonly ownerPid: number | null;
  readonly settings: Readonly<Record<string, string>>;
  readonly args: readonly string[];
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
  /** Milliseconds from the request until it answered. */
  readonly started_in_ms: number;
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
  #starting = 0;
  #last = 0;
  #usedMs = performance.now();

  /** Starts the server, drops what a killed test bed left, and makes the image if this program has none yet. */
  static async open(parts: TestbedParts): Promise<Testbed> {
    const { folder, log } = parts;
    const database = await BedDatabase.open(folder, (message) => log.info({}, message));
    try {
      for (const name of await database.names("venue_")) await database.drop(name);
      await rm(join(folder, "venues"), { recursive: true, force: true });
      const bed = new Testbed(parts, database);
      await bed.#makeImage();
      return bed;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  private constructor(parts: TestbedParts, database: BedDatabase) {
    this.#parts = parts;
    this.#database = database;
    this.#watch = setInterval(() => this.#closeOrphans(), ownerLookMs);
    this.#watch.unref();
  }

  /** Milliseconds since a venue was open or was asked for. */
  get idleMs(): number {
    if (this.#open.size + this.#starting > 0) return 0;
    return performance.now() - this.#usedMs;
  }

  venues(): readonly ShownVenue[] {
    return [...this.#open.values()].map(({ shown }) => shown);
  }

  /** Opens a venue; throws a TestbedRefusal if `bedVenuesMax` are open, and with its complaint if it does not start. */
  async openVenue({ ownerPid, settings, args }: VenueRequest): Promise<ShownVenue> {
    if (this.#open.size + this.#starting >= bedVenuesMax)
      throw new TestbedRefusal(`${bedVenuesMax} venues are open already: close one first`);
    this.#starting += 1;
    this.#last += 1;
    const id = `venue_${this.#last}`;
    const startedMs = performance.now();
    try {
      const venue = await this.#start(id, { settings, args });
      const startedIn = Math.round(performance.now() - startedMs);
      const { address, control, dataDir, pid } = venue;
      const shown = { id, address, control, data_dir: dataDir, pid };
      this.#open.set(id, {
        venue,
        shown: { ...shown, owner_pid: ownerPid, started_in_ms: startedIn },
      });
      return this.#shownOf(id);
    } catch (error) {
      await this.#drop(id);
      throw error;
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
    // Nobody will read its data, so nothing is written at the end.
    await found.venue.end("kill");
    await this.#drop(id);
    this.#usedMs = performance.now();
  }

  /** Ends all venues, then the server. */
  async close(): Promise<void> {
    clearInterval(this.#watch);
    await Promise.all([...this.#open.keys()].map((id) => this.closeVenue(id)));
    await this.#database.close();
  }

  #shownOf(id: string): ShownVenue {
    const found = this.#open.get(id);
    if (found === undefined) throw new TestbedRefusal(`the venue ${id} ended`);
    return found.shown;
  }

  async #start(
    id: string,
    { settings, args }: Pick<VenueRequest, "settings" | "args">,
  ): Promise<BedVenue> {
    const { folder, program } = this.#parts;
    const dataDir = venueFolder(folder, id);
    await mkdir(join(folder, "venues"), { recursive: true, mode: 0o711 });
    await Promise.all([
      this.#database.create(id, this.#imageName),
      cp(this.#imageFolder, dataDir, { recursive: true }),
    ]);
    const databaseUrl = this.#database.urlOf(id);
    return BedVenue.start({ program, args, dataDir, databaseUrl, settings });
  }

  async #drop(id: string): Promise<void> {
    await this.#database.drop(id);
    await rm(venueFolder(this.#parts.folder, id), { recursive: true, force: true });
  }

  get #imageName(): string {
    return `image_${this.#parts.programId}`;
  }

  get #imageFolder(): string {
    return join(this.#parts.folder, "images", this.#parts.programId);
  }

  /** Starts a venue once on an empty database and stops it cleanly. An image that is not complete is made anew. */
  async #makeImage(): Promise<void> {
    const images = join(this.#parts.folder, "images");
    const kept = await readdir(images).catch((): string[] => []);
    const isMade = kept.includes(this.#parts.programId);
    if (isMade && (await this.#database.has(this.#imageName))) return;
    for (const name of await this.#database.names("image_")) await this.#database.drop(name);
    await rm(images, { recursive: true, force: true });
    this.#parts.log.info({}, "making the image of a venue, once for this program");
    const unfinished = join(this.#parts.folder, "image.new");
    await rm(unfinished, { recursive: true, force: true });
    await this.#database.create(this.#imageName);
    const venue = await BedVenue.start({
      program: this.#parts.program,
      args: [],
      dataDir: unfinished,
      databaseUrl: this.#database.urlOf(this.#imageName),
      settings: {},
    });
    await venue.end("stop");
    await mkdir(images, { recursive: true, mode: 0o711 });
    await cp(unfinished, this.#imageFolder, { recursive: true });
    await rm(unfinished, { recursive: true, force: true });
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
