// Makes one statement of liabilities after another. The folded state stays in memory between statements, so that each
// folds only the entries since the last one; the first begins with the newest snapshot. Whoever calls it drops this
// object after a fault and begins anew. Nothing here decides or waits for anything in the venue: it reads what is durable.
//
//   sealed epoch ─▶ state after its last entry ─▶ amounts ─▶ custody's holdings ─▶ trees ─▶ text ─▶ stored

import { SystemAccount } from "../../core/accounts.ts";
import { assert } from "../../core/assert.ts";
import type { MarketTable } from "../../core/markets.ts";
import type { Asset } from "../../core/money/assets.ts";
import { type OwnedAmounts, ownedAmounts } from "../../engine/risk/owned-amounts.ts";
import { apply } from "../../engine/state/apply/apply.ts";
import { faucetDebtsOf, liabilitiesOf } from "../../engine/state/liabilities.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import type { EventStore } from "../../ports/journal/event-store.ts";
import type { LiabilityReader, LiabilityWriter } from "../../ports/journal/liability-store.ts";
import type { LedgerMoment, SolvencyReader } from "../../ports/ledger/solvency.ts";
import { foldChunk } from "../../wire/records/event-bytes.ts";
import { epochKeyOf } from "./liability-keys.ts";
import {
  digestOfStatement,
  isDeficit,
  type StatedAsset,
  type StatedHoldings,
  statementText,
} from "./liability-statement.ts";
import { LiabilityTrees } from "./liability-trees.ts";

/** How long a statement waits for the ledger's side, and how often it looks for it in this time. */
const ledgerWaitMs = 2_000;
const ledgerLookMs = 20;

export interface StatingParts {
  readonly table: MarketTable;
  readonly venue: string;
  readonly nonceKey: Uint8Array;
  readonly journal: Pick<EventStore, "readEvents">;
  /** The state of the newest snapshot. */
  readonly newestState: () => Promise<VenueState>;
  readonly stated: Pick<LiabilityReader, "newest">;
  readonly statements: LiabilityWriter;
  readonly solvency: SolvencyReader;
  /** What custody has of each asset on the ledger, by asset id, against the liabilities in minor units. */
  readonly coverOf: (
    table: MarketTable,
    ledger: LedgerMoment,
    liabilities: readonly bigint[],
  ) => ReadonlyMap<number, StatedHoldings>;
  readonly monotonicMs: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

/** What is to be stated. */
export interface StatingRequest {
  readonly epoch: number;
  /** False without a ledger, and while it does not answer: the holdings are then unknown. */
  readonly readsLedger: boolean;
  /** The venue's time in whole milliseconds. */
  readonly nowMs: number;
}

/** A statement that is stored and not yet journaled. */
export interface StatedEpoch {
  readonly epoch: number;
  readonly statedSeq: number;
  readonly digest: Uint8Array;
  /** The assets of which custody is known to hold less than the venue owes. */
  readonly deficits: readonly Asset[];
  /** Whether custody's holdings are known. */
  readonly isKnown: boolean;
  readonly accounts: number;
  /** Milliseconds that folding, the wait for the ledger, the trees and storing took. */
  readonly tookMs: Readonly<Record<"fold" | "ledger" | "trees" | "store", number>>;
}

export class LiabilityStating {
  readonly #parts: StatingParts;
  #state: VenueState | null = null;

  constructor(parts: StatingParts) {
    this.#parts = parts;
  }

