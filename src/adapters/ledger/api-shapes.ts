// Types for the part of the JSON Ledger API v2 that the venue uses: what it sends and what it reads. A test compares
// each type with the network's published types. Optional fields of an answer may be missing or null, because servers
// differ.

export type JsonObject = Readonly<Record<string, unknown>>;

export interface ExerciseCommand {
  readonly ExerciseCommand: {
    readonly templateId: string;
    readonly contractId: string;
    readonly choice: string;
    readonly choiceArgument: JsonObject;
  };
}

export interface CreateCommand {
  readonly CreateCommand: { readonly templateId: string; readonly createArguments: JsonObject };
}

export type ApiCommand = ExerciseCommand | CreateCommand;

export interface DisclosedContract {
  readonly templateId?: string;
  readonly contractId?: string;
  readonly createdEventBlob: string;
  readonly synchronizerId?: string;
}

/** The API's `JsCommands`, whose commands form one transaction. */
export interface ApiCommands {
  commands: ApiCommand[];
  commandId: string;
  actAs: string[];
  userId: string;
  readAs: string[];
  workflowId: string;
  submissionId: string;
  deduplicationPeriod: { DeduplicationOffset: { value: number } };
  disclosedContracts: DisclosedContract[];
  synchronizerId?: string;
}

export interface IdentifierFilter {
  WildcardFilter?: { value: { includeCreatedEventBlob: boolean } };
  InterfaceFilter?: {
    value: {
      interfaceId: string;
      includeInterfaceView: boolean;
      includeCreatedEventBlob: boolean;
    };
  };
  TemplateFilter?: { value: { templateId: string; includeCreatedEventBlob: boolean } };
}

export interface EventFormat {
  verbose: boolean;
  filtersByParty: Record<string, { cumulative: { identifierFilter: IdentifierFilter }[] }>;
}

export interface TransactionFormat {
  transactionShape: "TRANSACTION_SHAPE_ACS_DELTA" | "TRANSACTION_SHAPE_LEDGER_EFFECTS";
  eventFormat: EventFormat;
}

export interface SubmitForTransaction {
  commands: ApiCommands;
  transactionFormat: TransactionFormat;
}

export interface InterfaceView {
  readonly interfaceId: string;
  readonly viewStatus: { readonly code: number; readonly message: string };
  readonly viewValue?: unknown;
}

export interface CreatedEvent {
  readonly offset: number;
  readonly nodeId: number;
  readonly contractId: string;
  readonly templateId: string;
  readonly createArgument: unknown;
  readonly createdEventBlob?: string;
  readonly interfaceViews?: readonly InterfaceView[];
  readonly witnessParties: readonly string[];
  readonly signatories: readonly string[];
  readonly observers?: readonly string[];
  readonly createdAt: string;
  readonly packageName: string;
}

export interface ExercisedEvent {
  readonly offset: number;
  readonly nodeId: number;
  readonly contractId: string;
  readonly templateId: string;
  readonly interfaceId?: string;
  readonly choice: string;
  readonly choiceArgument: unknown;
  readonly actingParties: readonly string[];
  readonly consuming: boolean;
  readonly witnessParties: readonly string[];
  readonly lastDescendantNodeId: number;
  readonly exerciseResult?: unknown;
  readonly packageName: string;
}

export interface ArchivedEvent {
  readonly offset: number;
  readonly nodeId: number;
  readonly contractId: string;
  readonly templateId: string;
  readonly witnessParties: readonly string[];
  readonly packageName: string;
}

export interface ApiEvent {
  readonly CreatedEvent?: CreatedEvent;
  readonly ExercisedEvent?: ExercisedEvent;
  readonly ArchivedEvent?: ArchivedEvent;
}

export interface ApiTransaction {
  readonly updateId: string;
  readonly commandId?: string | null;
  readonly workflowId?: string | null;
  readonly effectiveAt: string;
  readonly events: readonly ApiEvent[];
  readonly offset: number;
  readonly synchronizerId: string;
  readonly recordTime: string;
  readonly paidTrafficCost?: number | null;
}

export interface OffsetCheckpoint {
  readonly offset: number;
  readonly synchronizerTimes?: readonly { synchronizerId: string; recordTime: string }[] | null;
}

export interface UpdateEntry {
  readonly update?: {
    readonly Transaction?: { readonly value: ApiTransaction };
    readonly OffsetCheckpoint?: { readonly value: OffsetCheckpoint };
  };
}

export interface Completion {
  readonly commandId: string;
  readonly status?: { readonly code: number; readonly message: string } | null;
  readonly updateId?: string | null;
  readonly userId: string;
  readonly actAs: readonly string[];
  readonly submissionId?: string | null;
  readonly offset: number;
  readonly synchronizerTime: { readonly synchronizerId: string; readonly recordTime: string };
  readonly paidTrafficCost?: number | null;
}

export interface CompletionEntry {
  readonly completionResponse?: {
    readonly Completion?: { readonly value: Completion };
    readonly OffsetCheckpoint?: { readonly value: OffsetCheckpoint };
  };
}

export interface ActiveContractEntry {
  readonly contractEntry?: {
    readonly JsActiveContract?: {
      readonly createdEvent: CreatedEvent;
      readonly synchronizerId: string;
      readonly reassignmentCounter: number;
    };
  };
}

export interface ActiveContractsPage {
  readonly activeContracts: readonly ActiveContractEntry[];
  /** Token of the next page; missing or empty on the last page. */
  readonly nextPageToken?: string | null;
}

/** The API's error body, `JsCantonError`. */
export interface CantonError {
  readonly code: string;
  readonly cause: string;
  readonly context: Readonly<Record<string, string>>;
  readonly errorCategory: number;
  readonly grpcCodeValue?: number | null;
  /** Resources that the error names, as pairs of kind and id. */
  readonly resources?: readonly (readonly string[])[] | null;
  readonly definiteAnswer?: boolean | null;
}

/** What a registry adds to a choice: its context, and the contracts that the submitter cannot see. */
export interface ChoiceContext {
  readonly choiceContextData: { readonly values: JsonObject };
  readonly disclosedContracts: readonly DisclosedContract[];
}

export interface TransferFactory {
  readonly factoryId: string;
  readonly transferKind: "self" | "direct" | "offer";
  readonly choiceContext: ChoiceContext;
}

export interface AllocationFactory {
  readonly factoryId: string;
  readonly choiceContext: ChoiceContext;
}

/** A prepared transaction for its parties to sign; the hash is base64. */
export interface PreparedAnswer {
  readonly preparedTransaction: string;
  readonly preparedTransactionHash: string;
  readonly hashingSchemeVersion: string;
}
