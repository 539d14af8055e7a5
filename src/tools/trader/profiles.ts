// The stored profiles of a trader: which venue, with which API key. They are in a folder that only its owner can read;
// each secret has a file of its own, so that a list of profiles never holds one in memory.

import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { assert } from "../../core/assert.ts";

const ownerOnly = 0o600;
const ownerOnlyFolder = 0o700;
/** Rights of anybody but the owner. */
const othersMask = 0o077;
/** A private key in PEM has about 120 bytes, an HMAC secret 64. */
const secretLengthMax = 4_096;

const stored = z.object({
  current: z.string().nullable(),
  profiles: z.record(z.string(), z.object({ address: z.string(), key: z.string() })),
});
type Stored = z.output<typeof stored>;

const none: Stored = { current: null, profiles: {} };

export interface Profile {
  readonly name: string;
  /** The venue's URL, without a path. */
  readonly address: string;
  /** Value of the API key. */
  readonly key: string;
}

/** Whether a profile may have this name, which becomes the name of a file. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,32}$/.test(name);
}

export class ProfileStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Stores a profile and makes it the current one, if there was none or it had the same name. */
  async add({ name, address, key }: Profile, secret: string): Promise<void> {
    assert(isProfileName(name), "a profile's name must be checked before it is stored");
    const text = secret.trim();
    if (text === "" || text.length > secretLengthMax)
      throw new Error(`a secret has 1 to ${secretLengthMax} characters`);
    await mkdir(this.#folder, { recursive: true, mode: ownerOnlyFolder });
    await chmod(this.#folder, ownerOnlyFolder);
    await this.#write(`${name}.secret`, `${text}\n`);
    const { current, profiles } = await this.#read();
    await this.#keep({
      current: current ?? name,
      profiles: { ...profiles, [name]: { address, key } },
    });
  }

  /** All profiles by name, and the name of the current one. */
  async list(): Promise<{ readonly current: string | null; readonly profiles: Profile[] }> {
    const { current, profiles } = await this.#read();
    const rows = Object.entries(profiles).map(([name, fields]) => ({ name, ...fields }));
    return { current, profiles: rows.sort((a, b) => (a.name < b.name ? -1 : 1)) };
  }

  async use(name: string): Promise<void> {
    const all = await this.#read();
    this.#known(all, name);
    await this.#keep({ ...all, current: name });
  }

  async remove(name: string): Promise<void> {
    const all = await this.#read();
    this.#known(all, name);
    const { [name]: _, ...profiles } = all.profiles;
    await rm(join(this.#folder, `${name}.secret`), { force: true });
    await this.#keep({ current: all.current === name ? null : all.current, profiles });
  }

  /** The profile of that name, or the current one if `name` is undefined. */
  async find(name: string | undefined): Promise<Profile> {
    const all = await this.#read();
    const wanted = name ?? all.current;
    if (wanted === null)
      throw new Error("no profile is in use: 'rialto profile add' stores one, 'use' selects one");
    return { name: wanted, ...this.#known(all, wanted) };
  }

  /** The secret of a profile. Throws if others may read its file. */
  async secretOf({ name }: Profile): Promise<string> {
    const file = join(this.#folder, `${name}.secret`);
    const { mode, size } = await stat(file);
    if ((mode & othersMask) !== 0)
      throw new Error(`${file} can be read by others: run 'chmod 600 ${file}', or replace the key`);
    if (size > 2 * secretLengthMax) throw new Error(`${file} is not a secret`);
    return (await readFile(file, "utf8")).trim();
  }

  #known({ profiles }: Stored, name: string): Stored["profiles"][string] {
    const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    if (profile === undefined)
      throw new Error(`no profile ${name}; 'rialto profile list' shows them`);
    return profile;
  }

  async #read(): Promise<Stored> {
    const file = join(this.#folder, "profiles.json");
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    if (text === null) return none;
    try {
      return stored.parse(JSON.parse(text));
    } catch {
      throw new Error(`${file} is not a file of profiles: move it away`);
    }
  }

  #keep(all: Stored): Promise<void> {
    return this.#write("profiles.json", `${JSON.stringify(all, null, 1)}\n`);
  }

  /** Replaces a file as a whole, so that it is never incomplete and never readable by others. */
  async #write(name: string, text: string): Promise<void> {
    const file = join(this.#folder, name);
    const part = `${file}.part-${process.pid}`;
    await rm(part, { force: true });
    await writeFile(part, text, { mode: ownerOnly, flag: "wx" });
    await rename(part, file);
  }
}
