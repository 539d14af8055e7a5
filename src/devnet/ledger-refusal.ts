// Errors of the development ledger, with the codes, categories and statuses of a participant. One table maps each code
// to its category and statuses, so that these always match.

interface ErrorKind {
  readonly category: number;
  readonly grpc: number;
  readonly status: number;
}

const kinds = {
  transient: { category: 1, grpc: 14, status: 503 },
  contention: { category: 2, grpc: 10, status: 409 },
  deadline: { category: 3, grpc: 4, status: 504 },
  internal: { category: 4, grpc: 13, status: 500 },
  unauthenticated: { category: 6, grpc: 16, status: 401 },
  permission: { category: 7, grpc: 7, status: 403 },
  badRequest: { category: 8, grpc: 3, status: 400 },
  state: { category: 9, grpc: 9, status: 400 },
  exists: { category: 10, grpc: 6, status: 409 },
  missing: { category: 11, grpc: 5, status: 404 },
  beyondEnd: { category: 12, grpc: 11, status: 400 },
} as const;

const kindByCode = {
  SERVICE_NOT_RUNNING: kinds.transient,
  SERVER_OVERLOADED: kinds.contention,
  SUBMISSION_ALREADY_IN_FLIGHT: kinds.contention,
  LOCAL_VERDICT_LOCKED_CONTRACTS: kinds.contention,
  LOCAL_VERDICT_TIMEOUT: kinds.contention,
  SEQUENCER_BACKPRESSURE: kinds.contention,
  REQUEST_TIME_OUT: kinds.deadline,
  INTERNAL_ERROR: kinds.internal,
  ACCESS_TOKEN_EXPIRED: kinds.unauthenticated,
  UNAUTHENTICATED: kinds.unauthenticated,
  PERMISSION_DENIED: kinds.permission,
  INVALID_ARGUMENT: kinds.badRequest,
  COMMAND_PREPROCESSING_FAILED: kinds.badRequest,
  DAML_AUTHORIZATION_ERROR: kinds.badRequest,
  INVALID_DISCLOSED_CONTRACT: kinds.badRequest,
  JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED: kinds.badRequest,
  DAML_FAILURE: kinds.state,
  INVALID_DEDUPLICATION_PERIOD: kinds.state,
  SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT: kinds.state,
  DUPLICATE_COMMAND: kinds.exists,
  PARTY_ALREADY_EXISTS: kinds.exists,
  CONTRACT_NOT_FOUND: kinds.missing,
  LOCAL_VERDICT_INACTIVE_CONTRACTS: kinds.missing,
  UPDATE_NOT_FOUND: kinds.missing,
  PARTY_NOT_FOUND: kinds.missing,
  NOT_FOUND: kinds.missing,
  OFFSET_AFTER_LEDGER_END: kinds.beyondEnd,
} as const satisfies Record<string, ErrorKind>;

export type LedgerErrorCode = keyof typeof kindByCode;

export interface RefusalOptions {
  readonly context?: Readonly<Record<string, string>>;
  /** Ids of the contracts that the error concerns. */
  readonly contracts?: readonly string[];
}

/** Reports that the ledger refuses a request. It is thrown within the ledger and rendered by the ledger's routes. */
export class LedgerRefusal extends Error {
  override name = "LedgerRefusal";
  readonly code: LedgerErrorCode;
  readonly options: RefusalOptions;

  constructor(code: LedgerErrorCode, message: string, options: RefusalOptions = {}) {
    super(message);
    this.code = code;
    this.options = options;
  }

  get status(): number {
    return kindByCode[this.code].status;
  }

  get grpcCode(): number {
    return kindByCode[this.code].grpc;
  }

  /** Returns the body of a participant's error response. */
  body(): object {
    const { category, grpc } = kindByCode[this.code];
    const { context = {}, contracts = [] } = this.options;
    return {
      code: this.code,
      cause: this.message,
      correlationId: null,
      traceId: null,
      context: { ...context, category: String(category) },
      resources: contracts.map((id) => ["CONTRACT_ID", id]),
      errorCategory: category,
      grpcCodeValue: grpc,
      retryInfo: category <= kinds.contention.category ? "1 second" : null,
      definiteAnswer: false,
    };
  }
}

/** Returns a refusal by a contract. Clients compare `reason`, so the reason of a refusal must never change. */
export function contractFailure(reason: string, message: string): LedgerRefusal {
  return new LedgerRefusal("DAML_FAILURE", message, { context: { error_id: `venue/${reason}` } });
}
