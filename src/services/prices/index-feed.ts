// Reads every price source at an interval and sends index prices of perpetual markets to clearing, each with
// its expiry. If the sources stop answering, nothing is sent, and the price expires in clearing.

import { assert } from "../../core/assert.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { isPerpetual, type Market, type MarketTable } from "../../core/markets.ts";
import { parseScaled } from "../../core/money/amounts.ts";
import { IndexOrigin } from "../../core/perpetuals/index-price.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { ClearingClient } from "../../ports/clearing-client.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { PriceSource } from "../../ports/price-source.ts";
import { IndexComposition } from "./index-composition.ts";

export interface IndexFeedParts {
  readonly sources: readonly PriceSource[];
  readonly table: MarketTable;
  readonly clearing: ClearingClient;
  readonly clock: Clock;
  readonly log: Log;
  /** Maximum age of a reading in milliseconds. */
  readonly staleMs: number;
}

export class IndexFeed {
  readonly #parts: IndexFeedParts;
  /** Index compositions by market. */
  readonly #compositions = new Map<number, IndexComposition>();
  /** The time of the newest reading sent to clearing, by market. */
  readonly #sentMs = new Map<number, number>();
  /** Sources whose last reading failed. */
  readonly #failing = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(parts: IndexFeedParts) {
    this.#parts = parts;
  }

  /** Runs `round` repeatedly, with pauses of `intervalMs`, until the feed is closed. */
  start(intervalMs: number): void {
    assert(this.#timer === null, "an index feed must be started only once");
    const next = () => {
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => {
        this.round()
          .catch((err) =>
            this.#parts.log.warn({ err }, "the index price was not sent; it is retried"),
          )
          .finally(next);
      }, intervalMs);
    };
    next();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Reads all sources once and sends new prices to clearing. */
  async round(): Promise<void> {
    const { sources } = this.#parts;
    await Promise.all(sources.map((source, index) => this.#readSource(source, index)));
    if (this.#isClosed) return;
    await Promise.all([...this.#compositions].map(([market, one]) => this.#tell(market, one)));
  }

  async #readSource(source: PriceSource, index: number): Promise<void> {
    const { table } = this.#parts;
    const answer = await source.read();
    this.#noteFault(source.name, answer.kind === "fault" ? answer.message : null);
    if (answer.kind === "fault") return;
    for (const { symbol, price, atMs } of answer.readings) {
      const market = table.find(symbol.toUpperCase());
      if (market === undefined || !isPerpetual(market)) continue;
      const ticks = ticksOf(price, market);
      if (ticks > 0) this.#compositionOf(market.id).take(index, ticks, atMs);
    }
  }

  async #tell(id: number, composition: IndexComposition): Promise<void> {
    const { table, clearing, clock, log, staleMs } = this.#parts;
    const price = composition.compose(clock.nowMs());
    const market = table.market(id);
    if (price === null || price.atMs <= (this.#sentMs.get(id) ?? 0)) return;
    const { reason } = await clearing.send({
      kind: CommandKind.setReference,
      account: 0,
      market: id,
      origin: IndexOrigin.feed,
      price: price.ticks,
      untilUs: (price.atMs + staleMs) * 1000,
    });
    if (reason === RejectReason.none) this.#sentMs.set(id, price.atMs);
    else log.warn({ market: market.symbol, reason }, "clearing refused an index price");
  }

  #compositionOf(market: number): IndexComposition {
    const known = this.#compositions.get(market);
    if (known !== undefined) return known;
    const made = new IndexComposition(this.#parts.staleMs);
    this.#compositions.set(market, made);
    return made;
  }

  /** Logs once when a source starts failing and once when it recovers. */
  #noteFault(source: string, message: string | null): void {
    const { log } = this.#parts;
    if (message !== null && !this.#failing.has(source)) {
      this.#failing.add(source);
      log.warn({ source, words: message }, "a price source fails");
    } else if (message === null && this.#failing.delete(source)) {
      log.info({ source }, "a price source has recovered");
    }
  }
}

/** Converts a decimal price to ticks of the market: rounded down, at least 1; 0 if the price is out of range. */
function ticksOf(price: string, { tickDecimals, priceTicksMax }: Market): number {
  const [whole = "", fraction = ""] = price.split(".");
  const cut =
    tickDecimals > 0 ? `${whole}.${fraction.slice(0, tickDecimals).padEnd(1, "0")}` : whole;
  const ticks = parseScaled(cut, tickDecimals);
  return ticks < 0 || ticks > priceTicksMax ? 0 : Math.max(ticks, 1);
}
