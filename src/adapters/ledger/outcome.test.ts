// Tests the table of outcomes, row by row.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CantonError } from "./api-shapes.ts";
import { classifyFault } from "./outcome.ts";

type Row = readonly [code: string, category: number, outcome: string, extra?: Partial<CantonError>];

const rows: readonly Row[] = [
  ["DUPLICATE_COMMAND", 10, "duplicate at 1235", { context: { completion_offset: "1235" } }],
  ["DUPLICATE_COMMAND", 10, "duplicate at null"],
  ["DUPLICATE_COMMAND", 10, "unknown in-flight", { context: { accepted: "false" } }],
  ["SUBMISSION_ALREADY_IN_FLIGHT", 2, "unknown in-flight"],
  ["REQUEST_TIME_OUT", 3, "unknown state-unknown"],
  ["REQUEST_TIME_OUT", 3, "unknown state-unknown", { definiteAnswer: true }],
  ["SEQUENCER_REQUEST_FAILED", 2, "unknown transport"],
  ["LOCAL_VERDICT_LOCKED_CONTRACTS", 2, "rejected same-payload"],
  ["LOCAL_VERDICT_TIMEOUT", 2, "rejected same-payload"],
  ["MEDIATOR_SAYS_TX_TIMED_OUT", 2, "rejected same-payload"],
  ["NOT_SEQUENCED_TIMEOUT", 2, "rejected same-payload"],
  ["SEQUENCER_BACKPRESSURE", 2, "rejected same-payload"],
  ["PARTICIPANT_BACKPRESSURE", 2, "rejected same-payload"],
  ["SERVER_OVERLOADED", 2, "rejected same-payload"],
  ["OUTDATED_TRAFFIC_COST", 9, "rejected same-payload"],
  ["ACCESS_TOKEN_EXPIRED", 6, "rejected renew-token"],
  ["UNAUTHENTICATED", 6, "rejected renew-token"],
  ["CONTRACT_NOT_FOUND", 11, "rejected refresh-inputs"],
  ["CONTRACT_NOT_ACTIVE", 11, "rejected refresh-inputs"],
  ["LOCAL_VERDICT_INACTIVE_CONTRACTS", 11, "rejected refresh-inputs"],
  ["UNKNOWN_CONTRACT_SYNCHRONIZERS", 9, "rejected refresh-inputs"],
  ["SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT", 9, "rejected wait-traffic"],
  ["DAML_FAILURE", 9, "rejected fallback", { context: { error_id: "venue/PREAPPROVAL_MISSING" } }],
  ["UNHANDLED_EXCEPTION", 9, "rejected fallback", { context: { error_id: "PREAPPROVAL_MISSING" } }],
  ["DAML_FAILURE", 9, "rejected stop", { context: { error_id: "venue/LIMIT_EXCEEDED" } }],
  ["INVALID_DEDUPLICATION_PERIOD", 9, "rejected stop"],
  ["PARTICIPANT_PRUNED_DATA_ACCESSED", 9, "rejected stop"],
  ["DAML_AUTHORIZATION_ERROR", 8, "rejected stop"],
  ["NOBODY_LISTED_THIS", 1, "unknown unavailable"],
  ["NOBODY_LISTED_THIS", 1, "unknown unavailable", { definiteAnswer: true }],
  ["NOBODY_LISTED_THIS", 2, "unknown state-unknown"],
  ["NOBODY_LISTED_THIS", 2, "rejected stop", { definiteAnswer: true }],
  ["NOBODY_LISTED_THIS", 3, "unknown state-unknown"],
  ["NOBODY_LISTED_THIS", 4, "unknown state-unknown"],
  ["NOBODY_LISTED_THIS", 5, "unknown state-unknown"],
  ["NOBODY_LISTED_THIS", 6, "rejected renew-token"],
  ["NOBODY_LISTED_THIS", 7, "rejected stop"],
  ["NOBODY_LISTED_THIS", 8, "rejected stop"],
  ["NOBODY_LISTED_THIS", 9, "unknown state-unknown"],
  ["NOBODY_LISTED_THIS", 9, "rejected stop", { definiteAnswer: true }],
  ["NOBODY_LISTED_THIS", 10, "rejected stop"],
  ["NOBODY_LISTED_THIS", 11, "unknown state-unknown"],
  ["NOBODY_LISTED_THIS", 12, "rejected stop"],
  ["NOBODY_LISTED_THIS", 14, "rejected stop"],
  ["NOBODY_LISTED_THIS", 99, "unknown state-unknown"],
];

function worded(outcome: ReturnType<typeof classifyFault>): string {
  if (outcome.kind === "unknown") return `unknown ${outcome.cause}`;
  if (outcome.kind === "rejected") return `rejected ${outcome.action}`;
  return `duplicate at ${outcome.offset}`;
}

test("LED-2 each answer of the network has one outcome, which its code decides", () => {
  for (const [code, errorCategory, outcome, extra] of rows) {
    const error = { code, cause: "words", context: {}, errorCategory, ...extra };
    // The verdict must be the same for every status, because servers answer the same error with different statuses.
    for (const status of [400, 404, 409, 429, 500, 503, 504]) {
      const name = `${code}, category ${errorCategory}, status ${status}`;
      assert.equal(worded(classifyFault({ kind: "error", status, error })), outcome, name);
    }
  }
});

test("LED-2 an answer in an unknown format leaves the outcome unknown", () => {
  assert.equal(worded(classifyFault({ kind: "timeout" })), "unknown timeout");
  assert.equal(worded(classifyFault({ kind: "transport", message: "reset" })), "unknown transport");
});

test("a rejection names the contracts that caused it", () => {
  const error: CantonError = {
    code: "LOCAL_VERDICT_LOCKED_CONTRACTS",
    cause: "words",
    context: {},
    errorCategory: 2,
    resources: [
      ["CONTRACT_ID", "00ab"],
      ["PARTY", "alice"],
    ],
  };
  const outcome = classifyFault({ kind: "error", status: 409, error });
  assert.deepEqual(outcome.kind === "rejected" && outcome.resources, ["00ab"]);
});
