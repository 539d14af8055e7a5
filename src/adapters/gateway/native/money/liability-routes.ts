// What the venue stated that it owes and holds: statements for everybody, and a member's own leaves in the sum trees of
// the newest ones. Clients check both with the stand-alone verifier. Spec LIA-30 to LIA-33.

import { setImmediate as nextTurn } from "node:timers/promises";
import type * as z from "zod";
import { epochsQuery, ownLiabilitiesQuery } from "../../../../../schemas/http/native.ts";
import { PublicIdKind, parsePublicId } from "../../../../core/ids/public-id.ts";
import type {
  LiabilityHead,
  LiabilityStatement,
} from "../../../../ports/journal/liability-store.ts";
import { LeafHasher } from "../../../../services/epochs/leaf-hasher.ts";
import { accountKeyOf, epochKeyOf } from "../../../../services/epochs/liability-keys.ts";
import {
  LiabilityProofs,
  type OwnAmount,
  type StatedTree,
} from "../../../../services/epochs/liability-proofs.ts";
import { hexOf } from "../../../../services/epochs/open-epoch.ts";
import { ProofMaker } from "../../../../services/epochs/proof-maker.ts";
import { openRoute, routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { refused } from "../../requests/surface-error.ts";
import { userIdOf } from "../access/session-routes.ts";
import { nativeFaults } from "../error-map.ts";
import { pageText } from "../native-context.ts";
import { anchorsOf, epochForm, kept } from "./chain-routes.ts";
import { epochItem, proofFields } from "./chain-text.ts";

const statementWeight = 5;
const listWeight = 2;
/** Ten tiles are read and climbed, which takes a few milliseconds; an address may ask five times a second. */
const ownWeight = 20;

/** Statements of which leaves are kept. */
const keptStatements = 2;
/** The fingerprint of an account without a wallet key. */
const noFingerprint = "00".repeat(32);

const { noStatement, statementUnknown, leavesNotKept, subAccountUnknown } = nativeFaults;

interface Parts extends RouteContext {
  readonly proofs: ProofMaker;
  readonly leaves: LiabilityProofs;
}

/** The fields that everybody sees: the statement, the stated epoch, and the proof of the entry with its content. */
async function statementFields(parts: Parts, statement: LiabilityStatement): Promise<object> {
  const { epochs, proofs } = parts;
  const [terms, stated, [proof]] = await Promise.all([
    epochs.terms(),
    epochs.epoch(statement.epoch),
    proofs.bySeq(statement.entrySeq, null),
  ]);
  const venue = terms?.venue ?? "";
  const numbers = [statement.epoch, ...(proof === undefined ? [] : [proof.epoch.epoch])];
  const anchors = await anchorsOf(parts, numbers);
  return {
    statement: statement.text,
    digest: hexOf(statement.digest),
    entry: proof === undefined ? null : proofFields(proof, { venue, anchors, opens: true }),
    stated_epoch: stated === null ? null : epochItem(stated, venue, anchors),
  };
}

async function statementText(parts: Parts, epoch: string | null): Promise<string> {
  const { liabilities } = parts;
  if (epoch !== null && !epochForm.test(epoch)) refused(statementUnknown);
  const found = epoch === null ? liabilities.newest() : liabilities.statement(Number(epoch));
  const statement = (await found) ?? refused(epoch === null ? noStatement : statementUnknown);
  return JSON.stringify(await statementFields(parts, statement));
}

async function listText(
  { liabilities }: Parts,
  { cursor, limit }: z.output<typeof epochsQuery>,
): Promise<string> {
  const heads = await liabilities.statements(cursor ?? null, limit + 1);
  return pageText(heads, limit, shownHead, ({ epoch }) => epoch);
}

function shownHead({ epoch, statedSeq, digest, entrySeq }: LiabilityHead): object {
  return {
    epoch: `${epoch}`,
    seq: `${statedSeq}`,
    digest: hexOf(digest),
    entry_seq: `${entrySeq}`,
  };
}

/**
 * The statement of an epoch or, without one, the newest whose entry is sealed: only that one can be checked up to an
 * epoch's root. The newest one if no entry is sealed yet.
 */
async function wantedStatement(parts: Parts, epoch?: number): Promise<LiabilityStatement> {
  const { liabilities, epochs } = parts;
  if (epoch !== undefined) return (await liabilities.statement(epoch)) ?? refused(statementUnknown);
  const heads = await liabilities.statements(null, keptStatements);
  const entries = await Promise.all(heads.map(({ entrySeq }) => epochs.entry(entrySeq)));
  const [newest] = heads;
  const head = heads.find((_, index) => entries[index] !== null) ?? newest;
  if (head === undefined) refused(noStatement);
  return (await liabilities.statement(head.epoch)) ?? refused(noStatement);
}

/** The owner's account, or one of its sub-accounts by its id; refuses any other id. */
function ownAccount(context: RouteContext, owner: number, id?: string): number {
  if (id === undefined) return owner;
  const { accounts } = context.model.state;
  const account = parsePublicId(PublicIdKind.user, id)?.number ?? 0;
  const isOwn = accounts.isCustomer(account) && accounts.ownerOf(account) === owner;
  const isNamed = isOwn && userIdOf(context, account) === id.toLowerCase();
  return isNamed ? account : refused(subAccountUnknown);
}

/** A statement with what the account has in its trees. */
async function ownAmounts(parts: Parts, account: number, epoch?: number) {
  const statement = await wantedStatement(parts, epoch);
  const key = accountKeyOf(epochKeyOf(parts.nonceKey, statement.epoch), account);
  const { assets } = JSON.parse(statement.text) as { readonly assets: readonly StatedTree[] };
  const amounts = await parts.leaves.own(statement.epoch, assets, key);
  return amounts === null ? null : { statement, key, amounts };
}

async function ownText(
  parts: Parts,
  owner: number,
  { epoch, account_id: id }: z.output<typeof ownLiabilitiesQuery>,
): Promise<string> {
  const account = ownAccount(parts, owner, id);
  let own = await ownAmounts(parts, account, epoch);
  // A newer statement may have taken the place of the one that was found.
  if (own === null && epoch === undefined) own = await ownAmounts(parts, account);
  const { statement, key, amounts } = own ?? refused(leavesNotKept);
  const [user, shared] = await Promise.all([
    parts.sessions.userOf(owner),
    statementFields(parts, statement),
  ]);
  return JSON.stringify({
    epoch: `${statement.epoch}`,
    account,
    fingerprint: user?.fingerprint ?? noFingerprint,
    key: hexOf(key),
    ...shared,
    assets: amounts.map(shownAmount),
  });
}

function shownAmount({ tree, amount, leaves }: OwnAmount): object {
  return {
    asset: tree.asset,
    number: tree.number,
    amount: `${amount}`,
    leaves: leaves.map(({ part, index, amount: sum, path }) => ({
      part,
      index,
      amount: `${sum}`,
      path: path.map((node) => ({ hash: hexOf(node.hash), sum: `${node.sum}` })),
    })),
  };
}

/** The routes of liabilities statements. */
export const liabilityRoutes = routeGroup((context): Parts => {
  const { epochs, table, nonceKey, liabilities } = context;
  const hasher = new LeafHasher(table, nonceKey);
  const pause = () => nextTurn();
  const proofs = new ProofMaker(epochs, hasher, pause);
  return { ...context, proofs, leaves: new LiabilityProofs(liabilities, pause) };
})([
  openRoute("GET /v1/liabilities", {
    summary: "The newest statement of what the venue owes and holds.",
    faults: { 404: "There is no statement yet." },
    weight: statementWeight,
    answer: (parts, call) => kept(call, statementText(parts, null)),
  }),
  openRoute("GET /v1/liabilities/statements", {
    summary: "Liabilities statements, newest first.",
    reads: epochsQuery,
    example: "?limit=10",
    weight: listWeight,
    answer: (parts, call, params) => kept(call, listText(parts, params)),
  }),
  sessionRoute("GET /v1/liabilities/me", {
    summary: "The user's own leaves in a statement's sum trees, with their paths and key.",
    reads: ownLiabilitiesQuery,
    faults: { 404: "There is no statement, or its leaves are not kept any more." },
    weight: ownWeight,
    answer: (parts, call, params, { account }) => {
      // The key opens the user's leaves, so it must not be stored in any cache.
      call.keepFor("private, no-store", "");
      return ownText(parts, account, params);
    },
  }),
  openRoute("GET /v1/liabilities/{epoch}", {
    summary: "The statement of one epoch.",
    faults: { 404: "There is no statement of this epoch." },
    exampleName: '$(curl -s "$V/v1/liabilities/statements?limit=2" | field .items[1].epoch)',
    weight: statementWeight,
    answer: (parts, call, { epoch }) => kept(call, statementText(parts, epoch ?? "")),
  }),
]);
