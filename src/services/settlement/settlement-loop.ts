// Schedules settlement cycles, one at a time, and serves the operator's calls between them. A failed cycle is
// retried by the next one.

import { randomUUID } from "node:crypto";
import { AccountType } from "../../core/accounts.ts";
import { formatScaled } from "../../core/money/amounts.ts";
import { statusOf } from "../../ports/ledger/batch-states.ts";
import type { BatchRow } from "../../ports/ledger/settlement-store.ts";
import { CycleSchedule } from "./cycle-schedule.ts";
import { SettlementCycle } from "./settlement-cycle.ts";
import type { SettlementParts } from "./settlement-parts.ts";

export interface LoopParts extends SettlementParts {
  /** The type of an open account; null if no such account is open. */
  readonly accountType: (account: number) => Promise<number | null>;
}

const batchesShown = 50;
const stopMsMax = 5_000;

const skipMeans =
  "nothing is paid on the ledger; the proceeds of the fills stay locked until the batch is requeued";

function shownBatch(batch: BatchRow) {
  return {
    batch_id: batch.batchId,
    status: statusOf(batch.state),
    fills: batch.fillCount,
    attempts: batch.attempts,
    update_id: batch.updateId ?? "-",
    reason: batch.reason ?? "-",
  };
}

/** The calls that the operator may make. A refusal is an error with a message for the operator. */
export const settlementCallNames = [
  "enroll",
  "status",
  "flush",
  "batch",
  "skip",
  "requeue",
] as const;
export type SettlementCalls = Pick<SettlementLoop, (typeof settlementCallNames)[number]>;

export class SettlementLoop {
  readonly #parts: LoopParts;
  readonly #work: SettlementCycle;
  /** Resolves when the last step ends. Each step waits for the step before it, so that steps never overlap. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #schedule: CycleSchedule;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    const chance = { share: Math.random, newId: randomUUID };
    this.#work = new SettlementCycle({ ...parts, ...chance });
    const { pollMs } = parts.settings;
    this.#schedule = new CycleSchedule({ pollMs, cycle: () => this.#cycle() });
  }

  /** Binds an open wallet account to a party. Refuses other accounts and a party already in use. */
  async enroll(account: number, party: string): Promise<object> {
    const { store, accountType } = this.#parts;
    if ((await accountType(account)) !== AccountType.wallet)
      throw new Error(`account ${account} is not a wallet account: open one with --type wallet`);
    const members = await store.members();
    if (members.some((member) => member.account === account || member.party === party))
      throw new Error("this account or this party is enrolled already");
    await this.#inTurn(() => this.#work.add(account, party));
    this.#schedule.changed();
    return { account, party, status: "pending" };
  }

  /** The newest batches, the members, and how far fills and ledger updates have been read. */
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
      batches: batches.map(shownBatch),
    };
  }

  /** Seals every open batch, including all fills committed by now. */
  async flush(): Promise<object> {
    await this.#inTurn(() => this.#work.flush());
    this.#schedule.changed();
    return { sealed: true };
  }

  /** What a batch pays and delivers, and what skipping it would mean. */
  async batch(batchId: string): Promise<object> {
    const { store, table } = this.#parts;
    const batch = await store.batch(batchId);
    if (batch === null) throw new Error(`no batch ${batchId}`);
    const [legs, receipts] = await Promise.all([store.legsOf(batchId), store.receiptsOf(batchId)]);
    const money = (asset: number, amount: bigint) => {
      const { code, decimals } = table.asset(asset);
      return { asset: code, amount: formatScaled(amount, decimals) };
    };
    return {
      ...shownBatch(batch),
      pays: legs.map(({ asset, amount, sender, receiver }) => {
        return { ...money(asset, amount), sender, receiver };
      }),
      brings: receipts.map(({ account, asset, amount }) => ({ account, ...money(asset, amount) })),
      if_skipped: skipMeans,
    };
  }

  /** Gives up a sealed batch that has not ended. Refused while coins are locked or an attempt may still commit. */
  async skip(batchId: string): Promise<object> {
    const end = () =>
      this.#parts.store.end(batchId, "skipped", "skipped by the operator", this.#parts.now());
    if (!(await this.#inTurn(end))) {
      await this.#mustKnow(batchId);
      throw new Error(`batch ${batchId} is open or ended, has locked coins, or may still commit`);
    }
    return { batch_id: batchId, status: "skipped" };
  }

  /** Puts the fills of a failed or skipped batch into a new batch. */
  async requeue(batchId: string): Promise<object> {
    const next = `${batchId.replace(/-r\d+$/, "")}-r${this.#parts.now()}`;
    const made = await this.#inTurn(() =>
      this.#parts.store.requeue(batchId, next, this.#parts.now()),
    );
    if (made === null) {
      await this.#mustKnow(batchId);
      throw new Error(`batch ${batchId} has neither failed nor been skipped, or was requeued`);
    }
    this.#schedule.changed();
    return { batch_id: made, status: "pending" };
  }

  async #mustKnow(batchId: string): Promise<void> {
    if ((await this.#parts.store.batch(batchId)) === null) throw new Error(`no batch ${batchId}`);
  }

  /** Runs another service's step while settlement does not select coins. */
  exclusively<T>(step: () => Promise<T>): Promise<T> {
    return this.#inTurn(step);
  }

  /** Starts the next cycle at once, because the ledger has new updates. */
  wake(): void {
    this.#schedule.wake();
  }

  /** Takes note of a look for changes: without one, all ledger updates are still read. */
  looked(hasChanged: boolean): void {
    if (hasChanged) this.#schedule.changed();
    else if (this.#schedule.isResting) this.#work.noteFollowed();
  }

  async stop(): Promise<void> {
    this.#schedule.stop();
    // Wait for a limited time only, because a step may wait for threads that have ended. A restart continues from the
    // stored state.
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, stopMsMax);
    });
    await Promise.race([this.#turn, late]);
    clearTimeout(timer);
  }

  async #cycle(): Promise<number> {
    let restMs = this.#parts.settings.pollMs;
    try {
      restMs = await this.#inTurn(() => this.#work.work());
    } catch (error) {
      this.#parts.log.warn({ err: error }, "a settlement cycle failed; the next one retries");
    }
    this.#work.watch();
    return restMs;
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(step);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}
