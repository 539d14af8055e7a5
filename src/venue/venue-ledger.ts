// The ledger network of a running venue. It is opened beside the venue, which trades without it: while
// it cannot be reached nothing is settled, and that is tried again until the venue stops.

import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerNetwork } from "../ports/ledger.ts";
import { type LedgerOptions, type OpenLedger, openLedger } from "./ledger-place.ts";

const pauseMs = 5_000;

export class VenueLedger {
  readonly #options: LedgerOptions;
  readonly #stop = new AbortController();
  readonly #opening: Promise<void>;
  #opened: OpenLedger | null = null;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#opening = this.#open();
  }

  /** Null while it is not there. */
  get network(): LedgerNetwork | null {
    return this.#opened?.network ?? null;
  }

  /** For the operator: where the ledger is and how far. */
  async status(): Promise<object> {
    const { profile } = this.#options.config.ledger;
    if (this.#opened === null) {
      return { profile, state: profile === "none" ? "none" : "not reached", url: null };
    }
    const { network, url } = this.#opened;
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

  /** Stops an embedded ledger. Idempotent. */
  async close(): Promise<void> {
    this.#stop.abort();
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
        if (this.#opened !== null) log.info({ url: this.#opened.url }, "the ledger is there");
        return;
      } catch (error) {
        // A venue that is being stopped has taken the database away; that is no fault.
        if (signal.aborted) return;
        log.error({ err: error }, "the ledger cannot be opened; nothing is settled until it is");
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
