// The ledger network of a running venue. It is opened beside the venue, which trades without it: while
// it cannot be reached nothing is settled, and that is tried again until the venue stops. Once it is
// there, the settlement thread is started and does everything on it.

import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerEndpoint } from "../../ports/ledger/ledger-endpoint.ts";
import type { MasterKey } from "../../services/access/secret-box.ts";
import type { WorkerThread } from "../spawn.ts";
import { type LedgerOptions, type OpenLedger, openLedger } from "./open-ledger.ts";
import { type CallSettlement, SettlementThread } from "./settlement-thread.ts";

const pauseMs = 5_000;

export interface VenueLedgerOptions extends LedgerOptions {
  /** Told where the ledger is, once it is reached. */
  readonly onReached: (endpoint: LedgerEndpoint) => void;
  /** Starts the settlement thread. */
  readonly spawn: () => WorkerThread;
}

export class VenueLedger {
  readonly #options: VenueLedgerOptions;
  readonly #stop = new AbortController();
  readonly #opening: Promise<void>;
  #opened: OpenLedger | null = null;
  #settlement: SettlementThread | null = null;

  constructor(options: VenueLedgerOptions) {
    this.#options = options;
    this.#opening = this.#open();
  }

  /** For the operator: where the ledger is and how far. */
  async status(): Promise<object> {
    const { profile } = this.#options.config.ledger;
    if (this.#opened === null) {
      return { profile, state: profile === "none" ? "none" : "not reached", url: null };
    }
    const { network, endpoint } = this.#opened;
    const { url } = endpoint().network;
    const { operator, custody } = network;
    try {
      const { isLive, isReady, apiVersion, ledgerEnd } = await network.health();
      const state = isLive && isReady ? "open" : "not reached";
      const reached = { api_version: apiVersion, ledger_end: ledgerEnd };
      return { profile, state, url, ...reached, operator, custody };
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      return { profile, state: "not reached", url, operator, custody, fault };
    }
  }

  /** Whether the ledger has been reached. */
  get isSettling(): boolean {
    return this.#settlement !== null;
  }

  /** Settlement on it; throws where the ledger has not been reached. */
  get settlement(): CallSettlement {
    if (this.#settlement === null) throw new Error("the ledger is not reached: nothing settles");
    return this.#settlement.call;
  }

  /** The settlement thread's part in a change of the master key; one that starts later has the new ones. */
  async useMasterKeys(keys: readonly MasterKey[]): Promise<void> {
    await this.#settlement?.useMasterKeys(keys);
  }

  /** An embedded ledger takes the machine's clock as it is from now on. */
  acceptClock(): void {
    this.#opened?.acceptClock();
  }

  /** Stops settling, which needs clearing's answers: before the journal is drained. Idempotent. */
  async drain(): Promise<void> {
    this.#stop.abort();
    await this.#opening;
    await this.#settlement?.drain();
  }

  /** Has the settlement thread end. Idempotent. */
  endThread(): void {
    this.#stop.abort();
    this.#settlement?.stop();
    this.#settlement = null;
  }

  /** Stops an embedded ledger. Idempotent. */
  async close(): Promise<void> {
    this.endThread();
    await this.#opening;
    await this.#opened?.close();
    this.#opened = null;
  }

  async #open(): Promise<void> {
    const { log } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        this.#opened = await openLedger(this.#options);
        if (this.#opened === null) return;
        const { endpoint } = this.#opened;
        log.info({ url: endpoint().network.url }, "the ledger is reached");
        if (signal.aborted) return;
        this.#options.onReached(endpoint());
        const settlement = new SettlementThread(this.#options.spawn(), endpoint());
        this.#settlement = settlement;
        this.#opened.onMove(() => {
          this.#options.onReached(endpoint());
          settlement.reached(endpoint());
        });
        return;
      } catch (error) {
        // A venue that is being stopped has taken the database away; that is no fault.
        if (signal.aborted) return;
        log.error({ err: error }, "the ledger cannot be reached; nothing settles until it is");
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
