// The settlement tables of the simulation, in memory. Each method acts as one transaction and checks the batch state
// first, like the methods of the real tables. The contract cases of the real tables pass on these tables too.

import { BatchState } from "../../../src/ports/ledger/batch-states.ts";
import type { Party } from "../../../src/ports/ledger/ledger.ts";
import type { SettledReceipt } from "../../../src/ports/ledger/settled-coins.ts";
import type {
  AttemptRow,
  BatchLeg,
  BatchRow,
  Coin,
  CreditRow,
  LedgerProgress,
  LockedPayment,
  Member,
  MirrorRow,
  NextRound,
  Purse,
  SealedBatch,
  SettledFill,
  SettlementBacklog,
  SettlementStore,
} from "../../../src/ports/ledger/settlement-store.ts";
import { pursesOf, SimulatedCoins, sumOf } from "./simulated-coins.ts";
import { SimulatedReleases } from "./simulated-releases.ts";

/** Deliberate faults of the tables that the audit must detect. */
export type SettlementCanary =
  | "loses-a-fill"
  | "settles-again"
  | "frees-too-little"
  | "forgets-a-coin";

type Batch = { -readonly [Name in keyof BatchRow]: BatchRow[Name] } & {
  readonly fills: number[];
  legs: readonly BatchLeg[];
  confirmedOffset: number | null;
};

export interface SettlementRowsParts {
  readonly decimals: readonly number[];
  /** Returns a token that outsiders cannot guess but that the simulation can repeat. */
  readonly newToken: () => string;
  readonly canary?: SettlementCanary | null;
}

const { open, ready, processing, retry, confirmed, failed, skipped } = BatchState;
const underWay: readonly number[] = [ready, processing, retry];

export class SimulatedSettlement implements SettlementStore {
  /** Committed fills, by trade. */
  readonly fills: SettledFill[] = [];
  /**
   * Batches that failed, were skipped or were requeued. Each has a reason; that of a requeued batch is the id of the
   * new batch.
   */
  readonly audit: { readonly batchId: string; readonly status: string; readonly reason: string }[] =
    [];
  /** The coins that accounts get from the fills of batches, and the amounts that clearing is told to release. */
  readonly releases: SimulatedReleases;
  readonly #parts: SettlementRowsParts;
  readonly #coins: SimulatedCoins;
  readonly #batches = new Map<string, Batch>();
  readonly #members = new Map<number, { -readonly [Name in keyof Member]: Member[Name] }>();
  readonly #credits = new Map<number, CreditRow & { isDone: boolean }>();
  #ids = 0;
  #tradeId = 0;
  #ledgerOffset = 0;

  constructor(parts: SettlementRowsParts) {
    this.#parts = parts;
    const isConfirmed = (batchId: string) => this.#batches.get(batchId)?.state === confirmed;
    this.#coins = new SimulatedCoins({ isForgetful: parts.canary === "forgets-a-coin" });
    const withheld = parts.canary === "frees-too-little" ? 1n : 0n;
    this.releases = new SimulatedReleases({ isConfirmed, withheld });
  }

