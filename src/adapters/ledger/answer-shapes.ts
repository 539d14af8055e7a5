// Checks the shape of network answers. Fields that the venue does not read are not checked, so servers may add fields.
// If a field that the venue reads has the wrong type, the whole answer is invalid. Contract payloads are not checked
// here, because anyone may create contracts (`update-parsing.ts`).

import * as z from "zod";
import type {
  ActiveContractEntry,
  ActiveContractsPage,
  AllocationFactory,
  ApiTransaction,
  CantonError,
  ChoiceContext,
  CompletionEntry,
  PreparedAnswer,
  TransferFactory,
  UpdateEntry,
} from "./api-shapes.ts";

/** Returns true if the body can be read as `T`. */
export type Shape<T> = (body: unknown) => body is T;

/** Makes a check from a schema; the schema covers those fields of `T` that the venue reads. */
function shape<T>(schema: z.ZodType): Shape<T> {
  return (body): body is T => schema.safeParse(body).success;
}

const text = z.string();
const offset = z.int().min(0);
const time = z.string().refine((one) => !Number.isNaN(Date.parse(one)));
const cost = z.int().min(0).nullish();

const createdEvent = z.object({
  offset,
  nodeId: z.int(),
  contractId: text,
  templateId: text,
  createdEventBlob: text.nullish(),
  interfaceViews: z.array(z.object({ interfaceId: text })).nullish(),
  signatories: z.array(text),
  observers: z.array(text).nullish(),
});

const exercisedEvent = z.object({
  nodeId: z.int(),
  contractId: text,
  templateId: text,
  consuming: z.boolean(),
  lastDescendantNodeId: z.int(),
});

const event = z.object({
  CreatedEvent: createdEvent.optional(),
  ExercisedEvent: exercisedEvent.optional(),
  ArchivedEvent: z.object({ contractId: text }).optional(),
});

const transaction = z.object({
  updateId: text,
  commandId: text.nullish(),
  events: z.array(event),
  offset,
  recordTime: time,
  paidTrafficCost: cost,
});

const checkpoint = z.object({
  offset,
  synchronizerTimes: z.array(z.object({ recordTime: time })).nullish(),
});

const updateEntry = z.object({
  update: z
    .object({
      Transaction: z.object({ value: transaction }).optional(),
      OffsetCheckpoint: z.object({ value: checkpoint }).optional(),
    })
    .optional(),
});

const completion = z.object({
  commandId: text,
  status: z.object({ code: z.int(), message: text }).nullish(),
  updateId: text.nullish(),
  submissionId: text.nullish(),
  offset,
  synchronizerTime: z.object({ recordTime: time }),
  paidTrafficCost: cost,
});

const completionEntry = z.object({
  completionResponse: z
    .object({
      Completion: z.object({ value: completion }).optional(),
      OffsetCheckpoint: z.object({ value: checkpoint }).optional(),
    })
    .optional(),
});

const contractEntry = z.object({
  contractEntry: z.object({ JsActiveContract: z.object({ createdEvent }).optional() }).optional(),
});

const cantonError = z.object({
  code: text,
  cause: text,
  errorCategory: z.number(),
  context: z.record(text, text),
  resources: z.array(z.array(text)).nullish(),
  definiteAnswer: z.boolean().nullish(),
});

const choiceContext = z.object({
  choiceContextData: z.object({ values: z.record(text, z.unknown()) }),
  disclosedContracts: z.array(
    z.object({
      templateId: text.optional(),
      contractId: text.optional(),
      createdEventBlob: text,
      synchronizerId: text.optional(),
    }),
  ),
});

/** Checks for the answers of a participant. */
export const answerShapes = {
  anything: shape<unknown>(z.unknown()),
  version: shape<{ version: string }>(z.object({ version: text })),
  pruned: shape<{ participantPrunedUpToInclusive?: number | null }>(
    z.object({ participantPrunedUpToInclusive: offset.nullish() }),
  ),
  end: shape<{ offset?: number | null }>(z.object({ offset: offset.nullish() })),
  synchronizers: shape<{ connectedSynchronizers?: { synchronizerId: string }[] | null }>(
    z.object({ connectedSynchronizers: z.array(z.object({ synchronizerId: text })).nullish() }),
  ),
  submitted: shape<{ transaction: ApiTransaction }>(z.object({ transaction })),
  prepared: shape<PreparedAnswer>(
    z.object({
      preparedTransaction: text,
      preparedTransactionHash: text,
      hashingSchemeVersion: text,
    }),
  ),
  executed: shape<{ updateId: string; completionOffset: number }>(
    z.object({ updateId: text, completionOffset: offset }),
  ),
  completions: shape<CompletionEntry[]>(z.array(completionEntry)),
  updates: shape<UpdateEntry[]>(z.array(updateEntry)),
  update: shape<UpdateEntry>(updateEntry),
  contracts: shape<ActiveContractEntry[]>(z.array(contractEntry)),
  contractsPage: shape<ActiveContractsPage>(
    z.object({ activeContracts: z.array(contractEntry), nextPageToken: text.nullish() }),
  ),
  party: shape<{ partyDetails: { party: string } }>(
    z.object({ partyDetails: z.object({ party: text }) }),
  ),
  error: shape<CantonError>(cantonError),
} as const;

/** Checks for the answers of token standard registries. */
export const registryShapes = {
  transferFactory: shape<TransferFactory>(
    z.object({
      factoryId: text,
      transferKind: z.enum(["self", "direct", "offer"]),
      choiceContext,
    }),
  ),
  allocationFactory: shape<AllocationFactory>(z.object({ factoryId: text, choiceContext })),
  choiceContext: shape<ChoiceContext>(choiceContext),
} as const;
