// Sends one change to the network and says how it ended, whoever's change it is: one body, one answer,
// one outcome. A change that turns out to be committed already is answered as committed.

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
  /** One transaction. */
  readonly commands: readonly ApiCommand[];
  readonly disclosed: readonly DisclosedContract[];
  /** The template whose contracts are answered with their blobs. */
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

  /** The change is committed already: by its completion, and what it created where that is seen. */
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
    // Said to be there and not found: it may be just before its completion is readable.
    return { kind: "unknown", cause: "state-unknown", message: "committed, but not found yet" };
  }
}

/** Each disclosed contract once: legs of one instrument share their registry's. */
export function once(contracts: readonly DisclosedContract[]): DisclosedContract[] {
  return [...new Map(contracts.map((each) => [each.createdEventBlob, each])).values()];
}
