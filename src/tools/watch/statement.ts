// The venue's newest statement of its liabilities, as far as somebody without an account can check it: that the text
// has its digest, its sums add up, and its journal entry is in the chain that the watcher has walked. The leaves are for
// their members to check.

import * as z from "zod";
import {
  type LiabilitiesVerdict,
  verifyLiabilities,
} from "../../services/epochs/liability-verifier.ts";
import { NoAnswer } from "./bounded-answer.ts";
import { digits, hash, type ListedEpoch, sha256 } from "./chain-walk.ts";

const statementAnswer = z.looseObject({
  statement: z.string(),
  digest: hash,
  entry: z.looseObject({ epoch: z.looseObject({ epoch: digits, root: hash }) }).nullable(),
});

const stated = z.looseObject({ epoch: digits, seq: digits });

export interface Statement {
  readonly epoch: string;
  readonly seq: string;
  readonly digest: string;
  /** The epoch that has its journal entry; null until it is sealed. */
  readonly entryEpoch: { readonly epoch: string; readonly root: string } | null;
  /** Its own epoch and that of its entry. */
  readonly epochs: readonly string[];
  readonly answer: object;
}

/** Returns the newest statement; null if the venue has made none or knows no statements. Throws NoAnswer. */
export async function readStatement(
  read: (path: string) => Promise<unknown>,
): Promise<Statement | null> {
  try {
    const answer = statementAnswer.safeParse(await read("/v1/liabilities"));
    const text = answer.success ? stated.safeParse(jsonOf(answer.data.statement)) : null;
    if (!answer.success || !text?.success)
      throw new NoAnswer("the venue's statement of liabilities has another form");
    const { digest, entry } = answer.data;
    const { epoch, seq } = text.data;
    const entryEpoch = entry?.epoch ?? null;
    const epochs = entryEpoch === null ? [epoch] : [epoch, entryEpoch.epoch];
    return { epoch, seq, digest, entryEpoch, epochs, answer: answer.data };
  } catch (error) {
    if (error instanceof NoAnswer && error.status === 404) return null;
    throw error;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What a watcher remembers of the newest statement that it has checked. */
export const checkedStatement = z.object({
  epoch: digits,
  digest: hash,
  /** The end of its epoch. */
  atMs: z.number(),
  assets: z.object({
    subject: z.literal("assets"),
    state: z.enum(["ok", "unknown", "deficit"]),
    message: z.string(),
  }),
});
export type CheckedStatement = z.output<typeof checkedStatement>;

type Checked =
  | { readonly fault: string }
  /** `isWhole`: its journal entry is sealed and was checked too. */
  | { readonly remembered: CheckedStatement; readonly isWhole: boolean };

/** Checks a statement (WCH-4). `found` has its epochs in the chain, `last` is the one that was checked before. */
export async function checkStatement(
  statement: Statement,
  found: ReadonlyMap<string, ListedEpoch>,
  last: CheckedStatement | null,
): Promise<Checked> {
  const { epoch, digest, entryEpoch, answer } = statement;
  const verdict = await verifyLiabilities(answer, { sha256 });
  const failed = verdict.steps.find(({ isOk }) => !isOk)?.message;
  const own = found.get(epoch);
  const fault = failed ?? chainFault(statement, found) ?? secondFault(statement, last);
  if (fault !== null) return { fault };
  const atMs = Number(own?.end_ms);
  const remembered = { epoch, digest, atMs, assets: assetsFinding(verdict) };
  return { remembered, isWhole: entryEpoch !== null };
}

/** What the statement says of its epochs must be what the chain says. */
function chainFault(
  { epoch, seq, entryEpoch }: Statement,
  found: ReadonlyMap<string, ListedEpoch>,
): string | null {
  const own = found.get(epoch);
  if (own === undefined) return `its epoch ${epoch} is not in the chain`;
  if (own.last_seq !== seq) return `epoch ${epoch} ends with entry ${own.last_seq}, not ${seq}`;
  if (entryEpoch === null) return null;
  const isInChain = found.get(entryEpoch.epoch)?.root === entryEpoch.root;
  return isInChain ? null : `its entry is in an epoch ${entryEpoch.epoch} that is not in the chain`;
}

/** An epoch has one statement. */
function secondFault({ epoch, digest }: Statement, last: CheckedStatement | null): string | null {
  if (last === null || last.epoch !== epoch || last.digest === digest) return null;
  return `it had the digest ${last.digest} before, and now has ${digest}`;
}

function assetsFinding({ deficits, unknown }: LiabilitiesVerdict): CheckedStatement["assets"] {
  const subject = "assets";
  if (deficits.length > 0) {
    const missing = deficits.map(({ asset, amount }) => `${amount} ${asset}`).join(", ");
    return { subject, state: "deficit", message: `the venue states that it lacks ${missing}` };
  }
  if (unknown.length > 0) {
    const message = `the venue does not state what it holds of ${unknown.join(", ")}`;
    return { subject, state: "unknown", message };
  }
  const message = "the venue states that it holds what it owes, of every asset";
  return { subject, state: "ok", message };
}
