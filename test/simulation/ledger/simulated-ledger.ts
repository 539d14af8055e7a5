// The ledger network of the simulation, in memory: coins, the authority contracts of members with their operation
// counters, locked payments and the chain of epochs. It passes the conformance cases of real ledgers. The schedule
// decides when a call is executed and when its answer arrives; a call takes effect when it is executed.

import type {
  AllocateCommand,
  AllocationsCommand,
  BatchCommand,
  ChangeKey,
  ChargePage,
  EpochChainCommand,
  EpochCommand,
  FenceCommand,
  Holding,
  IncomingPage,
  Instrument,
  LedgerContract,
  LedgerHealth,
  LedgerNetwork,
  Leg,
  Lookup,
  MemberOperation,
  Outcome,
  Party,
  ProposalCommand,
  TransferCommand,
  TransferKind,
  UpdatePage,
  VenueTemplates,
} from "../../../src/ports/ledger/ledger.ts";
import { Refused, ruleBroken, type SimulatedTransaction } from "./simulated-contracts.ts";
import {
  holdingsOf,
  isSeen,
  type LedgerChance,
  rejection,
  type Settled,
  SimulatedParticipant,
} from "./simulated-participant.ts";

/** Deliberate faults that no real ledger has; the audit must detect them. */
export type LedgerCanary = "makes-coins" | "commits-twice" | "forgets-names";

export interface SimulatedLedgerParts {
  readonly nowMs: () => number;
  readonly instruments: readonly Instrument[];
  readonly chance?: LedgerChance;
  /** Whether wallets accept an invitation as soon as they get it. */
  readonly isAcceptedAtOnce?: boolean;
  readonly canary?: LedgerCanary | null;
}

const names: VenueTemplates = {
  memberAuthProposal: "#simulated-member:Venue.Member:MemberAuthProposal",
  memberAuth: "#simulated-member:Venue.Member:MemberAuth",
  epochChain: "#simulated-epoch:Venue.Epoch:EpochChain",
  epochCommitment: "#simulated-epoch:Venue.Epoch:EpochCommitment",
  swapProposal: "#simulated-swap:Venue.Swap:SwapProposal",
  swapTrade: "#simulated-swap:Venue.Swap:SwapTrade",
};

export class SimulatedLedger implements LedgerNetwork {
  readonly operator = "operator::1220";
  readonly custody = "custody::1220";
  readonly templates = names;
  readonly participant: SimulatedParticipant;
  readonly #parts: SimulatedLedgerParts;
  readonly #hosted = new Set<Party>();
  readonly #preapproved = new Set<Party>();

  constructor(parts: SimulatedLedgerParts) {
    const { nowMs, chance = null } = parts;
    this.#parts = parts;
    const isForgetful = parts.canary === "forgets-names";
    this.participant = new SimulatedParticipant({ nowMs, chance, isForgetful });
    this.#hosted.add(this.custody);
    this.#preapproved.add(this.custody);
  }

  // Actions of the outside world.

  host(party: Party): void {
    this.#hosted.add(party);
    this.#preapproved.add(party);
  }

  preapprove(party: Party, isOn: boolean): void {
    if (isOn) this.#preapproved.add(party);
    else this.#preapproved.delete(party);
  }

