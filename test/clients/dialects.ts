// Method names, answer shapes and error shapes of the clients that return Binance's own JSON: one dialect per
// client.

import type { Answer, ClientDialect, Fault } from "./binance-routes.ts";
import type { PerpRoute } from "./perp-round-trip.ts";
import type { SpotRoute } from "./spot-round-trip.ts";

const asIs = (answer: Answer): unknown => answer;

/** The package `binance` throws plain objects, without the HTTP status. */
const binanceFault = ({ code, message }: Answer): Fault => ({ code, msg: message });

export const binanceSpot: ClientDialect<SpotRoute> = {
  bodyOf: asIs,
  faultOf: binanceFault,
  methods: {
    ping: ["testConnectivity"],
    exchangeInfo: ["getExchangeInfo"],
    depth: ["getOrderBook"],
    trades: ["getRecentTrades"],
    aggTrades: ["getAggregateTrades"],
    klines: ["getKlines"],
    ticker24hr: ["get24hrChangeStatistics"],
    tickerPrice: ["getSymbolPriceTicker"],
    tickerPrices: ["getSymbolPriceTicker"],
    bookTicker: ["getSymbolOrderBookTicker"],
    account: ["getAccountInformation"],
    newOrder: ["submitNewOrder"],
    testOrder: ["testNewOrder"],
    getOrder: ["getOrder"],
    openOrders: ["getOpenOrders"],
    allOrders: ["getAllOrders"],
    // The client's amendOrderKeepPriority is omitted: it requests a route under /fapi that does not exist.
    cancelReplace: ["replaceOrder"],
    cancelOrder: ["cancelOrder"],
    cancelOpenOrders: ["cancelAllSymbolOrders"],
    myTrades: ["getAccountTradeList"],
    rateLimitOrder: ["getOrderRateLimit"],
  },
};

export const binancePerp: ClientDialect<PerpRoute> = {
  bodyOf: asIs,
  faultOf: binanceFault,
  methods: {
    ping: ["testConnectivity"],
    exchangeInfo: ["getExchangeInfo"],
    depth: ["getOrderBook"],
    trades: ["getRecentTrades"],
    aggTrades: ["getAggregateTrades"],
    klines: ["getKlines"],
    ticker24hr: ["get24hrChangeStatistics"],
    premiumIndex: ["getMarkPrice"],
    balance: ["getBalanceV3"],
    account: ["getAccountInformationV3"],
    newOrder: ["submitNewOrder"],
    stopOrder: ["submitNewOrder"],
    algoOrder: ["submitNewAlgoOrder"],
    testOrder: ["testOrder"],
    getOrder: ["getOrder"],
    openOrders: ["getAllOpenOrders"],
    allOrders: ["getAllOrders"],
    amendOrder: ["modifyOrder"],
    batchOrders: ["submitMultipleOrders", "batchOrders"],
    cancelBatchOrders: ["cancelMultipleOrders"],
    cancelOrder: ["cancelOrder"],
    cancelAllOpenOrders: ["cancelAllOpenOrders"],
    userTrades: ["getAccountTrades"],
    positionRisk: ["getPositionsV3"],
    leverage: ["setLeverage"],
    leverageBracket: ["getNotionalAndLeverageBrackets"],
    marginType: ["setMarginType"],
    positionMode: ["getCurrentPositionMode"],
    income: ["getIncomeHistory"],
  },
};

export const connectorSpot: ClientDialect<SpotRoute> = {
  bodyOf: ({ data }) => data,
  faultOf: ({ response }) => ({
    code: response?.data?.code,
    msg: response?.data?.msg,
    status: response?.status,
  }),
  methods: {
    ping: ["ping"],
    exchangeInfo: ["exchangeInfo"],
    depth: ["depth", "symbol"],
    trades: ["trades", "symbol"],
    aggTrades: ["aggTrades", "symbol"],
    klines: ["klines", "symbol", "interval"],
    ticker24hr: ["ticker24hr", "symbol"],
    tickerPrice: ["tickerPrice", "symbol"],
    tickerPrices: ["tickerPrice", "symbol", "symbols"],
    bookTicker: ["bookTicker", "symbol"],
    account: ["account"],
    newOrder: ["newOrder", "symbol", "side", "type"],
    testOrder: ["newOrderTest", "symbol", "side", "type"],
    getOrder: ["getOrder", "symbol"],
    openOrders: ["openOrders"],
    allOrders: ["allOrders", "symbol"],
    cancelReplace: ["cancelAndReplace", "symbol", "side", "type", "cancelReplaceMode"],
    cancelOrder: ["cancelOrder", "symbol"],
    cancelOpenOrders: ["cancelOpenOrders", "symbol"],
    myTrades: ["myTrades", "symbol"],
    rateLimitOrder: ["orderCount"],
  },
};

