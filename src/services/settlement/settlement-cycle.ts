// One settlement cycle: reads ledger updates, adds fills to batches, seals and executes batches, makes clearing
// release settled coins and, less often, reconciles members' wallets with the ledger. The steps run one after the
// other, so each step sees what the step before it stored. The loop schedules cycles; time, randomness and ids are
// injected.

import { statesLive, statesWaiting } from "../../ports/ledger/batch-states.ts";
import type { Party } from "../../ports/ledger/ledger.ts";
import { BatchExecutor } from "./batches/batch-executor.ts";
import { CoinAudit } from "./mirror/coin-audit.ts";
import { CoinReleases } from "./mirror/coin-releases.ts";
import { WalletMirror } from "./mirror/wallet-mirror.ts";
import { BatchBuilder } from "./netting/batch-builder.ts";
import { sealDefaults } from "./netting/seal-rule.ts";
import { byAsset, type SettlementParts } from "./settlement-parts.ts";

export interface SettlementCycleParts extends SettlementParts {
  /** Milliseconds UTC. */
  readonly now: () => number;
  /** A random number in [0, 1). */
  readonly share: () => number;
  /** A unique id. */
  readonly newId: () => string;
}

const reportEveryMs = 1_000;
const liveNames = statesWaiting.flatMap(([name, code]) =>
  statesLive.includes(code) ? [name] : [],
);

export class SettlementCycle {
  readonly #parts: SettlementCycleParts;
  readonly #builder: BatchBuilder;
  readonly #executor: BatchExecutor;
  readonly #mirror: WalletMirror;
  readonly #releases: CoinReleases;
  readonly #audit: CoinAudit;
  #following: Promise<boolean> = Promise.resolve(false);
  #nextFollowing: Promise<boolean> | null = null;
  #followedMs: number;
  #isStale = false;
  #reconciledMs = 0;
  #reportedMs = 0;
  #retries = 0;
  /** False if the cycle has read the backlog and every batch has ended. */
  #hasLiveBatches = true;

  constructor(parts: SettlementCycleParts) {
    const { settings, store, network, hostWallet, clearing, table, isTrafficScarce, log } = parts;
    const { now, share, newId } = parts;
    const { windowMs, longWindowMs } = settings;
    const instruments = byAsset(table, parts.instruments);
    const seal = { ...sealDefaults, shortestWindowMs: windowMs, longestWindowMs: longWindowMs };
    const common = { store, network, instruments, now, newId, log };
    const onSetback = () => {
      this.#retries += 1;
    };
    this.#parts = parts;
    this.#followedMs = now();
    this.#builder = new BatchBuilder({ store, network, table, seal, isTrafficScarce, now });
    this.#executor = new BatchExecutor({ ...common, settings, table, share, onSetback });
    this.#mirror = new WalletMirror({ ...common, clearing, hostWallet });
    const { audited } = parts;
    this.#audit = new CoinAudit({ ...common, auditMs: settings.auditMs, audited });
    this.#releases = new CoinReleases({ store: parts.coins, clearing, log });
  }

  /** Binds an account to a party. */
  add(account: number, party: Party): Promise<void> {
    return this.#mirror.add(account, party);
  }

  /** Seals every open batch, including all fills committed by now. */
  async flush(): Promise<void> {
    await this.#builder.gather();
    await this.#builder.seal(true);
  }

  /** Runs one cycle. Returns how many milliseconds the next one may wait if nothing changes meanwhile. */
  async work(): Promise<number> {
    const { settings, now, store } = this.#parts;
    this.#hasLiveBatches = true;
    const isFollowed = await this.#follow();
    const isDue = now() - this.#reconciledMs >= settings.reconcileMs;
    await this.#mirror.enroll(!isDue);
    await this.#builder.gather();
    await this.#builder.seal();
    const { hasMoved, hasFailed } = await this.#executor.work(async () => {
      await this.#follow();
    });
    const isReleased = await this.#releases.work();
    await this.#report();
    // A batch that changed state may have made others due.
    const nextMs = hasMoved ? 0 : settings.pollMs;
    // Do not reconcile against an outdated view of the ledger.
    if (!isFollowed) return nextMs;
    await this.#audit.work();
    await this.#mirror.look();
    if (isDue || hasFailed) {
      await this.#mirror.reconcile();
      this.#reconciledMs = now();
      await store.mirrored(this.#reconciledMs);
    }
    const hasWork = hasMoved || !isReleased || this.#hasLiveBatches || this.#audit.isRunning;
    if (hasWork || this.#mirror.hasWaiting) return nextMs;
    return Math.max(nextMs, this.#reconciledMs + settings.reconcileMs - now());
  }

  async #report(): Promise<void> {
    const { store, report, now } = this.#parts;
    if (now() - this.#reportedMs < reportEveryMs) return;
    this.#reportedMs = now();
    const backlog = await store.backlog();
    this.#hasLiveBatches = liveNames.some((name) => backlog.batches[name] !== 0);
    report(backlog, this.#retries);
  }

  /**
   * Reads ledger updates, including all that were committed before the call. Concurrent calls share one reading. False
   * if the reading did not reach the ledger's end.
   */
  #follow(): Promise<boolean> {
    this.#nextFollowing ??= this.#following
      .catch(() => false)
      .then(() => {
        this.#nextFollowing = null;
        this.#following = this.#mirror.follow().then((isAtEnd) => this.#noteIfFollowed(isAtEnd));
        return this.#following;
      });
    return this.#nextFollowing;
  }

  #noteIfFollowed(isAtEnd: boolean): boolean {
    if (isAtEnd) this.noteFollowed();
    return isAtEnd;
  }

  /** Records that the ledger's updates have been read to their end. */
  noteFollowed(): void {
    this.#followedMs = this.#parts.now();
    this.#parts.followed(this.#followedMs);
  }

  /** Logs once when the view of the ledger becomes stale, and once when it is current again. Spec SET-17. */
  watch(): void {
    const { log, settings, now } = this.#parts;
    const isStale = now() - this.#followedMs > settings.staleMs;
    if (isStale === this.#isStale) return;
    this.#isStale = isStale;
    if (isStale)
      log.error(
        { followedMs: this.#followedMs },
        "no ledger updates: the view of the ledger is stale",
      );
    else log.info({}, "ledger updates are read again");
  }
}
