// Rebuilds every row, leaf, tile, header and link of the epochs from the journal and compares them with what is
// stored. Reports the journal row that differs from the sealed entry, or only the epoch if its tiles are missing too.
//
//   epochs (some at a time) ─▶ links, headers ─┐
//   tiles of them ─────────────────────────────┼─▶ rows in order ─▶ leaves ─▶ tiles ─▶ roots
//
// An epoch's leaves are compared with its stored tiles. If the root computed from the rows equals the stored root, a
// differing tile was changed. If the roots differ, the rows whose leaves differ were changed.

import { EventKind, type Traded, type VenueEvent } from "../../core/generated/events.ts";
import type { MarketTable } from "../../core/markets.ts";
import { hashBytes } from "../../engine/epochs/tree-hash.ts";
import { type Tile, TreeBuilder, tileHashes } from "../../engine/epochs/tree-tiles.ts";
import type { AuditSource, RowChunk } from "../../ports/journal/audit-source.ts";
import type { EpochRecord, EpochTerms } from "../../ports/journal/epoch-store.ts";
import type { LeafHasher } from "./leaf-hasher.ts";
import { hexOf, rootOf } from "./open-epoch.ts";
import { FillCheck, RowCheck } from "./row-check.ts";

/** Maximum number of epochs and of entries in memory at a time: the leaves of half a million entries take 16 MB. */
const epochsAtOnce = 1_000;
const entriesAtOnce = 500_000;

export interface EpochAuditReport {
  readonly epochs: number;
  readonly entries: number;
  readonly headEpoch: number | null;
  readonly headRoot: string | null;
}

export interface EpochAuditOptions {
  readonly table: MarketTable;
  /** Seq after which the journal begins; other than 0 only for a fork. */
  readonly afterSeq: number;
  /** The journal is checked up to this seq. Of epochs that end later, only the headers are checked. */
  readonly untilSeq: number;
  /** True if nothing is being sealed during the audit. Tiles of a missing epoch are then reported. */
  readonly isAtRest: boolean;
  readonly differs: (message: string) => void;
  readonly onProgress: (seq: number) => void;
}

/** Audits the epochs that end at or before `untilSeq`, and every journal row up to there. */
export async function auditEpochs(
  source: AuditSource,
  leaves: LeafHasher,
  options: EpochAuditOptions,
): Promise<EpochAuditReport> {
  const terms = await source.terms();
  const audit = new EpochAudit(source, leaves, options);
  if (terms !== null) await audit.runEpochs(terms);
  await audit.runRest();
  return audit.report();
}

/** Options of the check when a venue starts, which covers some of the newest sealed entries. */
export type NewestAuditOptions = Pick<EpochAuditOptions, "table" | "differs"> & {
  readonly entriesMax: number;
};

/**
 * Audits the newest epochs with at most `entriesMax` entries in total; if the newest epoch has more, audits the leaves
 * of its last `entriesMax` entries. `auditEpochs` covers older entries.
 */
export async function auditNewestEpochs(
  source: AuditSource,
  leaves: LeafHasher,
  options: NewestAuditOptions,
): Promise<EpochAuditReport> {
  const terms = await source.terms();
  const untilSeq = Number.MAX_SAFE_INTEGER;
  const rest = { afterSeq: 0, untilSeq, isAtRest: false, onProgress: () => undefined };
  const audit = new EpochAudit(source, leaves, { ...options, ...rest });
  if (terms !== null) await audit.runNewest(terms, options.entriesMax);
  return audit.report();
}

class EpochAudit {
  readonly #source: AuditSource;
  readonly #leaves: LeafHasher;
  readonly #options: EpochAuditOptions;
  readonly #check = new RowCheck();
  readonly #fillCheck: FillCheck;
  #last: EpochRecord | null = null;
  #epochs = 0;
  /** Seq of the last row read. */
  #seq: number;

  constructor(source: AuditSource, leaves: LeafHasher, options: EpochAuditOptions) {
    this.#source = source;
    this.#leaves = leaves;
    this.#options = options;
    this.#fillCheck = new FillCheck(options.table);
    this.#seq = options.afterSeq;
  }

  report(): EpochAuditReport {
    return {
      epochs: this.#epochs,
      entries: this.#seq,
      headEpoch: this.#last?.epoch ?? null,
      headRoot: this.#last?.root ?? null,
    };
  }