/**
 * In Binance's official typed clients a call returns an object whose method `data` returns the body. The class of an
 * error shows the HTTP status.
 */
const typedBody = (answer: Answer): unknown => answer.data();
const typedStatuses: Readonly<Record<string, number>> = {
  BadRequestError: 400,
  UnauthorizedError: 401,
  NotFoundError: 404,
  TooManyRequestsError: 429,
};
const typedFault = ({ code, message, name, statusCode }: Answer): Fault => ({
  code,
  msg: message,
  status: statusCode ?? typedStatuses[name],
  name,
});

/** Error class by Binance error code. The client reports any other code as ConnectorClientError. */
export const typedErrorClasses: Readonly<Record<number, string>> = {
  [-1000]: "ServerError",
  [-1003]: "TooManyRequestsError",
  [-1013]: "BadRequestError",
  [-1021]: "UnauthorizedError",
  [-1022]: "UnauthorizedError",
  [-1100]: "BadRequestError",
  [-1102]: "BadRequestError",
  [-2010]: "ConnectorClientError",
  [-2011]: "ConnectorClientError",
  [-2012]: "ConnectorClientError",
  [-2014]: "BadRequestError",
  [-2015]: "UnauthorizedError",
};

export const typedSpot: ClientDialect<SpotRoute> = {
  bodyOf: typedBody,
  faultOf: typedFault,
  methods: {
    ping: ["ping"],
    exchangeInfo: ["exchangeInfo"],
    depth: ["depth"],
    trades: ["getTrades"],
    aggTrades: ["aggTrades"],
    klines: ["klines"],
    ticker24hr: ["ticker24hr"],
    tickerPrice: ["tickerPrice"],
    tickerPrices: ["tickerPrice"],
    bookTicker: ["tickerBookTicker"],
    account: ["getAccount"],
    newOrder: ["newOrder"],
    testOrder: ["orderTest"],
    getOrder: ["getOrder"],
    openOrders: ["getOpenOrders"],
    allOrders: ["allOrders"],
    cancelReplace: ["orderCancelReplace"],
    amendOrder: ["orderAmendKeepPriority"],
    cancelOrder: ["deleteOrder"],
    cancelOpenOrders: ["deleteOpenOrders"],
    myTrades: ["myTrades"],
    rateLimitOrder: ["rateLimitOrder"],
  },
};

export const typedPerp: ClientDialect<PerpRoute> = {
  bodyOf: typedBody,
  faultOf: typedFault,
  methods: {
    ping: ["testConnectivity"],
    exchangeInfo: ["exchangeInformation"],
    depth: ["orderBook"],
    trades: ["recentTradesList"],
    aggTrades: ["compressedAggregateTradesList"],
    klines: ["klineCandlestickData"],
    ticker24hr: ["ticker24hrPriceChangeStatistics"],
    premiumIndex: ["markPrice"],
    balance: ["futuresAccountBalanceV3"],
    account: ["accountInformationV3"],
    newOrder: ["newOrder"],
    algoOrder: ["newAlgoOrder"],
    testOrder: ["testOrder"],
    getOrder: ["queryOrder"],
    openOrders: ["currentAllOpenOrders"],
    allOrders: ["allOrders"],
    amendOrder: ["modifyOrder"],
    batchOrders: ["placeMultipleOrders"],
    cancelBatchOrders: ["cancelMultipleOrders"],
    cancelOrder: ["cancelOrder"],
    cancelAllOpenOrders: ["cancelAllOpenOrders"],
    userTrades: ["accountTradeList"],
    positionRisk: ["positionInformationV3"],
    leverage: ["changeInitialLeverage"],
    leverageBracket: ["notionalAndLeverageBrackets"],
    marginType: ["changeMarginType"],
    positionMode: ["getCurrentPositionMode"],
    income: ["getIncomeHistory"],
  },
};

/** The routes that risk-reads.test.ts uses to read risk data. */
export type RiskRoute =
  | "positionRisk"
  | "leverageBracket"
  | "income"
  | "fundingRate"
  | "openInterest"
  | "adlQuantile"
  | "forceOrders";

export const typedRisk: ClientDialect<RiskRoute> = {
  bodyOf: typedBody,
  faultOf: typedFault,
  methods: {
    positionRisk: ["positionInformationV3"],
    leverageBracket: ["notionalAndLeverageBrackets"],
    income: ["getIncomeHistory"],
    fundingRate: ["getFundingRateHistory"],
    openInterest: ["openInterest"],
    adlQuantile: ["positionAdlQuantileEstimation"],
    forceOrders: ["usersForceOrders"],
  },
};

