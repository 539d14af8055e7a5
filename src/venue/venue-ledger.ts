// The ledger network of a running venue. It is opened beside the venue, which trades without it: while
// it cannot be reached nothing is settled, and that is tried again until the venue stops.

import { setTimeout as sleep } from "node:timers/promises";
import type { MarketTable } from "../core/markets.ts";
import type { LedgerNetwork } from "../ports/ledger.ts";
import type { Desk } from "./desk.ts";
import { type LedgerOptions, type OpenLedger, openLedger } from "./ledger-place.ts";
import { Settlement } from "./settlement.ts";

const pauseMs = 5_000;

export interface VenueLedgerOptions extends LedgerOptions {
  readonly desk: Desk;
  readonly table: MarketTable;
  readonly committedSeq: () => number;
}

export class VenueLedger {
  readonly #options: VenueLedgerOptions;
  readonly #stop = new AbortController();
  readonly #opening: Promise<void>;
  #opened: OpenLedger | null = null;
  #settlement: Settlement | null = null;

  constructor(options: VenueLedgerOptions) {
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

  /** Settlement on it; throws where the ledger has not been reached. */
  get settlement(): Settlement {
    if (this.#settlement === null) throw new Error("the ledger is not there: nothing is settled");
    return this.#settlement;
  }

  /** Stops settling, which needs clearing's answers: before the threads are ended. Idempotent. */
  async stopSettling(): Promise<void> {
    this.#stop.abort();
    await this.#opening;
    await this.#settlement?.stop();
    this.#settlement = null;
  }

  /** Stops an embedded ledger. Idempotent. */
  async close(): Promise<void> {
    await this.stopSettling();
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
        log.info({ url: this.#opened.url }, "the ledger is there");
        this.#settlement = new Settlement({ ...this.#options, ledger: this.#opened });
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