  async runEpochs(terms: EpochTerms): Promise<void> {
    let after = -1;
    for (;;) {
      const records = atOnce(await this.#source.epochsAfter(after, epochsAtOnce));
      const last = records.at(-1);
      if (last === undefined) break;
      for (const record of records) this.#checkLink(record, terms);
      await this.#checkCommitted(after, last.epoch, records);
      const { untilSeq } = this.#options;
      const whole = records.filter(
        ({ firstSeq, lastSeq }) => firstSeq > this.#seq && lastSeq <= untilSeq,
      );
      await this.#runWindow(whole);
      after = last.epoch;
    }
    await this.#checkCommitted(after, Number.MAX_SAFE_INTEGER, []);
    if (this.#options.isAtRest)
      await this.#checkLeftTiles((this.#last?.epoch ?? terms.firstEpoch - 1) + 1);
  }

  async runNewest(terms: EpochTerms, entriesMax: number): Promise<void> {
    const records = await this.#source.newestEpochs(epochsAtOnce);
    let from = records.length;
    let left = entriesMax;
    while (from > 0 && (records[from - 1]?.journalCount ?? 0) <= left) {
      from--;
      left -= records[from]?.journalCount ?? 0;
    }
    // The link of an epoch can be checked only against the epoch before it.
    if (from === 0 && records[0]?.epoch !== terms.firstEpoch) from = 1;
    const [before, ...whole] = [records[from - 1] ?? null, ...records.slice(from)];
    if (before !== null) await this.#runTail(before, left);
    this.#last = before;
    const [first, last] = [whole[0], whole.at(-1)];
    if (first === undefined || last === undefined) return;
    this.#seq = first.firstSeq - 1;
    for (const record of whole) this.#checkLink(record, terms);
    await this.#checkCommitted(first.epoch - 1, last.epoch, whole);
    await this.#runWindow(whole);
  }

  /** Compares the last `entries` rows of an epoch with its sealed leaves. */
  async #runTail({ epoch, firstSeq, lastSeq }: EpochRecord, entries: number): Promise<void> {
    const tiles = new Map<number, Buffer>();
    await this.#source.readTiles(epoch, epoch, (_, { level, tile, hashes }) => {
      if (level === 0) tiles.set(tile, Buffer.from(hashes));
    });
    const leaf = new Uint8Array(hashBytes);
    this.#seq = Math.max(firstSeq - 1, lastSeq - entries);
    if (this.#seq >= lastSeq) return;
    const take = (chunk: RowChunk): void => {
      for (let row = 0; row < chunk.count; row++) {
        const seq = chunk.seqs[row] as number;
        while (this.#seq + 1 < seq) this.#missing(undefined);
        this.#seq = seq;
        this.#hashSound(this.#check.eventOf(chunk, row), leaf);
        const place = seq - firstSeq;
        const at = (place % tileHashes) * hashBytes;
        const own = tiles.get(Math.floor(place / tileHashes))?.subarray(at, at + hashBytes);
        if (own !== undefined && Buffer.compare(own, leaf) === 0) continue;
        this.#differs(
          `journal row ${seq} differs from the entry sealed in epoch ${epoch} (leaf ${place})`,
        );
      }
    };
    await this.#source.readRows(this.#seq, lastSeq, take);
    while (this.#seq < lastSeq) this.#missing(undefined);
  }

  /** Writes the leaf of a correct row; for a faulty row, a value that no sealed leaf has. */
  #hashSound(event: VenueEvent | null, leaf: Uint8Array): void {
    leaf.fill(0);
    if (event === null || this.#check.fault !== "") return;
    try {
      this.#leaves.hashJournal(event, leaf, 0);
    } catch {
      // The event contains a code for which no market, asset or name is known.
      leaf.fill(0);
    }
  }

  /** Checks that each epoch confirmed on the ledger is stored and has the confirmed root. */
  async #checkCommitted(
    after: number,
    last: number,
    records: readonly EpochRecord[],
  ): Promise<void> {
    const stored = new Map(records.map(({ epoch, root }) => [epoch, root]));
    for (const { epoch, root } of await this.#source.committedRoots(after, last)) {
      const own = stored.get(epoch);
      if (own === root) continue;
      const message = own === undefined ? "is missing here" : `has the root ${own} here`;
      this.#differs(`epoch ${epoch}: the ledger confirmed the root ${root}, but it ${message}`);
    }
  }

