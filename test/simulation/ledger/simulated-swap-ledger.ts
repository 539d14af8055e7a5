// Swaps on the simulated ledger: proposals, trades and the payments that both sides lock. The ledger prepares the
// transactions of wallets and executes each when its signature arrives.

import type {
  ChangeKey,
  ContractId,
  Holding,
  Instrument,
  Lookup,
  MemberOperation,
  Outcome,
  Party,
} from "../../../src/ports/ledger/ledger.ts";
import type {
  LockCommand,
  MemberWithdrawal,
  PrepareAnswer,
  SignedSubmission,
  SwapContract,
  SwapLedger,
  SwapOperation,
  SwapPage,
  SwapPayment,
  SwapTerms,
  WithdrawCommand,
} from "../../../src/ports/swaps/swap-ledger.ts";
import { Refused, ruleBroken, type SimulatedTransaction } from "./simulated-contracts.ts";
import type { SimulatedLedger } from "./simulated-ledger.ts";
import { rejection, type Step } from "./simulated-participant.ts";

/** Deliberate faults that no real ledger has; the audit must detect them. */
export type SwapLedgerCanary = "pays-one-leg" | "forgets-a-settlement" | "lapses-early";

/** Prefix that distinguishes swaps from other settlements. */
const named = "rfq:";
/** Most coins that a provider puts into one payment. */
const inputsMax = 100;

type SwapBody = Omit<SwapContract, "contractId" | "offset">;

export class SimulatedSwapLedger implements SwapLedger {
  readonly operator: Party;
  readonly #ledger: SimulatedLedger;
  readonly #canary: SwapLedgerCanary | null;
  readonly #prepared = new Map<string, { readonly party: Party; readonly step: Step }>();

  constructor(ledger: SimulatedLedger, canary: SwapLedgerCanary | null) {
    this.operator = ledger.operator;
    this.#ledger = ledger;
    this.#canary = canary;
  }

