// The ledger network as used by settlement, enrollment and the epoch committer. Each verb is one exchange
// with the network and has one outcome. An implementation never retries and never creates a command id: the
// caller stores the attempts and decides what to do next. Types only.
//
// Offsets are safe integers that grow with each update of one participant. Amounts are integers in units of
// 10^−10 (core/money/ledger-amount.ts).

export type Party = string;
export type ContractId = string;

export interface Instrument {
  /** The party whose registry issues it. */
  readonly admin: Party;
  readonly id: string;
}

/** One payment of a batch. */
export interface Leg {
  readonly legId: string;
  readonly sender: Party;
  readonly receiver: Party;
  readonly instrument: Instrument;
  readonly amount: bigint;
  /** Holdings of the sender that pay for it; all are consumed. */
  readonly inputs: readonly ContractId[];
}

/** Identifies a change on the network. `commandId` is the same for every attempt of one change. */
export interface ChangeKey {
  readonly commandId: string;
  readonly actAs: readonly Party[];
  /** Ledger end before the first attempt: no earlier update can be this change. */
  readonly dedupOffset: number;
  /** New for every attempt. */
  readonly submissionId: string;
}

/** How the caller reacts to a definite rejection. */
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
  /** Contract ids named by the network. */
  readonly resources: readonly string[];
  /** For the operator; never shown to customers. */
  readonly message: string;
}

export type UnknownCause = "timeout" | "transport" | "unavailable" | "in-flight" | "state-unknown";

export interface Unknown {
  readonly kind: "unknown";
  readonly cause: UnknownCause;
  readonly message: string;
}

/** `duplicate`: the change is already committed, at this offset if the network reports it. */
export interface Duplicate {
  readonly kind: "duplicate";
  readonly offset: number | null;
}

export type Outcome = Committed | Rejected | Unknown;

export type Lookup =
  | { readonly kind: "committed"; readonly updateId: string; readonly offset: number }
  | { readonly kind: "rejected"; readonly code: string }
  | { readonly kind: "absent"; readonly searchedTo: number; readonly recordTime: string | null };

export interface LedgerContract {
  readonly contractId: ContractId;
  readonly templateId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly signatories: readonly Party[];
  readonly observers: readonly Party[];
  readonly offset: number;
  /** Base64: discloses the contract to a party that does not see it; null if not requested. */
  readonly blob: string | null;
}

/** A coin on the ledger, by its Holding view. */
export interface Holding {
  readonly contractId: ContractId;
  readonly owner: Party;
  readonly instrument: Instrument;
  readonly amount: bigint;
  readonly isLocked: boolean;
  /** When its lock expires, ms UTC; null without a lock or for one without expiry. */
  readonly lockedUntilMs: number | null;
  readonly createdOffset: number;
}

/** A payment locked on the ledger for a settlement. */
export interface SeenAllocation extends Allocation {
  readonly executor: Party;
  /** The settlement it belongs to. */
  readonly reference: string;
  /** The coins it locks. */
  readonly holdings: readonly ContractId[];
}

/** One committed transaction as seen by the queried parties. */
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

/** A page of updates: complete up to `through`. */
export interface UpdatePage {
  readonly updates: readonly LedgerUpdate[];
  readonly through: number;
  readonly recordTime: string | null;
  /** No update existed after `through` when it was read. */
  readonly isLast: boolean;
}

/** A member's authority for a batch: its MemberAuth and the operation number it uses. */
export interface MemberOperation {
  readonly member: Party;
  readonly authCid: ContractId;
  readonly opNo: number;
}

export interface BatchCommand extends ChangeKey {
  readonly batchId: string;
  /** One member, or two that pay each other. Custody takes part only in the first case. */
  readonly members: readonly MemberOperation[];
  readonly legs: readonly Leg[];
  /** Milliseconds UTC; the same for every attempt. */
  readonly requestedAtMs: number;
  /** The network refuses the batch from this time on. */
  readonly executeBeforeMs: number;
}

