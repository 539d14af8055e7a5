// The JSON Ledger API v2 of the development ledger: the part that the venue uses, with requests and answers in a
// participant's shapes. Every route except the probes needs a token. Every read needs the right to read as the parties
// that it names.

import type { Party } from "../../ports/ledger/ledger.ts";
import type { DevnetLedger } from "../devnet-ledger.ts";
import type { CompletionRow } from "../devnet-store.ts";
import { readTransactionView, readView, type View } from "../event-view.ts";
import { Fields } from "../fields.ts";
import { LedgerRefusal } from "../ledger-refusal.ts";
import { readSubmission } from "../submission.ts";
import { interactiveRoutes } from "./interactive-routes.ts";
import { type JsonCall, type JsonRoute, route } from "./json-server.ts";
import { userOf } from "./token-check.ts";

/** API version of the network, marked as a development ledger. */
const apiVersion = "3.5.1-devnet.1";
const listMax = 200;
const idleMsMax = 10_000;

export function ledgerRoutes(ledger: DevnetLedger): JsonRoute[] {
  const user = ({ authorization }: JsonCall) =>
    // The expiry of tokens uses process time, because advancing a manual clock must not expire the caller's token.
    userOf(authorization, ledger.settings.secret, ledger.clock.processMs());
  return [
    route("GET /livez", () => ({})),
    route("GET /readyz", () => ({})),
    route("GET /v2/version", () => ({ version: apiVersion, features: {} })),
    ...stateRoutes(ledger, user),
    ...commandRoutes(ledger, user),
    ...updateRoutes(ledger, user),
    ...partyRoutes(ledger, user),
    ...interactiveRoutes(ledger, user),
  ];
}

type UserOf = (call: JsonCall) => string;

function stateRoutes(ledger: DevnetLedger, user: UserOf): JsonRoute[] {
  const { synchronizerId } = ledger;
  return [
    route("GET /v2/state/ledger-end", (call) => {
      user(call);
      return { offset: ledger.queue.endOffset };
    }),
    route("GET /v2/state/connected-synchronizers", (call) => {
      user(call);
      const permission = "PARTICIPANT_PERMISSION_SUBMISSION";
      const connected = { synchronizerAlias: "global", synchronizerId, permission };
      return { connectedSynchronizers: [connected] };
    }),
    route("GET /v2/state/latest-pruned-offsets", (call) => {
      user(call);
      return { participantPrunedUpToInclusive: 0, allDivulgedContractsPrunedUpToInclusive: 0 };
    }),
    route("POST /v2/state/active-contracts", (call) => activeContracts(ledger, user(call), call)),
    // A GET with a body, as the network defines it.
    route("GET /v2/state/active-contracts-page", (call) =>
      activeContractsPage(ledger, user(call), call),
    ),
    route("POST /v2/events/events-by-contract-id", (call) => eventsOf(ledger, user(call), call)),
  ];
}

async function activeContracts(ledger: DevnetLedger, userId: string, call: JsonCall) {
  const entries = await activeEntries(ledger, userId, new Fields(call.body, ""));
  const limit = Number(call.query.get("limit") ?? listMax);
  if (entries.length > limit) {
    const message = `more than ${limit} contracts`;
    // A client may request one entry more than the limit to see whether there are more; such a request is not refused.
    if (limit > listMax) return entries.slice(0, limit);
    throw new LedgerRefusal("JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED", message);
  }
  return entries;
}

/** Returns a page of active contracts. The page token is the number of entries before the page. */
async function activeContractsPage(ledger: DevnetLedger, userId: string, call: JsonCall) {
  const fields = new Fields(call.body, "");
  const entries = await activeEntries(ledger, userId, fields);
  const size = fields.has("maxPageSize") ? fields.integer("maxPageSize") : listMax;
  const from = fields.has("pageToken") ? Number(fields.text("pageToken")) : 0;
  if (size < 1 || size > listMax || !Number.isSafeInteger(from) || from < 0)
    throw new LedgerRefusal("INVALID_ARGUMENT", `pages have 1 to ${listMax} contracts`);
  const next = from + size;
  const more = next < entries.length ? { nextPageToken: String(next) } : {};
  const activeAtOffset = fields.integer("activeAtOffset");
  return { activeContracts: entries.slice(from, next), activeAtOffset, ...more };
}

