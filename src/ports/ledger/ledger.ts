// The ledger network as settlement, enrollment and the epoch committer use it. Each method is one exchange with the
// network and has one outcome. An implementation never retries and never creates a command id: the caller stores the
// attempts and decides what to do next. Types only.
//
// Offsets are safe integers that grow with each update of one participant. Amounts are integers in units of 10^−10
// (core/money/ledger-amount.ts).

export type Party = string;
export type ContractId = string;

export interface Instrument {
  /** The party whose registry issues the instrument. */
  readonly admin: Party;
  readonly id: string;
}

/** One payment of a settlement batch. */
export interface Leg {
  readonly legId: string;
  readonly sender: Party;
  readonly receiver: Party;
  readonly instrument: Instrument;
  readonly amount: bigint;
  /** Holdings of the sender that pay for the leg. All of them are consumed. */
  readonly inputs: readonly ContractId[];
}

/** Identifies a change on the network. All attempts of one change have the same `commandId`. */
export interface ChangeKey {
  readonly commandId: string;
  readonly actAs: readonly Party[];
  /** Offset of the ledger's end before the first attempt. No earlier update can be this change. */
  readonly dedupOffset: number;
  /** Id of the attempt, new for every attempt. */
  readonly submissionId: string;
}

/** The action that the caller must take after a definite rejection. */
export type RejectedAction =
  | "same-payload"
  | "refresh-inputs"
  | "fallback"
  | "wait-traffic"
  | "renew-token"
  | "stop";

export interface Committed {
  readonly kind: "committed";
  readonly updateId: string;
  readonly offset: number;
  readonly recordTime: string | null;
  /** Bytes of traffic charged for the submission, if the network reports it. */
  readonly trafficCost: number | null;
  readonly created: readonly LedgerContract[];
}

export interface Rejected {
  readonly kind: "rejected";
  readonly code: string;
  readonly category: number;
  readonly action: RejectedAction;
  /** Contract ids that the network named in its answer. */
  readonly resources: readonly string[];
  /** Message for the operator, never shown to customers. */
  readonly message: string;
}

export type UnknownCause = "timeout" | "transport" | "unavailable" | "in-flight" | "state-unknown";

export interface Unknown {
  readonly kind: "unknown";
  readonly cause: UnknownCause;
  readonly message: string;
}

/** The change was already committed, at this offset if the network reports the offset. */
export interface Duplicate {
  readonly kind: "duplicate";
  readonly offset: number | null;
}

export type Outcome = Committed | Rejected | Unknown;

export type Lookup =
  | { readonly kind: "committed"; readonly updateId: string; readonly offset: number }
  | (Searched & { readonly kind: "rejected"; readonly code: string })
  | (Searched & { readonly kind: "absent" });

/** How far completions were searched: to this offset, and to this time of the ledger if one was read. */
interface Searched {
  readonly searchedTo: number;
  readonly recordTime: string | null;
}

export interface LedgerContract {
  readonly contractId: ContractId;
  readonly templateId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly signatories: readonly Party[];
  readonly observers: readonly Party[];
  readonly offset: number;
  /** Base64 blob that discloses the contract to a party that does not see it; null if it was not requested. */
  readonly blob: string | null;
}

/** A coin on the ledger, as its Holding interface shows it. */
export interface Holding {
  readonly contractId: ContractId;
  readonly owner: Party;
  readonly instrument: Instrument;
  readonly amount: bigint;
  readonly isLocked: boolean;
  /** Time at which the holding's lock expires, in milliseconds UTC; null if it has no lock or a lock without expiry. */
  readonly lockedUntilMs: number | null;
  readonly createdOffset: number;
}

/** A payment locked on the ledger for a settlement. */
export interface SeenAllocation extends Allocation {
  readonly executor: Party;
  /** Reference of the settlement to which the allocation belongs. */
  readonly reference: string;
  /** The coins that the allocation locks. */
  readonly holdings: readonly ContractId[];
}

/** One committed transaction, with the parts that the queried parties see. */
export interface LedgerUpdate {
  readonly offset: number;
  readonly updateId: string;
  readonly commandId: string | null;
  readonly recordTime: string;
  readonly trafficCost: number | null;
  readonly created: readonly LedgerContract[];
  readonly holdings: readonly Holding[];
  readonly allocations: readonly SeenAllocation[];
  readonly archived: readonly ContractId[];
}

/** A page of updates. After this page, all updates up to the ledger offset `through` have been read. */
export interface UpdatePage {
  readonly updates: readonly LedgerUpdate[];
  readonly through: number;
  readonly recordTime: string | null;
  /** True if no update existed after `through` when the page was read. */
  readonly isLast: boolean;
}

/** A member's authority for a batch: the MemberAuth contract, and the operation number that the batch uses. */
export interface MemberOperation {
  readonly member: Party;
  readonly authCid: ContractId;
  readonly opNo: number;
}

export interface BatchCommand extends ChangeKey {
  readonly batchId: string;
  /** One member, or two members that pay each other. Custody takes part only if there is one member. */
  readonly members: readonly MemberOperation[];
  readonly legs: readonly Leg[];
  /** Request time of the batch in milliseconds UTC; the same for every attempt. */
  readonly requestedAtMs: number;
  /** From this time on, in milliseconds UTC, the network refuses the batch. */
  readonly executeBeforeMs: number;
}

export interface AllocateCommand extends BatchCommand {
  /** Time before which the coins must be locked, in milliseconds UTC. */
  readonly allocateBeforeMs: number;
}

/** A leg locked on the ledger. */
export interface Allocation {
  readonly contractId: ContractId;
  readonly admin: Party;
}

