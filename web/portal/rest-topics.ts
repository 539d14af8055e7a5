// The pages of the REST reference: which routes are on which page, by topic, in the order in which a reader meets them.
// An example that needs the result of another one comes after it, and what ends sessions or removes orders comes last, so
// that the examples of a page work from top to bottom. Tests run them in this order.

import { made } from "./portal-map.ts";

export interface Topic {
  readonly title: string;
  /** What a reader must know before the examples of the topic. */
  readonly says?: string;
  /** The document that tells more, and its title. */
  readonly guide?: readonly [path: string, title: string];
  /** Routes such as `GET /v1/markets`. */
  readonly routes: readonly string[];
}

export interface Surface {
  /** Path of the page, as in `portal-map.ts`. */
  readonly path: string;
  readonly title: string;
  readonly says: string;
  readonly topics: readonly Topic[];
}

/** Topics that spot and perpetuals have alike, below `prefix`. */
function makerTopic(prefix: string): Topic {
  return {
    title: "Market makers",
    says: "Orders of a maker group whose protection has triggered are refused until it is reset.",
    routes: [
      `POST ${prefix}/massQuote`,
      `POST ${prefix}/mmpSet`,
      `GET ${prefix}/mmp`,
      `POST ${prefix}/mmpReset`,
      `DELETE ${prefix}/mmp`,
      `DELETE ${prefix}/massCancel`,
    ],
  };
}

function userDataTopic(path: string): Topic {
  return {
    title: "User data streams",
    routes: [`POST ${path}`, `PUT ${path}`, `DELETE ${path}`],
  };
}

const spot: Surface = {
  path: made.spot,
  title: "REST: spot",
  says: "All endpoints under /api: markets, orders, accounts.",
  topics: [
    {
      title: "Market data",
      routes: [
        "GET /api/v3/ping",
        "GET /api/v3/time",
        "GET /api/v3/exchangeInfo",
        "GET /api/v3/executionRules",
        "GET /api/v3/depth",
        "GET /api/v3/depth/orders",
        "GET /api/v3/trades",
        "GET /api/v3/historicalTrades",
        "GET /api/v3/aggTrades",
        "GET /api/v1/trades",
        "GET /api/v3/klines",
        "GET /api/v3/uiKlines",
        "GET /api/v3/avgPrice",
        "GET /api/v3/ticker/24hr",
        "GET /api/v3/ticker/tradingDay",
        "GET /api/v3/ticker",
        "GET /api/v3/ticker/price",
        "GET /api/v3/ticker/bookTicker",
        "GET /api/v3/referencePrice",
        "GET /api/v3/referencePrice/calculation",
      ],
    },
    {
      title: "Orders",
      routes: [
        "POST /api/v3/order/test",
        "POST /api/v3/order",
        "GET /api/v3/order",
        "GET /api/v3/openOrders",
        "GET /api/v3/allOrders",
        "PUT /api/v3/order/amend/keepPriority",
        "GET /api/v3/order/amendments",
        "GET /api/v3/myPreventedMatches",
        "POST /api/v3/order/cancelReplace",
        "DELETE /api/v3/order",
        "DELETE /api/v3/openOrders",
        "GET /api/v3/rateLimit/order",
      ],
    },
    {
      title: "Order lists",
      routes: [
        "POST /api/v3/order/oco",
        "POST /api/v3/orderList/oco",
        "POST /api/v3/orderList/oto",
        "POST /api/v3/orderList/otoco",
        "POST /api/v3/orderList/opo",
        "POST /api/v3/orderList/opoco",
        "GET /api/v3/orderList",
        "GET /api/v3/openOrderList",
        "GET /api/v3/allOrderList",
        "DELETE /api/v3/orderList",
      ],
    },
    {
      title: "Account",
      routes: [
        "GET /api/v3/account",
        "GET /api/v3/account/commission",
        "GET /api/v3/myTrades",
        "GET /api/v3/myAllocations",
      ],
    },
    userDataTopic("/api/v3/userDataStream"),
    makerTopic("/api/v3"),
  ],
};

