// Maps an answer of the network to the outcome of the submitted change, by one table of error codes and categories. If
// the answer has a code, its HTTP status is ignored, because servers use different statuses for the same code. After a
// timeout or a failed connection there is no code, so the outcome is unknown.

import type {
  Duplicate,
  Rejected,
  RejectedAction,
  Unknown,
  UnknownCause,
} from "../../ports/ledger/ledger.ts";
import type { CantonError } from "./api-shapes.ts";

/** Why a submission did not return a transaction: no answer in time, a failed connection, or an error answer. */
export type Fault =
  | { readonly kind: "timeout" }
  /** The connection failed, or the network's answer had an unknown format. */
  | { readonly kind: "transport"; readonly message: string }
  | { readonly kind: "error"; readonly status: number; readonly error: CantonError };

/** Error categories of the network; the category decides if the error's code is not listed. */
export const ErrorCategory = {
  transient: 1,
  contention: 2,
  deadline: 3,
  internal: 4,
  security: 5,
  unauthenticated: 6,
  permission: 7,
  badRequest: 8,
  state: 9,
  exists: 10,
  missing: 11,
  beyondEnd: 12,
  unsupported: 14,
} as const;

type Verdict =
  | { readonly rejected: RejectedAction }
  | { readonly unknown: UnknownCause }
  | { readonly duplicate: true };

const retry: Verdict = { rejected: "same-payload" };
const refresh: Verdict = { rejected: "refresh-inputs" };
const stop: Verdict = { rejected: "stop" };

/** Verdicts by error code; a code takes precedence over the category. */
const verdictByCode: ReadonlyMap<string, Verdict> = new Map(
  Object.entries<Verdict>({
    DUPLICATE_COMMAND: { duplicate: true },
    SUBMISSION_ALREADY_IN_FLIGHT: { unknown: "in-flight" },
    REQUEST_TIME_OUT: { unknown: "state-unknown" },
    // The sequencer may have received the submission, so the outcome is unknown. Sending it again is safe and cheap.
    SEQUENCER_REQUEST_FAILED: { unknown: "transport" },
    LOCAL_VERDICT_LOCKED_CONTRACTS: retry,
    LOCAL_VERDICT_TIMEOUT: retry,
    MEDIATOR_SAYS_TX_TIMED_OUT: retry,
    NOT_SEQUENCED_TIMEOUT: retry,
    SEQUENCER_BACKPRESSURE: retry,
    PARTICIPANT_BACKPRESSURE: retry,
    SERVER_OVERLOADED: retry,
    OUTDATED_TRAFFIC_COST: retry,
    ACCESS_TOKEN_EXPIRED: { rejected: "renew-token" },
    UNAUTHENTICATED: { rejected: "renew-token" },
    // The input was consumed, perhaps by an earlier attempt of this change. Before another attempt, the caller must
    // look up the outcome of the earlier ones.
    CONTRACT_NOT_FOUND: refresh,
    CONTRACT_NOT_ACTIVE: refresh,
    LOCAL_VERDICT_INACTIVE_CONTRACTS: refresh,
    UNKNOWN_CONTRACT_SYNCHRONIZERS: refresh,
    SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT: { rejected: "wait-traffic" },
    INVALID_DEDUPLICATION_PERIOD: stop,
    PARTICIPANT_PRUNED_DATA_ACCESSED: stop,
    DAML_AUTHORIZATION_ERROR: stop,
    DAML_FAILURE: stop,
    UNHANDLED_EXCEPTION: stop,
  }),
);

/**
 * Verdicts by category, for codes that are not listed. In any other category, the change is rejected if the network
 * calls its answer definite; otherwise the outcome is unknown.
 */
const verdictByCategory: Readonly<Record<number, Verdict>> = {
  [ErrorCategory.transient]: { unknown: "unavailable" },
  [ErrorCategory.deadline]: { unknown: "state-unknown" },
  [ErrorCategory.unauthenticated]: { rejected: "renew-token" },
  [ErrorCategory.permission]: stop,
  [ErrorCategory.badRequest]: stop,
  [ErrorCategory.exists]: stop,
  [ErrorCategory.beyondEnd]: stop,
  [ErrorCategory.unsupported]: stop,
};

/** Reason given by the venue's contracts if a receiver has no preapproval. */
export const preapprovalMissing = "PREAPPROVAL_MISSING";

const reasonCodes = new Set(["DAML_FAILURE", "UNHANDLED_EXCEPTION"]);

/**
 * Returns the outcome of a change that was answered with `fault`. If neither the error's code nor its category is
 * listed, the outcome is unknown, unless the network calls its answer definite.
 */
export function classifyFault(fault: Fault): Rejected | Unknown | Duplicate {
  if (fault.kind === "timeout")
    return { kind: "unknown", cause: "timeout", message: "no answer in time" };
  if (fault.kind === "transport")
    return { kind: "unknown", cause: "transport", message: fault.message };
  const { error } = fault;
  const verdict = verdictOf(error);
  if ("rejected" in verdict) return rejected(error, verdict.rejected);
  if ("unknown" in verdict)
    return { kind: "unknown", cause: verdict.unknown, message: messageOf(error) };
  // The participant has received the change but has not finished processing it.
  if (error.context["accepted"] === "false")
    return { kind: "unknown", cause: "in-flight", message: messageOf(error) };
  const offset = Number(error.context["completion_offset"] ?? Number.NaN);
  return { kind: "duplicate", offset: Number.isSafeInteger(offset) ? offset : null };
}

function verdictOf(error: CantonError): Verdict {
  if (reasonCodes.has(error.code) && reasonOf(error) === preapprovalMissing)
    return { rejected: "fallback" };
  const listed = verdictByCode.get(error.code);
  if (listed !== undefined) return listed;
  const { errorCategory, definiteAnswer } = error;
  const byCategory = verdictByCategory[errorCategory];
  if (byCategory !== undefined) return byCategory;
  return definiteAnswer === true ? stop : { unknown: "state-unknown" };
}

/** Returns a contract's failure reason, which is the last part of an id such as `venue/PREAPPROVAL_MISSING`. */
function reasonOf(error: CantonError): string {
  return (error.context["error_id"] ?? "").split("/").at(-1) ?? "";
}

function rejected(error: CantonError, action: RejectedAction): Rejected {
  const resources = (error.resources ?? [])
    .filter(([kind]) => kind === "CONTRACT_ID")
    .map(([, id = ""]) => id);
  const { code, errorCategory: category } = error;
  return { kind: "rejected", code, category, action, resources, message: messageOf(error) };
}

function messageOf({ code, cause }: CantonError): string {
  return `${code}: ${cause}`.slice(0, 500);
}