  /** All batches, for the auditor. */
  get batches(): readonly Readonly<Batch>[] {
    return [...this.#batches.values()];
  }

  // Reads and writes about members.

  isMember(account: number): boolean {
    return (this.#members.get(account)?.authCid ?? null) !== null;
  }

  async members(): Promise<Member[]> {
    return [...this.#members.values()].map((member) => ({ ...member }));
  }

  async unboundWallets(_except: readonly number[]): Promise<{ account: number; party: Party }[]> {
    return [];
  }

  async addMember(account: number, party: Party, coins: readonly Coin[]): Promise<void> {
    this.#members.set(account, { account, party, authCid: null, isFrozen: false });
    this.#coins.add(coins);
  }

  async setAuth(account: number, authCid: string | null): Promise<void> {
    const member = this.#members.get(account);
    if (member !== undefined) member.authCid = authCid;
  }

  async setFrozen(account: number, isFrozen: boolean): Promise<void> {
    const member = this.#members.get(account);
    if (member !== undefined) member.isFrozen = isFrozen;
  }

  async cursor(): Promise<{ tradeId: number; ledgerOffset: number }> {
    return { tradeId: this.#tradeId, ledgerOffset: this.#ledgerOffset };
  }

  async nextFills(
    markets: readonly number[],
    limit: number,
  ): Promise<{ fills: SettledFill[]; through: number }> {
    const page = this.fills.filter(({ tradeId }) => tradeId > this.#tradeId).slice(0, limit);
    const fills = page.filter(({ market }) => markets.includes(market));
    return { fills, through: page.at(-1)?.tradeId ?? 0 };
  }

  async takeFills(
    placed: readonly { fill: SettledFill; a: Party; b: Party }[],
    through: number,
    nowMs: number,
  ): Promise<{ a: Party; b: Party; batchId: string }[]> {
    const taken = new Map<string, { a: Party; b: Party; batchId: string }>();
    for (const { fill, a, b } of placed) {
      const batch = this.#openBatch(a, b) ?? this.#begin(`b-${fill.tradeId}`, { a, b }, nowMs);
      const isLost = this.#parts.canary === "loses-a-fill" && fill.tradeId % 7 === 0;
      if (!isLost) batch.fills.push(fill.tradeId);
      batch.fillCount++;
      taken.set(batch.batchId, { a, b, batchId: batch.batchId });
    }
    this.#tradeId = Math.max(this.#tradeId, through);
    return [...taken.values()];
  }

  #openBatch(a: Party, b: Party): Batch | undefined {
    return this.batches.find(
      ({ state, partyA, partyB }) => state === open && partyA === a && partyB === b,
    ) as Batch | undefined;
  }

  #begin(batchId: string, { a, b }: { a: Party; b: Party }, openedMs: number): Batch {
    const batch: Batch = {
      ...{ batchId, partyA: a, partyB: b, state: open, phase: 1, openedMs, fillCount: 0, dueMs: 0 },
      ...{ attempts: 0, setbacks: 0, round: 1, dedupOffset: null, deadlineMs: null },
      ...{ submissionId: null, token: this.#parts.newToken(), isUnknown: false, updateId: null },
      ...{ reason: null, fills: [], legs: [], confirmedOffset: null },
    };
    this.#batches.set(batchId, batch);
    return batch;
  }

  async openBatches(): Promise<BatchRow[]> {
    return this.batches.filter(({ state }) => state === open).map(rowOf);
  }

  async fillsOf(batchId: string): Promise<SettledFill[]> {
    const own = new Set(this.#batches.get(batchId)?.fills);
    return this.fills.filter(({ tradeId }) => own.has(tradeId));
  }

  async seal(batchId: string, { legs, receipts }: SealedBatch): Promise<void> {
    const batch = this.#batches.get(batchId);
    if (batch?.state !== open) return;
    batch.state = legs.length === 0 ? confirmed : ready;
    batch.legs = legs.map((leg) => ({ ...leg }));
    this.releases.add(batchId, receipts);
  }

  async dueBatches(nowMs: number): Promise<BatchRow[]> {
    const due = this.batches.filter(
      ({ state, dueMs }) => underWay.includes(state) && dueMs <= nowMs,
    );
    const first = ({ state }: BatchRow) => (state === processing ? 0 : 1);
    return due
      .map(rowOf)
      .sort((one, other) => first(one) - first(other) || one.openedMs - other.openedMs);
  }

  async batch(batchId: string): Promise<BatchRow | null> {
    const batch = this.#batches.get(batchId);
    return batch === undefined ? null : rowOf(batch);
  }

  async recentBatches(limit: number): Promise<BatchRow[]> {
    return this.batches.map(rowOf).slice(-limit);
  }

  async legsOf(batchId: string): Promise<BatchLeg[]> {
    const legs = this.#batches.get(batchId)?.legs ?? [];
    return [...legs].sort((one, other) => one.asset - other.asset);
  }

  async receiptsOf(batchId: string): Promise<SettledReceipt[]> {
    return this.releases.of(batchId);
  }

  async freeCoins(party: Party, asset: number, batchId: string): Promise<Coin[]> {
    return this.#coins
      .usable(party, asset)
      .filter((coin) => coin.batchId === null || coin.batchId === batchId)
      .sort((one, other) => Number(one.amount - other.amount))
      .map(({ contractId, amount }) => ({ contractId, party, asset, amount, isLocked: false }));
  }

  async isCovered(party: Party, asset: number, units: bigint): Promise<boolean> {
    return sumOf(this.#coins.usable(party, asset)) >= units;
  }

  async allocationsOf(batchId: string): Promise<LockedPayment[]> {
    return this.#coins.locksOf(batchId);
  }

  async purses(): Promise<{ held: Purse[]; underway: Purse[] }> {
    const parties = new Set([...this.#members.values()].map(({ party }) => party));
    const legs = this.batches
      .filter(({ state }) => underWay.includes(state))
      .flatMap((batch) => batch.legs);
    return {
      held: pursesOf(
        this.#coins.all().filter(({ party, isLocked }) => parties.has(party) && !isLocked),
      ),
      underway: pursesOf(legs.map(({ sender, ...leg }) => ({ ...leg, party: sender }))),
    };
  }

  // Reads and writes about batches in flight.

  async begin({ batchId, inputs, ...attempt }: AttemptRow): Promise<boolean> {
    const batch = this.#underWay(batchId);
    if (batch?.round !== attempt.round || batch.attempts !== attempt.attempts) return false;
    batch.state = processing;
    batch.attempts++;
    batch.isUnknown = true;
    batch.submissionId = attempt.submissionId;
    batch.dedupOffset ??= attempt.dedupOffset;
    batch.deadlineMs ??= attempt.deadlineMs;
    this.#coins.take(inputs, batchId);
    return true;
  }

  async nextRound(batchId: string, next: NextRound): Promise<void> {
    const batch = this.#underWay(batchId);
    if (batch === null) return;
    batch.state = retry;
    batch.isUnknown = false;
    batch.dueMs = next.dueMs;
    batch.reason = next.reason;
    batch.phase = next.phase;
    batch.round++;
    batch.dedupOffset = null;
    if (next.isSetback === true) batch.setbacks++;
    if (next.keepsDeadline === true) return;
    batch.deadlineMs = null;
    this.#coins.release(batchId);
  }

  async unknown(batchId: string, dueMs: number, reason: string): Promise<void> {
    const batch = this.#batches.get(batchId);
    if (batch?.state === processing) Object.assign(batch, { dueMs, reason });
  }

  async postpone(batchId: string, dueMs: number, reason: string): Promise<void> {
    const batch = this.#underWay(batchId);
    if (batch !== null) Object.assign(batch, { dueMs, reason });
  }

  async confirm(batchId: string, updateId: string, offset: number): Promise<boolean> {
    return this.#confirm(batchId, updateId, offset);
  }

  #confirm(batchId: string, updateId: string, confirmedOffset: number): boolean {
    const batch = this.#underWay(batchId);
    if (batch === null) {
      const own = this.#batches.get(batchId)?.updateId;
      return own === undefined || own === updateId;
    }
    const given = { state: confirmed, isUnknown: false, updateId, confirmedOffset, reason: null };
    Object.assign(batch, given);
    if (this.#parts.canary === "settles-again" && batch.round === 1) {
      Object.assign(batch, { state: retry, round: 2, dedupOffset: null, deadlineMs: null });
      this.#coins.release(batchId);
    }
    return true;
  }

  async end(batchId: string, status: "failed" | "skipped", reason: string): Promise<boolean> {
    const batch = this.#underWay(batchId);
    const isLocked = this.#coins.locksOf(batchId).some(({ isSpent }) => !isSpent);
    if (batch === null || batch.isUnknown || batch.phase > 2 || isLocked) return false;
    this.#end(batch, status, reason);
    return true;
  }

  async endLapsed(batchId: string, reason: string): Promise<boolean> {
    const batch = this.#underWay(batchId);
    if (batch === null || batch.state === ready || batch.phase !== 4) return false;
    this.#end(batch, "failed", reason);
    return true;
  }

  #end(batch: Batch, status: "failed" | "skipped", reason: string): void {
    const state = status === "failed" ? failed : skipped;
    Object.assign(batch, { state, reason, isUnknown: false });
    this.#coins.release(batch.batchId);
    this.audit.push({ batchId: batch.batchId, status, reason });
  }

  async requeue(batchId: string, newBatchId: string, nowMs: number): Promise<string | null> {
    const batch = this.#batches.get(batchId);
    const hasEnded = batch?.state === failed || batch?.state === skipped;
    if (!hasEnded || batch.fills.length === 0) return null;
    const { partyA: a, partyB: b, fillCount, legs } = batch;
    const made = this.#begin(newBatchId, { a, b }, nowMs);
    Object.assign(made, { state: ready, fillCount, legs });
    made.fills.push(...batch.fills.splice(0));
    this.releases.move(batchId, newBatchId);
    this.audit.push({ batchId, status: "requeued", reason: newBatchId });
    return newBatchId;
  }

  #underWay(batchId: string): Batch | null {
    const batch = this.#batches.get(batchId);
    return batch !== undefined && underWay.includes(batch.state) ? batch : null;
  }

  async replaceCoins(party: Party, ledgerOffset: number, coins: readonly Coin[]): Promise<number> {
    return ledgerOffset === this.#ledgerOffset ? this.#coins.mend(party, coins) : 0;
  }

  async advance(progress: LedgerProgress): Promise<ReadonlySet<Party>> {
    const moved = this.#coins.advance(progress, (batchId) => this.#batches.has(batchId));
    for (const { batchId, token, updateId, offset } of progress.confirmed)
      if (this.#batches.get(batchId)?.token === token) this.#confirm(batchId, updateId, offset);
    for (const { batchId } of this.batches.filter((one) => isPast(one, progress.through)))
      this.#coins.release(batchId);
    this.#ledgerOffset = Math.max(this.#ledgerOffset, progress.through);
    return moved;
  }

  // Deposits of members, and releases of coins to members.

  async mirror(accounts: readonly number[]): Promise<MirrorRow[]> {
    const rows: MirrorRow[] = [];
    for (const { account, party } of this.#members.values()) {
      if (!accounts.includes(account)) continue;
      for (const [asset, decimals] of this.#parts.decimals.entries()) {
        const credits = [...this.#credits.values()].filter((credit) => {
          return credit.isDone && credit.account === account && credit.asset === asset;
        });
        const held = this.#coins.heldBy(party, asset) / 10n ** BigInt(10 - decimals);
        const external = held - this.#moved(party, asset);
        rows.push({ account, asset, external, credited: sumOf(credits) });
      }
    }
    return rows;
  }

  /** Returns what a party gained from confirmed batches whose updates the log reader has passed. */
  #moved(party: Party, asset: number): bigint {
    const legs = this.batches
      .filter((batch) => isPast(batch, this.#ledgerOffset))
      .flatMap((batch) => batch.legs)
      .filter((leg) => leg.asset === asset);
    const received = sumOf(legs.filter(({ receiver }) => receiver === party));
    return received - sumOf(legs.filter(({ sender }) => sender === party));
  }

  async backlog(): Promise<SettlementBacklog> {
    const waiting = this.batches.filter(({ state }) => state !== confirmed && state !== skipped);
    const fills = waiting.reduce((sum, batch) => sum + batch.fills.length, 0);
    return { oldestMs: null, fills, batches: { waiting: waiting.length } };
  }

  async closedMarkets(): Promise<number[]> {
    return [];
  }

  async mirrored(): Promise<void> {
    // Nothing to record: no code of the simulation reads this time.
  }

  async failedAccounts(): Promise<number[]> {
    const parties = this.batches
      .filter(({ state, fills }) => state === failed && fills.length > 0)
      .flatMap(({ partyA, partyB }) => [partyA, partyB]);
    const members = [...this.#members.values()].filter(({ party }) => parties.includes(party));
    return members.map(({ account }) => account);
  }

  async openCredits(): Promise<CreditRow[]> {
    const waiting = [...this.#credits.values()].filter(({ isDone }) => !isDone);
    return waiting.map(({ isDone: _, ...credit }) => credit);
  }

  async prepareCredit(credit: Omit<CreditRow, "creditId">): Promise<number> {
    const creditId = ++this.#ids;
    this.#credits.set(creditId, { ...credit, creditId, isDone: false });
    return creditId;
  }

  async finishCredit(creditId: number, isApplied: boolean): Promise<void> {
    const credit = this.#credits.get(creditId);
    if (credit === undefined) return;
    if (isApplied) credit.isDone = true;
    else this.#credits.delete(creditId);
  }
}

function rowOf({ fills: _, legs: __, confirmedOffset: ___, ...row }: Readonly<Batch>): BatchRow {
  return row;
}

/** Returns whether a batch is confirmed and the log reader has passed its update. */
function isPast({ state, confirmedOffset }: Readonly<Batch>, through: number): boolean {
  return state === confirmed && confirmedOffset !== null && confirmedOffset <= through;
}
