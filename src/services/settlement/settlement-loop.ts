// The settlement of a venue: one loop that follows the ledger, takes fills into batches, seals and
// settles them, and at a slower beat compares members' wallets with the ledger. One step at a time, so
// that what a step reads is what the one before it wrote. A step that fails is tried at the next beat.

import { randomUUID } from "node:crypto";
import { AccountType } from "../../core/accounts.ts";
import type { MarketTable } from "../../core/markets.ts";
import type { Instrument, LedgerNetwork, Party } from "../../ports/ledger.ts";
import type { Log } from "../../ports/log.ts";
import type { SettledCoinStore } from "../../ports/settled-coins.ts";
import type { SettlementDoor } from "../../ports/settlement-door.ts";
import type { SettlementBacklog, SettlementStore } from "../../ports/settlement-store.ts";
import { BatchCarrier } from "./batch-carrier.ts";
import { type BatchState, statusOf } from "./batch-states.ts";
import { type CoinReleaseDesk, CoinReleases } from "./coin-releases.ts";
import type { MirrorDesk } from "./mirror-balance.ts";
import { sealDefaults } from "./seal-rule.ts";
import { Settler } from "./settler.ts";
import { WalletMirror } from "./wallet-mirror.ts";

export interface SettlementSettings {
  /** Batches on their way at once. */
  readonly workers: number;
  readonly pollMs: number;
  /** How long a batch gathers fills: the first from a large exposure on, the second up to a small one. */
  readonly windowMs: number;
  readonly longWindowMs: number;
  /** How long the attempts of one round may commit; the ledger itself refuses them afterwards. */
  readonly roundMs: number;
  /** A deadline counts as passed on the ledger this long after it. */
  readonly lapseMs: number;
  readonly reconcileMs: number;
}

export interface SettlementParts {
  readonly settings: SettlementSettings;
  readonly store: SettlementStore;
  readonly coins: SettledCoinStore;
  readonly network: LedgerNetwork;
  /** What custody and members hold, by the asset's code. */
  readonly instruments: ReadonlyMap<string, Instrument>;
  readonly hostWallet: (party: Party) => Promise<void>;
  readonly desk: MirrorDesk & CoinReleaseDesk;
  readonly table: MarketTable;
  /** Told now and then what is on its way, and how many rounds came to nothing since the start. */
  readonly report: (backlog: SettlementBacklog, retries: number) => void;
  /** Whether settlement is short of traffic, so that batches wait longer. */
  readonly isTrafficScarce: () => boolean;
  /** The type of an open account; null for a number that is none. */
  readonly accountType: (account: number) => Promise<number | null>;
  readonly log: Log;
}

const batchesShown = 50;
const stopMsMax = 5_000;
const reportEveryMs = 1_000;

