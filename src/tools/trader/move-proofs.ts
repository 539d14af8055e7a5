// Proves the steps of a swap. Each step is a journal entry, and journal entries are the leaves of epochs. `provenMoves`
// waits until the epoch is sealed and fetches each entry's proof with its content. It checks the proof with the
// stand-alone verifier, and compares the content with the step that the venue reported.

import { setTimeout as sleep } from "node:timers/promises";
import { type Verdict, verifyProof } from "../../services/epochs/proof-verifier.ts";
import type { LedgerReading } from "./ledger-reading.ts";
import { type ShownMove, sha256 } from "./swap-walk.ts";
import { VenueRefusal, type VenueSession } from "./venue-session.ts";

/** First polling interval in ms; each following one is 1.5 times as long, up to a maximum. */
const lookMs = 250;
const lookMsMax = 2_000;
/** Maximum wait in ms for the epoch's commitment on the ledger; without a commitment the proof is still valid. */
const anchorMsMax = 30_000;
/** The journal stores only this many hexadecimal digits of the hash of a step's details. */
const digestDigits = 32;

interface ProofLeaf {
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface MoveProof {
  readonly leaf: ProofLeaf;
  readonly leaf_index: number;
  readonly tree_size: number;
  readonly epoch: { readonly epoch: string; readonly root: string };
  readonly anchor: { readonly status: string; readonly update_id?: string | null };
}

export interface ProvenMove {
  readonly move: ShownMove;
  readonly proof: MoveProof;
  readonly verdict: Verdict;
  /** Difference between the proven content and the venue's report; null if there is none. */
  readonly difference: string | null;
  /** True if the root was read from the ledger itself. */
  readonly isRootFromLedger: boolean;
}

export interface ProofParts {
  readonly session: VenueSession;
  readonly ledger: LedgerReading | null;
  readonly waitMs: number;
  /** Called repeatedly while waiting for the epoch, with the time waited so far. */
  readonly onWait: (waitedMs: number) => void;
}

/** Returns a proof of each step, in order; throws if the epoch is not sealed within `waitMs`. */
export async function provenMoves(
  moves: readonly ShownMove[],
  parts: ProofParts,
): Promise<ProvenMove[]> {
  const last = moves.at(-1);
  if (last === undefined) return [];
  await untilSealed(last, parts);
  const roots = new Map<string, string | null>();
  const proven: ProvenMove[] = [];
  for (const move of moves) {
    const proof = await proofOf(move, parts);
    if (proof === null)
      throw new Error(`entry ${move.seq} has no proof though its epoch is sealed`);
    const { epoch } = proof.epoch;
    if (!roots.has(epoch)) roots.set(epoch, await rootOf(proof, parts));
    const root = roots.get(epoch) ?? null;
    const options = root === null ? { sha256 } : { sha256, trustedRoot: root };
    proven.push({
      ...{ move, proof, difference: differenceOf(move, proof.leaf.body ?? {}) },
      verdict: await verifyProof(proof, options),
      isRootFromLedger: root !== null,
    });
  }
  return proven;
}

/**
 * Waits until the epoch of the newest entry is sealed. If the ledger can be read, then waits up to `anchorMsMax` more
 * for the epoch's commitment on the ledger.
 */
async function untilSealed(move: ShownMove, parts: ProofParts): Promise<void> {
  const { ledger, waitMs, onWait } = parts;
  const startedMs = performance.now();
  let sealedMs: number | null = null;
  for (let pauseMs = lookMs; ; pauseMs = Math.min(lookMsMax, pauseMs * 1.5)) {
    const waitedMs = performance.now() - startedMs;
    const proof = await proofOf(move, parts);
    if (proof !== null) sealedMs ??= performance.now();
    const isAnchored = proof?.anchor.status === "confirmed";
    if (isAnchored || (proof !== null && ledger === null)) return;
    if (sealedMs !== null && performance.now() - sealedMs > anchorMsMax) return;
    if (sealedMs === null && waitedMs > waitMs)
      throw new Error(`no sealed epoch has entry ${move.seq} after ${Math.round(waitMs / 1000)} s`);
    onWait(waitedMs);
    await sleep(pauseMs);
  }
}

/** Returns the proof of a step; null until the step's epoch is sealed. */
async function proofOf({ seq }: ShownMove, { session }: ProofParts): Promise<MoveProof | null> {
  try {
    const path = `/v1/chain/proof/me?seq=${seq}`;
    const { proofs } = await session.get<{ proofs: readonly MoveProof[] }>(path);
    return proofs[0] ?? null;
  } catch (error) {
    if (error instanceof VenueRefusal && error.status === 404) return null;
    throw error;
  }
}

/** Returns the root as read from the ledger instead of the venue; null if it cannot be read. */
async function rootOf({ anchor }: MoveProof, { ledger }: ProofParts): Promise<string | null> {
  const { status, update_id: id } = anchor;
  if (ledger === null || status !== "confirmed" || typeof id !== "string") return null;
  return ledger.rootOf(id);
}

function differenceOf(move: ShownMove, body: Readonly<Record<string, unknown>>): string | null {
  const digest = Buffer.from(sha256(Buffer.from(move.details))).toString("hex");
  const expected = {
    event: "SWAP_MOVED",
    move_no: move.move_no,
    from: move.from.toUpperCase(),
    to: move.to.toUpperCase(),
    details: digest.slice(0, digestDigits),
  };
  const differing = Object.entries(expected).find(([name, value]) => body[name] !== value);
  if (differing === undefined) return null;
  const [name, value] = differing;
  return `${name} is ${String(body[name])} in the journal, but ${value} in the venue's report`;
}