async function activeEntries(ledger: DevnetLedger, userId: string, fields: Fields) {
  strikeRead(ledger, "active-contracts");
  const at = offsetIn(ledger, fields, "activeAtOffset");
  const view = readView(fields.object("eventFormat"), false);
  const parties = checkedParties(ledger, userId, view);
  const { synchronizerId } = ledger;
  return (await ledger.store.contractsAt(at, parties)).flatMap((contract) => {
    const { signatories, observers } = contract;
    const witnesses = [...signatories, ...observers].filter((party) => view.filters.has(party));
    const createdEvent = ledger.views.created(contract, 0, witnesses, view);
    if (createdEvent === null) return [];
    const JsActiveContract = { createdEvent, synchronizerId, reassignmentCounter: 0 };
    return [{ workflowId: "", contractEntry: { JsActiveContract } }];
  });
}

async function eventsOf(ledger: DevnetLedger, userId: string, call: JsonCall) {
  const fields = new Fields(call.body, "");
  const view = readView(fields.object("eventFormat"), false);
  checkedParties(ledger, userId, view);
  const contractId = fields.text("contractId");
  const contract = await ledger.store.contract(contractId);
  const stakeholders = [...(contract?.signatories ?? []), ...(contract?.observers ?? [])];
  const witnesses = stakeholders.filter((party) => view.filters.has(party));
  const createdEvent =
    contract === null ? null : ledger.views.created(contract, 0, witnesses, view);
  if (contract === null || createdEvent === null)
    throw new LedgerRefusal("CONTRACT_NOT_FOUND", `no events of ${contractId}`);
  const { synchronizerId } = ledger;
  const created = { createdEvent, synchronizerId };
  if (contract.archivedOffset === null) return { created };
  const { templateId, archivedOffset: offset } = contract;
  const packageName = templateId.split(":")[0]?.slice(1) ?? "";
  const event = { offset, nodeId: 0, contractId, templateId, packageName };
  const archivedEvent = { ...event, witnessParties: witnesses };
  return { created, archived: { archivedEvent, synchronizerId } };
}

function commandRoutes(ledger: DevnetLedger, user: UserOf): JsonRoute[] {
  return [
    route("POST /v2/commands/submit-and-wait", async (call) => {
      const submission = readSubmission(call.body, user(call), "submit-and-wait");
      const { update_id: updateId, offset } = await ledger.pipeline.submit(submission);
      return { updateId, completionOffset: offset };
    }),
    route("POST /v2/commands/submit-and-wait-for-transaction", async (call) => {
      const userId = user(call);
      const fields = new Fields(call.body, "");
      const given = fields.object("commands").json;
      const submission = readSubmission(given, userId, "submit-and-wait-for-transaction");
      const format = fields.optional("transactionFormat");
      const view = format === null ? wholeView(submission.actAs) : readTransactionView(format);
      checkedParties(ledger, userId, view);
      const row = await ledger.pipeline.submit(submission);
      const bare = { updateId: row.update_id, offset: row.offset, recordTime: row.record_time };
      const { synchronizerId } = ledger;
      const empty = { ...bare, effectiveAt: row.record_time, events: [], synchronizerId };
      return { transaction: ledger.views.transaction(row, view) ?? empty };
    }),
    route("POST /v2/commands/completions", (call) => completions(ledger, user(call), call)),
  ];
}