export class SettlementLoop implements SettlementDoor {
  readonly #parts: SettlementParts;
  readonly #settler: Settler;
  readonly #carrier: BatchCarrier;
  readonly #mirror: WalletMirror;
  readonly #releases: CoinReleases;
  /** Everything that reads and writes settlement, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #following: Promise<void> = Promise.resolve();
  #nextFollowing: Promise<void> | null = null;
  #isStopped = false;
  #reconciledMs = 0;
  #reportedMs = 0;
  #retries = 0;

  constructor(parts: SettlementParts) {
    const { settings, store, network, hostWallet, desk, table, isTrafficScarce, log } = parts;
    const { windowMs, longWindowMs } = settings;
    const instruments = byAsset(table, parts.instruments);
    const now = Date.now;
    const newId = randomUUID;
    const seal = { ...sealDefaults, shortestWindowMs: windowMs, longestWindowMs: longWindowMs };
    const share = Math.random;
    const common = { store, network, instruments, now, newId, log };
    const onSetback = () => {
      this.#retries += 1;
    };
    this.#parts = parts;
    this.#settler = new Settler({ store, network, table, seal, isTrafficScarce, now });
    this.#carrier = new BatchCarrier({ ...common, settings, table, share, onSetback });
    this.#mirror = new WalletMirror({ ...common, desk, hostWallet });
    this.#releases = new CoinReleases({ store: parts.coins, desk, log });
    this.#beat();
  }

  async enroll(account: number, party: string): Promise<object> {
    const { store, accountType } = this.#parts;
    if ((await accountType(account)) !== AccountType.wallet)
      throw new Error(`account ${account} is no wallet account: open one with --type wallet`);
    const members = await store.members();
    if (members.some((member) => member.account === account || member.party === party))
      throw new Error("this account or this party is enrolled already");
    await this.#inTurn(() => this.#mirror.add(account, party));
    return { account, party, status: "pending" };
  }

  async status(): Promise<object> {
    const { store } = this.#parts;
    const [members, batches, cursor] = await Promise.all([
      store.members(),
      store.recentBatches(batchesShown),
      store.cursor(),
    ]);
    return {
      trade_id: cursor.tradeId,
      ledger_offset: cursor.ledgerOffset,
      members: members.map(({ account, party, authCid, isFrozen }) => {
        const status = authCid === null ? "pending" : "active";
        return { account, party, status, frozen: isFrozen };
      }),
      batches: batches.map((batch) => ({
        batch_id: batch.batchId,
        status: statusOf(batch.state as BatchState),
        fills: batch.fillCount,
        attempts: batch.attempts,
        update_id: batch.updateId ?? "-",
        reason: batch.reason ?? "-",
      })),
    };
  }

  async flush(): Promise<object> {
    await this.#inTurn(async () => {
      await this.#settler.gather();
      await this.#settler.seal(true);
    });
    return { sealed: true };
  }

  async skip(batchId: string): Promise<object> {
    const end = () => this.#parts.store.end(batchId, "skipped", "the operator's word", Date.now());
    if (!(await this.#inTurn(end))) {
      await this.#mustKnow(batchId);
      throw new Error(`${batchId} is open, has ended, or an attempt may still commit`);
    }
    return { batch_id: batchId, status: "skipped" };
  }

  async requeue(batchId: string): Promise<object> {
    const next = `${batchId.replace(/-r\d+$/, "")}-r${Date.now()}`;
    const made = await this.#inTurn(() => this.#parts.store.requeue(batchId, next, Date.now()));
    if (made === null) {
      await this.#mustKnow(batchId);
      throw new Error(`${batchId} has not failed, or was queued again`);
    }
    return { batch_id: made, status: "pending" };
  }

  async #mustKnow(batchId: string): Promise<void> {
    if ((await this.#parts.store.batch(batchId)) === null) throw new Error(`no batch ${batchId}`);
  }

  /** Runs a step of somebody else's while nothing here chooses coins. */
  exclusively<T>(step: () => Promise<T>): Promise<T> {
    return this.#inTurn(step);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // A step may wait for threads that have ended; what it had written down is enough to go on from.
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, stopMsMax);
    });
    await Promise.race([this.#turn, late]);
    clearTimeout(timer);
  }

  #beat(delayMs = this.#parts.settings.pollMs): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      void this.#turnOver();
    }, delayMs);
  }

  async #turnOver(): Promise<void> {
    let hasMoved = false;
    try {
      hasMoved = await this.#inTurn(() => this.#step());
    } catch (error) {
      this.#parts.log.warn({ err: error }, "settlement is tried again at its next beat");
    }
    // What moved may have made more due: batches of a backlog do not wait for the next beat.
    this.#beat(hasMoved ? 0 : undefined);
  }

  async #step(): Promise<boolean> {
    const { reconcileMs } = this.#parts.settings;
    await this.#follow();
    const isDue = Date.now() - this.#reconciledMs >= reconcileMs;
    await this.#mirror.enroll(!isDue);
    await this.#settler.gather();
    await this.#settler.seal();
    const { hasMoved, hasFailed } = await this.#carrier.work(() => this.#follow());
    await this.#releases.work();
    await this.#mirror.look();
    await this.#report();
    if (!isDue && !hasFailed) return hasMoved;
    await this.#mirror.reconcile();
    this.#reconciledMs = Date.now();
    await this.#parts.store.mirrored(this.#reconciledMs);
    return hasMoved;
  }

  async #report(): Promise<void> {
    const { store, report } = this.#parts;
    if (Date.now() - this.#reportedMs < reportEveryMs) return;
    this.#reportedMs = Date.now();
    report(await store.backlog(), this.#retries);
  }

  /** Reads the ledger on from what was committed before the call; calls at once share a reading. */
  #follow(): Promise<void> {
    this.#nextFollowing ??= this.#following
      .catch(() => undefined)
      .then(() => {
        this.#nextFollowing = null;
        this.#following = this.#mirror.follow();
        return this.#following;
      });
    return this.#nextFollowing;
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(step);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

export function byAsset(
  table: MarketTable,
  instruments: ReadonlyMap<string, Instrument>,
): Map<number, Instrument> {
  const found = new Map<number, Instrument>();
  for (const { id, code } of table.assets) {
    const instrument = instruments.get(code);
    if (instrument !== undefined) found.set(id, instrument);
  }
  return found;
}
