// The journal mark in the data folder (services/journal/following/journal-mark.ts). A venue compares it with the
// database's journal before it leads or follows, and refuses a journal that lacks what it has acknowledged. The venue's
// main thread is the file's only writer, because it owns the folder. Each write replaces the file whole, off the way of
// every commit, so that the file may be some seconds behind the journal, and never ahead of it.

import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { PostgresConnectionOptions } from "../../adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../adapters/postgres/event-store.ts";
import type { ChainMark } from "../../ports/leadership.ts";
import type { Log } from "../../ports/log.ts";
import type { CommittedEvents } from "../../services/journal/following/follower.ts";
import {
  compareWithMark,
  firstHashOf,
  type JournalMark,
  lastChainOf,
} from "../../services/journal/following/journal-mark.ts";
import { JournalRefused } from "./journal-refused.ts";

const fileName = "journal-mark.json";
const ownerOnly = 0o600;

const hex = z.string().regex(/^([0-9a-f]{2})*$/);
const seqNumber = z.number().int().nonnegative();
const stored = z.object({
  first: hex,
  epoch: z.string().regex(/^\d+$/),
  baseSeq: seqNumber,
  base: hex,
  seq: seqNumber,
  hash: hex,
  /** What the operator accepted: that this journal lacks events up to this one. It stays until the next write. */
  acceptedSeq: seqNumber.optional(),
});

export interface MarkFileParts {
  readonly dataDir: string;
  readonly connection: PostgresConnectionOptions;
  readonly log: Log;
}

export class MarkFile {
  readonly #parts: MarkFileParts;
  #mark: JournalMark | null;
  /** Hash of the journal's first event; null until it is read, which an empty journal does not allow. */
  #first: Uint8Array | null = null;
  /** Seq after which the journal begins; null until it is read. */
  #base: number | null = null;
  #next: (ChainMark & { readonly epoch: string }) | null = null;
  #writing: Promise<void> | null = null;
  #isFailing = false;

  private constructor(parts: MarkFileParts, mark: JournalMark | null) {
    this.#parts = parts;
    this.#mark = mark;
  }

  /** Reads the mark, if there is one. Throws JournalRefused if the file is damaged. */
  static async open(parts: MarkFileParts): Promise<MarkFile> {
    const path = join(parts.dataDir, fileName);
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    if (text === null) return new MarkFile(parts, null);
    const read = stored.safeParse(parsed(text));
    if (!read.success) throw new JournalRefused(damagedMessage(path));
    const { acceptedSeq, first, base, hash, ...rest } = read.data;
    if (acceptedSeq !== undefined)
      parts.log.warn(
        { acknowledgedSeq: acceptedSeq, journalSeq: rest.seq },
        "the operator accepted that acknowledged events are missing from this journal",
      );
    const mark = { ...rest, first: bytesOf(first), base: bytesOf(base), hash: bytesOf(hash) };
    return new MarkFile(parts, mark);
  }

  /** True if there is a mark; a comparison with another venue's journal, or an empty one, ends it. */
  get isMarked(): boolean {
    return this.#mark !== null;
  }

  /**
   * Compares the journal with the mark. Throws JournalRefused if it lacks marked events. A journal of another venue, or
   * an empty one, ends the mark.
   */
  async compare(journal?: CommittedEvents): Promise<void> {
    const refusal = await this.refusal(journal);
    if (refusal !== null) throw new JournalRefused(refusal);
  }

  /** Why the journal must not be written, and what the operator can do; null if it may. */
  async refusal(journal?: CommittedEvents): Promise<string | null> {
    const mark = this.#mark;
    if (mark === null) return null;
    const base = await this.#journalBase();
    const compared = await this.#reading((events) => compareWithMark(mark, events, base), journal);
    const { relation, headSeq } = compared;
    if (relation === "shorter" || relation === "different")
      return refusalMessage(mark, relation, headSeq);
    if (relation === "another") {
      this.#mark = null;
      const told = { markedSeq: mark.seq, journalSeq: headSeq };
      this.#parts.log.info(told, "the journal mark is of another venue's journal: not compared");
    } else this.#first = mark.first;
    return null;
  }

