// Submits one change to the network in one request and returns its outcome. A change that is already committed is
// reported as committed.

import type { ChangeKey, Lookup, Outcome, Party } from "../../ports/ledger/ledger.ts";
import type { ApiCommand, DisclosedContract, TransactionFormat } from "./api-shapes.ts";
import { lookUp } from "./completion-lookup.ts";
import type { LedgerApiClient } from "./ledger-api-client.ts";
import { classifyFault } from "./outcome.ts";
import { changesOf, committedOf } from "./update-parsing.ts";

export interface Submission {
  readonly change: ChangeKey;
  readonly lane: string;
  readonly readAs: readonly Party[];
  /** Commands of the change, which form one transaction. */
  readonly commands: readonly ApiCommand[];
  readonly disclosed: readonly DisclosedContract[];
  /** Template whose created contracts are returned with their blobs. */
  readonly shown?: string;
}

export class LedgerSubmitter {
  readonly #api: LedgerApiClient;
  readonly #userId: string;
  readonly #pageMax: number;

  constructor(api: LedgerApiClient, userId: string, pageMax: number) {
    this.#api = api;
    this.#userId = userId;
    this.#pageMax = pageMax;
  }

  lookup(change: ChangeKey): Promise<Lookup> {
    return lookUp(change, this.#pageMax, (after) =>
      this.#api.completions(this.#userId, change.actAs, after, this.#pageMax),
    );
  }

  async submit(submission: Submission): Promise<Outcome> {
    const { change, lane, readAs, commands, disclosed, shown } = submission;
    const transactionFormat = changesOf([...change.actAs, ...readAs], shown);
    const answer = await this.#api.submit({
      commands: {
        commands: [...commands],
        commandId: change.commandId,
        actAs: [...change.actAs],
        userId: this.#userId,
        readAs: [...readAs],
        workflowId: `lane:${lane}`,
        submissionId: change.submissionId,
        deduplicationPeriod: { DeduplicationOffset: { value: change.dedupOffset } },
        disclosedContracts: [...disclosed],
      },
      transactionFormat,
    });
    if (answer.kind === "ok") return committedOf(answer.value);
    const outcome = classifyFault(answer.fault);
    return outcome.kind === "duplicate" ? this.earlier(change, transactionFormat) : outcome;
  }

  /**
   * Returns the outcome of a change that is already committed, read from its completion. Includes the created contracts
   * if they are visible.
   */
  async earlier(change: ChangeKey, format: TransactionFormat): Promise<Outcome> {
    try {
      const found = await this.lookup(change);
      if (found.kind === "committed") {
        const transaction = await this.#api.updateAt(found.offset, format);
        if (transaction !== null) return committedOf(transaction);
      }
    } catch (error) {
      return { kind: "unknown", cause: "transport", message: String(error) };
    }
    // The network reports a commit that the lookup did not find. The completion may not be readable yet.
    return {
      kind: "unknown",
      cause: "state-unknown",
      message: "the transaction is committed, but it cannot be found yet",
    };
  }
}

/** Returns each disclosed contract once, because legs of one instrument have the same contracts of its registry. */
export function once(contracts: readonly DisclosedContract[]): DisclosedContract[] {
  return [...new Map(contracts.map((each) => [each.createdEventBlob, each])).values()];
}
