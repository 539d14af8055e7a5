// Public spot routes about a window of time: the last 24 hours, the trading day of a time zone, and
// windows of the client's choosing (binance-compat 4.2). Windows begin with a whole minute.

import { spotDayTicker, spotTradingDay, spotWindowTicker } from "../../../../schemas/http/spot.ts";
import type { Market } from "../../../core/markets.ts";
import { bucketStart } from "../../../core/unix-ms.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { MarketStatistics, type WindowStatistics } from "../market-data/market-statistics.ts";
import { answerPrices, shownStatistics } from "../market-data/stand-in-price.ts";
import { standing, type TickerWindow } from "../market-data/window-text.ts";
import { shownIn } from "../orders/order-words.ts";
import { answerLater } from "../requests/answer-later.ts";
import { parameterReader } from "../requests/read-parameters.ts";
import type { PublicRoute, RouteContext } from "../requests/route.ts";
import { missingParameter, refuse } from "../requests/surface-error.ts";
import { publicRoute } from "../requests/weighted-routes.ts";
import type { HttpCall } from "../server/http-call.ts";
import { type AskedMarkets, askedMarkets } from "./asked-markets.ts";
import { dayText, miniText, type ShownView, windowText } from "./market-texts.ts";

const readDay = parameterReader(spotDayTicker);
const readTradingDay = parameterReader(spotTradingDay);
const readWindow = parameterReader(spotWindowTicker);

const minuteMs = 60_000;
const dayMs = 86_400_000;

type RowText = (view: ShownView, window: TickerWindow) => string;

class SpotTickerRoutes {
  readonly #context: RouteContext;
  readonly #statistics: MarketStatistics;

  constructor(context: RouteContext) {
    this.#context = context;
    this.#statistics = new MarketStatistics(context.model, context.history);
  }

  day(call: HttpCall, parameters: RequestParameters): void {
    const asked = readDay(call, parameters);
    const found = asked && askedMarkets(call, this.#context, asked);
    if (asked === null || found === null) return;
    const nowMs = this.#context.clock.nowMs();
    const text = asked.type === "MINI" ? miniText : dayText;
    const days = found.markets.map((market) => this.#statistics.lastDay(market, nowMs));
    const isHeld = (day: (typeof days)[number]): day is WindowStatistics =>
      !(day instanceof Promise);
    if (days.every(isHeld)) this.#answer(call, found, days, text);
    else this.#answerLater(call, found, days, text);
  }

  tradingDay(call: HttpCall, parameters: RequestParameters): void {
    const asked = readTradingDay(call, parameters);
    const found = asked && this.#named(call, asked);
    if (asked === null || found === null) return;
    const nowMs = this.#context.clock.nowMs();
    const startMs = bucketStart(nowMs + asked.timeZone, dayMs) - asked.timeZone;
    this.#since(call, found, startMs, asked.type);
  }

  window(call: HttpCall, parameters: RequestParameters): void {
    const asked = readWindow(call, parameters);
    const found = asked && this.#named(call, asked);
    if (asked === null || found === null) return;
    const nowMs = this.#context.clock.nowMs();
    this.#since(call, found, bucketStart(nowMs - asked.windowSize, minuteMs), asked.type);
  }

  /** The markets asked about; at least one must be named. */
  #named(call: HttpCall, asked: Parameters<typeof askedMarkets>[2]): AskedMarkets | null {
    if (asked.symbol !== undefined || asked.symbols !== undefined) {
      return askedMarkets(call, this.#context, asked);
    }
    refuse(call, missingParameter("symbol"));
    return null;
  }

  #since(call: HttpCall, found: AskedMarkets, startMs: number, type: "FULL" | "MINI"): void {
    const windows = found.markets.map((market) => this.#statistics.since(market, startMs));
    this.#answerLater(call, found, windows, type === "MINI" ? miniText : windowText);
  }

  #answerLater(
    call: HttpCall,
    found: AskedMarkets,
    windows: readonly (WindowStatistics | Promise<WindowStatistics>)[],
    text: RowText,
  ): void {
    answerLater(this.#context, call, Promise.all(windows), (read) =>
      this.#answer(call, found, read, text),
    );
  }

  #answer(
    call: HttpCall,
    found: AskedMarkets,
    windows: readonly WindowStatistics[],
    text: RowText,
  ): void {
    const { model, clock } = this.#context;
    const nowMs = clock.nowMs();
    const rows = windows.map((read, at) => {
      const market = found.markets[at] as Market;
      const statistics = shownStatistics(model, market, { statistics: read, call });
      const hasPrice = standing(statistics).close > 0;
      const shown = { market: shownIn(call.view, market), depth: model.view(market).depth };
      return { text: text(shown, { statistics, nowMs }), hasPrice };
    });
    answerPrices(call, rows, found);
  }
}

/** The windowed tickers of the spot surface. */
export function spotTickerRoutes(context: RouteContext): PublicRoute[] {
  const routes = new SpotTickerRoutes(context);
  return [
    publicRoute("GET /api/v3/ticker/24hr", (call, parameters) => routes.day(call, parameters)),
    publicRoute("GET /api/v3/ticker/tradingDay", (call, parameters) =>
      routes.tradingDay(call, parameters),
    ),
    publicRoute("GET /api/v3/ticker", (call, parameters) => routes.window(call, parameters)),
  ];
}
