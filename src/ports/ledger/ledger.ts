// The ledger network as settlement, enrollment and the epochs' committer need it: verbs of the venue,
// each of which is one exchange with the network and one outcome. An implementation never retries, and
// never invents a command id: whoever calls keeps the attempts and decides what to do next. Types only.
//
// Offsets are safe integers that grow with each update of one participant. Amounts are integers of
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
  /** Holdings of the sender that pay for it; all of them are consumed. */
  readonly inputs: readonly ContractId[];
}

/** What the network knows a change by. `commandId` is the same for every attempt of one change. */
export interface ChangeKey {
  readonly commandId: string;
  readonly actAs: readonly Party[];
  /** Ledger end before the first attempt: nothing earlier can be this change. */
  readonly dedupOffset: number;
  /** Fresh for every attempt. */
  readonly submissionId: string;
}

/** What a definite rejection asks of the caller. */
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
  /** Bytes of traffic the submission was charged, where the network says so. */
  readonly trafficCost: number | null;
  readonly created: readonly LedgerContract[];
}

export interface Rejected {
  readonly kind: "rejected";
  readonly code: string;
  readonly category: number;
  readonly action: RejectedAction;
  /** Contract ids the network named. */
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

/** `duplicate`: the change is committed already, at this offset where the network says so. */
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
  /** Base64: shows the contract to a party that does not see it; null where it was not asked for. */
  readonly blob: string | null;
}

/** A coin on the ledger, as its Holding view says. */
export interface Holding {
  readonly contractId: ContractId;
  readonly owner: Party;
  readonly instrument: Instrument;
  readonly amount: bigint;
  readonly isLocked: boolean;
  /** When its lock binds nobody any more, milliseconds UTC; null where it has none, or one without end. */
  readonly lockedUntilMs: number | null;
  readonly createdOffset: number;
}

/** A payment that was locked on the ledger for a settlement. */
export interface SeenAllocation extends Allocation {
  readonly executor: Party;
  /** The settlement it belongs to. */
  readonly reference: string;
  /** The coins it locks. */
  readonly holdings: readonly ContractId[];
}

/** One committed transaction as the parties asked for see it. */
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

/** A page of updates: everything up to `through` has been seen. */
export interface UpdatePage {
  readonly updates: readonly LedgerUpdate[];
  readonly through: number;
  readonly recordTime: string | null;
  /** There was nothing behind `through` when it was read. */
  readonly isLast: boolean;
}

/** The authority of one member over a batch: its MemberAuth and the operation number it spends. */
export interface MemberOperation {
  readonly member: Party;
  readonly authCid: ContractId;
  readonly opNo: number;
}

export interface BatchCommand extends ChangeKey {
  readonly batchId: string;
  /** One member, or two who pay each other; custody is a party to the first case only. */
  readonly members: readonly MemberOperation[];
  readonly legs: readonly Leg[];
  /** Milliseconds UTC; the same for every attempt. */
  readonly requestedAtMs: number;
  /** The network refuses the batch from here on. */
  readonly executeBeforeMs: number;
}

export interface AllocateCommand extends BatchCommand {
  /** Milliseconds UTC. */
  readonly allocateBeforeMs: number;
}

/** A leg that is locked on the ledger. */
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

/** A payment by a party the operator acts for: custody's own transfers. */
export interface TransferCommand extends ChangeKey {
  readonly leg: Leg;
  readonly reference: string;
  /** Whether nothing is sent where it would only become an offer. */
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
  /** What the sender said the payment is for. */
  readonly reference: string | null;
}

/** What a submission of the venue was charged, whether it was committed or not. */
export interface Charge {
  readonly commandId: string;
  /** Of traffic. */
  readonly bytes: number;
  readonly recordedMs: number;
}

/** A page of them: everything up to `through` has been seen. */
export interface ChargePage {
  readonly charges: readonly Charge[];
  readonly through: number;
}

/** A page of them: everything up to `through` has been seen. */
export interface IncomingPage {
  readonly coins: readonly IncomingCoin[];
  readonly through: number;
}

export interface EpochCommand extends ChangeKey {
  readonly chainCid: ContractId;
  /** The fields of the commitment as the network's contract names them. */
  readonly header: Readonly<Record<string, string>>;
  readonly root: string;
}

/** The contract that all of a venue's commitments hang on; made once. */
export interface EpochChainCommand extends ChangeKey {
  readonly venue: string;
  readonly nextEpoch: number;
  /** Root of the epoch before: 64 hexadecimal digits. */
  readonly prevRoot: string;
}

export type TransferKind = "self" | "direct" | "offer";

/** What the network says of itself. */
export interface LedgerHealth {
  readonly isLive: boolean;
  readonly isReady: boolean;
  readonly apiVersion: string;
  readonly ledgerEnd: number;
}

/** The venue's own contracts by their names on this network. */
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
  /** The offset up to which the participant has forgotten; 0 where it remembers all. */
  prunedTo(): Promise<number>;
  /** Updates after `after` that any of `parties` sees, at most one page; never waits. */
  updates(after: number, parties: readonly Party[]): Promise<UpdatePage>;
  /** What custody was paid after `after`, at most one page; never waits. */
  incoming(after: number): Promise<IncomingPage>;
  /** What submissions after `after` were charged, at most one page; never waits. */
  charges(after: number): Promise<ChargePage>;
  /** Bootstrap and audit only; throws where the party has more than the network lists at once. */
  holdings(party: Party, at: number): Promise<Holding[]>;
  /** Active contracts of one template that `party` sees. */
  contracts(party: Party, templateId: string, at: number): Promise<LedgerContract[]>;
  transferKinds(legs: readonly Leg[]): Promise<TransferKind[]>;
  settleDirect(batch: BatchCommand): Promise<Outcome>;
  allocate(batch: AllocateCommand): Promise<Outcome>;
  executeAllocations(batch: AllocationsCommand): Promise<Outcome>;
  cancelAllocations(batch: AllocationsCommand): Promise<Outcome>;
  /** Takes back what one sender locked, by its word alone: the one member named, or custody without any. */
  withdrawAllocations(batch: AllocationsCommand): Promise<Outcome>;
  fenceMember(fence: FenceCommand): Promise<Outcome>;
  propose(proposal: ProposalCommand): Promise<Outcome>;
  transfer(payment: TransferCommand): Promise<Outcome>;
  openEpochChain(chain: EpochChainCommand): Promise<Outcome>;
  commitEpoch(epoch: EpochCommand): Promise<Outcome>;
  /** Chain contracts that `party` sees now: one a venue, with the number and root it waits for. */
  epochChains(party: Party): Promise<LedgerContract[]>;
  /** Commitments that `party` sees now. */
  epochCommitments(party: Party): Promise<LedgerContract[]>;
  /** Whether the change is on the ledger, by its completions; absent only up to `searchedTo`. */
  lookup(change: ChangeKey): Promise<Lookup>;
}