export interface AllocationsCommand extends ChangeKey {
  readonly batchId: string;
  readonly members: readonly MemberOperation[];
  readonly allocations: readonly Allocation[];
}

export interface FenceCommand extends ChangeKey {
  readonly operation: MemberOperation;
}

export interface ProposalCommand extends ChangeKey {
  readonly member: Party;
  readonly instruments: readonly Instrument[];
  /** Maximum amount that one batch may take from the member, by instrument id. */
  readonly perBatchLimit: Readonly<Record<string, bigint>>;
  readonly expiresAtMs: number;
}

/** A payment by a party for which the operator acts, such as a transfer by custody. */
export interface TransferCommand extends ChangeKey {
  readonly leg: Leg;
  readonly reference: string;
  /** True to send nothing if the receiver would first have to accept the transfer as an offer. */
  readonly isDirectOnly: boolean;
  readonly requestedAtMs: number;
  readonly executeBeforeMs: number;
}

/** A coin that `sender` paid to custody, not as part of a settlement. */
export interface IncomingCoin {
  readonly holding: Holding;
  readonly updateId: string;
  readonly recordTime: string;
  readonly sender: Party;
  /** The purpose that the sender gave; null if none was given. */
  readonly reference: string | null;
}

/** The traffic charged for one submission of the venue, whether it was committed or not. */
export interface Charge {
  readonly commandId: string;
  /** Bytes of traffic. */
  readonly bytes: number;
  readonly recordedMs: number;
}

/** A page of charges. After this page, all charges up to the ledger offset `through` have been read. */
export interface ChargePage {
  readonly charges: readonly Charge[];
  readonly through: number;
}

/** A page of incoming coins. After this page, all incoming coins up to the ledger offset `through` have been read. */
export interface IncomingPage {
  readonly coins: readonly IncomingCoin[];
  readonly through: number;
}

export interface EpochCommand extends ChangeKey {
  readonly chainCid: ContractId;
  /** The fields of the commitment, with their names in the network's contract. */
  readonly header: Readonly<Record<string, string>>;
  readonly root: string;
}

/** Creates the contract to which all epoch commitments of a venue refer. It is created once. */
export interface EpochChainCommand extends ChangeKey {
  readonly venue: string;
  readonly nextEpoch: number;
  /** Root of the previous epoch: 64 hex digits. */
  readonly prevRoot: string;
}

export type TransferKind = "self" | "direct" | "offer";

/** The state of the network as the network reports it. */
export interface LedgerHealth {
  readonly isLive: boolean;
  readonly isReady: boolean;
  readonly apiVersion: string;
  readonly ledgerEnd: number;
}

/** The template ids of the venue's contracts on this network. */
export interface VenueTemplates {
  readonly memberAuthProposal: string;
  readonly memberAuth: string;
  readonly epochChain: string;
  readonly epochCommitment: string;
  readonly swapProposal: string;
  readonly swapTrade: string;
}

export interface LedgerNetwork {
  readonly operator: Party;
  readonly custody: Party;
  readonly templates: VenueTemplates;
  health(): Promise<LedgerHealth>;
  ledgerEnd(): Promise<number>;
  /** Returns the offset up to which the participant has pruned its history; 0 if it has pruned nothing. */
  prunedTo(): Promise<number>;
  /** Returns at most one page of updates after `after` that any of `parties` can see; never waits. */
  updates(after: number, parties: readonly Party[]): Promise<UpdatePage>;
  /** Returns at most one page of payments to custody after `after`; never waits. */
  incoming(after: number): Promise<IncomingPage>;
  /** Returns at most one page of charges after `after`; never waits. */
  charges(after: number): Promise<ChargePage>;
  /**
   * Returns all holdings of a party at an offset, for bootstrap and audit. Throws if the party has more holdings than
   * the network lists at once.
   */
  holdings(party: Party, at: number): Promise<Holding[]>;
  /** Returns the active contracts of one template that `party` can see. */
  contracts(party: Party, templateId: string, at: number): Promise<LedgerContract[]>;
  transferKinds(legs: readonly Leg[]): Promise<TransferKind[]>;
  settleDirect(batch: BatchCommand): Promise<Outcome>;
  allocate(batch: AllocateCommand): Promise<Outcome>;
  executeAllocations(batch: AllocationsCommand): Promise<Outcome>;
  cancelAllocations(batch: AllocationsCommand): Promise<Outcome>;
  /**
   * Withdraws the allocations of one sender under that sender's authority alone. The sender is the one member named in
   * the command, or custody if no member is named.
   */
  withdrawAllocations(batch: AllocationsCommand): Promise<Outcome>;
  fenceMember(fence: FenceCommand): Promise<Outcome>;
  propose(proposal: ProposalCommand): Promise<Outcome>;
  transfer(payment: TransferCommand): Promise<Outcome>;
  openEpochChain(chain: EpochChainCommand): Promise<Outcome>;
  commitEpoch(epoch: EpochCommand): Promise<Outcome>;
  /**
   * Returns the chain contracts that `party` can see. Each venue has one; it contains the number and the previous root
   * that the next epoch must have.
   */
  epochChains(party: Party): Promise<LedgerContract[]>;
  /** Returns the commitments that `party` can see. */
  epochCommitments(party: Party): Promise<LedgerContract[]>;
  /**
   * Searches the participant's completions for the change. The answers `absent` and `rejected` cover only offsets up to
   * `searchedTo`; the change may still be committed at a later offset.
   */
  lookup(change: ChangeKey): Promise<Lookup>;
}
