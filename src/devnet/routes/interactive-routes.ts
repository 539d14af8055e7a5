// Routes for submissions that an external party signs: one route prepares the submission, the party signs it, and
// another route executes it. Requests and answers have a participant's shapes. The party signs a hash of the
// development ledger's own text of the submission, so these routes test the calls but not the network's hashing.

import { createHash, createPublicKey, verify } from "node:crypto";
import type { JsonObject } from "../../adapters/ledger/api-shapes.ts";
import type { Party } from "../../ports/ledger/ledger.ts";
import type { DevnetLedger } from "../devnet-ledger.ts";
import type { UpdateRow } from "../devnet-store.ts";
import { Fields } from "../fields.ts";
import { LedgerRefusal } from "../ledger-refusal.ts";
import { readSubmission, type Submission } from "../submission.ts";
import { type JsonCall, type JsonRoute, route } from "./json-server.ts";

const scheme = "HASHING_SCHEME_VERSION_V2";
/** DER bytes that precede the 32 bytes of an Ed25519 public key. */
const keyLead = Buffer.from("302a300506032b6570032100", "hex");

export function interactiveRoutes(
  ledger: DevnetLedger,
  user: (call: JsonCall) => string,
): JsonRoute[] {
  const path = "/v2/interactive-submission";
  return [
    route(`POST ${path}/prepare`, (call) => prepare(ledger, user(call), call)),
    route(`POST ${path}/executeAndWait`, async (call) => {
      const row = await execute(ledger, user(call), call);
      return { updateId: row.update_id, completionOffset: row.offset };
    }),
  ];
}

function prepare(ledger: DevnetLedger, userId: string, call: JsonCall): object {
  const given = new Fields(call.body, "").json;
  const submission = readSubmission({ ...given, userId }, userId, "prepare");
  ledger.users.checkReadAs(userId, submission.actAs);
  for (const party of submission.actAs) keyOf(ledger, party);
  // Refuse a submission that could not be committed before the party signs it.
  ledger.pipeline.interpret(submission);
  const { commandId, commands, actAs, disclosedContracts, maxRecordTime } = given;
  const text = JSON.stringify({ commandId, commands, actAs, disclosedContracts, maxRecordTime });
  const bytes = Buffer.from(text, "utf8");
  return {
    preparedTransaction: bytes.toString("base64"),
    preparedTransactionHash: hashOf(bytes).toString("base64"),
    hashingSchemeVersion: scheme,
  };
}

async function execute(ledger: DevnetLedger, userId: string, call: JsonCall): Promise<UpdateRow> {
  const fields = new Fields(call.body, "");
  const bytes = Buffer.from(preparedText(fields), "base64");
  const prepared = parsed(bytes);
  const { deduplicationPeriod, submissionId } = fields.json;
  const read = readSubmission(
    { ...prepared, userId, deduplicationPeriod, submissionId },
    userId,
    "executeAndWait",
  );
  const times = new Fields(prepared, "");
  const maxRecordMs = times.has("maxRecordTime") ? times.time("maxRecordTime") : null;
  const submission: Submission = { ...read, workflowId: "lane:rfq", maxRecordMs };
  ledger.users.checkReadAs(userId, submission.actAs);
  const signed = fields.object("partySignatures").objects("signatures");
  for (const party of submission.actAs) checkSignature(ledger, party, hashOf(bytes), signed);
  return ledger.pipeline.submitSigned(submission);
}

/**
 * Returns the text of the prepared submission, which may be longer than other fields because it contains whole
 * commands.
 */
function preparedText(fields: Fields): string {
  const text = fields.json["preparedTransaction"];
  if (typeof text === "string") return text;
  throw new LedgerRefusal("INVALID_ARGUMENT", "preparedTransaction: expected a text");
}

function parsed(bytes: Buffer): JsonObject {
  try {
    return new Fields(JSON.parse(bytes.toString("utf8")), "preparedTransaction").json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new LedgerRefusal("INVALID_ARGUMENT", "preparedTransaction: not prepared by this ledger");
  }
}

function hashOf(bytes: Buffer): Buffer {
  return createHash("sha256").update("devnet-prepared-v1\0").update(bytes).digest();
}

function keyOf(ledger: DevnetLedger, party: Party): string {
  const key = ledger.users.party(party)?.publicKey ?? null;
  if (key !== null) return key;
  throw new LedgerRefusal("PARTY_NOT_FOUND", `${party} has no key on this ledger`);
}

function checkSignature(
  ledger: DevnetLedger,
  party: Party,
  hash: Buffer,
  given: readonly Fields[],
): void {
  const own = given.find((each) => each.text("party") === party);
  const [signature] = own?.objects("signatures") ?? [];
  const raw = Buffer.from(keyOf(ledger, party), "base64");
  const key = createPublicKey({
    key: Buffer.concat([keyLead, raw]),
    format: "der",
    type: "spki",
  });
  const bytes = Buffer.from(signature?.text("signature") ?? "", "base64");
  if (verify(null, hash, key, bytes)) return;
  throw new LedgerRefusal("INVALID_ARGUMENT", `the signature of ${party} does not match the hash`);
}