const perpetuals: Surface = {
  path: made.perpetuals,
  title: "REST: perpetuals",
  says: "All endpoints under /fapi and /futures: markets, orders, positions, funding.",
  topics: [
    {
      title: "Market data",
      routes: [
        "GET /fapi/v1/ping",
        "GET /fapi/v1/time",
        "GET /fapi/v1/exchangeInfo",
        "GET /fapi/v1/depth",
        "GET /fapi/v1/depth/orders",
        "GET /fapi/v1/trades",
        "GET /fapi/v1/historicalTrades",
        "GET /fapi/v1/aggTrades",
        "GET /fapi/v1/klines",
        "GET /fapi/v1/continuousKlines",
        "GET /fapi/v1/indexPriceKlines",
        "GET /fapi/v1/markPriceKlines",
        "GET /fapi/v1/premiumIndexKlines",
        "GET /fapi/v1/premiumIndex",
        "GET /fapi/v1/fundingRate",
        "GET /fapi/v1/fundingInfo",
        "GET /fapi/v1/ticker/24hr",
        "GET /fapi/v2/ticker/price",
        "GET /fapi/v1/ticker/price",
        "GET /fapi/v1/ticker/bookTicker",
        "GET /fapi/v1/openInterest",
      ],
    },
    {
      title: "Statistics",
      says: "Samples are taken every five minutes.",
      routes: [
        "GET /futures/data/openInterestHist",
        "GET /futures/data/topLongShortAccountRatio",
        "GET /futures/data/topLongShortPositionRatio",
        "GET /futures/data/globalLongShortAccountRatio",
        "GET /futures/data/takerlongshortRatio",
        "GET /futures/data/basis",
      ],
    },
    {
      title: "Orders",
      routes: [
        "POST /fapi/v1/order/test",
        "POST /fapi/v1/order",
        "GET /fapi/v1/order",
        "GET /fapi/v1/openOrder",
        "GET /fapi/v1/openOrders",
        "GET /fapi/v1/allOrders",
        "PUT /fapi/v1/order",
        "GET /fapi/v1/orderAmendment",
        "DELETE /fapi/v1/order",
        "POST /fapi/v1/batchOrders",
        "PUT /fapi/v1/batchOrders",
        "DELETE /fapi/v1/batchOrders",
        "POST /fapi/v1/countdownCancelAll",
        "DELETE /fapi/v1/allOpenOrders",
        "GET /fapi/v1/rateLimit/order",
      ],
    },
    {
      title: "Conditional orders",
      routes: [
        "POST /fapi/v1/algoOrder",
        "GET /fapi/v1/algoOrder",
        "GET /fapi/v1/openAlgoOrders",
        "GET /fapi/v1/allAlgoOrders",
        "DELETE /fapi/v1/algoOrder",
        "DELETE /fapi/v1/algoOpenOrders",
      ],
    },
    {
      title: "Account and positions",
      routes: [
        "GET /fapi/v3/account",
        "GET /fapi/v2/account",
        "GET /fapi/v3/balance",
        "GET /fapi/v2/balance",
        "GET /fapi/v3/positionRisk",
        "GET /fapi/v2/positionRisk",
        "GET /fapi/v1/positionRisk",
        "GET /fapi/v1/adlQuantile",
        "GET /fapi/v1/userTrades",
        "GET /fapi/v1/income",
        "GET /fapi/v1/forceOrders",
        "GET /fapi/v1/commissionRate",
        "GET /fapi/v1/accountConfig",
        "GET /fapi/v1/symbolConfig",
        "GET /fapi/v1/leverageBracket",
        "GET /fapi/v1/apiTradingStatus",
      ],
    },
    {
      title: "Settings",
      routes: [
        "POST /fapi/v1/leverage",
        "POST /fapi/v1/marginType",
        "GET /fapi/v1/positionSide/dual",
        "POST /fapi/v1/positionSide/dual",
        "GET /fapi/v1/multiAssetsMargin",
        "POST /fapi/v1/multiAssetsMargin",
      ],
    },
    userDataTopic("/fapi/v1/listenKey"),
    makerTopic("/fapi/v1"),
  ],
};