  /**
   * Makes and stores the statement about an epoch. Returns null if there is none to make: the journal has one about this
   * epoch or a later one, the epoch is not sealed, or the newest snapshot is already beyond its end.
   */
  async state({ epoch, readsLedger, nowMs }: StatingRequest): Promise<StatedEpoch | null> {
    const { stated, statements, monotonicMs, pause } = this.#parts;
    const newest = await stated.newest();
    if (newest !== null && newest.epoch >= epoch) return null;
    const sealed = await statements.sealed(epoch);
    if (sealed === null) return null;
    const beganMs = monotonicMs();
    const state = await this.#stateAfter(sealed.lastSeq);
    if (state === null) return null;
    const owned = ownedAmounts(state);
    const foldedMs = monotonicMs();
    const ledger = readsLedger ? await this.#ledgerOf(state) : null;
    const readMs = monotonicMs();
    const prints = await statements.fingerprints();
    // The database drops the old trees while this thread builds the new ones. A pause, so that the call is sent before.
    const dropped = statements.dropOld();
    dropped.catch(() => undefined);
    await pause(0);
    const { text, tiles, deficits } = this.#textOf({ epoch, state, owned, ledger, prints });
    const digest = digestOfStatement(text);
    const madeMs = monotonicMs();
    const statedSeq = state.seq;
    await dropped;
    await statements.add({ epoch, statedSeq, text, digest, madeUs: nowMs * 1000 }, tiles);
    const tookMs = {
      fold: foldedMs - beganMs,
      ledger: readMs - foldedMs,
      trees: madeMs - readMs,
      store: monotonicMs() - madeMs,
    };
    const isKnown = ledger !== null;
    const { length: accounts } = owned.accounts;
    return { epoch, statedSeq, digest, deficits, isKnown, accounts, tookMs };
  }

  /** The state after `seq`; null if the state at hand is already beyond it. */
  async #stateAfter(seq: number): Promise<VenueState | null> {
    const { journal, newestState } = this.#parts;
    this.#state ??= await newestState();
    const state = this.#state;
    if (state.seq > seq) return null;
    await journal.readEvents(state.seq, seq, (chunk) => {
      foldChunk(chunk, (event) => apply(state, event));
    });
    assert(state.seq === seq, "the journal must have the last entry of a sealed epoch");
    return state;
  }

  /** The ledger's side for these books; null if it cannot be read in time. */
  async #ledgerOf({ seq, nextTradeId, withdrawals }: VenueState): Promise<LedgerMoment | null> {
    const { solvency, monotonicMs, pause } = this.#parts;
    const pendingWithdrawals = [...withdrawals.all()].map(({ withdrawalId }) => withdrawalId);
    const books = { seq, nextTradeId, pendingWithdrawals };
    const untilMs = monotonicMs() + ledgerWaitMs;
    const late = pause(ledgerWaitMs).then(() => "unreached" as const);
    while (monotonicMs() < untilMs) {
      const reading = solvency.read(books);
      // A reading that comes too late fails without anybody who waits for it.
      reading.catch(() => undefined);
      const read = await Promise.race([reading, late]);
      if (typeof read !== "string") return read;
      if (read === "unreached") return null;
      await pause(ledgerLookMs);
    }
    return null;
  }

  #textOf({ epoch, state, owned, ledger, prints }: StatementGround) {
    const { table, venue, nonceKey, coverOf } = this.#parts;
    const key = epochKeyOf(nonceKey, epoch);
    const ownerOf = (account: number) => state.accounts.ownerOf(account);
    const trees = new LiabilityTrees(
      epoch,
      key,
      owned,
      (account) => prints.get(ownerOf(account)) ?? null,
    );
    const expected = liabilitiesOf(state);
    const insurance = owned.accounts.indexOf(SystemAccount.insurance);
    const debts = faucetDebtsOf(state);
    const cover = ledger === null ? null : coverOf(table, ledger, expected);
    const assets = table.assets.map((asset): StatedAsset => {
      const tree = trees.build(asset.id);
      assert(
        tree.total - tree.shortfall === expected[asset.id],
        "the amounts of all accounts must sum to the liabilities",
      );
      return {
        ...{ asset, ...tree },
        insurance: owned.byAsset[asset.id]?.[insurance] ?? 0n,
        faucetDebt: debts[asset.id] ?? 0n,
        held: cover?.get(asset.id) ?? null,
      };
    });
    const text = statementText({
      ...{ venue, epoch, seq: state.seq, assets, marks: owned.marks, table },
      ledgerOffset: ledger?.ledgerOffset ?? null,
    });
    const deficits = assets.filter(isDeficit).map(({ asset }) => asset);
    return { text, tiles: trees.tiles, deficits };
  }
}

interface StatementGround {
  readonly epoch: number;
  readonly state: VenueState;
  readonly owned: OwnedAmounts;
  readonly ledger: LedgerMoment | null;
  readonly prints: ReadonlyMap<number, Uint8Array>;
}