  /**
   * Reports missing epochs of which tiles exist. The epoch `open` follows the last stored one. While it is open, it has
   * full tiles only, so a shorter tile of it, or any tile of a later epoch, belongs to a missing epoch.
   */
  async #checkLeftTiles(open: number): Promise<void> {
    const gone = new Set<number>();
    await this.#source.readTiles(open, Number.MAX_SAFE_INTEGER, (epoch, { hashes }) => {
      if (epoch > open || hashes.length < tileHashes * hashBytes) gone.add(epoch);
    });
    for (const epoch of gone) this.#differs(`epoch ${epoch} is missing but its tiles exist`);
  }

  /** Checks the rows after the last epoch, which are not sealed yet. */
  async runRest(): Promise<void> {
    await this.#readRows(this.#options.untilSeq, []);
  }

  #differs(message: string): void {
    this.#options.differs(message);
  }

  #checkLink(record: EpochRecord, terms: EpochTerms): void {
    const before = this.#last;
    this.#last = record;
    this.#epochs++;
    const name = `epoch ${record.epoch}`;
    const expected = before === null ? terms.firstEpoch : before.epoch + 1;
    for (let missing = expected; missing < record.epoch && missing < expected + 3; missing++) {
      this.#differs(`epoch ${missing} is missing`);
    }
    if (record.epoch - expected > 3) this.#differs(`… and all epochs up to ${record.epoch - 1}`);
    const isNext = before !== null && record.epoch === expected;
    if (isNext && record.prevRoot !== before.root) {
      this.#differs(`${name}: its prev_root is not the root of epoch ${before.epoch}`);
    }
    if (isNext && record.firstSeq !== before.lastSeq + 1) {
      this.#differs(`${name}: its entries do not begin at ${before.lastSeq + 1}`);
    }
    const startMs = record.epoch * terms.epochMs;
    if (record.startMs !== startMs || record.endMs !== startMs + terms.epochMs) {
      this.#differs(`${name}: its start and end times do not match its number`);
    }
    if (record.lastSeq - record.firstSeq + 1 !== record.journalCount) {
      this.#differs(`${name}: its header counts ${record.journalCount} entries, unlike its seqs`);
      return;
    }
    const root = rootOf(record, terms.venue, this.#leaves);
    if (root !== record.root) {
      this.#differs(`${name}: its header hashes to ${root}, stored is ${record.root}`);
    }
  }

  async #runWindow(records: readonly EpochRecord[]): Promise<void> {
    const [first, last] = [records[0], records.at(-1)];
    if (first === undefined || last === undefined) return;
    const stored = new Map<number, Map<string, Buffer>>();
    await this.#source.readTiles(first.epoch, last.epoch, (epoch, { level, tile, hashes }) => {
      const tiles = stored.get(epoch) ?? new Map<string, Buffer>();
      tiles.set(`${level}/${tile}`, Buffer.from(hashes));
      stored.set(epoch, tiles);
    });
    const fills = new Map<number, Buffer>();
    const lastTrade = last.firstTrade + last.fillCount - 1;
    await this.#source.readFills(first.firstTrade, lastTrade, ({ tradeId, columns }) => {
      fills.set(tradeId, Buffer.from(columns));
    });
    const rebuilt = records.map(
      (record) =>
        new RebuiltEpoch(this.#leaves, record, {
          tiles: stored.get(record.epoch) ?? new Map(),
          fills,
          fillCheck: this.#fillCheck,
          differs: (message) => this.#differs(message),
        }),
    );
    await this.#readRows(last.lastSeq, rebuilt);
    for (const epoch of rebuilt) epoch.finish();
  }

  /** Reads rows up to `untilSeq`, reports missing and faulty rows, and passes each row to its epoch. */
  async #readRows(untilSeq: number, epochs: readonly RebuiltEpoch[]): Promise<void> {
    let place = 0;
    const ofEpoch = (seq: number): RebuiltEpoch | undefined => {
      while (place < epochs.length && seq > (epochs[place] as RebuiltEpoch).lastSeq) place++;
      const epoch = epochs[place];
      return epoch !== undefined && seq >= epoch.firstSeq ? epoch : undefined;
    };
    const take = (chunk: RowChunk): void => {
      for (let row = 0; row < chunk.count; row++) {
        const seq = chunk.seqs[row] as number;
        while (this.#seq + 1 < seq) this.#missing(ofEpoch(this.#seq + 1));
        const event = this.#check.eventOf(chunk, row);
        const { fault } = this.#check;
        if (fault !== "") this.#differs(`journal row ${seq}: ${fault}`);
        ofEpoch(seq)?.add(seq, event, fault !== "");
        this.#seq = seq;
      }
      this.#options.onProgress(this.#seq);
    };
    await this.#source.readRows(this.#seq, untilSeq, take);
    while (this.#seq < untilSeq) this.#missing(ofEpoch(this.#seq + 1));
  }

  #missing(epoch: RebuiltEpoch | undefined): void {
    this.#seq++;
    this.#differs(`journal row ${this.#seq} is missing`);
    epoch?.add(this.#seq, null, true);
  }
}

/** The first of `records` that together have at most `entriesAtOnce` entries; always at least one record. */
function atOnce(records: readonly EpochRecord[]): EpochRecord[] {
  const some: EpochRecord[] = [];
  let entries = 0;
  for (const record of records) {
    entries += record.journalCount;
    if (some.length > 0 && entries > entriesAtOnce) break;
    some.push(record);
  }
  return some;
}

interface StoredParts {
  readonly tiles: ReadonlyMap<string, Buffer>;
  /** The columns of each fill's row, by trade id. */
  readonly fills: ReadonlyMap<number, Buffer>;
  readonly fillCheck: FillCheck;
  readonly differs: (message: string) => void;
}