export interface AllocateCommand extends BatchCommand {
  /** Milliseconds UTC. */
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
  /** Most that one batch may take from the member, by instrument id. */
  readonly perBatchLimit: Readonly<Record<string, bigint>>;
  readonly expiresAtMs: number;
}

/** A payment by a party the operator acts for, such as custody's transfers. */
export interface TransferCommand extends ChangeKey {
  readonly leg: Leg;
  readonly reference: string;
  /** True: send nothing if the transfer would only become an offer. */
  readonly isDirectOnly: boolean;
  readonly requestedAtMs: number;
  readonly executeBeforeMs: number;
}

/** A coin that `sender` paid to custody outside any settlement. */
export interface IncomingCoin {
  readonly holding: Holding;
  readonly updateId: string;
  readonly recordTime: string;
  readonly sender: Party;
  /** The purpose given by the sender. */
  readonly reference: string | null;
}

/** The charge of a submission of the venue, committed or not. */
export interface Charge {
  readonly commandId: string;
  /** Bytes of traffic. */
  readonly bytes: number;
  readonly recordedMs: number;
}

/** A page of charges: complete up to `through`. */
export interface ChargePage {
  readonly charges: readonly Charge[];
  readonly through: number;
}

/** A page of incoming coins: complete up to `through`. */
export interface IncomingPage {
  readonly coins: readonly IncomingCoin[];
  readonly through: number;
}

export interface EpochCommand extends ChangeKey {
  readonly chainCid: ContractId;
  /** The fields of the commitment as named by the network's contract. */
  readonly header: Readonly<Record<string, string>>;
  readonly root: string;
}

/** The contract that all commitments of a venue refer to; created once. */
export interface EpochChainCommand extends ChangeKey {
  readonly venue: string;
  readonly nextEpoch: number;
  /** Root of the previous epoch: 64 hex digits. */
  readonly prevRoot: string;
}

export type TransferKind = "self" | "direct" | "offer";

/** The network's report about itself. */
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
  /** The offset up to which the participant has pruned; 0 if nothing. */
  prunedTo(): Promise<number>;
  /** Updates after `after` visible to any of `parties`, at most one page; never waits. */
  updates(after: number, parties: readonly Party[]): Promise<UpdatePage>;
  /** Payments to custody after `after`, at most one page; never waits. */
  incoming(after: number): Promise<IncomingPage>;
  /** Charges of submissions after `after`, at most one page; never waits. */
  charges(after: number): Promise<ChargePage>;
  /** For bootstrap and audit; throws if the party has more holdings than the network lists at once. */
  holdings(party: Party, at: number): Promise<Holding[]>;
  /** Active contracts of one template visible to `party`. */
  contracts(party: Party, templateId: string, at: number): Promise<LedgerContract[]>;
  transferKinds(legs: readonly Leg[]): Promise<TransferKind[]>;
  settleDirect(batch: BatchCommand): Promise<Outcome>;
  allocate(batch: AllocateCommand): Promise<Outcome>;
  executeAllocations(batch: AllocationsCommand): Promise<Outcome>;
  cancelAllocations(batch: AllocationsCommand): Promise<Outcome>;
  /**
   * Withdraws what one sender locked, under its authority alone: the one member named, or custody without
   * any.
   */
  withdrawAllocations(batch: AllocationsCommand): Promise<Outcome>;
  fenceMember(fence: FenceCommand): Promise<Outcome>;
  propose(proposal: ProposalCommand): Promise<Outcome>;
  transfer(payment: TransferCommand): Promise<Outcome>;
  openEpochChain(chain: EpochChainCommand): Promise<Outcome>;
  commitEpoch(epoch: EpochCommand): Promise<Outcome>;
  /** Chain contracts visible to `party`: one per venue, with the number and root it expects next. */
  epochChains(party: Party): Promise<LedgerContract[]>;
  /** Commitments visible to `party`. */
  epochCommitments(party: Party): Promise<LedgerContract[]>;
  /** Whether the change is on the ledger, by its completions. Absence is certain only up to `searchedTo`. */
  lookup(change: ChangeKey): Promise<Lookup>;
}
