// The swap tables of the simulation, in memory. Each method acts as one transaction and checks the swap state first,
// like the methods of the real tables.

import { assert } from "../../../src/core/assert.ts";
import { EventKind, type VenueEvent } from "../../../src/core/generated/events.ts";
import { PublicIdKind, publicId } from "../../../src/core/ids/public-id.ts";
import { isSwapOver, SwapReason, SwapState } from "../../../src/core/swaps.ts";
import type { ContractId } from "../../../src/ports/ledger/ledger.ts";
import type { PreparedSubmission, SwapContract } from "../../../src/ports/swaps/swap-ledger.ts";
import {
  type MoveRow,
  type NamedCoins,
  type NewSwap,
  type PhaseEnd,
  type QuoteRow,
  type SwapAttempt,
  SwapPhase,
  type SwapQuery,
  type SwapRecord,
  type SwapRow,
  type SwapStep,
  type SwapStore,
  type Trader,
} from "../../../src/ports/swaps/swap-store.ts";

/** Deliberate faults of the tables that the audit must detect. */
export type SwapRowsCanary = "moves-without-guard" | "loses-a-move" | "ends-anothers";

/** Flags of a trader from other tables. */
export type TraderFlags = Pick<SwapRow, "isMember" | "isFrozen">;

export interface SwapRowsParts {
  readonly traders: ReadonlyMap<number, Trader>;
  readonly traderFlagsOf: (account: number) => TraderFlags;
  readonly canary: SwapRowsCanary | null;
  readonly onStep: (step: SwapStep) => void;
}

type Row = { -readonly [Name in keyof SwapRow]: SwapRow[Name] } & { lookMs: number };
type Move = { -readonly [Name in keyof MoveRow]: MoveRow[Name] };
type SeenContract = SwapContract & { isArchived: boolean };

const notUnderWay = {
  ...{ phase: SwapPhase.none, dedupOffset: null, submissionId: null, isUnknown: false },
  ...{ attempts: 0, signature: null, prepared: null, inputs: [], prepareFor: SwapPhase.none },
  freeUnits: null,
};

const isSharing = (row: Row, inputs: readonly ContractId[]): boolean =>
  row.inputs.some((input) => inputs.includes(input));

export class SimulatedSwapRows implements SwapStore {
  readonly #parts: SwapRowsParts;
  readonly #swaps: Row[] = [];
  readonly #quotes: { readonly swapNo: number; readonly quote: QuoteRow }[] = [];
  readonly #moves: Move[] = [];
  readonly #contracts = new Map<ContractId, SeenContract>();
  /** Journal seq of each recorded step of a swap, by step number. */
  readonly #journaled = new Map<number, number>();
  #cursor: number | null = null;

  constructor(parts: SwapRowsParts) {
    this.#parts = parts;
  }

  /** All swaps and all steps, for the auditor. */
  get all(): readonly SwapRow[] {
    return this.#swaps;
  }

  get allMoves(): readonly MoveRow[] {
    return this.#moves;
  }

  /** Records a durable event. */
  durable(event: VenueEvent): void {
    if (event.kind === EventKind.swapMoved) this.#journaled.set(event.moveNo, event.seq);
  }

  // Reads and writes by fronts.

  async trader(account: number): Promise<Trader> {
    const trader = this.#parts.traders.get(account);
    assert(trader !== undefined, "an account with a session must have a wallet");
    return trader;
  }

  async add(swap: NewSwap, openMax: number): Promise<SwapRecord | null> {
    const own = this.#swaps.filter(({ trader }) => trader.account === swap.trader.account);
    if (own.filter(({ state }) => !isSwapOver(state)).length >= openMax) return null;
    const swapNo = this.#swaps.length + 1;
    const row: Row = {
      ...{ ...swap, ...notUnderWay, swapNo },
      swapId: publicId(PublicIdKind.swap, swapNo, swap.createdMs),
      ...{ state: SwapState.requested, reason: SwapReason.none, dueMs: swap.windowEndsMs },
      ...{ taken: null, isWallet: false, acceptedMs: 0, allocateBeforeMs: 0, settleBeforeMs: 0 },
      signBeforeMs: 0,
      ...{ prepareFault: null, refusals: 0, isAbortAsked: false, isFrozen: false },
      ...{ isMember: false, isLockFailed: false, takenSignature: null, updateId: null, lookMs: 0 },
    };
    this.#swaps.push(row);
    this.#addMove(row, SwapState.none, {}, swap.createdMs);
    return this.#recordOf(row);
  }

  async #recordOf(row: Row): Promise<SwapRecord> {
    const { swapNo } = row;
    const [quotes, moves] = [await this.quotes(swapNo), await this.moves(swapNo)];
    return { ...this.#copyOf(row), quotes, moves };
  }

  async swap(swapNo: number): Promise<SwapRow | null> {
    const row = this.#swaps[swapNo - 1];
    return row === undefined ? null : this.#copyOf(row);
  }

