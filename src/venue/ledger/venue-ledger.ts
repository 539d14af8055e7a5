// The ledger network of a running venue. The venue opens without waiting for it, because trading needs no ledger. While
// the ledger cannot be reached, nothing settles, and the venue retries until it stops. Once the ledger is reached, the
// settlement thread starts and does all work on it.

import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerEndpoint } from "../../ports/ledger/ledger-endpoint.ts";
import type { MasterKey } from "../../services/access/secret-box.ts";
import type { WorkerThread } from "../spawn.ts";
import { type LedgerOptions, type OpenLedger, openLedger } from "./open-ledger.ts";
import { type CallSettlement, SettlementThread } from "./settlement-thread.ts";

const pauseMs = 5_000;

export interface VenueLedgerOptions extends LedgerOptions {
  /** Called with the endpoint once the ledger is reached. */
  readonly onReached: (endpoint: LedgerEndpoint) => void;
  /** Unix ms at which the ledger's updates were last read to their end; 0 before the first time. */
  readonly followedMs: () => number;
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

  /** Returns the ledger's endpoint, state and offset, for the operator. */
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
      // A ledger that does not answer has no figures; zero would look like an empty one.
      if (!isLive || !isReady) return { ...this.#away(), url, operator, custody };
      const reached = { api_version: apiVersion, ledger_end: ledgerEnd };
      return { profile, state: "open", url, ...reached, operator, custody };
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      return { ...this.#away(), url, operator, custody, fault };
    }
  }

  /** What is said of a ledger that does not answer: since when, if it has been read before. */
  #away(): object {
    const { config, followedMs } = this.#options;
    const since = followedMs();
    const read = since === 0 ? {} : { not_read_since: new Date(since).toISOString() };
    return { profile: config.ledger.profile, state: "not reached", ...read };
  }

  /** Whether the ledger has been reached. */
  get isSettling(): boolean {
    return this.#settlement !== null;
  }

  /** Makes calls to settlement; throws if the ledger has not been reached. */
  get settlement(): CallSettlement {
    if (this.#settlement === null)
      throw new Error("the ledger cannot be reached; no fills are settled");
    return this.#settlement.call;
  }

  /** Passes new master keys to the settlement thread; a thread started later gets them at its start. */
  async useMasterKeys(keys: readonly MasterKey[]): Promise<void> {
    await this.#settlement?.useMasterKeys(keys);
  }

  /** Makes an embedded ledger adopt the machine's clock. */
  acceptClock(): void {
    this.#opened?.acceptClock();
  }

  /**
   * Stops settlement. This comes before the journal is drained, because settlement needs clearing's replies.
   * Idempotent.
   */
  async drain(): Promise<void> {
    this.#stop.abort();
    await this.#opening;
    await this.#settlement?.drain();
  }

  /** Lets the settlement thread exit. Idempotent. */
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
        log.info({ url: endpoint().network.url }, "the ledger can be reached");
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
        // While the venue stops, an error here is expected: the database may already be closed.
        if (signal.aborted) return;
        log.error({ err: error }, "the ledger cannot be reached; nothing settles until it is");
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
