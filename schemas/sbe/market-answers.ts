// SBE templates of spot: public answers. The facts are those of the published schema (docs/decisions/0086).

import {
  choices,
  code,
  decimal,
  embedded,
  exponent,
  type Fields,
  flag,
  float,
  group,
  message,
  text,
  time,
  whole,
  wide,
} from "./fields.ts";

/** Exponents of prices and of quantities. */
const exponents: Fields = { priceExponent: exponent(), qtyExponent: exponent() };

const best: Fields = {
  bidPrice: decimal("priceExponent", { isOptional: true }),
  bidQty: decimal("qtyExponent"),
  askPrice: decimal("priceExponent", { isOptional: true }),
  askQty: decimal("qtyExponent"),
};

const openHighLow: Fields = {
  openPrice: decimal("priceExponent", { isOptional: true }),
  highPrice: decimal("priceExponent", { isOptional: true }),
  lowPrice: decimal("priceExponent", { isOptional: true }),
};

const last: Fields = { lastPrice: decimal("priceExponent", { isOptional: true }) };

/** How a price changed in a window of time. */
const change: Fields = {
  priceChange: decimal("priceExponent", { isOptional: true }),
  priceChangePercent: float({ isOptional: true }),
  weightedAvgPrice: decimal("priceExponent", { isOptional: true }),
};

/** What was traded in a window of time, and its market. */
const traded: Fields = {
  volume: wide("qtyExponent"),
  quoteVolume: wide("priceExponent"),
  openTime: time(),
  closeTime: time(),
  firstId: whole("int64", { isOptional: true, absent: -1 }),
  lastId: whole("int64", { isOptional: true, absent: -1 }),
  numTrades: whole("int64", { path: "count" }),
  symbol: text(8),
};

const miniWindow: Fields = { ...exponents, ...openHighLow, ...last, ...traded };
const wholeWindow: Fields = { ...exponents, ...change, ...openHighLow, ...last, ...traded };

/** The last 24 hours. */
const wholeDay: Fields = {
  ...exponents,
  ...change,
  prevClosePrice: decimal("priceExponent", { isOptional: true }),
  ...last,
  lastQty: wide("qtyExponent"),
  ...best,
  ...openHighLow,
  ...traded,
};

const lastPrice: Fields = {
  priceExponent: exponent(),
  price: decimal("priceExponent", { isOptional: true }),
  symbol: text(8),
};

const bestPrices: Fields = { ...exponents, ...best, symbol: text(8) };

/** One row for each market. */
function tickers(row: Fields): Fields {
  return { tickers: group(32, row, { path: ".." }) };
}

