// Epochs and proofs for everybody, the inside of his own leaves for their owner, and the schema of the events
// that they seal. What is sealed never changes, so answers may be kept: for good by number, briefly where more
// may still be sealed.

import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { epochsQuery, proofQuery } from "../../../../../schemas/http/native-chain.ts";
import { LeafHasher } from "../../../../services/epochs/leaf-hasher.ts";
import { ProofMaker } from "../../../../services/epochs/proof-maker.ts";
import { eventSchema } from "../../../../wire/generated/event-schema.ts";
import { refuse } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { nativeFaults } from "../error-map.ts";
import { answerWith, type NativeContext, type Outcome } from "../native-context.ts";
import { type NativeAsk, type NativeRoute, openRoute, sessionRoute } from "../native-route.ts";
import { queryReader } from "../read-body.ts";
import { type Anchors, epochItem, epochText, proofsText } from "./chain-text.ts";

/** Each costs the database some index reads: sixty proofs a second are the most of one address. */
const proofWeight = 5;
const listWeight = 2;

/** Seconds for which an answer that may still grow is kept: its ETag tells afterwards. */
const cacheFor = "public, max-age=5";

/** The schema changes with the program alone. */
const schemaCaching = "public, max-age=3600";

const epochForm = /^(0|[1-9]\d{0,14})$/;

type Ask = (call: HttpCall, asked: NativeAsk) => void;

export function chainRoutes(context: NativeContext): NativeRoute[] {
  const { epochs, table, nonceKey } = context;
  const proofs = new ProofMaker(epochs, new LeafHasher(table, nonceKey), () => nextTurn());
  const parts: ChainParts = { context, proofs };
  const open = (work: (asked: NativeAsk) => Promise<Outcome>): Ask => {
    return (call, asked) => answerKept(context, call, work(asked));
  };
  return [
    openRoute(
      "GET /v1/chain/status",
      open(() => statusOf(context)),
    ),
    openRoute("GET /v1/chain/epochs", listEpochs(context), { weight: listWeight }),
    openRoute(
      "GET /v1/chain/epochs/{id}",
      open(({ path }) => epochOf(context, path["id"] ?? "")),
    ),
    openRoute("GET /v1/chain/proof", (call, asked) => prove(parts, call, asked, null), {
      weight: proofWeight,
    }),
    sessionRoute(
      "GET /v1/chain/proof/me",
      (call, asked, { account }) => prove(parts, call, asked, account),
      { weight: proofWeight },
    ),
    openRoute("GET /v1/journal/event.fbs", (call) => {
      call.keepFor(schemaCaching, schemaTag);
      call.text(eventSchema);
    }),
  ];
}

interface ChainParts {
  readonly context: NativeContext;
  readonly proofs: ProofMaker;
}

/** As `answerWith`, with what lets a client keep the answer. */
function answerKept(context: NativeContext, call: HttpCall, work: Promise<Outcome>): void {
  const kept = work.then((outcome) => {
    if (typeof outcome === "string") call.keepFor(cacheFor, etagOf(outcome));
    return outcome;
  });
  answerWith(context, call, kept);
}

function etagOf(body: string): string {
  return `"${createHash("sha256").update(body).digest("hex").slice(0, 32)}"`;
}

const schemaTag = etagOf(eventSchema);

async function statusOf({ epochs, anchors, clock }: NativeContext): Promise<Outcome> {
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
    lag_seconds: endMs === null ? null : Math.max(Math.floor((clock.nowMs() - endMs) / 1000), 0),
    pending: head === undefined ? 0 : head.epoch - before,
    head_root: head?.root ?? null,
    contract_id: last?.confirmed?.contractId ?? null,
    network: last?.network ?? null,
  });
}

async function anchorsOf({ anchors }: NativeContext, epochs: readonly number[]): Promise<Anchors> {
  const found = await anchors.anchors([...new Set(epochs)]);
  return new Map(found.map((anchor) => [anchor.epoch, anchor]));
}

function listEpochs(context: NativeContext): Ask {
  const read = queryReader(epochsQuery);
  return (call, { parameters }) => {
    const query = read(call, parameters);
    if (query === null) return;
    const { cursor = null, limit } = query;
    answerKept(context, call, epochPage(context, cursor, limit));
  };
}

async function epochPage(
  context: NativeContext,
  before: number | null,
  limit: number,
): Promise<Outcome> {
  const { epochs } = context;
  // One more than asked for tells whether there is a next page.
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

async function epochOf(context: NativeContext, id: string): Promise<Outcome> {
  const { epochs, anchors } = context;
  if (!epochForm.test(id)) return nativeFaults.epochUnknown;
  const [terms, record] = await Promise.all([epochs.terms(), epochs.epoch(Number(id))]);
  if (record === null || terms === null) return nativeFaults.epochUnknown;
  const [[anchor], blob] = await Promise.all([
    anchors.anchors([record.epoch]),
    anchors.blob(record.epoch),
  ]);
  return epochText(record, terms.venue, anchor, blob);
}

const readProof = queryReader(proofQuery);

function prove(parts: ChainParts, call: HttpCall, asked: NativeAsk, owner: number | null): void {
  const query = readProof(call, asked.parameters);
  if (query === null) return;
  const { seq, ref_id: ref } = query;
  if ((seq === undefined) === (ref === undefined)) {
    refuse(call, nativeFaults.proofOfWhat);
    return;
  }
  const { context, proofs } = parts;
  const found = seq === undefined ? proofs.byRef(ref ?? "", owner) : proofs.bySeq(seq, owner);
  const work = found.then(async (some): Promise<Outcome> => {
    if (some.length === 0) return nativeFaults.notSealed;
    const numbers = some.map(({ epoch }) => epoch.epoch);
    const [terms, anchors] = await Promise.all([
      context.epochs.terms(),
      anchorsOf(context, numbers),
    ]);
    const venue = terms?.venue ?? "";
    return proofsText(some, { venue, anchors, opens: owner !== null });
  });
  // An owner's answer is nobody else's: no proxy may keep it.
  if (owner === null) answerKept(context, call, work);
  else {
    call.keepFor("private, no-store", "");
    answerWith(context, call, work);
  }
}
