// The venue of a replay, behind its control socket: plays steps, lets the reference price of a perpetual follow history, and
// reads the public book as a member does.

import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { formatScaled } from "../../core/money/amounts.ts";
import type { House, OpenAnswer, PlayAnswer } from "./history-calls.ts";
import type { MarketTime } from "./market-time.ts";
import type { PastLevel } from "./past-events.ts";
import type { VenueCall } from "./replay-accounts.ts";
import type { HistoryVenue } from "./replay-run.ts";
import type { NumberedSteps } from "./step-batch.ts";

/** How long a reference price counts after the last one, in seconds: a replay may pause. */
const referenceSeconds = 3600;
/**
 * Least time of history between two reference prices, the least move of the middle for another one, and the time after which
 * the same one is told again.
 */
const [referenceUs, referenceMove, againUs] = [1_000_000, 0.0005, 1_200_000_000];
/** A front shows what is committed soon after the reply. */
const [showMsMax, showPollMs] = [2_000, 5];

const level = z.tuple([z.string(), z.string()]);
const depth = z.object({ bids: z.array(level), asks: z.array(level) });

interface CalledVenueParts {
  readonly house: House;
  readonly market: OpenAnswer;
  /** The venue's URL. */
  readonly address: string;
  readonly time: MarketTime;
}

export class CalledVenue implements HistoryVenue {
  readonly #call: VenueCall;
  readonly #house: House;
  readonly #market: OpenAnswer;
  /** The URL of the public book. */
  readonly #bookUrl: string;
  #lastTrade: number;
  #reachedUs = 0;
  #toldUs = Number.NEGATIVE_INFINITY;
  #told = 0;

  readonly #time: MarketTime;

  constructor(call: VenueCall, { house, market, address, time }: CalledVenueParts) {
    this.#call = call;
    this.#house = house;
    this.#market = market;
    this.#time = time;
    this.#lastTrade = market.lastTrade;
    const path = market.isPerpetual ? "/compat/fapi/v1" : "/compat/api/v3";
    this.#bookUrl = `${address}${path}/depth?symbol=${market.alias}&limit=5`;
  }

  get followsEvents(): boolean {
    return this.#time.followsEvents;
  }

  reach(atUs: number): Promise<void> {
    this.#reachedUs = atUs;
    return this.#time.reach(atUs);
  }

  async play(steps: NumberedSteps, settles: boolean): Promise<PlayAnswer> {
    const request = { ...this.#house, ...steps, settles, sinceTrade: this.#lastTrade };
    const answer = (await this.#call("history/play", request)) as PlayAnswer;
    this.#lastTrade = answer.lastTrade;
    return answer;
  }

  /** The reference price of a perpetual follows the recording, because the venue's own spot market knows nothing of it. */
  async tellMiddle(ticks: number): Promise<void> {
    const { isPerpetual, tickDecimals, alias } = this.#market;
    const sinceUs = this.#reachedUs - this.#toldUs;
    const isNear = Math.abs(ticks - this.#told) < referenceMove * this.#told;
    if (!isPerpetual || ticks === 0 || sinceUs < referenceUs || (isNear && sinceUs < againUs))
      return;
    const isFirst = this.#told === 0;
    this.#toldUs = this.#reachedUs;
    this.#told = ticks;
    const price = formatScaled(Math.round(ticks), tickDecimals);
    await this.#call("markets/reference", {
      ...{ symbol: alias, price, seconds: referenceSeconds },
      // The recording says what the price is, however far the market was from it.
      isForced: true,
    });
    if (isFirst)
      await this.#call("markets/risk", { symbol: alias, term: "open-interest", value: "0" });
  }

  async shows(bid: PastLevel | null, ask: PastLevel | null): Promise<boolean> {
    const wanted = [this.#text(bid), this.#text(ask)].join();
    const untilMs = performance.now() + showMsMax;
    for (;;) {
      const answer = await fetch(this.#bookUrl);
      const { bids, asks } = depth.parse(await answer.json());
      if ([bids[0] ?? null, asks[0] ?? null].join() === wanted) return true;
      if (performance.now() > untilMs) return false;
      await sleep(showPollMs);
    }
  }

  #text(one: PastLevel | null): string | null {
    if (one === null) return null;
    const { tickDecimals, lotDecimals } = this.#market;
    return [formatScaled(one[0], tickDecimals), formatScaled(one[1], lotDecimals)].join();
  }
}