/** Answers about the venue and its markets, with the filters in them. */
export const marketAnswers = {
  PriceFilter: message(1, {
    priceExponent: exponent(),
    minPrice: decimal("priceExponent"),
    maxPrice: decimal("priceExponent"),
    tickSize: decimal("priceExponent"),
  }),
  PercentPriceFilter: message(2, {
    multiplierExponent: exponent(),
    multiplierUp: decimal("multiplierExponent"),
    multiplierDown: decimal("multiplierExponent"),
    avgPriceMins: whole("int32"),
  }),
  LotSizeFilter: message(4, {
    qtyExponent: exponent(),
    minQty: decimal("qtyExponent"),
    maxQty: decimal("qtyExponent"),
    stepSize: decimal("qtyExponent"),
  }),
  NotionalFilter: message(6, {
    priceExponent: exponent(),
    minNotional: decimal("priceExponent"),
    applyMinToMarket: flag(),
    maxNotional: decimal("priceExponent"),
    applyMaxToMarket: flag(),
    avgPriceMins: whole("int32"),
  }),
  IcebergPartsFilter: message(7, {
    filterLimit: whole("int64", { path: "limit" }),
  }),
  MaxNumOrdersFilter: message(9, {
    maxNumOrders: whole("int64"),
  }),
  MaxNumAlgoOrdersFilter: message(10, {
    maxNumAlgoOrders: whole("int64"),
  }),
  MaxNumOrderListsFilter: message(18, {
    maxNumOrderLists: whole("int64"),
  }),
  PingResponse: message(101, {}),
  ServerTimeResponse: message(102, {
    serverTime: time(),
  }),
  ExchangeInfoResponse: message(103, {
    rateLimits: group(32, {
      rateLimitType: code("rateLimitType"),
      interval: code("rateLimitInterval"),
      intervalNum: whole("uint8"),
      rateLimit: whole("int64", { path: "limit" }),
    }),
    exchangeFilters: group(32, {
      filter: embedded(8, { path: ".." }),
    }),
    symbols: group(32, {
      status: code("symbolStatus"),
      baseAssetPrecision: whole("uint8"),
      quoteAssetPrecision: whole("uint8"),
      baseCommissionPrecision: whole("uint8"),
      quoteCommissionPrecision: whole("uint8"),
      orderTypes: choices("orderTypes"),
      icebergAllowed: flag(),
      ocoAllowed: flag(),
      otoAllowed: flag(),
      quoteOrderQtyMarketAllowed: flag(),
      allowTrailingStop: flag(),
      cancelReplaceAllowed: flag(),
      amendAllowed: flag(),
      isSpotTradingAllowed: flag(),
      isMarginTradingAllowed: flag(),
      defaultSelfTradePreventionMode: code("selfTradePreventionMode"),
      allowedSelfTradePreventionModes: choices("allowedSelfTradePreventionModes"),
      pegInstructionsAllowed: flag({ isOptional: true }),
      filters: group(32, {
        filter: embedded(8, { path: ".." }),
      }),
      permissionSets: group(32, {
        permissions: group(
          32,
          {
            permission: text(8, { path: ".." }),
          },
          { path: ".." },
        ),
      }),
      symbol: text(8),
      baseAsset: text(8),
      quoteAsset: text(8),
    }),
    sors: group(32, {
      sorSymbols: group(
        32,
        {
          symbol: text(8, { path: ".." }),
        },
        { path: "symbols" },
      ),
      baseAsset: text(8),
    }),
  }),
  ExecutionRulesResponse: message(104, {
    symbolRules: group(32, {
      rules: group(32, {
        rule: embedded(8, { path: ".." }),
      }),
      symbol: text(8),
    }),
  }),
  DepthResponse: message(200, {
    lastUpdateId: whole("int64"),
    ...exponents,
    bids: group(32, {
      price: decimal("priceExponent", { path: "[]" }),
      qty: decimal("qtyExponent", { path: "[]" }),
    }),
    asks: group(32, {
      price: decimal("priceExponent", { path: "[]" }),
      qty: decimal("qtyExponent", { path: "[]" }),
    }),
  }),
  TradesResponse: message(201, {
    ...exponents,
    trades: group(
      32,
      {
        id: whole("int64"),
        price: decimal("priceExponent"),
        qty: decimal("qtyExponent"),
        quoteQty: decimal("priceExponent"),
        time: time(),
        isBuyerMaker: flag(),
        isBestMatch: flag(),
      },
      { path: ".." },
    ),
  }),
  AggTradesResponse: message(202, {
    ...exponents,
    aggTrades: group(
      32,
      {
        aggTradeId: whole("int64", { path: "a" }),
        price: decimal("priceExponent", { path: "p" }),
        qty: decimal("qtyExponent", { path: "q" }),
        firstTradeId: whole("int64", { path: "f" }),
        lastTradeId: whole("int64", { path: "l" }),
        time: time({ path: "T" }),
        isBuyerMaker: flag({ path: "m" }),
        isBestMatch: flag({ path: "M" }),
      },
      { path: ".." },
    ),
  }),
  KlinesResponse: message(203, {
    ...exponents,
    klines: group(
      32,
      {
        openTime: time({ path: "[]" }),
        openPrice: decimal("priceExponent", { path: "[]" }),
        highPrice: decimal("priceExponent", { path: "[]" }),
        lowPrice: decimal("priceExponent", { path: "[]" }),
        closePrice: decimal("priceExponent", { path: "[]" }),
        volume: wide("qtyExponent", { path: "[]" }),
        closeTime: time({ path: "[]" }),
        quoteVolume: wide("priceExponent", { path: "[]" }),
        numTrades: whole("int64", { path: "[]" }),
        takerBuyBaseVolume: wide("qtyExponent", { path: "[]" }),
        takerBuyQuoteVolume: wide("priceExponent", { path: "[]" }),
      },
      { path: ".." },
    ),
  }),
  AveragePriceResponse: message(204, {
    mins: whole("int64"),
    priceExponent: exponent(),
    price: decimal("priceExponent", { isOptional: true }),
    closeTime: time({ isOptional: true, absent: -1 }),
  }),
  Ticker24hSymbolFullResponse: message(205, wholeDay),
  Ticker24hFullResponse: message(206, tickers(wholeDay)),
  Ticker24hSymbolMiniResponse: message(207, miniWindow),
  Ticker24hMiniResponse: message(208, tickers(miniWindow)),
  PriceTickerSymbolResponse: message(209, lastPrice),
  PriceTickerResponse: message(210, tickers(lastPrice)),
  BookTickerSymbolResponse: message(211, bestPrices),
  BookTickerResponse: message(212, tickers(bestPrices)),
  TickerSymbolFullResponse: message(213, wholeWindow),
  TickerFullResponse: message(214, tickers(wholeWindow)),
  TickerSymbolMiniResponse: message(215, miniWindow),
  TickerMiniResponse: message(216, tickers(miniWindow)),
} as const;
