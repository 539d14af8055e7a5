// Epochs and their proofs for everybody, the contents of private leaves for their owner, and the schema of sealed
// events. Clients may cache public answers for a few seconds and then revalidate them by their ETag, because new epochs
// and anchors may be added.

import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type * as z from "zod";
import { epochsQuery, headQuery, proofQuery } from "../../../../../schemas/http/native.ts";
import { HeadSigner } from "../../../../services/access/signed-head.ts";
import { LeafHasher } from "../../../../services/epochs/leaf-hasher.ts";
import { ProofMaker } from "../../../../services/epochs/proof-maker.ts";
import { eventSchema } from "../../../../wire/generated/event-schema.ts";
import { openRoute, routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { refused } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { nativeFaults } from "../error-map.ts";
import { type Anchors, epochItem, epochText, proofsText } from "./chain-text.ts";

/** Each request costs the database a few index reads. This weight allows one address 1200 proofs a minute. */
const proofWeight = 5;
const listWeight = 2;

/** Cache header of an answer that may still change: five seconds, after which clients revalidate it by its ETag. */
const cacheFor = "public, max-age=5";

/** Cache header of the schema, which changes only when the program changes. */
const schemaCaching = "public, max-age=3600";

/** The number of an epoch in a path. */
export const epochForm = /^(0|[1-9]\d{0,14})$/;

function etagOf(body: string): string {
  return `"${createHash("sha256").update(body).digest("hex").slice(0, 32)}"`;
}

const schemaTag = etagOf(eventSchema);

async function statusOf({ epochs, anchors, marketClock }: RouteContext): Promise<string> {
  const [terms, [head], last] = await Promise.all([
    epochs.terms(),
    epochs.epochs(null, 1),
    anchors.lastConfirmed(),
  ]);
  const before = last?.epoch ?? (terms?.firstEpoch ?? 0) - 1;
  const endMs = terms === null || last === null ? null : (last.epoch + 1) * terms.epochMs;
  return JSON.stringify({
    head_epoch: head === undefined ? null : `${head.epoch}`,
    last_confirmed_epoch: last === null ? null : `${last.epoch}`,
    lag_seconds:
      endMs === null ? null : Math.max(Math.floor((marketClock.nowMs() - endMs) / 1000), 0),
    pending: head === undefined ? 0 : head.epoch - before,
    head_root: head?.root ?? null,
    contract_id: last?.confirmed?.contractId ?? null,
    network: last?.network ?? null,
  });
}

export async function anchorsOf(
  { anchors }: RouteContext,
  epochs: readonly number[],
): Promise<Anchors> {
  const found = await anchors.anchors([...new Set(epochs)]);
  return new Map(found.map((anchor) => [anchor.epoch, anchor]));
}

async function epochPage(
  context: RouteContext,
  before: number | null,
  limit: number,
): Promise<string> {
  const { epochs } = context;
  // Read one more epoch than requested: it shows whether there is a next page.
  const [terms, records] = await Promise.all([epochs.terms(), epochs.epochs(before, limit + 1)]);
  const page = records.slice(0, limit);
  const last = page.at(-1);
  const isMore = records.length > limit && last !== undefined;
  const anchors = await anchorsOf(
    context,
    page.map(({ epoch }) => epoch),
  );
  const items = page.map((record) => epochItem(record, terms?.venue ?? "", anchors));
  return JSON.stringify({ items, next_cursor: isMore ? `${last.epoch}` : null });
}

async function epochOf(context: RouteContext, id: string): Promise<string> {
  const { epochs, anchors } = context;
  if (!epochForm.test(id)) refused(nativeFaults.epochUnknown);
  const [terms, record] = await Promise.all([epochs.terms(), epochs.epoch(Number(id))]);
  if (record === null || terms === null) refused(nativeFaults.epochUnknown);
  const [[anchor], blob] = await Promise.all([
    anchors.anchors([record.epoch]),
    anchors.blob(record.epoch),
  ]);
  return epochText(record, terms.venue, anchor, blob);
}

interface ChainParts extends RouteContext {
  readonly proofs: ProofMaker;
  readonly heads: HeadSigner;
}

/** The signed head of the newest epoch, or of an earlier one. */
async function headOf({ epochs, heads }: ChainParts, epoch: number | undefined): Promise<string> {
  const [terms, record] = await Promise.all([
    epochs.terms(),
    epoch === undefined ? epochs.epochs(null, 1).then(([newest]) => newest) : epochs.epoch(epoch),
  ]);
  if (terms === null || !record) refused(nativeFaults.epochUnknown);
  const { root, prevRoot: prev_root } = record;
  const [number, time] = [`${record.epoch}`, `${record.endMs}`];
  return JSON.stringify(heads.sign({ venue: terms.venue, epoch: number, root, prev_root, time }));
}

const { notSealed, nothingToProve } = nativeFaults;

/** Whether the venue has come as far as this seq, order or trade. */
function exists({ model }: RouteContext, seq: number | undefined, ref = ""): boolean {
  const { state } = model;
  if (seq !== undefined) return seq <= state.seq;
  return Number(ref.slice(2)) < (ref.startsWith("o") ? state.nextOrderId : state.nextTradeId);
}

/** Proofs by seq or by reference; a proof for an owner also contains the contents of the owner's leaves. */
async function proofText(
  context: ChainParts,
  { seq, ref_id: ref }: z.output<typeof proofQuery>,
  owner: number | null,
): Promise<string> {
  if ((seq === undefined) === (ref === undefined)) refused(nativeFaults.proofOfWhat);
  const { epochs, proofs } = context;
  const some = await (seq === undefined
    ? proofs.byRef(ref ?? "", owner)
    : proofs.bySeq(seq, owner));
  if (some.length === 0) refused(exists(context, seq, ref) ? notSealed : nothingToProve);
  const numbers = some.map(({ epoch }) => epoch.epoch);
  const [terms, anchors] = await Promise.all([epochs.terms(), anchorsOf(context, numbers)]);
  return proofsText(some, { venue: terms?.venue ?? "", anchors, opens: owner !== null });
}

/** Returns the text, and sets the headers that let a client cache the answer. */
export async function kept(call: HttpCall, work: Promise<string>): Promise<string> {
  const text = await work;
  call.keepFor(cacheFor, etagOf(text));
  return text;
}

/** The routes of epochs and proofs. */
export const chainRoutes = routeGroup((context): ChainParts => {
  const { epochs, table, nonceKey, model } = context;
  const leaves = new LeafHasher(table, nonceKey);
  const ownerOf = (account: number) => model.state.accounts.ownerOf(account);
  const proofs = new ProofMaker(epochs, leaves, () => nextTurn(), ownerOf);
  return { ...context, proofs, heads: new HeadSigner(nonceKey) };
})([
  openRoute("GET /v1/chain/status", {
    summary: "The newest epoch and the state of its commitment on the ledger.",
    answer: (context, call) => kept(call, statusOf(context)),
  }),
  openRoute("GET /v1/chain/epochs", {
    summary: "Sealed epochs, newest first.",
    reads: epochsQuery,
    example: "?limit=10",
    weight: listWeight,
    answer: (context, call, { cursor = null, limit }) =>
      kept(call, epochPage(context, cursor, limit)),
  }),
  openRoute("GET /v1/chain/epochs/{id}", {
    summary: "One sealed epoch.",
    faults: { 404: "Epoch not found." },
    exampleName: '$(curl -s "$V/v1/chain/epochs?limit=1" | field .items[0].epoch)',
    answer: (context, call, { id }) => kept(call, epochOf(context, id)),
  }),
  openRoute("GET /v1/chain/head", {
    summary: "The newest sealed epoch, or an earlier one, under the venue's signature.",
    reads: headQuery,
    faults: { 404: "Epoch not found." },
    weight: listWeight,
    answer: (context, call, { epoch }) => kept(call, headOf(context, epoch)),
  }),
  openRoute("GET /v1/chain/proof", {
    summary: "Proofs of journal entries and fills, by seq or ref_id.",
    reads: proofQuery,
    faults: { 404: "Not found in a sealed epoch." },
    example: "?seq=1",
    weight: proofWeight,
    answer: (context, call, params) => kept(call, proofText(context, params, null)),
  }),
  sessionRoute("GET /v1/chain/proof/me", {
    summary: "Proofs of the user's own entries, with body and nonce.",
    reads: proofQuery,
    faults: { 404: "Not found in a sealed epoch." },
    exampleLine:
      'own GET "/v1/chain/proof/me?ref_id=o-$(signed GET /api/v3/myTrades symbol=CC-USDC | ' +
      'field [0].orderId)"',
    weight: proofWeight,
    answer: (context, call, params, { account }) => {
      // An answer for an owner is private, so it must not be stored in any cache.
      call.keepFor("private, no-store", "");
      return proofText(context, params, account);
    },
  }),
  openRoute("GET /v1/journal/event.fbs", {
    summary: "The schema of the journal's events, as FlatBuffers.",
    form: "text",
    handle: (_, call) => {
      call.keepFor(schemaCaching, schemaTag);
      call.text(eventSchema);
    },
  }),
]);
