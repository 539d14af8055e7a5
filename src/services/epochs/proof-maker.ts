// Builds proofs from the journal and the tiles. A leaf is recomputed from its event and must equal the leaf in the
// tile: an entry that was changed after sealing produces an error, never a proof. Spec CHN-3.

import { assert, present } from "../../core/assert.ts";
import { EventKind, type Traded, type VenueEvent } from "../../core/generated/events.ts";
import {
  auditPath,
  type PathPlan,
  planPath,
  type TileName,
  tilesOf,
} from "../../engine/epochs/audit-path.ts";
import type { TradeSide } from "../../engine/epochs/generated/event-body.ts";
import { LeafKind } from "../../engine/epochs/leaf.ts";
import { hashBytes } from "../../engine/epochs/tree-hash.ts";
import { tileHashes } from "../../engine/epochs/tree-tiles.ts";
import type { EpochReader, EpochRecord, SealedEntry } from "../../ports/journal/epoch-store.ts";
import { decodeEventBytes } from "../../wire/records/event-bytes.ts";
import type { LeafHasher, OpenLeaf } from "./leaf-hasher.ts";

/** Maximum number of proofs per answer. */
export const proofsMax = 50;

/** One leaf and its path in the epoch's tree. */
export interface Proof {
  readonly leaf: OpenLeaf;
  /** The sides of a trade visible to the owner; empty for other readers. */
  readonly sides: readonly {
    readonly role: TradeSide;
    readonly body: string;
    readonly nonce: Uint8Array;
  }[];
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly auditPath: readonly Uint8Array[];
  readonly epoch: EpochRecord;
}

/** A proof without its path: the leaf's location and the tiles from the leaf to the root. */
interface Place extends Omit<Proof, "auditPath"> {
  readonly plan: PathPlan;
  /** The tile that contains the leaf. */
  readonly tile: TileName;
}

export class ProofMaker {
  readonly #reader: EpochReader;
  readonly #leaves: LeafHasher;

  readonly #nextTurn: () => Promise<void>;
  readonly #ownerOf: (account: number) => number;

  /**
   * `nextTurn` lets the event loop run between two proofs of one answer. `ownerOf` says whose a sub-account is; any other
   * account is its own.
   */
  constructor(
    reader: EpochReader,
    leaves: LeafHasher,
    nextTurn: () => Promise<void>,
    ownerOf: (account: number) => number = (account) => account,
  ) {
    this.#ownerOf = ownerOf;
    this.#reader = reader;
    this.#leaves = leaves;
    this.#nextTurn = nextTurn;
  }

  /**
   * The proof of a journal entry by seq; no proof while the entry is not sealed. With an `owner`, only for the
   * entries of that account and its sub-accounts.
   */
  async bySeq(seq: number, owner: number | null): Promise<Proof[]> {
    const entry = await this.#reader.entry(seq);
    return entry === null ? [] : this.#proofsOf([entry], owner, isJournal);
  }

  /**
   * Proofs for reference `o-<order>` or `t-<trade>`, newest first: entries about an order, or a trade's fill record
   * and entry. None for other references.
   */
  async byRef(ref: string, owner: number | null): Promise<Proof[]> {
    const [, kind, digits] = /^([ot])-([1-9]\d{0,15})$/.exec(ref) ?? [];
    const number = Number(digits);
    if (kind === undefined || !Number.isSafeInteger(number)) return [];
    if (kind === "o") {
      const entries = await this.#reader.entriesOfOrder(number, proofsMax);
      return this.#proofsOf(entries, owner, isJournal);
    }
    const entry = await this.#reader.entryOfTrade(number);
    return entry === null ? [] : this.#proofsOf([entry], owner, [LeafKind.fill, LeafKind.journal]);
  }

