// Parses a submission from a JSON body, field by field, before anything is executed.

import { createHash } from "node:crypto";
import type { ApiCommand, DisclosedContract } from "../adapters/ledger/api-shapes.ts";
import type { Party } from "../ports/ledger/ledger.ts";
import { Fields } from "./fields.ts";
import { LedgerRefusal } from "./ledger-refusal.ts";

export interface Submission {
  readonly endpoint: string;
  readonly userId: string;
  readonly commands: readonly ApiCommand[];
  readonly commandId: string;
  readonly submissionId: string;
  readonly workflowId: string;
  readonly actAs: readonly Party[];
  readonly readAs: readonly Party[];
  /** The submission is a duplicate if the same change has an accepted completion after this offset. */
  readonly dedupOffset: number;
  readonly disclosed: readonly DisclosedContract[];
  /** True for submissions by the ledger's built-in applications, whose traffic is not charged to the participant. */
  readonly isInternal: boolean;
  /** The ledger does not commit the submission after this time; null for no limit. */
  readonly maxRecordMs: number | null;
}

const commandsMax = 100;
const idForm = /^[A-Za-z0-9#:\-_/ .]{1,255}$/;

/** Reads `JsCommands`. `userId` is the user of the token; a body that names another user is refused. */
export function readSubmission(given: unknown, userId: string, endpoint: string): Submission {
  const fields = new Fields(given, "");
  if (fields.has("userId") && fields.text("userId") !== userId)
    throw new LedgerRefusal("PERMISSION_DENIED", "userId is not the user of the token");
  const actAs = [...new Set(fields.parties("actAs"))];
  if (actAs.length === 0) throw new LedgerRefusal("INVALID_ARGUMENT", "actAs: expected a party");
  const commands = fields.objects("commands").map(readCommand);
  if (commands.length === 0 || commands.length > commandsMax)
    throw new LedgerRefusal("INVALID_ARGUMENT", `commands: expected 1 to ${commandsMax}`);
  const id = (name: string) => {
    const text = fields.text(name);
    if (!idForm.test(text)) throw new LedgerRefusal("INVALID_ARGUMENT", `${name}: expected an id`);
    return text;
  };
  return {
    endpoint,
    userId,
    commands,
    commandId: id("commandId"),
    submissionId: fields.has("submissionId") ? id("submissionId") : "",
    workflowId: fields.has("workflowId") ? fields.text("workflowId") : "",
    actAs,
    readAs: fields.has("readAs") ? fields.parties("readAs") : [],
    dedupOffset: dedupOffsetOf(fields),
    disclosed: fields.has("disclosedContracts")
      ? fields.objects("disclosedContracts").map((each) => ({
          createdEventBlob: each.text("createdEventBlob"),
        }))
      : [],
    isInternal: false,
    maxRecordMs: null,
  };
}

function readCommand(fields: Fields): ApiCommand {
  const create = fields.optional("CreateCommand");
  if (create !== null) {
    const templateId = create.text("templateId");
    return {
      CreateCommand: { templateId, createArguments: create.object("createArguments").json },
    };
  }
  const exercise = fields.optional("ExerciseCommand");
  if (exercise === null)
    throw new LedgerRefusal("INVALID_ARGUMENT", "expected a CreateCommand or an ExerciseCommand");
  return {
    ExerciseCommand: {
      templateId: exercise.text("templateId"),
      contractId: exercise.text("contractId"),
      choice: exercise.text("choice"),
      choiceArgument: exercise.object("choiceArgument").json,
    },
  };
}

/**
 * Returns the offset after which duplicates are searched. Without an offset, the whole log is searched, because it
 * covers every period that a submission may name instead.
 */
function dedupOffsetOf(fields: Fields): number {
  const offset = fields.optional("deduplicationPeriod")?.optional("DeduplicationOffset");
  return offset?.integer("value") ?? 0;
}

/**
 * Returns a hash of user, parties and command id. Submissions with the same hash request the same change of the ledger.
 */
export function changeHashOf({ userId, actAs, commandId }: Submission): string {
  const change = JSON.stringify([userId, [...actAs].sort(), commandId]);
  return createHash("sha256").update(change).digest("hex");
}
