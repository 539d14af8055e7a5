// Settlement of a running venue: one loop that follows the ledger, takes fills into batches, seals and
// settles them, and at a slower beat compares members' wallets with the ledger. One step at a time, so
// that what a step reads is what the one before it wrote. A step that fails is tried at the next beat.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "../adapters/postgres/connection.ts";
import { readAccount } from "../adapters/postgres/queries/accounts.ts";
import { PostgresSettlement } from "../adapters/postgres/queries/settlement.ts";
import { AccountType } from "../core/accounts.ts";
import type { MarketTable } from "../core/markets.ts";
import type { Instrument } from "../ports/ledger.ts";
import type { Log } from "../ports/log.ts";
import { type BatchState, statusOf } from "../services/settlement/batch-states.ts";
import { sealDefaults } from "../services/settlement/seal-rule.ts";
import { Settler } from "../services/settlement/settler.ts";
import { WalletMirror } from "../services/settlement/wallet-mirror.ts";
import type { Config } from "./config.ts";
import type { Desk } from "./desk.ts";
import type { OpenLedger } from "./ledger-place.ts";
import { createMirrorDesk } from "./mirror-desk.ts";

export interface SettlementParts {
  readonly config: Config;
  readonly ledger: OpenLedger;
  readonly desk: Desk;
  readonly table: MarketTable;
  readonly sql: Sql;
  readonly committedSeq: () => number;
  readonly log: Log;
}

const batchesShown = 50;
const stopMsMax = 5_000;

export class Settlement {
  readonly #parts: SettlementParts;
  readonly #store: PostgresSettlement;
  readonly #settler: Settler;
  readonly #mirror: WalletMirror;
  /** Everything that reads and writes settlement, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;
  #reconciledMs = 0;

  constructor(parts: SettlementParts) {
    const { config, ledger, desk, table, sql, committedSeq, log } = parts;
    const { workers, windowMs, longWindowMs } = config.ledger.settlement;
    const store = new PostgresSettlement(sql);
    const instruments = byAsset(table, ledger.instruments);
    const now = Date.now;
    const newId = randomUUID;
    const { network, hostWallet } = ledger;
    const seal = { ...sealDefaults, shortestWindowMs: windowMs, longestWindowMs: longWindowMs };
    const share = Math.random;
    const common = { store, network, instruments, now, newId, log };
    this.#parts = parts;
    this.#store = store;
    this.#settler = new Settler({ ...common, table, seal, workers, share });
    const mirrorDesk = createMirrorDesk({ desk, table, sql, committedSeq });
    this.#mirror = new WalletMirror({ ...common, desk: mirrorDesk, hostWallet });
    this.#beat();
  }

  /** Binds an open wallet account to a party; refused for any other account, and for a party in use. */
  async enroll(account: number, party: string): Promise<object> {
    const row = await readAccount(this.#parts.sql, account);
    if (row?.type !== AccountType.wallet)
      throw new Error(`account ${account} is no wallet account: open one with --type wallet`);
    const members = await this.#store.members();
    if (members.some((member) => member.account === account || member.party === party))
      throw new Error("this account or this party is enrolled already");
    await this.#inTurn(() => this.#mirror.add(account, party));
    return { account, party, status: "pending" };
  }

  async status(): Promise<object> {
    const [members, batches, cursor] = await Promise.all([
      this.#store.members(),
      this.#store.recentBatches(batchesShown),
      this.#store.cursor(),
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

  /** Seals every open batch, with all fills that are committed by now. */
  async flush(): Promise<object> {
    await this.#inTurn(async () => {
      await this.#settler.gather();
      await this.#settler.seal(true);
    });
    return { sealed: true };
  }

  async skip(batchId: string): Promise<object> {
    const end = () => this.#store.end(batchId, "skipped", "the operator's word", Date.now());
    if (!(await this.#inTurn(end)))
      throw new Error(`${batchId} is open, has ended, or an attempt may still commit`);
    return { batch_id: batchId, status: "skipped" };
  }

  async requeue(batchId: string): Promise<object> {
    const next = `${batchId.replace(/-r\d+$/, "")}-r${Date.now()}`;
    const made = await this.#inTurn(() => this.#store.requeue(batchId, next, Date.now()));
    if (made === null) throw new Error(`${batchId} has not failed, or was queued again`);
    return { batch_id: made, status: "pending" };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // A step may wait for threads that have ended; what it had written down is enough to go on from.
    await Promise.race([this.#turn, sleep(stopMsMax, undefined, { ref: false })]);
  }

  #beat(): void {
    const { pollMs } = this.#parts.config.ledger.settlement;
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#inTurn(() => this.#step())
        .catch((error: unknown) => {
          this.#parts.log.warn({ err: error }, "settlement is tried again at its next beat");
        })
        .finally(() => this.#beat());
    }, pollMs);
  }

  async #step(): Promise<void> {
    const { reconcileMs } = this.#parts.config.ledger.settlement;
    await this.#mirror.follow();
    const isDue = Date.now() - this.#reconciledMs >= reconcileMs;
    await this.#mirror.enroll(!isDue);
    await this.#settler.gather();
    await this.#settler.seal();
    await this.#settler.work();
    if (!isDue) return;
    await this.#mirror.reconcile();
    this.#reconciledMs = Date.now();
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(step);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function byAsset(
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