  /** The settled swaps in order, each with the update that settled it. */
  get settled(): readonly { readonly swapId: string; readonly updateId: string }[] {
    return this.#ledger.participant.settled.flatMap(({ batchId, updateId }) => {
      return batchId.startsWith(named) ? [{ swapId: batchId.slice(named.length), updateId }] : [];
    });
  }

  async ledgerEnd(): Promise<number> {
    return this.#ledger.participant.end;
  }

  async freeCoins(party: Party, { id }: Instrument, nowMs: number): Promise<Holding[]> {
    return this.#free(party, id, nowMs);
  }

  async swapPage(after: number): Promise<SwapPage> {
    const page = this.#ledger.participant.page(after, [this.operator]);
    const { updates, through, recordTime, isLast } = page;
    const created = updates.flatMap((update) =>
      update.created.flatMap(({ payload, contractId, offset }): SwapContract[] => {
        const body = payload["swap"] as SwapBody | undefined;
        return body === undefined ? [] : [{ ...body, contractId, offset }];
      }),
    );
    const aheadMs = this.#canary === "lapses-early" ? 86_400_000 : 0;
    return {
      ...{ created, through, isLast },
      archived: updates.flatMap((update) => update.archived),
      recordTimeMs: recordTime === null ? null : Date.parse(recordTime) + aheadMs,
    };
  }

  async prepareLock({ terms, inputs, commitBeforeMs }: LockCommand): Promise<PrepareAnswer> {
    return this.#prepare(terms.trader, commitBeforeMs, (tx) => this.#propose(tx, terms, inputs));
  }

  /** Locks a wallet's leg in a transaction that the venue did not prepare. */
  lockByItself(change: ChangeKey, terms: SwapTerms, inputs: readonly ContractId[]): Outcome {
    return this.#ledger.participant.submit(change, (tx) => this.#propose(tx, terms, inputs));
  }

  #propose(tx: SimulatedTransaction, terms: SwapTerms, inputs: readonly ContractId[]): void {
    const { swapProposal: templateId } = this.#ledger.templates;
    const { trader, provider } = terms;
    tx.create({
      ...{ templateId, payload: { swap: this.#bodyOf(terms, "proposal", terms.legs) } },
      ...{ signatories: [trader], observers: [provider, this.operator] },
    });
    this.#lock(tx, terms, trader, inputs);
  }

  /**
   * Accepts the proposal for the provider and locks its leg. `less` is the amount by which a cheating provider locks
   * too little.
   */
  accept(change: ChangeKey, terms: SwapTerms, proposalCid: ContractId, less: bigint): Outcome {
    const { trader, provider } = terms;
    return this.#ledger.participant.submit(change, (tx) => {
      tx.archive(proposalCid);
      tx.create({
        templateId: this.#ledger.templates.swapTrade,
        payload: { swap: this.#bodyOf(terms, "trade", terms.legs) },
        ...{ signatories: [trader, provider], observers: [this.operator] },
      });
      const legs = terms.legs.map((leg) => ({ ...leg, amount: leg.amount - less }));
      const id = legs.find(({ sender }) => sender === provider)?.instrument.id;
      const free = this.#free(provider, id, tx.nowMs).slice(0, inputsMax);
      const inputs = free.map(({ contractId }) => contractId);
      this.#lock(tx, { ...terms, legs }, provider, inputs);
    });
  }

  #free(party: Party, id: string | undefined, nowMs: number): Holding[] {
    return this.#ledger.coins(party).filter(({ instrument, lockedUntilMs }) => {
      return instrument.id === id && (lockedUntilMs ?? 0) <= nowMs;
    });
  }

  #lock(
    tx: SimulatedTransaction,
    terms: SwapTerms,
    party: Party,
    inputs: readonly ContractId[],
  ): void {
    const { allocateBeforeMs, settleBeforeMs, swapId: reference } = terms;
    if (allocateBeforeMs <= tx.nowMs) throw ruleBroken("the deadline has passed");
    const leg = terms.legs.find(({ sender }) => sender === party);
    if (leg === undefined) throw ruleBroken("the party pays no leg of the swap");
    const { sender, receiver, instrument, amount } = leg;
    const lock = { sender, receiver, instrument, amount, reference, settleBeforeMs };
    const swap = this.#bodyOf(terms, "allocation", [leg]);
    tx.lock({ ...lock, executor: this.operator }, inputs, { swap });
  }

  #bodyOf(terms: SwapTerms, kind: SwapContract["kind"], legs: readonly SwapPayment[]): SwapBody {
    const { swapId, allocateBeforeMs, settleBeforeMs } = terms;
    const isOne = kind === "allocation";
    const [trader, provider] = isOne ? [null, null] : [terms.trader, terms.provider];
    const { operator: executor } = this;
    return { kind, swapId, trader, provider, legs, executor, allocateBeforeMs, settleBeforeMs };
  }

  async prepareWithdrawal(withdrawal: WithdrawCommand): Promise<PrepareAnswer> {
    const { trader, allocation, proposalCid, commitBeforeMs } = withdrawal;
    return this.#prepare(trader, commitBeforeMs, (tx) => {
      const { lock } = tx.fetch(allocation.contractId);
      tx.unlock(allocation.contractId, lock?.reference ?? "", "sender");
      if (proposalCid !== null) tx.archive(proposalCid);
    });
  }

  #prepare(party: Party, commitBeforeMs: number, step: Step): PrepareAnswer {
    const transaction = Buffer.from(`transaction ${this.#prepared.size + 1}`).toString("base64");
    this.#prepared.set(transaction, {
      party,
      step: (tx) => {
        if (tx.nowMs > commitBeforeMs)
          throw new Refused("EXPIRED", "stop", "the prepared transaction has expired");
        step(tx);
      },
    });
    const prepared = { transaction, hash: transaction, hashingScheme: "simulated" };
    return { kind: "prepared", prepared };
  }

  async memberOperation(member: Party): Promise<MemberOperation | null> {
    const { participant, templates } = this.#ledger;
    const own = participant.active().find(({ contract: { templateId, payload } }) => {
      return templateId === templates.memberAuth && payload["member"] === member;
    })?.contract;
    if (own === undefined) return null;
    return { member, authCid: own.contractId, opNo: Number(own.payload["nextOpNo"]) };
  }

  async withdrawLock(withdrawal: MemberWithdrawal): Promise<Outcome> {
    const { operation, allocation, swapId: batchId, ...change } = withdrawal;
    const named = { batchId, members: [operation], allocations: [allocation] };
    return this.#ledger.withdrawAllocations({ ...change, ...named });
  }

  /** Takes back a wallet's lock of a swap in a transaction that the venue did not prepare. */
  withdrawByItself(change: ChangeKey, swapId: string, party: Party): void {
    const { participant } = this.#ledger;
    const own = participant
      .active()
      .find(({ lock }) => lock?.reference === swapId && lock.sender === party);
    const proposal = participant.active().find(({ contract: { payload } }) => {
      const body = payload["swap"] as SwapBody | undefined;
      return body?.swapId === swapId && body.kind === "proposal";
    });
    if (own === undefined) return;
    participant.submit(change, (tx) => {
      tx.unlock(own.contract.contractId, swapId, "sender");
      if (proposal !== undefined) tx.archive(proposal.contract.contractId);
    });
  }

  async execute({ prepared, party, signature, ...change }: SignedSubmission): Promise<Outcome> {
    const found = this.#prepared.get(prepared.transaction);
    if (found?.party !== party || signature !== signatureOver(prepared.hash))
      return rejection(ruleBroken("the signature must be the party's"));
    return this.#ledger.participant.submit(change, found.step);
  }

  async settleSwap(operation: SwapOperation): Promise<Outcome> {
    return this.#ledger.participant.submit(operation, (tx) => {
      const body = this.#end(tx, operation);
      if ((body.settleBeforeMs ?? 0) <= tx.nowMs) throw ruleBroken("the deadline has passed");
      for (const [index, { contractId }] of operation.allocations.entries()) {
        const isPaid = index === 0 || this.#canary !== "pays-one-leg";
        tx.unlock(contractId, body.swapId, isPaid ? "receiver" : "sender");
      }
      tx.settles = `${named}${body.swapId}`;
    });
  }

  async cancelSwap(operation: SwapOperation): Promise<Outcome> {
    return this.#ledger.participant.submit(operation, (tx) => {
      const body = this.#end(tx, operation);
      for (const { contractId } of operation.allocations)
        tx.unlock(contractId, body.swapId, "sender");
    });
  }

  /** Ends the trade. The transaction must consume exactly the trade's two payments. */
  #end(tx: SimulatedTransaction, { tradeCid, allocations }: SwapOperation): SwapBody {
    const body = tx.archive(tradeCid).contract.payload["swap"] as SwapBody;
    const paid = allocations.map(({ contractId }) => tx.fetch(contractId).lock);
    const isWhole = body.legs.every((leg) =>
      paid.some((lock) => lock?.sender === leg.sender && lock.amount === leg.amount),
    );
    if (!isWhole || allocations.length !== body.legs.length) throw ruleBroken("a leg is missing");
    return body;
  }

  async lookup(change: ChangeKey): Promise<Lookup> {
    const found = this.#ledger.participant.lookup(change);
    if (this.#canary !== "forgets-a-settlement" || found.kind !== "committed") return found;
    const recordTime = new Date(this.#ledger.participant.nowMs + 86_400_000).toISOString();
    return { kind: "absent", searchedTo: this.#ledger.participant.end, recordTime };
  }
}

/** Returns the signature of a simulated wallet, in base64. */
export function signatureOver(hash: string): string {
  return Buffer.from(`signed ${hash}`).toString("base64");
}
