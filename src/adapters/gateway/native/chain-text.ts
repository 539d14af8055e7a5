// Epochs and proofs as JSON, field for field as ledger.md e.3: numbers that may outgrow a double are
// texts, hashes are lower-case hexadecimal.

import { LeafKind } from "../../../engine/epochs/leaf.ts";
import type { EpochRecord } from "../../../ports/epoch-store.ts";
import type { Proof } from "../../../services/epochs/proof-maker.ts";

/** Where a commitment stands on its way to the ledger. */
const sealedOnly = { status: "sealed" } as const;

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function epochFields(epoch: EpochRecord, venue: string): object {
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

/** An epoch as a list shows it. */
export function epochItem(epoch: EpochRecord, venue: string): object {
  return { ...epochFields(epoch, venue), anchor: sealedOnly };
}

/** The document of some proofs; `opens` shows their owner body, nonce and side. */
export function proofsText(proofs: readonly Proof[], venue: string, opens: boolean): string {
  const items = proofs.map((proof) => proofFields(proof, venue, opens));
  return JSON.stringify({ version: 1, hash: "sha256", proofs: items });
}

function proofFields(proof: Proof, venue: string, opens: boolean): object {
  const { leaf, leafIndex, treeSize, auditPath, epoch } = proof;
  const { kind, number, tsUs, type, ref } = leaf.fields;
  return {
    leaf: {
      kind: kind === LeafKind.fill ? "fill" : "journal",
      seq: `${number}`,
      ts_us: `${tsUs}`,
      type,
      ref_id: ref,
      body_hash: hex(leaf.bodyHash),
      leaf_data: hex(leaf.data),
      leaf_hash: hex(leaf.hash),
      ...(opens && openedFields(proof)),
    },
    leaf_index: leafIndex,
    tree_size: treeSize,
    audit_path: auditPath.map(hex),
    epoch: epochFields(epoch, venue),
    anchor: sealedOnly,
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