  async swapsOf({ account, limit }: SwapQuery): Promise<SwapRow[]> {
    const own = this.#swaps.filter(({ trader }) => trader.account === account);
    return own
      .reverse()
      .slice(0, limit)
      .map((row) => this.#copyOf(row));
  }

  async quotes(swapNo: number): Promise<QuoteRow[]> {
    return this.#quotes.filter((kept) => kept.swapNo === swapNo).map(({ quote }) => quote);
  }

  async moves(swapNo: number): Promise<MoveRow[]> {
    return this.#moves.filter((move) => move.swapNo === swapNo);
  }

  /** Returns 0, because simulation runs do not limit how many swaps a trader may accept without signing. */
  async unkept(): Promise<number> {
    return 0;
  }

  async step(step: SwapStep): Promise<SwapRecord | null> {
    const { swap, to, reason, dueMs, taken, settled } = step;
    const row = this.#row(swap.swapNo);
    const isAsRead =
      row.state === swap.state &&
      row.isUnknown === swap.isUnknown &&
      (row.signature === null) === (swap.signature === null);
    if (!isAsRead && this.#parts.canary !== "moves-without-guard") return null;
    const from = swap.state;
    Object.assign(row, { ...notUnderWay, state: to, reason, dueMs, lookMs: 0 });
    Object.assign(row, { prepareFault: null, refusals: 0, isLockFailed: false });
    if (taken !== undefined) {
      const { quote, unkept: _bound, ...times } = taken;
      Object.assign(row, { ...times, taken: { ...quote, validUntilMs: 0 }, acceptedMs: step.atMs });
    }
    if (settled !== undefined) row.updateId = settled.updateId;
    this.#addMove(row, from, step.details, step.atMs);
    this.#parts.onStep(step);
    return this.#recordOf(row);
  }

  #addMove(row: Row, from: SwapState, details: object, atMs: number): void {
    if (this.#parts.canary === "loses-a-move" && row.state === SwapState.executing) return;
    const { swapNo, trader, market, side, taken, askedLots, state: to, reason } = row;
    this.#moves.push({
      ...{ moveNo: this.#moves.length + 1, swapNo, account: trader.account, market, side },
      ...{ from, to, reason, atMs, seq: null, details: JSON.stringify(details) },
      ...{ priceTicks: taken?.priceTicks ?? 0, lots: taken?.lots ?? askedLots ?? 0 },
    });
  }

  async extend(swapNo: number, dueMs: number): Promise<void> {
    const row = this.#row(swapNo);
    if (row.state === SwapState.quoted) row.dueMs = Math.max(row.dueMs, dueMs);
  }

  async requestPrepare({ swapNo, state }: SwapRow, prepareFor: SwapPhase): Promise<boolean> {
    const row = this.#row(swapNo);
    if (row.state !== state || row.signature !== null || row.isUnknown) return false;
    Object.assign(row, { prepareFor, prepared: null, inputs: [], prepareFault: null, lookMs: 0 });
    row.freeUnits = null;
    return true;
  }

  async sign(
    swap: SwapRow,
    hash: string,
    signature: string,
    nowMs: number,
  ): Promise<SwapRecord | null> {
    const row = this.#row(swap.swapNo);
    const isOpen = row.state === swap.state && row.signature === null && !row.isUnknown;
    if (!isOpen || row.prepared?.hash !== hash || row.dueMs <= nowMs) return null;
    if (row.state === SwapState.accepted && row.signBeforeMs <= nowMs) return null;
    Object.assign(row, { signature, takenSignature: signature, lookMs: 0 });
    for (const other of this.#otherLocks(row))
      if (other.signature === null && isSharing(other, row.inputs))
        Object.assign(other, { prepared: null, inputs: [], prepareFor: SwapPhase.none });
    return this.#recordOf(row);
  }

  // Reads and writes by the settlement thread.

  async open(limit: number): Promise<SwapRow[]> {
    return this.#swaps
      .filter(({ state }) => !isSwapOver(state))
      .slice(0, limit)
      .map((row) => this.#copyOf(row));
  }

  async hasOpen(): Promise<boolean> {
    const isOpen = this.#swaps.some(({ state }) => !isSwapOver(state));
    return isOpen || this.#moves.some(({ seq }) => seq === null);
  }

  async due(nowMs: number): Promise<SwapRow[]> {
    const open = this.#swaps.filter(({ state }) => !isSwapOver(state));
    return open.filter(({ lookMs }) => lookMs <= nowMs).map((row) => this.#copyOf(row));
  }

  async addQuote(swapNo: number, quote: Omit<QuoteRow, "quoteNo">): Promise<boolean> {
    const isHeard = this.#quotes.some(
      (kept) => kept.swapNo === swapNo && kept.quote.provider === quote.provider,
    );
    if (isHeard) return false;
    this.#quotes.push({ swapNo, quote: { ...quote, quoteNo: this.#quotes.length + 1 } });
    return true;
  }

  async namedCoins({ swapNo }: SwapRow): Promise<NamedCoins> {
    const others = this.#otherLocks(this.#row(swapNo));
    const of = (isSigned: boolean) =>
      others.filter((row) => (row.signature !== null) === isSigned).flatMap(({ inputs }) => inputs);
    return { signed: of(true), prepared: of(false) };
  }

  #otherLocks({ swapNo, trader }: Row): Row[] {
    return this.#swaps.filter(
      (row) =>
        row.swapNo !== swapNo &&
        row.trader.account === trader.account &&
        row.state === SwapState.accepted,
    );
  }

  async prepared(
    { swapNo }: SwapRow,
    answer: PreparedSubmission | string,
    inputs: readonly ContractId[] = [],
  ): Promise<void> {
    const row = this.#row(swapNo);
    if (row.prepareFor === SwapPhase.none || row.signature !== null) return;
    const isTaken = (other: Row) => other.signature !== null && isSharing(other, inputs);
    if (this.#otherLocks(row).some(isTaken)) return;
    row.prepared = typeof answer === "string" ? null : answer;
    row.inputs = typeof answer === "string" ? [] : inputs;
    row.prepareFault = typeof answer === "string" ? answer : null;
  }

  async keepFunds(swapNo: number, freeUnits: bigint): Promise<void> {
    const row = this.#row(swapNo);
    if (row.state === SwapState.quoted && row.prepareFor !== SwapPhase.none)
      row.freeUnits = freeUnits;
  }

  async requestAbort(swapNo: number): Promise<boolean> {
    const row = this.#row(swapNo);
    if (row.state >= SwapState.executing) return false;
    Object.assign(row, { isAbortAsked: true, lookMs: 0 });
    return true;
  }

  async begin(swapNo: number, attempt: SwapAttempt, needsSignature: boolean): Promise<boolean> {
    const row = this.#row(swapNo);
    if (needsSignature && row.signature === null) return false;
    Object.assign(row, { ...attempt, isUnknown: true, attempts: row.attempts + 1 });
    return true;
  }

  async awaitTraffic(swapNo: number, lookMs: number): Promise<void> {
    const { signature, prepared, inputs, prepareFor } = this.#row(swapNo);
    const kept = { signature, prepared, inputs, prepareFor };
    Object.assign(this.#row(swapNo), { ...notUnderWay, ...kept, isLockFailed: true, lookMs });
  }

  async unknown(swapNo: number, lookMs: number): Promise<void> {
    Object.assign(this.#row(swapNo), { isUnknown: true, lookMs });
  }

  async endPhase(swapNo: number, end: PhaseEnd): Promise<void> {
    const { lookMs, isRefusal, fault: prepareFault } = end;
    const row = this.#row(swapNo);
    const refusals = row.refusals + (isRefusal ? 1 : 0);
    const isLockFailed = row.isLockFailed || end.isLockFailed;
    const takenSignature = row.signature === null ? row.takenSignature : null;
    const ended = { prepareFault, refusals, isLockFailed, takenSignature };
    Object.assign(row, { ...notUnderWay, ...ended, lookMs });
  }

  async postpone(swapNo: number, lookMs: number): Promise<void> {
    this.#row(swapNo).lookMs = lookMs;
  }

  async cursor(): Promise<number | null> {
    return this.#cursor;
  }

  async advance(
    created: readonly SwapContract[],
    archived: readonly ContractId[],
    through: number,
  ): Promise<void> {
    for (const contract of created)
      if (this.#isKnown(contract) && !this.#contracts.has(contract.contractId))
        this.#contracts.set(contract.contractId, { ...contract, isArchived: false });
    for (const contractId of archived) {
      const contract = this.#contracts.get(contractId);
      if (contract !== undefined) contract.isArchived = true;
    }
    this.#cursor = through;
  }

  #isKnown({ kind, swapId, legs, trader, provider }: SwapContract): boolean {
    const swap = this.#swaps.find((row) => row.swapId === swapId);
    const sides = [swap?.trader.party, swap?.taken?.providerParty];
    if (kind === "allocation") return sides.includes(legs[0]?.sender);
    return swap !== undefined && trader === sides[0] && provider === sides[1];
  }

  async contracts(swapId: string): Promise<SeenContract[]> {
    const own = [...this.#contracts.values()].filter((contract) => contract.swapId === swapId);
    return own.map((contract) => ({ ...contract }));
  }

  async openMoves(limit: number): Promise<MoveRow[]> {
    return this.#moves
      .filter(({ seq }) => seq === null)
      .slice(0, limit)
      .map((move) => ({ ...move, account: this.#accountOf(move) }));
  }

  #accountOf({ account, to }: Move): number {
    return this.#parts.canary === "ends-anothers" && isSwapOver(to) ? account + 1 : account;
  }

  async recorded(moveNo: number, seq: number): Promise<void> {
    const move = this.#moves[moveNo - 1];
    if (move !== undefined) move.seq = seq;
  }

  async seqOfMove(moveNo: number): Promise<number | null> {
    return this.#journaled.get(moveNo) ?? null;
  }

  #copyOf({ lookMs: _, ...row }: Row): SwapRow {
    return { ...row, ...this.#parts.traderFlagsOf(row.trader.account) };
  }

  #row(swapNo: number): Row {
    const row = this.#swaps[swapNo - 1];
    assert(row !== undefined, "a swap must never be deleted");
    return row;
  }
}
