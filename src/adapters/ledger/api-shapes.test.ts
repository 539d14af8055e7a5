// Compile-time checks: the network's published types accept what the venue sends and contain every field that the venue
// reads. A renamed or removed field breaks the build here.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { LedgerSchemasByVersion } from "@canton-network/core-ledger-client-types";
import type {
  ActiveContractsPage,
  ApiCommands,
  ApiTransaction,
  CantonError,
  Completion,
  CreatedEvent,
  DisclosedContract,
  EventFormat,
  ExercisedEvent,
  SubmitForTransaction,
} from "./api-shapes.ts";

type Published = LedgerSchemasByVersion["3.5"];
type Older = LedgerSchemasByVersion["3.4"];

/** Compiles only if every `Sent` value is also a `Wanted` value. */
type Sends<Sent extends Wanted, Wanted> = [Sent, Wanted] extends never ? never : true;

/**
 * Allows null in every field. The published types only let an optional field be absent, but the venue treats null as
 * absent too.
 */
type Loose<T> = T extends object ? { readonly [K in keyof T]: Loose<T[K]> | null } : T;

/** Compiles only if every field that the venue reads is a field that the network writes. */
type Reads<Read, Written> =
  Exclude<keyof Read, keyof Written> extends never
    ? [Loose<Pick<Written, keyof Read & keyof Written>>] extends [Loose<Read>]
      ? true
      : false
    : false;

const held: readonly true[] = [
  true satisfies Sends<DisclosedContract, Published["DisclosedContract"]>,
  true satisfies Sends<DisclosedContract, Older["DisclosedContract"]>,
  true satisfies Reads<CantonError, Published["JsCantonError"]>,
  true satisfies Reads<CantonError, Older["JsCantonError"]>,
  true satisfies Reads<Completion, Published["Completion1"]>,
  true satisfies Reads<Omit<ApiTransaction, "events">, Published["JsTransaction"]>,
  true satisfies Reads<
    Omit<ActiveContractsPage, "activeContracts">,
    Published["JsGetActiveContractsPageResponse"]
  >,
  true satisfies Reads<CreatedEvent, Published["CreatedEvent"]>,
  true satisfies Reads<CreatedEvent, Older["CreatedEvent"]>,
  true satisfies Reads<ExercisedEvent, Published["ExercisedEvent"]>,
];

const sampleFormat: EventFormat = {
  verbose: false,
  filtersByParty: {
    "operator::1220": {
      cumulative: [
        { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: false } } } },
      ],
    },
  },
};

const sampleCommands: ApiCommands = {
  commands: [
    {
      ExerciseCommand: {
        templateId: "#venue-member-v1:Venue.Member:MemberAuth",
        contractId: "00",
        choice: "MemberAuth_Fence",
        choiceArgument: {},
      },
    },
    { CreateCommand: { templateId: "#a:B:C", createArguments: {} } },
  ],
  commandId: "stl:1:1:direct",
  actAs: ["operator::1220"],
  userId: "venue",
  readAs: [],
  workflowId: "lane:settlement",
  submissionId: "1",
  deduplicationPeriod: { DeduplicationOffset: { value: 1 } },
  disclosedContracts: [{ createdEventBlob: "" }],
};

test("LED-1 requests and answers match the network's published types", () => {
  const sent: SubmitForTransaction = {
    commands: sampleCommands,
    transactionFormat: {
      transactionShape: "TRANSACTION_SHAPE_LEDGER_EFFECTS",
      eventFormat: sampleFormat,
    },
  };
  // The venue's union type has one optional key per variant, so it is wider than the published type. Samples are
  // checked instead.
  const accepted = {
    commands: sent.commands satisfies Published["JsCommands"] & Older["JsCommands"],
    shape: sent.transactionFormat.transactionShape satisfies
      | Published["TransactionFormat"]["transactionShape"]
      | Older["TransactionFormat"]["transactionShape"],
  };
  assert.equal(accepted.commands.commands.length, 2);
  assert.ok(held.every((isHeld) => isHeld));
});
