// Epochs and proofs as JSON; the fields are in docs/spec/epochs.md (CHN-2, CHN-9). Numbers that a double may
// not hold exactly are strings; hashes are lower-case hexadecimal.

import { LeafKind, refText } from "../../../../engine/epochs/leaf.ts";
import type { EpochRecord } from "../../../../ports/journal/epoch-store.ts";
import type { EpochAnchor } from "../../../../ports/ledger/epoch-anchors.ts";
import type { Proof } from "../../../../services/epochs/proof-maker.ts";

/** Fields that show whether an epoch's commitment was submitted to the ledger, and where the ledger confirmed it. */
function anchorFields(anchor: EpochAnchor | undefined): object {
  if (anchor === undefined) return { status: "sealed" };
  const { network, confirmed } = anchor;
  if (confirmed === null) return { status: "submitted", network };
  const { updateId, offset, contractId, recordTime } = confirmed;
  return {
    status: "confirmed",
    network,
    update_id: updateId,
    contract_id: contractId,
    offset,
    record_time: recordTime,
  };
}

/** Anchors by epoch number. */
export type Anchors = ReadonlyMap<number, EpochAnchor>;

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** The fields of an epoch that its root commits to, and the root. */
export function epochFields(epoch: EpochRecord, venue: string): object {
  return {
    venue,
    epoch: `${epoch.epoch}`,
    start_ms: `${epoch.startMs}`,
    end_ms: `${epoch.endMs}`,
    first_seq: `${epoch.firstSeq}`,
    last_seq: `${epoch.lastSeq}`,
    journal_count: `${epoch.journalCount}`,
    fill_count: `${epoch.fillCount}`,
    merkle_root: epoch.merkleRoot,
    prev_root: epoch.prevRoot,
    root: epoch.root,
  };
}

/** A single epoch, with the blob of its commitment, which lists omit. */
export function epochText(
  epoch: EpochRecord,
  venue: string,
  anchor: EpochAnchor | undefined,
  blob: string | null,
): string {
  const shown = anchorFields(anchor);
  const whole = blob === null ? shown : { ...shown, created_event_blob: blob };
  return JSON.stringify({ ...epochFields(epoch, venue), anchor: whole });
}

/** An epoch in a list. */
export function epochItem(epoch: EpochRecord, venue: string, anchors: Anchors): object {
  return { ...epochFields(epoch, venue), anchor: anchorFields(anchors.get(epoch.epoch)) };
}

export interface ProofSetting {
  readonly venue: string;
  readonly anchors: Anchors;
  /** True if the proof is for the owner, who also sees the body, nonce and sides of the leaf. */
  readonly opens: boolean;
}

/** The JSON document of several proofs. */
export function proofsText(proofs: readonly Proof[], setting: ProofSetting): string {
  const items = proofs.map((proof) => proofFields(proof, setting));
  return JSON.stringify({ version: 1, hash: "sha256", proofs: items });
}

/** One proof as an object of the answer. */
export function proofFields(proof: Proof, { venue, anchors, opens }: ProofSetting): object {
  const { leaf, leafIndex, treeSize, auditPath, epoch } = proof;
  const { kind, number, tsUs, type, ref } = leaf.fields;
  return {
    leaf: {
      kind: kind === LeafKind.fill ? "fill" : "journal",
      seq: `${number}`,
      ts_us: `${tsUs}`,
      type,
      ref_id: refText(ref),
      body_hash: hex(leaf.bodyHash),
      leaf_data: hex(leaf.data),
      leaf_hash: hex(leaf.hash),
      ...(opens && openedFields(proof)),
    },
    leaf_index: leafIndex,
    tree_size: treeSize,
    audit_path: auditPath.map(hex),
    epoch: epochFields(epoch, venue),
    anchor: anchorFields(anchors.get(epoch.epoch)),
  };
}

function openedFields({ leaf, sides }: Proof): object {
  return {
    nonce: hex(leaf.nonce),
    body: JSON.parse(leaf.body),
    ...(sides.length > 0 && {
      sides: sides.map(({ role, nonce, body }) => ({
        role,
        nonce: hex(nonce),
        body: JSON.parse(body),
      })),
    }),
  };
}