  /** Remembers that everything up to `chain.seq` is durable and acknowledged; older news is ignored. */
  note({ baseSeq, base, seq, hash }: ChainMark, epoch: string): void {
    if (seq === baseSeq || seq <= (this.#mark?.seq ?? 0)) return;
    this.#next = { baseSeq, base, seq, hash, epoch };
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  /** Remembers the journal as it is now; everything in it must be durable. */
  async noteHead(journal: CommittedEvents, epoch: string): Promise<void> {
    const [headSeq, base] = await Promise.all([journal.lastSeq(), this.#journalBase()]);
    if (headSeq > base) this.note(await lastChainOf(journal, headSeq, base), epoch);
    await this.written();
  }

  /** Resolves when what was noted is in the file, or could not be stored. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /**
   * Accepts the loss of events up to `seq`, which must be the newest one that this venue has acknowledged: from now on
   * the mark is the journal's end. Throws if nothing is missing.
   */
  async accept(seq: number): Promise<{ readonly headSeq: number }> {
    const mark = this.#mark;
    if (mark === null || (await this.refusal()) === null)
      throw new Error("there is nothing to accept: the journal lacks nothing that is known here");
    if (mark.seq !== seq)
      throw new Error(
        `this venue has acknowledged event ${mark.seq}, not ${seq}: to lose that, accept ${mark.seq}`,
      );
    const base = await this.#journalBase();
    const chain = await this.#reading(async (journal) =>
      lastChainOf(journal, await journal.lastSeq(), base),
    );
    await this.#store({ ...chain, first: mark.first, epoch: mark.epoch }, seq);
    const told = { acknowledgedSeq: seq, journalSeq: chain.seq };
    this.#parts.log.warn(told, "the loss of acknowledged events was accepted");
    return { headSeq: chain.seq };
  }

  async #write(): Promise<void> {
    while (this.#next !== null) {
      const next = this.#next;
      this.#next = null;
      try {
        const base = await this.#journalBase();
        this.#first ??= await this.#reading((journal) => firstHashOf(journal, base));
        await this.#store({ ...next, first: this.#first });
        this.#isFailing = false;
      } catch (err) {
        if (!this.#isFailing) this.#parts.log.warn({ err }, "the journal mark cannot be stored");
        this.#isFailing = true;
      }
    }
  }

  async #store(mark: JournalMark, acceptedSeq?: number): Promise<void> {
    const { first, epoch, baseSeq, base, seq, hash } = mark;
    const kept = { first: hexOf(first), epoch, baseSeq, base: hexOf(base), seq, hash: hexOf(hash) };
    const text = JSON.stringify({ ...kept, acceptedSeq });
    const path = join(this.#parts.dataDir, fileName);
    // Flushed before it is renamed: after a power failure the file is the old or the new one.
    await writeFile(`${path}.new`, `${text}\n`, { mode: ownerOnly, flush: true });
    await rename(`${path}.new`, path);
    this.#mark = mark;
  }

  /** Seq after which the journal begins. */
  async #journalBase(): Promise<number> {
    this.#base ??= await this.#onStore((store) => store.baseSeq());
    return this.#base;
  }

  /** Reads from `given`, or on a session of its own. */
  #reading<T>(work: (journal: CommittedEvents) => Promise<T>, given?: CommittedEvents): Promise<T> {
    return given === undefined ? this.#onStore(work) : work(given);
  }

  async #onStore<T>(work: (store: PostgresEventStore) => Promise<T>): Promise<T> {
    const { connection, log } = this.#parts;
    const store = new PostgresEventStore({ connection, log, isStopping: () => true });
    try {
      return await work(store);
    } finally {
      void store.close();
    }
  }
}

function refusalMessage(
  { seq, epoch }: JournalMark,
  relation: "shorter" | "different",
  headSeq: number,
): string {
  const has =
    relation === "shorter"
      ? `${seq - headSeq} acknowledged events are missing`
      : `it has other events up to ${seq} than those that were acknowledged`;
  return (
    `the journal of this database ends at event ${headSeq}, and this venue has acknowledged event ${seq} ` +
    `(writer epoch ${epoch}): ${has}. The database is an older copy, or its server was promoted without the last ` +
    "commits. Restore or promote the server that has them, and start again. If they are lost, accept that on this " +
    `machine with 'rialto journal accept ${seq}'`
  );
}

function damagedMessage(path: string): string {
  return (
    `${path} is damaged: it cannot be told whether the journal has everything that this venue has acknowledged. ` +
    "Compare the journal's end with what your clients were told, then remove it"
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, "hex");
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
