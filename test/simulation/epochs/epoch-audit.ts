// An auditor of epochs with its own Merkle trees. It checks that every journal entry is in exactly one epoch, without
// gaps, and that every epoch links to the previous one. Roots and tiles must match the leaves, and the published
// verifier must accept the proofs given to customers. The ledger must have each epoch once, as the venue recorded it.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { epochItem, proofsText } from "../../../src/adapters/gateway/native/money/chain-text.ts";
import { EventKind } from "../../../src/core/generated/events.ts";
import type { EpochRecord, EpochTerms } from "../../../src/ports/journal/epoch-store.ts";
import type { LeafHasher } from "../../../src/services/epochs/leaf-hasher.ts";
import { ProofMaker } from "../../../src/services/epochs/proof-maker.ts";
import { verifyChain, verifyDocument } from "../../../src/services/epochs/proof-verifier.ts";
import type { SimulatedLedger } from "../ledger/simulated-ledger.ts";
import type { SimulatedEpochRows } from "./simulated-epoch-rows.ts";

export interface EpochSubjects {
  readonly rows: SimulatedEpochRows;
  readonly ledger: SimulatedLedger;
  readonly leaves: LeafHasher;
  /** Seq of the journal's last event. */
  readonly lastSeq: number;
  /** Number of the last epoch whose time has ended. */
  readonly lastOver: number;
  /** Draws a number below a bound. */
  readonly below: (bound: number) => number;
}

const hashBytes = 32;
const tileHashes = 256;
/** Number of proofs to request; each is verified in full. */
const proofsWanted = 12;

/** Audits all epochs. Call it once sealing and committing have finished. */
export async function auditEpochRows(subjects: EpochSubjects): Promise<void> {
  const terms = await subjects.rows.terms();
  assert(terms !== null, "Epochs must have begun");
  await judgeChain(subjects, terms);
  await judgeTrees(subjects);
  await judgeProofs(subjects, terms);
  await judgeAnchors(subjects);
}

async function judgeChain({ rows, lastSeq, lastOver }: EpochSubjects, terms: EpochTerms) {
  let nextSeq = 1;
  let nextTrade = 1;
  for (const [index, record] of rows.sealed.entries()) {
    const { epoch, firstSeq, firstTrade, journalCount, fillCount } = record;
    assert.equal(epoch, terms.firstEpoch + index, "no epoch may be left out");
    assert.equal(firstSeq, nextSeq, `epoch ${epoch} must begin just after the previous epoch`);
    assert.equal(
      firstTrade,
      nextTrade,
      `fills of epoch ${epoch} must begin just after the previous fills`,
    );
    assert.equal(
      record.lastSeq,
      firstSeq + journalCount - 1,
      `epoch ${epoch} must count its own entries`,
    );
    nextSeq += journalCount;
    nextTrade += fillCount;
  }
  assert.equal(nextSeq, lastSeq + 1, "every journal entry must be in an epoch");
  assert.equal(rows.sealed.at(-1)?.epoch, lastOver, "every epoch that has ended must be sealed");
  const items = rows.sealed.map((record) => epochItem(record, terms.venue, new Map()));
  const verdict = await verifyChain(items, { sha256: async (data) => sha256(data) });
  assert(verdict.isValid, `the epochs must form a chain: ${verdict.steps.at(-1)?.message}`);
}

async function judgeTrees({ rows, leaves }: EpochSubjects): Promise<void> {
  for (const record of rows.sealed) {
    const hashes: Uint8Array[] = [];
    const fills: Uint8Array[] = [];
    const events =
      record.journalCount === 0 ? [] : await rows.eventsOf(record.firstSeq, record.lastSeq);
    for (const { event } of events) {
      const leaf = new Uint8Array(hashBytes);
      leaves.hashJournal(event, leaf, 0);
      hashes.push(leaf);
      if (event.kind !== EventKind.traded) continue;
      const fill = new Uint8Array(hashBytes);
      leaves.hashFill(event, fill, 0);
      fills.push(fill);
    }
    assert.equal(fills.length, record.fillCount, "every trade must have a leaf");
    const all = [...hashes, ...fills];
    assert.equal(
      hexOf(treeOf(all)),
      record.merkleRoot,
      "an epoch's root must be the root of its leaves",
    );
    await judgeTiles(rows, record, all);
  }
}

async function judgeTiles(
  rows: SimulatedEpochRows,
  { epoch }: EpochRecord,
  leaves: readonly Uint8Array[],
): Promise<void> {
  for (let first = 0; first < leaves.length; first += tileHashes) {
    const [tile] = await rows.tiles(epoch, [{ level: 0, tile: first / tileHashes }]);
    const own = Buffer.concat(leaves.slice(first, first + tileHashes));
    assert(tile !== undefined && own.equals(tile.hashes), "the tiles must match the leaves");
  }
}

/**
 * Returns the root of the leaves' Merkle tree (RFC 6962). The number of leaves in the left subtree is the largest power
 * of two below the number of all leaves.
 */
function treeOf(leaves: readonly Uint8Array[]): Uint8Array {
  const [first] = leaves;
  if (first === undefined) return sha256(new Uint8Array(0));
  if (leaves.length === 1) return first;
  const left = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  const sides = [treeOf(leaves.slice(0, left)), treeOf(leaves.slice(left))];
  return sha256(Buffer.concat([Uint8Array.of(1), ...sides]));
}

/** Verifies the proof documents that customers get, for some entries and trades. */
async function judgeProofs(subjects: EpochSubjects, { venue }: EpochTerms): Promise<void> {
  const { rows, leaves, lastSeq, below } = subjects;
  const maker = new ProofMaker(rows, leaves, async () => undefined);
  const trades = rows.sealed.reduce((sum, { fillCount }) => sum + fillCount, 0);
  for (let wanted = 0; wanted < proofsWanted; wanted++) {
    const isTrade = wanted % 3 === 0 && trades > 0;
    const proofs = isTrade
      ? await maker.byRef(`t-${1 + below(trades)}`, null)
      : await maker.bySeq(1 + below(lastSeq), null);
    assert.equal(proofs.length, isTrade ? 2 : 1, "a sealed entry must have its proofs");
    const anchors = await rows.anchors(proofs.map(({ epoch }) => epoch.epoch));
    const setting = {
      venue,
      opens: true,
      anchors: new Map(anchors.map((one) => [one.epoch, one])),
    };
    const verdicts = await verifyDocument(JSON.parse(proofsText(proofs, setting)), {
      sha256: async (data) => sha256(data),
    });
    for (const { isValid, steps } of verdicts)
      assert(isValid, `a proof must be valid: ${steps.at(-1)?.message}`);
  }
}

async function judgeAnchors({ rows, ledger }: EpochSubjects): Promise<void> {
  const commitments = await ledger.epochCommitments(ledger.operator);
  const onLedger = commitments.map(({ payload }) => `${payload["epoch"]} ${payload["root"]}`);
  const own = rows.sealed.map(({ epoch, root }) => `${epoch} ${root}`);
  assert.deepEqual(onLedger, own, "the ledger must have each epoch once, in order");
  for (const [index, { epoch }] of rows.sealed.entries()) {
    const [anchor] = await rows.anchors([epoch]);
    const { contractId, offset } = commitments[index] ?? {};
    const said = anchor?.confirmed;
    assert.equal(said?.contractId, contractId, `epoch ${epoch} must name its commitment`);
    assert.equal(said?.offset, offset, `epoch ${epoch} must name the update of its commitment`);
  }
}

function sha256(data: Uint8Array): Uint8Array {
  return new Uint8Array(createHash("sha256").update(data).digest());
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