const native: Surface = {
  path: made.native,
  title: "REST: native",
  says: "All endpoints under /v1: sessions, orders, wallets, proofs.",
  topics: [
    {
      title: "Markets",
      routes: [
        "GET /v1/markets",
        "GET /v1/markets/{symbol}/ticker",
        "GET /v1/markets/{symbol}/orderbook",
        "GET /v1/markets/{symbol}/recent-trades",
        "GET /v1/markets/{symbol}/candles",
        "GET /v1/markets/{symbol}/funding-rate",
        "GET /v1/icons/{file}",
        "GET /v1/version",
      ],
    },
    {
      title: "Logging in",
      routes: [
        "POST /v1/wallet/challenge",
        "POST /v1/wallet/verify",
        "POST /v1/wallet/session-key",
        "GET /v1/wallet/sessions",
      ],
    },
    {
      title: "Orders and trades",
      routes: [
        "POST /v1/orders",
        "GET /v1/orders/me",
        "DELETE /v1/orders/{order_id}",
        "DELETE /v1/orders",
        "GET /v1/trades/me",
      ],
    },
    {
      title: "Account",
      routes: [
        "GET /v1/balances/me",
        "GET /v1/account/{user_id}/balances",
        "GET /v1/positions/me",
        "GET /v1/positions/{user_id}/open",
        "GET /v1/fees/me",
        "POST /v1/funding/tick",
        "GET /v1/funding/me",
        "GET /v1/liquidations/me",
        "GET /v1/income/me",
      ],
    },
    {
      title: "Transfers, deposits and withdrawals",
      routes: [
        "POST /v1/deposits/seed",
        "POST /v1/transfers",
        "GET /v1/transfers",
        "POST /v1/wallet/enroll",
        "GET /v1/wallet/enrollment",
        "GET /v1/deposits/address",
        "GET /v1/deposits",
        "POST /v1/withdrawals",
        "GET /v1/withdrawals",
        "GET /v1/withdrawals/{wid}",
      ],
    },
    {
      title: "API keys",
      routes: [
        "POST /v1/api-keys",
        "GET /v1/api-keys",
        "GET /v1/api-keys/{id}/restrictions",
        "POST /v1/api-keys/{id}/restrictions/challenge",
        "PUT /v1/api-keys/{id}/restrictions",
        "DELETE /v1/api-keys/{id}",
      ],
    },
    {
      title: "Sub-accounts",
      routes: [
        "POST /v1/sub-accounts",
        "GET /v1/sub-accounts",
        "POST /v1/sub-accounts/transfers",
        "GET /v1/sub-accounts/{id}/balances",
        "GET /v1/sub-accounts/{id}/positions",
        "POST /v1/sub-accounts/{id}/api-keys",
        "GET /v1/sub-accounts/{id}/api-keys",
      ],
    },
    {
      title: "Referral",
      routes: ["GET /v1/referral/dashboard", "POST /v1/referral/claim"],
    },
    {
      title: "Swaps",
      says: "The examples use the newest swap of the account. A quote is valid for seconds: run them without a pause.",
      guide: ["docs/guides/swap.md", "Swap with a liquidity provider"],
      routes: [
        "POST /v1/swaps/rfq",
        "GET /v1/swaps/rfq",
        "GET /v1/swaps/rfq/{swap_id}",
        "POST /v1/swaps/rfq/{swap_id}/accept",
        "POST /v1/swaps/rfq/{swap_id}/prepare",
        "POST /v1/swaps/rfq/{swap_id}/execute",
        "POST /v1/swaps/rfq/{swap_id}/cancel",
      ],
    },
    {
      title: "Liquidity providers",
      says: "Providers sign these requests in headers, which the examples leave out.",
      guide: ["docs/guides/be-a-liquidity-provider.md", "Be a liquidity provider"],
      routes: [
        "POST /v1/lp/register",
        "GET /v1/lp/keys",
        "POST /v1/lp/keys",
        "DELETE /v1/lp/keys/{key_id}",
        "GET /v1/lp/status",
        "GET /v1/lp/statistics",
        "GET /v1/lp/swaps",
      ],
    },
    {
      title: "Proofs and reports",
      says: "The example of your own proof needs a trade in a sealed epoch: epochs are sealed once a minute.",
      routes: [
        "GET /v1/chain/status",
        "GET /v1/chain/epochs",
        "GET /v1/chain/epochs/{id}",
        "GET /v1/chain/head",
        "GET /v1/chain/proof",
        "GET /v1/chain/proof/me",
        "GET /v1/liabilities",
        "GET /v1/liabilities/statements",
        "GET /v1/liabilities/{epoch}",
        "GET /v1/liabilities/me",
        "GET /v1/journal/event.fbs",
        "GET /v1/solvency",
        "GET /v1/traffic",
        "GET /v1/traffic/mm",
      ],
    },
    {
      title: "Ending sessions",
      says: "After the second example, log in again before you run others under /v1.",
      guide: ["docs/guides/run-the-examples.md", "Run the examples"],
      routes: ["DELETE /v1/wallet/sessions/{id}", "POST /v1/wallet/logout"],
    },
  ],
};

const others: Surface = {
  path: made.others,
  title: "REST: other endpoints",
  says: "Wallets, transfers and sub-accounts under /sapi, and the API descriptions.",
  topics: [
    {
      title: "Wallet and transfers",
      routes: [
        "GET /sapi/v1/system/status",
        "GET /sapi/v1/account/apiRestrictions",
        "GET /sapi/v1/capital/config/getall",
        "GET /sapi/v1/asset/assetDetail",
        "GET /sapi/v1/asset/tradeFee",
        "POST /sapi/v1/asset/transfer",
        "GET /sapi/v1/asset/transfer",
        "POST /sapi/v1/futures/transfer",
        "GET /sapi/v1/futures/transfer",
        "GET /sapi/v1/capital/deposit/address",
        "GET /sapi/v1/capital/deposit/hisrec",
        "GET /sapi/v1/capital/withdraw/history",
      ],
    },
    {
      title: "Sub-accounts",
      routes: [
        "POST /sapi/v1/sub-account/virtualSubAccount",
        "GET /sapi/v1/sub-account/list",
        "POST /sapi/v1/sub-account/universalTransfer",
        "GET /sapi/v3/sub-account/assets",
      ],
    },
    {
      title: "Markets that this venue does not have",
      says: "Clients ask for these at their start; the lists are empty.",
      routes: [
        "GET /dapi/v1/exchangeInfo",
        "GET /sapi/v1/margin/allPairs",
        "GET /sapi/v1/margin/isolated/allPairs",
      ],
    },
    {
      title: "API descriptions",
      routes: ["GET /openapi.json", "GET /asyncapi.json"],
    },
  ],
};

/** All pages, in the order of the list of documents. */
export const surfaces: readonly Surface[] = [spot, perpetuals, native, others];