  /** Loads all tiles of an epoch in one query, so that fifty proofs are not fifty queries. */
  async #proofsOf(
    entries: readonly SealedEntry[],
    owner: number | null,
    kinds: readonly LeafKind[],
  ): Promise<Proof[]> {
    const indexes: Place[] = [];
    const names = new Map<number, Map<string, TileName>>();
    for (const { epoch, seq, body } of entries) {
      const event = decodeEventBytes(body, 0, body.length);
      assert(event.seq === seq, "the event in a journal row must have the seq of the row");
      const roles = this.#rolesOf(event, owner);
      const isOwn = owner === null || this.#ownerOf(event.account) === owner;
      if (!isOwn && roles.length === 0) continue;
      const wanted = names.get(epoch.epoch) ?? new Map<string, TileName>();
      names.set(epoch.epoch, wanted);
      for (const kind of kinds) {
        const index = this.#indexOf(event, kind, epoch, roles);
        for (const name of [index.tile, ...tilesOf(index.plan)]) wanted.set(keyOf(name), name);
        indexes.push(index);
      }
    }
    const found = await Promise.all(
      [...names].map(async ([epoch, wanted]) => {
        const tiles = await this.#reader.tiles(epoch, [...wanted.values()]);
        return [epoch, new Map(tiles.map((tile) => [keyOf(tile), tile.hashes]))] as const;
      }),
    );
    const tiles = new Map(found);
    const proofs: Proof[] = [];
    for (const index of indexes) {
      proofs.push(this.#proofAt(index, tiles.get(index.epoch.epoch) ?? new Map()));
      // A path takes up to 700 hashes: compute one per event-loop turn, so that orders are handled in between.
      if (proofs.length < indexes.length) await this.#nextTurn();
    }
    return proofs;
  }

  /** The sides of a trade that belong to this owner. */
  #rolesOf(event: VenueEvent, owner: number | null): TradeSide[] {
    if (event.kind !== EventKind.traded || owner === null) return [];
    const { account, makerAccount } = event;
    return [
      ...(this.#ownerOf(account) === owner ? ["taker" as const] : []),
      ...(this.#ownerOf(makerAccount) === owner ? ["maker" as const] : []),
    ];
  }

  #indexOf(
    event: VenueEvent,
    kind: LeafKind,
    epoch: EpochRecord,
    roles: readonly TradeSide[],
  ): Place {
    const isFill = kind === LeafKind.fill;
    const leaf = isFill ? this.#leaves.openFill(event as Traded) : this.#leaves.openJournal(event);
    const leafIndex = isFill
      ? epoch.journalCount + leaf.fields.number - epoch.firstTrade
      : leaf.fields.number - epoch.firstSeq;
    const treeSize = epoch.journalCount + epoch.fillCount;
    const sides = isFill
      ? []
      : roles.map((role) => ({ role, ...this.#leaves.openSide(event as Traded, role) }));
    const tile = { level: 0, tile: Math.floor(leafIndex / tileHashes) };
    return { leaf, sides, leafIndex, treeSize, epoch, plan: planPath(leafIndex, treeSize), tile };
  }

  #proofAt(index: Place, tiles: ReadonlyMap<string, Uint8Array>): Proof {
    const { leaf, leafIndex, epoch, tile, plan } = index;
    const at = (leafIndex % tileHashes) * hashBytes;
    const own = present(tiles.get(keyOf(tile)), "the tile of a leaf must be stored");
    if (Buffer.compare(own.subarray(at, at + hashBytes), leaf.hash) !== 0) {
      throw new Error(`leaf ${leafIndex} of epoch ${epoch.epoch} differs from what was sealed`);
    }
    const path = auditPath(plan, (name) => tiles.get(keyOf(name)), this.#leaves.tree);
    const { sides, treeSize } = index;
    return { leaf, sides, leafIndex, treeSize, auditPath: path, epoch };
  }
}

const isJournal: readonly LeafKind[] = [LeafKind.journal];

function keyOf({ level, tile }: TileName): string {
  return `${level}/${tile}`;
}