/** One epoch rebuilt from its rows. */
class RebuiltEpoch {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly #leaves: LeafHasher;
  readonly #record: EpochRecord;
  readonly #stored: StoredParts;
  readonly #builder: TreeBuilder;
  readonly #leaf = new Uint8Array(hashBytes);
  /** Leaf hashes by index among the epoch's fills; undefined if the journal row no longer holds the trade. */
  readonly #fillHashes: (Uint8Array | undefined)[] = [];
  /** Tiles that differ from the stored tiles, with the hashes computed from the rows. */
  readonly #unequal: Tile[] = [];
  /** Rows already reported. */
  readonly #named = new Set<number>();
  #fills = 0;

  constructor(leaves: LeafHasher, record: EpochRecord, stored: StoredParts) {
    this.firstSeq = record.firstSeq;
    this.lastSeq = record.lastSeq;
    this.#leaves = leaves;
    this.#record = record;
    this.#stored = stored;
    this.#builder = new TreeBuilder(leaves.tree, (tile) => this.#compare(tile));
  }

  /** Adds the next row; `event` is null if the row holds no event. */
  add(seq: number, event: VenueEvent | null, isNamed: boolean): void {
    if (isNamed) this.#named.add(seq);
    this.#leaf.fill(0);
    if (event !== null) this.#hash(event);
    this.#builder.append(this.#leaf, 0);
  }

  finish(): void {
    const { epoch, merkleRoot, fillCount } = this.#record;
    const found = this.#fills;
    if (found !== fillCount) {
      this.#stored.differs(
        `epoch ${epoch}: ${fillCount} fills in its header, ${found} in its rows`,
      );
    }
    this.#leaf.fill(0);
    for (const hash of this.#fillHashes) this.#builder.append(hash ?? this.#leaf, 0);
    const root = hexOf(this.#builder.finish());
    for (const tile of this.#unequal) this.#blame(tile, root === merkleRoot);
    if (root !== merkleRoot) {
      this.#stored.differs(
        `epoch ${epoch}: the Merkle root of its rows is ${root}, expected ${merkleRoot}`,
      );
    }
  }

  #hash(event: VenueEvent): void {
    try {
      this.#leaves.hashJournal(event, this.#leaf, 0);
      if (event.kind === EventKind.traded) this.#addFill(event);
    } catch {
      // The event contains a code for which no market, asset or name is known, so its leaf cannot equal the sealed one.
      this.#leaf.fill(0);
    }
  }

  #addFill(event: Traded): void {
    const hash = new Uint8Array(hashBytes);
    this.#leaves.hashFill(event, hash, 0);
    const place = event.tradeId - this.#record.firstTrade;
    if (place >= 0 && place < this.#record.journalCount) this.#fillHashes[place] = hash;
    this.#fills++;
    const stored = this.#stored.fills.get(event.tradeId);
    if (stored !== undefined && this.#stored.fillCheck.isTold(event, stored)) return;
    const message = stored === undefined ? "is missing" : "differs from the journal";
    this.#stored.differs(`row of trade ${event.tradeId} in fills ${message}`);
  }

  #compare(tile: Tile): void {
    const stored = this.#stored.tiles.get(`${tile.level}/${tile.tile}`);
    if (stored === undefined || Buffer.compare(stored, tile.hashes) !== 0) this.#unequal.push(tile);
  }

  /**
   * Reports the rows whose leaves differ in this tile, or only the tile if the rows give the right root or the stored
   * tile is missing.
   */
  #blame({ level, tile, hashes }: Tile, isRootRight: boolean): void {
    const { epoch } = this.#record;
    const name = `tile ${level}/${tile} of epoch ${epoch}`;
    const stored = this.#stored.tiles.get(`${level}/${tile}`);
    if (stored === undefined) this.#stored.differs(`${name} is missing`);
    else if (isRootRight) this.#stored.differs(`${name} is not what the journal gives`);
    else if (level === 0) {
      for (let place = 0; place * hashBytes < hashes.length; place++) {
        const at = place * hashBytes;
        const own = stored.subarray(at, at + hashBytes);
        if (Buffer.compare(own, hashes.subarray(at, at + hashBytes)) === 0) continue;
        this.#blameLeaf(tile * tileHashes + place);
      }
    }
  }

  #blameLeaf(index: number): void {
    const { epoch, journalCount, firstSeq, firstTrade } = this.#record;
    const isEntry = index < journalCount;
    if (isEntry && this.#named.has(firstSeq + index)) return;
    const what = isEntry
      ? `journal row ${firstSeq + index}`
      : `fill of trade ${firstTrade + index - journalCount}`;
    this.#stored.differs(`${what}: it differs from what epoch ${epoch} sealed (leaf ${index})`);
  }
}
