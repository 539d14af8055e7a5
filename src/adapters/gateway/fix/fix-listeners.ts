// The FIX listeners of a front: one for orders and drop copies, one for market data. Each has a port of its own, because
// clients of Binance connect to different endpoints for them. Spec FIX-1, FIX-35.

import type { Clock } from "../../../ports/clock.ts";
import type { StreamPublisher } from "../streams/stream-publisher.ts";
import { FixAcceptor, type FixAcceptorParts } from "./fix-acceptor.ts";
import { ContinuedNumbers } from "./fix-numbers.ts";
import { FixFeeds } from "./market-data/fix-feeds.ts";
import { ResentReports, type ResentReportsParts } from "./resent-reports.ts";

/** The settings of the listeners, as a venue or gateway is configured. */
export interface FixSettings {
  /** Port of orders and drop copies, and port of market data; null for none. */
  readonly port: number | null;
  readonly marketDataPort: number | null;
  /** Files with certificate and key as PEM; null for listeners without TLS. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
}

export interface FixOptions {
  /** Port of orders and drop copies; 0 picks a free one, null is none. */
  readonly port: number | null;
  /** Port of market data; 0 picks a free one, null is none. */
  readonly marketDataPort: number | null;
  /** Certificate and key of both as PEM; null for listeners without TLS. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
}

export interface FixListenersParts
  extends Omit<FixAcceptorParts, "resent" | "numbers">,
    ResentReportsParts {
  readonly publisher: StreamPublisher;
  readonly clock: Clock;
  readonly marketClock: Clock;
}

/** The ports of listeners that are open; 0 for one that is not. */
export interface FixPorts {
  readonly orders: number;
  readonly marketData: number;
}

export class FixListeners {
  readonly #orders: FixAcceptor | null;
  readonly #marketData: FixAcceptor | null;

  constructor(given: FixListenersParts, { port, marketDataPort, tls }: FixOptions) {
    const parts = {
      ...given,
      resent: new ResentReports(given),
      numbers: new ContinuedNumbers(),
    };
    this.#orders = port === null ? null : new FixAcceptor(parts, { port, tls, marketData: null });
    if (marketDataPort === null) {
      this.#marketData = null;
      return;
    }
    const { model, publisher, clock, marketClock, limiter } = parts;
    const feeds = new FixFeeds(model, publisher, marketClock);
    const marketData = { feeds, table: model.state.table, limiter, clock };
    this.#marketData = new FixAcceptor(parts, { port: marketDataPort, tls, marketData });
  }

  get connections(): number {
    return this.#all.reduce((sum, { connections }) => sum + connections, 0);
  }

  async listen(host: string): Promise<FixPorts> {
    return {
      orders: (await this.#orders?.listen(host)) ?? 0,
      marketData: (await this.#marketData?.listen(host)) ?? 0,
    };
  }

  /** Ends the sessions of a key that was revoked or replaced; 0 means no key. */
  endKey(keyId: number): void {
    for (const acceptor of this.#all) acceptor.endKey(keyId);
  }

  /** Called when a key's permissions or addresses have changed: ends sessions that it may not have any more. */
  checkKey(keyId: number): void {
    for (const acceptor of this.#all) acceptor.checkKey(keyId);
  }

  /** Tells clients that the venue is about to stop. */
  announceStop(): void {
    for (const acceptor of this.#all) acceptor.announceStop();
  }

  /** Logs every session out and closes the listeners. */
  close(): void {
    for (const acceptor of this.#all) acceptor.close();
  }

  get #all(): FixAcceptor[] {
    return [this.#orders, this.#marketData].filter((acceptor) => acceptor !== null);
  }
}