  tap(party: Party, id: string, amount: bigint): void {
    this.participant.run((tx) => tx.coin(party, this.#instrument(id), amount));
  }

  /** Pays from a wallet without the venue; returns false if the wallet has not enough free coins. */
  spend(from: Party, to: Party, id: string, amount: bigint): boolean {
    const free = this.coins(from).filter(
      ({ instrument, isLocked }) => instrument.id === id && !isLocked,
    );
    if (free.reduce((sum, coin) => sum + coin.amount, 0n) < amount) return false;
    const instrument = this.#instrument(id);
    this.participant.run((tx) => {
      const inputs = free.map(({ contractId }) => contractId);
      tx.spend({ owner: from, instrument, amount, inputs });
      tx.coin(to, instrument, amount);
    });
    return true;
  }

  /** Accepts a wallet's invitation, if it has one. */
  accept(party: Party): void {
    const found = this.#of(names.memberAuthProposal).find(
      ({ payload }) => payload["member"] === party,
    );
    if (found === undefined || !this.#hosted.has(party)) return;
    const { perBatchLimit, member } = found.payload;
    this.participant.run((tx) => {
      tx.archive(found.contractId);
      this.#authority(tx, { member, perBatchLimit, nextOpNo: "1" });
    });
  }

  revoke(party: Party): void {
    const found = this.#of(names.memberAuth).find(({ payload }) => payload["member"] === party);
    if (found !== undefined) this.participant.run((tx) => tx.archive(found.contractId));
  }

  /** Settlements in the order of execution. */
  get settled(): readonly Settled[] {
    return this.participant.settled.filter(({ batchId }) => batchId.startsWith("b-"));
  }

  /** Returns all coins, or the coins of one party. */
  coins(party?: Party): Holding[] {
    const all = this.participant.active().flatMap(holdingsOf);
    return party === undefined ? all : all.filter(({ owner }) => owner === party);
  }

  // The methods that the venue calls.

  async health(): Promise<LedgerHealth> {
    return {
      isLive: true,
      isReady: true,
      apiVersion: "simulated",
      ledgerEnd: this.participant.end,
    };
  }

  async ledgerEnd(): Promise<number> {
    return this.participant.end;
  }

  async prunedTo(): Promise<number> {
    return 0;
  }

  async updates(after: number, parties: readonly Party[]): Promise<UpdatePage> {
    return this.participant.page(after, parties);
  }

  async incoming(): Promise<IncomingPage> {
    return { coins: [], through: this.participant.end };
  }

  async charges(): Promise<ChargePage> {
    return { charges: [], through: this.participant.end };
  }

  async holdings(party: Party, at: number): Promise<Holding[]> {
    const all = this.participant.activeAt(at).flatMap(holdingsOf);
    return all.filter(({ owner }) => owner === party);
  }

  async contracts(party: Party, templateId: string, at: number): Promise<LedgerContract[]> {
    return this.participant
      .activeAt(at)
      .map(({ contract }) => contract)
      .filter((contract) => contract.templateId === templateId && isSeen(contract, [party]));
  }

  async transferKinds(legs: readonly Leg[]): Promise<TransferKind[]> {
    return legs.map(({ sender, receiver }) => {
      if (sender === receiver) return "self";
      return this.#preapproved.has(receiver) ? "direct" : "offer";
    });
  }

  async settleDirect(batch: BatchCommand): Promise<Outcome> {
    const { batchId, legs, members } = batch;
    return this.participant.submit(batch, (tx) => {
      this.#checkLegs(tx, batch);
      this.#takeTurns(tx, members);
      if (batch.executeBeforeMs <= tx.nowMs) throw ruleBroken("the deadline has passed");
      for (const leg of legs) this.#pay(tx, leg);
      tx.settles = batchId;
    });
  }

  async allocate(batch: AllocateCommand): Promise<Outcome> {
    const { batchId: reference, legs, members, executeBeforeMs: settleBeforeMs } = batch;
    return this.participant.submit(batch, (tx) => {
      this.#checkLegs(tx, batch);
      this.#takeTurns(tx, members);
      if (batch.allocateBeforeMs <= tx.nowMs) throw ruleBroken("the deadline has passed");
      for (const { inputs, ...leg } of legs) {
        const { sender, receiver, instrument, amount } = leg;
        const locked = { sender, receiver, instrument, amount };
        tx.lock({ ...locked, executor: this.operator, reference, settleBeforeMs }, inputs);
      }
    });
  }

  async executeAllocations(batch: AllocationsCommand): Promise<Outcome> {
    const { members, allocations, batchId } = batch;
    return this.participant.submit(batch, (tx) => {
      this.#takeTurns(tx, members);
      for (const { contractId } of allocations) tx.unlock(contractId, batchId, "receiver");
      tx.settles = batchId;
    });
  }

  async cancelAllocations(batch: AllocationsCommand): Promise<Outcome> {
    return this.participant.submit(batch, (tx) => {
      this.#takeTurns(tx, batch.members);
      for (const { contractId } of batch.allocations)
        tx.unlock(contractId, batch.batchId, "sender");
    });
  }

  async withdrawAllocations(batch: AllocationsCommand): Promise<Outcome> {
    const { members, batchId } = batch;
    const by = members[0]?.member ?? this.custody;
    return this.participant.submit(batch, (tx) => {
      this.#takeTurns(tx, members);
      for (const { contractId } of batch.allocations) {
        const { sender } = tx.unlock(contractId, batchId, "sender");
        if (sender !== by)
          throw ruleBroken("only the sender of an allocation may withdraw it alone");
      }
    });
  }

  async fenceMember(fence: FenceCommand): Promise<Outcome> {
    return this.participant.submit(fence, (tx) => this.#takeTurns(tx, [fence.operation]));
  }

  async propose({ member, perBatchLimit, ...change }: ProposalCommand): Promise<Outcome> {
    const outcome = this.participant.submit(change, (tx) => {
      tx.create({
        templateId: names.memberAuthProposal,
        payload: { member, perBatchLimit },
        signatories: [this.operator],
        observers: [member],
      });
    });
    if (this.#parts.isAcceptedAtOnce === true) this.accept(member);
    return outcome;
  }

  async transfer(payment: TransferCommand): Promise<Outcome> {
    const { leg, isDirectOnly, executeBeforeMs } = payment;
    const isDirect = leg.sender === leg.receiver || this.#preapproved.has(leg.receiver);
    if (isDirectOnly && !isDirect) return rejection(noPreapproval());
    return this.participant.submit(payment, (tx) => {
      if (executeBeforeMs <= tx.nowMs) throw ruleBroken("the deadline has passed");
      if (isDirect) this.#pay(tx, leg);
      else {
        const { sender: owner, instrument, amount, inputs } = leg;
        tx.spend({ owner, instrument, amount, inputs });
        tx.coin(owner, instrument, amount, executeBeforeMs);
      }
    });
  }

  async openEpochChain(chain: EpochChainCommand): Promise<Outcome> {
    const { venue, nextEpoch, prevRoot } = chain;
    return this.participant.submit(chain, (tx) => this.#chain(tx, { venue, nextEpoch, prevRoot }));
  }

  async commitEpoch({ chainCid, header, root, ...change }: EpochCommand): Promise<Outcome> {
    return this.participant.submit(change, (tx) => {
      const { payload } = tx.archive(chainCid).contract;
      const { venue } = payload;
      const [epoch, prevRoot] = [header["epoch"], header["prevRoot"]];
      if (epoch !== payload["nextEpoch"]) throw ruleBroken("the epoch must be the chain's next");
      if (prevRoot !== payload["prevRoot"])
        throw ruleBroken("the previous root must be the chain's last");
      for (let times = this.#parts.canary === "commits-twice" ? 2 : 1; times > 0; times--)
        tx.create({
          templateId: names.epochCommitment,
          payload: { venue, ...header, root },
          signatories: [this.operator],
          observers: [],
        });
      this.#chain(tx, { venue, nextEpoch: Number(epoch) + 1, prevRoot: root });
    });
  }

  async epochChains(party: Party): Promise<LedgerContract[]> {
    return this.#of(names.epochChain).filter((contract) => isSeen(contract, [party]));
  }

  async epochCommitments(party: Party): Promise<LedgerContract[]> {
    return this.#of(names.epochCommitment).filter((contract) => isSeen(contract, [party]));
  }

  async lookup(change: ChangeKey): Promise<Lookup> {
    return this.participant.lookup(change);
  }

  #instrument(id: string): Instrument {
    const found = this.#parts.instruments.find((instrument) => instrument.id === id);
    if (found === undefined) throw new RangeError(`there is no instrument ${id}`);
    return found;
  }

  #pay(tx: SimulatedTransaction, { sender, receiver, instrument, amount, inputs }: Leg): void {
    if (sender !== receiver && !this.#preapproved.has(receiver)) throw noPreapproval();
    tx.spend({ owner: sender, instrument, amount, inputs });
    const made = this.#parts.canary === "makes-coins" ? 1n : 0n;
    tx.coin(receiver, instrument, amount + made);
  }

  /** Checks that every leg involves a member, that only members and submitters pay, and that limits hold. */
  #checkLegs(tx: SimulatedTransaction, { members, legs, actAs }: BatchCommand): void {
    const own = members.map(({ member }) => member);
    for (const { sender, receiver } of legs) {
      if (!own.includes(sender) && !own.includes(receiver))
        throw ruleBroken("each leg must involve a member of the batch");
      if (![...own, ...actAs].includes(sender))
        throw ruleBroken("only members and submitters may pay");
    }
    for (const { member, authCid } of members) {
      const { perBatchLimit } = tx.fetch(authCid).contract.payload;
      const limits = perBatchLimit as Readonly<Record<string, bigint>>;
      for (const { id } of this.#parts.instruments) {
        const given = legs.filter(
          ({ sender, instrument }) => sender === member && instrument.id === id,
        );
        const sum = given.reduce((total, { amount }) => total + amount, 0n);
        if (sum > (limits[id] ?? 0n))
          throw ruleBroken("the member pays more than its limit per batch");
      }
    }
  }

  /** Uses up one operation of each member: replaces the member's contract by one with a higher counter. */
  #takeTurns(tx: SimulatedTransaction, members: readonly MemberOperation[]): void {
    for (const { authCid, opNo, member } of members) {
      const { payload } = tx.archive(authCid).contract;
      if (payload["member"] !== member) throw ruleBroken("the contract belongs to another member");
      if (opNo < Number(payload["nextOpNo"])) throw ruleBroken("the operation is used up");
      this.#authority(tx, { ...payload, nextOpNo: String(opNo + 1) });
    }
  }

  #authority(tx: SimulatedTransaction, payload: Readonly<Record<string, unknown>>): void {
    tx.create({
      templateId: names.memberAuth,
      payload,
      signatories: [String(payload["member"]), this.operator],
      observers: [],
    });
  }

  #chain(tx: SimulatedTransaction, made: Readonly<Record<string, unknown>>): void {
    tx.create({
      templateId: names.epochChain,
      payload: { ...made, nextEpoch: String(made["nextEpoch"]) },
      signatories: [this.operator],
      observers: [],
    });
  }

  #of(templateId: string): LedgerContract[] {
    return this.participant
      .active()
      .map(({ contract }) => contract)
      .filter((contract) => contract.templateId === templateId);
  }
}

function noPreapproval(): Refused {
  return new Refused("PREAPPROVAL_MISSING", "fallback", "a receiver has no preapproval");
}
