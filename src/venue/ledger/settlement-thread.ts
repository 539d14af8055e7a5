// The main thread's access to the settlement thread: passes it the ledger's endpoint and the operator's calls, and
// drains it. It is drained before the journal, because it waits for commits of the journal.

import type { LedgerEndpoint } from "../../ports/ledger/ledger-endpoint.ts";
import type { MasterKey } from "../../services/access/secret-box.ts";
import type { SettlementCalls } from "../../services/settlement/settlement-loop.ts";
import type { swapCalls } from "../../services/swaps/swap-execution.ts";
import type { ControlMessage } from "../../wire/generated/control-messages.ts";
import type { WorkerThread } from "../spawn.ts";

type Answer = Extract<ControlMessage, { kind: "answer" }>;

/** The operator's calls to settlement and swaps. */
type OperatorCalls = SettlementCalls & ReturnType<typeof swapCalls>;

/** Makes one of these calls; rejects with a message for the operator. */
export type CallSettlement = <Call extends keyof OperatorCalls>(
  call: Call,
  ...parameters: Parameters<OperatorCalls[Call]>
) => Promise<object>;

export class SettlementThread {
  readonly #worker: WorkerThread;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastNumber = 0;
  #isStopped = false;

  constructor(worker: WorkerThread, endpoint: LedgerEndpoint) {
    this.#worker = worker;
    worker.hear("answer", (answer) => {
      this.#waiting.get(answer.number)?.(answer);
      this.#waiting.delete(answer.number);
    });
    this.reached(endpoint);
  }

  /** Passes the ledger's endpoint, also after the ledger has moved. */
  reached(endpoint: LedgerEndpoint): void {
    if (!this.#isStopped) this.#worker.tell({ kind: "ledger", endpoint });
  }

  /** Replaces the master keys. */
  async useMasterKeys(keys: readonly MasterKey[]): Promise<void> {
    if (this.#isStopped) return;
    const keyed = this.#worker.next("keyed");
    this.#worker.tell({ kind: "master-keys", keys });
    await keyed;
  }

  /** Stops the settlement thread's work after the current step and refuses waiting calls. Idempotent. */
  async drain(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const drained = this.#worker.next("drained");
    this.#worker.tell({ kind: "drain" });
    await drained;
    this.#refuseAll();
  }

  /** Lets the thread exit. */
  stop(): void {
    this.#isStopped = true;
    this.#worker.tell({ kind: "stop" });
    this.#refuseAll();
  }

  #refuseAll(): void {
    for (const [number, answer] of this.#waiting)
      answer({ kind: "answer", number, result: null, fault: "settlement was stopped" });
    this.#waiting.clear();
  }

  readonly call: CallSettlement = (call, ...parameters) => {
    if (this.#isStopped) return Promise.reject(new Error("settlement was stopped"));
    this.#lastNumber++;
    const number = this.#lastNumber;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, ({ result, fault }) => {
        if (fault === null) resolve(result as object);
        else reject(new Error(fault));
      });
      this.#worker.tell({ kind: "call", number, call, parameters });
    });
  };
}
