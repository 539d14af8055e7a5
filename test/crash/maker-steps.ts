// What crash clients do as market makers: quotes, mass cancels and market-maker protection. Mass cancels end orders that
// the client still believes open, as a real one would learn later.

import { formatScaled } from "../../src/core/money/amounts.ts";
import type { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { type CrashMarket, isPerpetual, symbolOf } from "./crash-market.ts";
import type { Answer, TradingClient } from "./signed-client.ts";
import type { ToldHistory } from "./told-history.ts";

/** A side of a quote in an answer: its order, a refusal, or nothing. */
type SideBody = { readonly orderId?: number; readonly code?: number } | null;

interface QuoteBody {
  readonly id: number;
  readonly bid: SideBody;
  readonly ask: SideBody;
}

/** How far quotes are from the middle at least, in ticks: some of them would trade with the orders of other clients. */
const spread = 2;

export class MakerSteps {
  readonly #client: Pick<TradingClient, "send">;
  readonly #history: ToldHistory;
  readonly #random: SeededRandom;

  constructor(client: Pick<TradingClient, "send">, history: ToldHistory, random: SeededRandom) {
    this.#client = client;
    this.#history = history;
    this.#random = random;
  }

  /** Sends one request of a maker; returns its answer, or null if none came. */
  async step(place: CrashMarket): Promise<Answer | null> {
    const dice = this.#random.below(10);
    if (dice < 6) return this.#quote(place);
    const path = isPerpetual(place.market) ? "/fapi/v1" : "/api/v3";
    const symbol = symbolOf(place.market);
    const group = `group=${1 + place.market.id}`;
    if (dice < 8) {
      const covered = this.#covered(place, `symbol=${symbol}`, group);
      return this.#client.send("DELETE", `${path}/massCancel`, covered);
    }
    const turn = this.#random.below(6);
    if (turn === 0) return this.#client.send("DELETE", `${path}/mmp`, group);
    if (turn < 3) return this.#client.send("POST", `${path}/mmpReset`, group);
    // The limit is the highest, so that a trigger does not refuse the orders of the other steps.
    const symbols = encodeURIComponent(JSON.stringify([symbol]));
    const terms = `symbols=${symbols}&windowTimeInMilliseconds=1000&countLimit=1000`;
    return this.#client.send("POST", `${path}/mmpSet`, `${group}&${terms}`);
  }

  /** What a mass cancel covers: a side, a band of prices, or a group of market-maker protection. */
  #covered({ market, middle }: CrashMarket, symbol: string, group: string): string {
    const priceAt = (ticks: number) => formatScaled(ticks, market.tickDecimals);
    switch (this.#random.below(4)) {
      case 0:
        return `${symbol}&minPrice=${priceAt(middle + 1)}&maxPrice=${priceAt(middle + 4)}`;
      case 1:
        return group;
      default:
        return `${symbol}&side=${this.#random.next() < 0.5 ? "BUY" : "SELL"}`;
    }
  }

  async #quote(place: CrashMarket): Promise<Answer | null> {
    const { market } = place;
    const path = isPerpetual(market) ? "/fapi/v1/massQuote" : "/api/v3/massQuote";
    const quotes = JSON.stringify([this.#quoteOf(place, 1), this.#quoteOf(place, 2)]);
    const query = `symbol=${symbolOf(market)}&quotes=${encodeURIComponent(quotes)}`;
    const answer = await this.#client.send("POST", path, query);
    if (answer?.status !== 200) return answer;
    for (const { bid, ask } of answer.body as readonly QuoteBody[]) {
      for (const side of [bid, ask]) {
        if (side?.orderId !== undefined) this.#history.quotes.add(side.orderId);
      }
    }
    return answer;
  }

  #quoteOf({ market, middle, lotsMin }: CrashMarket, id: number): object {
    const price = (ticks: number) => formatScaled(ticks, market.tickDecimals);
    const qty = () => {
      const lots = this.#random.below(4) === 0 ? 0 : lotsMin + this.#random.below(lotsMin);
      return formatScaled(lots, market.lotDecimals);
    };
    const away = spread + this.#random.below(6);
    return {
      id,
      bidPrice: price(middle - away),
      bidQty: qty(),
      askPrice: price(middle + away),
      askQty: qty(),
    };
  }
}