async function completions(ledger: DevnetLedger, userId: string, call: JsonCall) {
  const fields = new Fields(call.body, "");
  const parties = fields.parties("parties");
  ledger.users.checkReadAs(userId, parties);
  if (fields.has("userId") && fields.text("userId") !== userId)
    throw new LedgerRefusal("PERMISSION_DENIED", "userId is not the user of the token");
  const after = offsetIn(ledger, fields, "beginExclusive");
  const { limit, idleMs } = streamOf(call);
  if (ledger.queue.endOffset === after) await ledger.untilCommit(idleMs);
  const end = ledger.queue.endOffset;
  if (strikeRead(ledger, "completions").has("stream_stall")) return [];
  const rows = await ledger.store.completions(userId, after, parties, limit);
  const entries = rows.map((row) => completionEntry(ledger, row));
  if (rows.length === limit) return entries;
  return [...entries, { completionResponse: { OffsetCheckpoint: checkpoint(ledger, end) } }];
}

function completionEntry(ledger: DevnetLedger, row: CompletionRow) {
  const { synchronizerId } = ledger;
  const value = {
    commandId: row.command_id,
    status: { code: row.status_code, message: row.status_words },
    updateId: row.update_id ?? "",
    userId: row.user_id,
    actAs: row.act_as,
    submissionId: row.submission_id,
    deduplicationPeriod: { DeduplicationOffset: { value: row.dedup_offset } },
    offset: row.offset,
    synchronizerTime: { synchronizerId, recordTime: row.record_time },
    paidTrafficCost: row.traffic_cost,
  };
  return { completionResponse: { Completion: { value } } };
}

function updateRoutes(ledger: DevnetLedger, user: UserOf): JsonRoute[] {
  const one = async (call: JsonCall, find: (fields: Fields) => Promise<unknown>) => {
    const fields = new Fields(call.body, "");
    const format = fields.object("updateFormat").object("includeTransactions");
    const view = readTransactionView(format);
    checkedParties(ledger, user(call), view);
    const row = (await find(fields)) as Parameters<typeof ledger.views.transaction>[0] | null;
    const value = row === null ? null : ledger.views.transaction(row, view);
    if (value === null)
      throw new LedgerRefusal("UPDATE_NOT_FOUND", "no such update, or not visible");
    return { update: { Transaction: { value } } };
  };
  return [
    route("POST /v2/updates", (call) => updates(ledger, user(call), call)),
    route("POST /v2/updates/update-by-id", (call) =>
      one(call, (fields) => ledger.store.updateById(fields.text("updateId"))),
    ),
    route("POST /v2/updates/update-by-offset", (call) =>
      one(call, async (fields) => {
        const offset = fields.integer("offset");
        const view = readTransactionView(
          fields.object("updateFormat").object("includeTransactions"),
        );
        const parties = [...view.filters.keys()];
        return (await ledger.store.updates(offset - 1, offset, parties, 1))[0] ?? null;
      }),
    ),
  ];
}

async function updates(ledger: DevnetLedger, userId: string, call: JsonCall) {
  const fields = new Fields(call.body, "");
  const format = fields.object("updateFormat").object("includeTransactions");
  const view = readTransactionView(format);
  const parties = checkedParties(ledger, userId, view);
  const after = offsetIn(ledger, fields, "beginExclusive");
  const { limit, idleMs } = streamOf(call);
  if (ledger.queue.endOffset === after) await ledger.untilCommit(idleMs);
  const struck = strikeRead(ledger, "updates");
  if (struck.has("stream_stall")) return [];
  const wanted = fields.has("endInclusive") ? fields.integer("endInclusive") : Infinity;
  const end = Math.min(wanted, ledger.queue.endOffset);
  const rows = await ledger.store.updates(after, end, parties, limit);
  const entries = rows.flatMap((row) => {
    const value = ledger.views.transaction(row, view);
    return value === null ? [] : [{ update: { Transaction: { value } } }];
  });
  // Repeat the updates, because a stream that resumes after a broken connection may do so.
  const repeated = struck.has("stream_duplicate") ? [...entries, ...entries] : entries;
  if (rows.length === limit) return repeated;
  return [...repeated, { update: { OffsetCheckpoint: checkpoint(ledger, end) } }];
}