const apiNodeFault = ({ code, message }: Answer): Fault => ({ code, msg: message });

export const apiNodeSpot: ClientDialect<SpotRoute> = {
  bodyOf: asIs,
  faultOf: apiNodeFault,
  methods: {
    ping: ["ping"],
    exchangeInfo: ["exchangeInfo"],
    depth: ["book"],
    trades: ["trades"],
    aggTrades: ["aggTrades"],
    klines: ["candles"],
    ticker24hr: ["dailyStats"],
    tickerPrice: ["prices"],
    account: ["accountInfo"],
    newOrder: ["order"],
    testOrder: ["orderTest"],
    getOrder: ["getOrder"],
    openOrders: ["openOrders"],
    allOrders: ["allOrders"],
    cancelReplace: ["updateOrder"],
    cancelOrder: ["cancelOrder"],
    cancelOpenOrders: ["cancelOpenOrders"],
    myTrades: ["myTrades"],
  },
};

export const apiNodePerp: ClientDialect<PerpRoute> = {
  takesListsAsText: true,
  bodyOf: asIs,
  faultOf: apiNodeFault,
  methods: {
    ping: ["futuresPing"],
    exchangeInfo: ["futuresExchangeInfo"],
    depth: ["futuresBook"],
    trades: ["futuresTrades"],
    aggTrades: ["futuresAggTrades"],
    klines: ["futuresCandles"],
    ticker24hr: ["futuresDailyStats"],
    premiumIndex: ["futuresMarkPrice"],
    balance: ["futuresAccountBalance"],
    account: ["futuresAccountInfo"],
    newOrder: ["futuresOrder"],
    // The client's futuresOrder requests this route too if the order type is conditional.
    algoOrder: ["futuresCreateAlgoOrder"],
    getOrder: ["futuresGetOrder"],
    openOrders: ["futuresOpenOrders"],
    allOrders: ["futuresAllOrders"],
    amendOrder: ["futuresUpdateOrder"],
    batchOrders: ["futuresBatchOrders"],
    cancelBatchOrders: ["futuresCancelBatchOrders"],
    cancelOrder: ["futuresCancelOrder"],
    cancelAllOpenOrders: ["futuresCancelAllOpenOrders"],
    userTrades: ["futuresUserTrades"],
    positionRisk: ["futuresPositionRisk"],
    leverage: ["futuresLeverage"],
    leverageBracket: ["futuresLeverageBracket"],
    marginType: ["futuresMarginType"],
    positionMode: ["futuresPositionMode"],
    income: ["futuresIncome"],
  },
};

/**
 * An error message of ccxt consists of the exchange's name and the answer's body. If ccxt has a class for the error's
 * message, it leaves out the body, and the code follows from the class.
 */
const ccxtFault = ({ message, name }: Answer): Fault => {
  const body = /\{.*\}/s.exec(message)?.[0];
  if (body !== undefined) return { ...JSON.parse(body), name };
  const code = name === "InsufficientFunds" ? -2010 : undefined;
  return { code, msg: message.replace(/^\w+ /, ""), name };
};

/**
 * The methods that ccxt generates, one for each route of Binance's API. ccxt-spot-trip.ts and ccxt-usdm-trip.ts test
 * its unified methods.
 */
export const ccxtSpot: ClientDialect<SpotRoute> = {
  bodyOf: asIs,
  faultOf: ccxtFault,
  methods: {
    depth: ["publicGetDepth"],
    newOrder: ["privatePostOrder"],
    getOrder: ["privateGetOrder"],
    openOrders: ["privateGetOpenOrders"],
    cancelOrder: ["privateDeleteOrder"],
  },
};

export const ccxtPerp: ClientDialect<PerpRoute> = {
  bodyOf: asIs,
  faultOf: ccxtFault,
  methods: {
    depth: ["fapiPublicGetDepth"],
    newOrder: ["fapiPrivatePostOrder"],
    getOrder: ["fapiPrivateGetOrder"],
    openOrders: ["fapiPrivateGetOpenOrders"],
    cancelOrder: ["fapiPrivateDeleteOrder"],
  },
};

export const ccxtErrorClasses: Readonly<Record<number, string>> = {
  [-1000]: "OperationFailed",
  [-1003]: "DDoSProtection",
  [-1013]: "BadRequest",
  [-1021]: "InvalidNonce",
  [-1022]: "AuthenticationError",
  [-1100]: "BadRequest",
  [-1102]: "BadRequest",
  [-2011]: "OrderNotFound",
  [-2012]: "ExchangeError",
  [-2014]: "AuthenticationError",
  [-2015]: "AuthenticationError",
};
