// Reads every price source at an interval and sends index prices of perpetual markets to clearing, each with
// its expiry. If the sources stop answering, nothing is sent, and the price expires in clearing. The operator is told which
// sources fail.

import { assert } from "../../core/assert.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { isPerpetual, type Market, type MarketTable } from "../../core/markets.ts";
import { parseScaled } from "../../core/money/amounts.ts";
import { IndexOrigin } from "../../core/perpetuals/index-price.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { ClearingClient } from "../../ports/clearing-client.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { PriceAnswer, PriceSource, PriceSourceState } from "../../ports/price-source.ts";
import { IndexComposition } from "./index-composition.ts";

export interface IndexFeedParts {
  readonly sources: readonly PriceSource[];
  readonly table: MarketTable;
  readonly clearing: ClearingClient;
  readonly clock: Clock;
  readonly log: Log;
  /** Maximum age of a reading in milliseconds. */
  readonly staleMs: number;
  /** Called with the state of all sources when one of them begins or ceases to fail, and after the first round. */
  readonly onStates: (states: readonly PriceSourceState[]) => void;
}

export class IndexFeed {
  readonly #parts: IndexFeedParts;
  /** Index compositions by market. */
  readonly #compositions = new Map<number, IndexComposition>();
  /** The time of the newest reading sent to clearing, by market. */
  readonly #sentMs = new Map<number, number>();
  /** Of each source; null before its first reading. */
  readonly #states: Array<PriceSourceState | null>;
  #isTold = false;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(parts: IndexFeedParts) {
    this.#parts = parts;
    this.#states = parts.sources.map(() => null);
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
    this.#tellStates();
    await Promise.all([...this.#compositions].map(([market, one]) => this.#tell(market, one)));
  }

  async #readSource(source: PriceSource, index: number): Promise<void> {
    const answer = await source.read();
    this.#noteState(source.name, index, this.#take(answer, index));
  }

  /** Takes the readings of perpetuals; returns why there is none that counts, or null. */
  #take(answer: PriceAnswer, index: number): string | null {
    const { table, clock, staleMs } = this.#parts;
    if (answer.kind === "fault") return answer.message;
    let newestMs = 0;
    for (const { symbol, price, atMs } of answer.readings) {
      const market = table.find(symbol.toUpperCase());
      if (market === undefined || !isPerpetual(market)) continue;
      const ticks = ticksOf(price, market);
      if (ticks === 0) continue;
      this.#compositionOf(market.id).take(index, ticks, atMs);
      newestMs = Math.max(newestMs, atMs);
    }
    if (newestMs === 0) return "it has no price of a perpetual of this venue";
    return clock.nowMs() - newestMs < staleMs ? null : "its prices are too old";
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
  #noteState(name: string, index: number, message: string | null): void {
    const { log, clock } = this.#parts;
    const known = this.#states[index];
    const before = known?.failing ?? null;
    if (known != null && (before?.message ?? null) === message) return;
    // The reason may change, such as when a server comes back without prices; the source fails since the first one.
    const sinceMs = before?.sinceMs ?? clock.nowMs();
    this.#states[index] = { name, failing: message === null ? null : { sinceMs, message } };
    this.#isTold = false;
    if (message !== null && before !== null) return;
    if (message !== null) log.warn({ source: name, words: message }, "a price source fails");
    else if (before !== null) log.info({ source: name }, "a price source has recovered");
  }

  #tellStates(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#parts.onStates(this.#states.filter((state) => state !== null));
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
