// The folder of a watcher: the signed heads that it has seen, as lines of JSON that are only added, what it has told,
// and the evidence that it found. The file of heads can be published as it is: other watchers compare theirs with it.

import { randomUUID } from "node:crypto";
import { appendFile, mkdir, open, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { headIn, type SignedHead } from "../../services/access/signed-head.ts";
import type { ToldStates } from "./finding.ts";
import { checkedStatement } from "./statement.ts";

/** A line has about 400 bytes. A chain that differs anywhere differs in all later epochs, so the newest are enough. */
export const headsMax = 300;
export const headsBytesMax = 256 * 1024;

const states = ["ok", "unknown", "silent", "deficit", "disputed", "broken"] as const;

const memory = z.object({
  told: z.record(z.string(), z.enum(states)),
  /** The newest statement that was checked. */
  statement: checkedStatement.nullable(),
});
export type WatchMemory = z.output<typeof memory>;

const nothing: WatchMemory = { told: {}, statement: null };

export class HeadFolder {
  readonly #path: string;
  /** The newest heads, oldest first. */
  readonly #heads: SignedHead[];
  #memory: WatchMemory;

  private constructor(path: string, heads: SignedHead[], remembered: WatchMemory) {
    this.#path = path;
    this.#heads = heads;
    this.#memory = remembered;
  }

  /** Opens the folder and creates it if there is none; refuses a file of memory, or of heads, that is not its own. */
  static async open(path: string): Promise<HeadFolder> {
    await mkdir(path, { recursive: true });
    const lines = await tailOf(join(path, "heads.jsonl"));
    const heads = headsIn(lines);
    // Without a head the watcher would take any key for the venue's.
    if (lines.trim() !== "" && heads.length === 0)
      throw new Error(
        `${join(path, "heads.jsonl")} has no head; without it, the key is learned anew`,
      );
    // A crash may have cut the last line short; what is added must not continue it.
    if (lines !== "" && !lines.endsWith("\n")) await appendFile(join(path, "heads.jsonl"), "\n");
    return new HeadFolder(path, heads, await memoryIn(join(path, "watch.json")));
  }

  get newest(): SignedHead | null {
    return this.#heads.at(-1) ?? null;
  }

  get heads(): readonly SignedHead[] {
    return this.#heads;
  }

  get memory(): WatchMemory {
    return this.#memory;
  }

  /** Adds a head and returns when it is on the disk. */
  async keep(head: SignedHead): Promise<void> {
    const file = await open(join(this.#path, "heads.jsonl"), "a");
    try {
      await file.write(`${JSON.stringify(head)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    this.#heads.push(head);
    if (this.#heads.length > headsMax) this.#heads.shift();
  }

  async remember(changed: Partial<{ told: ToldStates; statement: WatchMemory["statement"] }>) {
    this.#memory = { ...this.#memory, ...changed };
    const path = join(this.#path, "watch.json");
    // Another watcher may use the folder at the same time.
    const own = `${path}.${randomUUID()}`;
    await writeFile(own, `${JSON.stringify(this.#memory, null, 2)}\n`);
    await rename(own, path);
  }

  /** Writes evidence to a file of this name and returns its path. */
  async prove(name: string, evidence: object): Promise<string> {
    const path = join(this.#path, name);
    await writeFile(path, `${JSON.stringify(evidence, null, 2)}\n`);
    return path;
  }
}

/**
 * Returns the heads in lines of JSON, the newest `headsMax` of them; other lines, such as half of one, are none. Signatures
 * are not checked yet, because that takes a third of a millisecond for each.
 */
export function headsIn(text: string): SignedHead[] {
  return text
    .split("\n")
    .slice(-headsMax - 1)
    .flatMap((line) => headIn(objectIn(line)) ?? []);
}

async function memoryIn(path: string): Promise<WatchMemory> {
  const text = await readFile(path, "utf8").catch(absent);
  if (text === null) return nothing;
  const read = memory.safeParse(objectIn(text));
  if (read.success) return read.data;
  throw new Error(`${path} cannot be read; without it, what was told is told again`);
}

function objectIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Returns the end of a file, which is empty if there is none. */
export async function tailOf(path: string): Promise<string> {
  const file = await open(path, "r").catch(absent);
  if (file === null) return "";
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, headsBytesMax));
    await file.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8");
  } finally {
    await file.close();
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
