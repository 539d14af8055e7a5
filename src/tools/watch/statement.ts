// The venue's statements of its liabilities, as far as somebody without an account can check them: that the text has its
// digest, its sums add up, and its journal entry is in the chain that the watcher has walked. The leaves are for their
// members to check.

import * as z from "zod";
import {
  type LiabilitiesVerdict,
  verifyLiabilities,
} from "../../services/epochs/liability-verifier.ts";
import { NoAnswer } from "./bounded-answer.ts";
import { digits, hash, sha256, type Walk } from "./chain-walk.ts";

/** Statements that a round checks: the newest of them, should there be more since the last one. */
const statementsMax = 20;
/** In the first round: the entry of the newest is not sealed yet, and that of the one before may not be. */
const firstMax = 3;

const list = z.object({
  items: z.array(z.looseObject({ epoch: digits, digest: hash })).max(statementsMax),
});

const answered = z.looseObject({
  digest: hash,
  entry: z.looseObject({ epoch: z.looseObject({ epoch: digits, root: hash }) }).nullable(),
  stated_epoch: z.looseObject({ last_seq: digits, root: hash }),
});

export interface Statement {
  readonly epoch: string;
  readonly digest: string;
  /** The root of its epoch, as the answer has it. */
  readonly root: string;
  /** The epoch that has its journal entry; null until it is sealed. */
  readonly entryEpoch: { readonly epoch: string; readonly root: string } | null;
  readonly answer: object;
}

/**
 * Returns the statements since `last`, oldest first, and `last` itself if it is listed with another digest. None if the
 * venue has made none. Throws NoAnswer.
 */
export async function readStatements(
  read: (path: string) => Promise<unknown>,
  last: CheckedStatement | null,
): Promise<readonly Statement[]> {
  const limit = last === null ? firstMax : statementsMax;
  const listed = await listOf(read, limit);
  const fresh = listed.filter(({ epoch, digest }) => isFresh(epoch, digest, last));
  const statements: Statement[] = [];
  for (const { epoch, digest } of fresh.reverse())
    statements.push(statementIn(epoch, digest, await read(`/v1/liabilities/${epoch}`)));
  return statements;
}

/** The newest statements; none at a venue that does not know such a list. */
async function listOf(read: (path: string) => Promise<unknown>, limit: number) {
  try {
    const listed = list.safeParse(await read(`/v1/liabilities/statements?limit=${limit}`));
    if (listed.success) return listed.data.items;
  } catch (error) {
    if (error instanceof NoAnswer && error.status === 404) return [];
    throw error;
  }
  throw new NoAnswer("the list of statements has another form");
}

function isFresh(epoch: string, digest: string, last: CheckedStatement | null): boolean {
  if (last === null || BigInt(epoch) > BigInt(last.epoch)) return true;
  return epoch === last.epoch && digest !== last.digest;
}

function statementIn(epoch: string, digest: string, document: unknown): Statement {
  const read = answered.safeParse(document);
  if (!read.success || read.data.digest !== digest)
    throw new NoAnswer(`the statement of epoch ${epoch} is not the listed one`);
  const { entry, stated_epoch } = read.data;
  const entryEpoch = entry?.epoch ?? null;
  return { epoch, digest, root: stated_epoch.root, entryEpoch, answer: read.data };
}

/** The epochs that a walk must pass so that these statements can be checked. */
export function epochsOf(statements: readonly Statement[]): readonly string[] {
  return statements.flatMap(({ epoch, entryEpoch }) =>
    entryEpoch === null ? [epoch] : [epoch, entryEpoch.epoch],
  );
}

/** What a watcher remembers of the newest statement that it has checked. */
export const checkedStatement = z.object({
  epoch: digits,
  digest: hash,
  /** The end of its epoch. */
  atMs: z.number(),
  /** The end of the newest epoch about which all holdings were stated; of the first that was checked, if there is none. */
  knownMs: z.number(),
  assets: z.object({
    subject: z.literal("assets"),
    state: z.enum(["ok", "unknown", "deficit"]),
    message: z.string(),
  }),
});
export type CheckedStatement = z.output<typeof checkedStatement>;

type Checked =
  | { readonly fault: string }
  /** `isWhole`: its journal entry is in a listed epoch and was checked too. */
  | { readonly remembered: CheckedStatement; readonly isWhole: boolean };

/** Whether the list of epochs has come to an epoch: a cache may have an older list than statements. */
export function isListed(epoch: string, { newest }: Walk): boolean {
  return BigInt(epoch) <= BigInt(newest.epoch);
}

/** Checks a statement (WCH-4) whose epoch is listed. `last` is the one that was checked before. */
export async function checkStatement(
  statement: Statement,
  walk: Walk,
  last: CheckedStatement | null,
): Promise<Checked> {
  const { epoch, digest, entryEpoch, answer } = statement;
  const verdict = await verifyLiabilities(answer, { sha256 });
  const failed = verdict.steps.find(({ isOk }) => !isOk)?.message;
  const fault = failed ?? chainFault(statement, walk) ?? secondFault(statement, last);
  if (fault !== null) return { fault };
  const atMs = Number(walk.found.get(epoch)?.end_ms);
  const assets = assetsFinding(epoch, verdict);
  const knownMs = assets.state === "unknown" ? (last?.knownMs ?? atMs) : atMs;
  const remembered = { epoch, digest, atMs, knownMs, assets };
  return { remembered, isWhole: entryEpoch !== null && isListed(entryEpoch.epoch, walk) };
}

/** What the answer says of epochs must be what the chain says; the verifier has compared it with the text. */
function chainFault({ epoch, root, entryEpoch }: Statement, walk: Walk): string | null {
  if (walk.found.get(epoch)?.root !== root) return `it is about an epoch ${epoch} of another chain`;
  if (entryEpoch === null || !isListed(entryEpoch.epoch, walk)) return null;
  const isInChain = walk.found.get(entryEpoch.epoch)?.root === entryEpoch.root;
  return isInChain ? null : `its entry is in an epoch ${entryEpoch.epoch} of another chain`;
}

/** An epoch has one statement. */
function secondFault({ epoch, digest }: Statement, last: CheckedStatement | null): string | null {
  if (last === null || last.epoch !== epoch || last.digest === digest) return null;
  return `it had the digest ${last.digest} before, and now has ${digest}`;
}

function assetsFinding(
  epoch: string,
  { deficits, faucetDebts, unknown }: LiabilitiesVerdict,
): CheckedStatement["assets"] {
  const subject = "assets";
  const at = `at the end of epoch ${epoch}`;
  if (deficits.length > 0) {
    const message = `the venue states that it lacked ${listed(deficits)} ${at}`;
    return { subject, state: "deficit", message };
  }
  if (unknown.length > 0) {
    const message = `the venue does not state what it held of ${unknown.join(", ")} ${at}`;
    return { subject, state: "unknown", message };
  }
  const held = `the venue states that it held what it owed of every asset ${at}`;
  const message =
    faucetDebts.length === 0
      ? held
      : `${held}, counting its faucet's debt of ${listed(faucetDebts)}`;
  return { subject, state: "ok", message };
}

function listed(amounts: LiabilitiesVerdict["deficits"]): string {
  return amounts.map(({ asset, amount }) => `${amount} ${asset}`).join(", ");
}
