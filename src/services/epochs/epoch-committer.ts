// Commits sealed epochs to the ledger, oldest first, each exactly once. The ledger's chain contract decides: it accepts
// only the epoch with the next number and with the last root as its previous root. So after a lost answer the chain
// shows whether the attempt succeeded. Sealing never waits for commits.
//
//   oldest unconfirmed epoch e, chain's next number n
//     n = e   store the attempt, then commit with the command id epc:<venue>:<e>
//     n > e   e is on the ledger already: find its update and store the confirmation
//     n < e   the ledger lacks an epoch that it confirmed earlier: an operator must look

import type { EpochRecord } from "../../ports/journal/epoch-store.ts";
import type { EpochAnchorStore, EpochCommitment } from "../../ports/ledger/epoch-anchors.ts";
import type {
  ChangeKey,
  Committed,
  LedgerContract,
  LedgerNetwork,
} from "../../ports/ledger/ledger.ts";

/** The result of a step. `waiting` requires a pause, `stopped` an operator. */
export type CommitStep =
  | { readonly kind: "idle" }
  | { readonly kind: "confirmed"; readonly epoch: number }
  | { readonly kind: "waiting"; readonly message: string }
  | { readonly kind: "stopped"; readonly message: string };

export interface CommitterParts {
  readonly venue: string;
  /** Name of the ledger's profile, which proofs show as the network of the anchor. */
  readonly networkName: string;
  readonly network: LedgerNetwork;
  readonly anchors: EpochAnchorStore;
  /** Returns an id that was never used before. */
  readonly freshId: () => string;
}

export class EpochCommitter {
  readonly #parts: CommitterParts;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  /** Commits one more epoch, if any; throws if the ledger or the store is unreachable. */
  async step(): Promise<CommitStep> {
    const { anchors } = this.#parts;
    const last = await anchors.lastConfirmed();
    const epoch = await anchors.nextSealed(last?.epoch ?? null);
    if (epoch === null) return { kind: "idle" };
    const chain = await this.#chain();
    if (chain === null) return this.#openChain(epoch);
    const next = Number(chain.payload["nextEpoch"]);
    if (next < epoch.epoch) {
      const message = `the ledger's chain expects epoch ${next}, but all epochs before ${epoch.epoch} were confirmed`;
      return { kind: "stopped", message };
    }
    return next > epoch.epoch ? this.#confirmLost(epoch) : this.#commit(epoch, chain);
  }

  async #commit(epoch: EpochRecord, chain: LedgerContract): Promise<CommitStep> {
    const { network, anchors } = this.#parts;
    const change = await this.#attempt(epoch);
    const outcome = await network.commitEpoch({
      ...change,
      chainCid: chain.contractId,
      header: headerOf(epoch),
      root: epoch.root,
    });
    if (outcome.kind === "committed") {
      await anchors.confirm(epoch.epoch, commitmentOf(outcome));
      return { kind: "confirmed", epoch: epoch.epoch };
    }
    const message = `epoch ${epoch.epoch} was not committed: ${outcome.message}`;
    const isFinal = outcome.kind === "rejected" && outcome.action === "stop";
    return { kind: isFinal ? "stopped" : "waiting", message };
  }

  /**
   * Confirms an epoch that the chain has already passed: an earlier attempt succeeded, but its answer was lost. Finds
   * the update on the ledger.
   */
  async #confirmLost(epoch: EpochRecord): Promise<CommitStep> {
    const { network, anchors, venue } = this.#parts;
    const [anchor] = await anchors.anchors([epoch.epoch]);
    if (anchor === undefined) {
      const message = `the ledger has epoch ${epoch.epoch}, which this venue did not send`;
      return { kind: "stopped", message };
    }
    const { operator } = network;
    const found = await network.lookup({ ...this.#changeOf(epoch, anchor.dedupOffset) });
    if (found.kind !== "committed") {
      const message = `the ledger has epoch ${epoch.epoch}; its update is not found yet`;
      return { kind: "waiting", message };
    }
    const commitments = await network.epochCommitments(operator);
    const commitment = commitments.find(
      ({ payload }) => payload["venue"] === venue && Number(payload["epoch"]) === epoch.epoch,
    );
    const { updateId, offset } = found;
    const { contractId = null, blob = null } = commitment ?? {};
    await anchors.confirm(epoch.epoch, { updateId, offset, contractId, recordTime: null, blob });
    return { kind: "confirmed", epoch: epoch.epoch };
  }

  /** Opens the venue's chain contract, which must exist before the first commitment. */
  async #openChain(first: EpochRecord): Promise<CommitStep> {
    const { network, venue } = this.#parts;
    const change: ChangeKey = {
      commandId: `epc:${venue}:open`,
      actAs: [network.operator],
      // With offset 0, the ledger refuses a second such command for as long as it remembers the first one.
      dedupOffset: 0,
      submissionId: this.#parts.freshId(),
    };
    const outcome = await network.openEpochChain({
      ...change,
      venue,
      nextEpoch: first.epoch,
      prevRoot: first.prevRoot,
    });
    if (outcome.kind === "committed") return { kind: "waiting", message: "the chain was opened" };
    return { kind: "waiting", message: `the chain was not opened: ${outcome.message}` };
  }

  async #attempt(epoch: EpochRecord): Promise<ChangeKey> {
    const { network, anchors, networkName } = this.#parts;
    const { commandId } = this.#changeOf(epoch, 0);
    const dedupOffset = await network.ledgerEnd();
    const { root } = epoch;
    const attempt = { epoch: epoch.epoch, commandId, network: networkName, dedupOffset, root };
    const anchor = await anchors.attempt(attempt);
    return this.#changeOf(epoch, anchor.dedupOffset);
  }

  #changeOf({ epoch }: EpochRecord, dedupOffset: number): ChangeKey {
    const { venue, network, freshId } = this.#parts;
    return {
      commandId: `epc:${venue}:${epoch}`,
      actAs: [network.operator],
      dedupOffset,
      submissionId: freshId(),
    };
  }

  async #chain(): Promise<LedgerContract | null> {
    const { network, venue } = this.#parts;
    const chains = await network.epochChains(network.operator);
    return chains.find(({ payload }) => payload["venue"] === venue) ?? null;
  }
}

function headerOf(epoch: EpochRecord): Readonly<Record<string, string>> {
  return {
    epoch: `${epoch.epoch}`,
    startMs: `${epoch.startMs}`,
    endMs: `${epoch.endMs}`,
    firstSeq: `${epoch.firstSeq}`,
    lastSeq: `${epoch.lastSeq}`,
    journalCount: `${epoch.journalCount}`,
    fillCount: `${epoch.fillCount}`,
    merkleRoot: epoch.merkleRoot,
    prevRoot: epoch.prevRoot,
  };
}

function commitmentOf(committed: Committed): EpochCommitment {
  const { updateId, offset, recordTime, created } = committed;
  const commitment = created.find(({ templateId }) => templateId.endsWith(":EpochCommitment"));
  const { contractId = null, blob = null } = commitment ?? {};
  return { updateId, offset, recordTime, contractId, blob };
}