function partyRoutes(ledger: DevnetLedger, user: UserOf): JsonRoute[] {
  return [
    route("POST /v2/parties", async (call) => {
      ledger.users.checkAdmin(user(call));
      const fields = new Fields(call.body, "");
      const party = ledger.users.host(fields.text("partyIdHint"));
      if (fields.has("userId")) ledger.users.grantActAs(fields.text("userId"), party);
      await ledger.queue.saveUsers();
      return { partyDetails: { party, isLocal: true } };
    }),
    route("GET /v2/parties/{party}", (call) => {
      user(call);
      const party = call.names["party"] ?? "";
      if (ledger.users.party(party) === undefined)
        throw new LedgerRefusal("PARTY_NOT_FOUND", `no party ${party}`);
      return { partyDetails: [{ party, isLocal: true }] };
    }),
    route("POST /v2/users/{user}/rights", async (call) => {
      ledger.users.checkAdmin(user(call));
      grant(ledger, call.names["user"] ?? "", new Fields(call.body, "").objects("rights"));
      await ledger.queue.saveUsers();
      return { newlyGrantedRights: new Fields(call.body, "").json["rights"] };
    }),
    route("GET /v2/authenticated-user", (call) => ({ user: { id: user(call) } })),
  ];
}

function grant(ledger: DevnetLedger, userId: string, rights: readonly Fields[]): void {
  for (const right of rights) {
    const kind = right.object("kind");
    const [actAs, readAs] = [kind.optional("CanActAs"), kind.optional("CanReadAs")];
    if (actAs !== null) ledger.users.grantActAs(userId, actAs.object("value").party("party"));
    if (readAs !== null) ledger.users.grantReadAs(userId, readAs.object("value").party("party"));
    if (kind.has("CanReadAsAnyParty")) ledger.users.user(userId).readsAll = true;
    if (kind.has("ParticipantAdmin")) ledger.users.user(userId).isAdmin = true;
  }
}

function checkedParties(ledger: DevnetLedger, userId: string, view: View): Party[] {
  const parties = [...view.filters.keys()];
  ledger.users.checkReadAs(userId, parties);
  return parties;
}

function wholeView(parties: readonly Party[]): View {
  const all = [{ kind: "wildcard", hasBlob: false }] as const;
  return { filters: new Map(parties.map((party) => [party, all])), isWithChoices: false };
}

function offsetIn(ledger: DevnetLedger, fields: Fields, name: string): number {
  const offset = fields.integer(name);
  if (offset < 0)
    throw new LedgerRefusal("INVALID_ARGUMENT", `${name}: expected an offset that is not negative`);
  if (offset > ledger.queue.endOffset)
    throw new LedgerRefusal(
      "OFFSET_AFTER_LEDGER_END",
      `${name} ${offset} is after the end of the ledger`,
    );
  return offset;
}

function streamOf({ query }: JsonCall): { limit: number; idleMs: number } {
  const read = (name: string, otherwise: number, most: number) => {
    const value = Number(query.get(name) ?? otherwise);
    return Number.isInteger(value) && value >= 0 ? Math.min(value, most) : otherwise;
  };
  return {
    limit: Math.max(1, read("limit", listMax, listMax)),
    idleMs: read("stream_idle_timeout_ms", 0, idleMsMax),
  };
}

function checkpoint(ledger: DevnetLedger, offset: number): object {
  const { synchronizerId } = ledger;
  const recordTime = ledger.clock.recordTime();
  return { value: { offset, synchronizerTimes: [{ synchronizerId, recordTime }] } };
}

/** Applies read faults; an unavailable ledger answers no read at all. */
function strikeRead(ledger: DevnetLedger, endpoint: string) {
  const effects = ["unavailable", "stream_stall", "stream_duplicate"] as const;
  const struck = ledger.faults.strike({ endpoint }, effects);
  if (struck.has("unavailable"))
    throw new LedgerRefusal("SERVICE_NOT_RUNNING", "the ledger is not available");
  return struck;
}
