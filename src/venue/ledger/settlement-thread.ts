// The settlement thread as the main thread sees it: it is told where the ledger is, asked what the
// operator asks, and drained before the journal, whose commits it waits for.

import type { LedgerEndpoint } from "../../ports/ledger/ledger-endpoint.ts";
import type { MasterKey } from "../../services/access/secret-box.ts";
import type { SettlementCalls } from "../../services/settlement/settlement-loop.ts";
import type { swapCalls } from "../../services/swaps/swap-execution.ts";
import type { ControlMessage } from "../../wire/generated/control-messages.ts";
import type { WorkerThread } from "../spawn.ts";

type Answer = Extract<ControlMessage, { kind: "answer" }>;

/** What settlement and swaps answer to an operator, wherever they run. */
type OperatorCalls = SettlementCalls & ReturnType<typeof swapCalls>;

/** Asks one of them; refused in words for the operator. */
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

  /** Says where the ledger is; again when it has come back somewhere else. */
  reached(endpoint: LedgerEndpoint): void {
    if (!this.#isStopped) this.#worker.tell({ kind: "ledger", endpoint });
  }

  /** These master keys from now on. */
  async useMasterKeys(keys: readonly MasterKey[]): Promise<void> {
    if (this.#isStopped) return;
    const keyed = this.#worker.next("keyed");
    this.#worker.tell({ kind: "master-keys", keys });
    await keyed;
  }

  /** Ends the loop after the step under way; calls that wait for it are refused. Idempotent. */
  async drain(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const drained = this.#worker.next("drained");
    this.#worker.tell({ kind: "drain" });
    await drained;
    this.#refuseAll();
  }

  /** The thread ends by itself. */
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

  /** What the operator asks, by the name of its call. */
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
