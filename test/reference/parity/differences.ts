// How names that the venue serves differ from Binance's, by row of the parity table. A name that is not listed here is
// served in Binance's form, or is refused as the probe of the running venue shows.

const noParts = "always an empty list: orders have no such parts";
const noTrailing = "0 only: trailing orders are not offered on spot";
const noPrice = "LIMIT only; the order then shows the price that was matched, and NONE";
const bothOnly = "BOTH only: positions are one-way";
const falseOnly = "false only";
const oneMode = "one mode only: a change to another answers -1100";
const discarded = "read and discarded";
const pegged = "the order is shown as pegged only in the answer to it (SPT-81)";
const noTransfer = "without TRANSFER";
const doNothing = "DO_NOTHING only";

/** The same difference for several rows. */
function each(rows: readonly string[], difference: string): Record<string, string> {
  return Object.fromEntries(rows.map((row) => [row, difference]));
}

const spotOrders = [
  "spot POST /api/v3/order",
  "spot POST /api/v3/order/test",
  "spot POST /api/v3/order/cancelReplace",
  "spot order.place",
  "spot order.test",
  "spot order.cancelReplace",
];
const perpOrders = [
  "usdm POST /fapi/v1/order",
  "usdm POST /fapi/v1/order/test",
  "usdm POST /fapi/v1/algoOrder",
  "usdm order.place",
  "usdm algoOrder.place",
];

function of(rows: readonly string[], parameter: string): string[] {
  return rows.map((row) => `${row} ${parameter}`);
}

/** The prefixes of the parameters of the orders of each list. */
const legs: Readonly<Record<string, readonly string[]>> = {
  "spot POST /api/v3/orderList/oco": ["above", "below"],
  "spot orderList.place.oco": ["above", "below"],
  "spot POST /api/v3/orderList/oto": ["working", "pending"],
  "spot orderList.place.oto": ["working", "pending"],
  "spot POST /api/v3/orderList/otoco": ["working", "pendingAbove", "pendingBelow"],
  "spot orderList.place.otoco": ["working", "pendingAbove", "pendingBelow"],
  "spot POST /api/v3/orderList/opo": ["working", "pending"],
  "spot orderList.place.opo": ["working", "pending"],
  "spot POST /api/v3/orderList/opoco": ["working", "pendingAbove", "pendingBelow"],
  "spot orderList.place.opoco": ["working", "pendingAbove", "pendingBelow"],
};

/** The rows of the older OCO, whose orders have other parameters. */
const olderLists = ["spot POST /api/v3/order/oco", "spot orderList.place"];

const ofLeg: Readonly<Record<string, string>> = {
  PegPriceType: pegged,
  TrailingDelta: noTrailing,
  StrategyId: discarded,
  StrategyType: discarded,
};

const lists = Object.fromEntries(
  Object.entries(legs).flatMap(([row, prefixes]) => [
    [`${row} selfTradePreventionMode`, noTransfer],
    ...prefixes.flatMap((prefix) =>
      Object.entries(ofLeg)
        .filter(([name]) => prefix !== "working" || name !== "TrailingDelta")
        .map(([name, difference]) => [`${row} ${prefix}${name}`, difference]),
    ),
  ]),
) as Readonly<Record<string, string>>;

const olderDifferences = {
  ...each(of(olderLists, "trailingDelta"), noTrailing),
  ...each(
    [...of(olderLists, "limitStrategyId"), ...of(olderLists, "limitStrategyType")],
    discarded,
  ),
  ...each([...of(olderLists, "stopStrategyId"), ...of(olderLists, "stopStrategyType")], discarded),
  ...each(of(olderLists, "selfTradePreventionMode"), noTransfer),
};

/** The messages that place an order, with what stands before the name of a tag of an order. */
const fixOrders: Readonly<Record<string, string>> = {
  "NewOrderSingle<D>": "",
  "OrderCancelRequestAndNewOrderSingle<XCN>": "",
  "NewOrderList<E>": "NoOrders/",
};

const ofFixOrder: Readonly<Record<string, string>> = {
  "TriggerTrailingDeltaBips=25009": noTrailing,
  "TargetStrategy=847": discarded,
  "StrategyID=7940": discarded,
  "SelfTradePreventionMode=25001": noTransfer,
};

const fixDifferences = {
  ...Object.fromEntries(
    Object.entries(fixOrders).flatMap(([message, group]) =>
      Object.entries(ofFixOrder).map(([tag, difference]) => [
        `fix ${message} ${group}${tag}`,
        difference,
      ]),
    ),
  ),
  "fix NewOrderSingle<D> SOR=25032": "N only: there is no other venue to route to",
  "fix OrderCancelRequestAndNewOrderSingle<XCN> OrderRateLimitExceededMode=25038": "1 only",
  "fix OrderAmendKeepPriorityRequest<XAK> ClOrdID=11":
    "the order keeps its own; the report of the amend has the request's",
  "fix Logon<A>": "`9001` asks for cancel on disconnect, and `141=N` continues numbers",
  "fix News<B>": "once, before the stop",
  "fix ListStatus<N>": "without the instructions between its orders",
  "fix InstrumentList<y>": "without MARKET_LOT_SIZE, which no market has",
  "fix MarketDataRequest<V>": "a snapshot costs the weight that depth costs over REST",
  "fix MarketDataIncrementalRefresh<X>": "never in fragments (893)",
};

export const differences: Readonly<Record<string, string>> = {
  ...each(of(spotOrders, "trailingDelta"), noTrailing),
  ...each(of(spotOrders, "pegPriceType"), pegged),
  ...each([...of(spotOrders, "strategyId"), ...of(spotOrders, "strategyType")], discarded),
  ...each(of(spotOrders, "selfTradePreventionMode"), noTransfer),
  ...each(
    of(
      ["spot POST /api/v3/order/cancelReplace", "spot order.cancelReplace"],
      "orderRateLimitExceededMode",
    ),
    doNothing,
  ),
  ...each(
    of(
      ["spot PUT /api/v3/order/amend/keepPriority", "spot order.amend.keepPriority"],
      "newClientOrderId",
    ),
    "the order's own id only: an amend renames no order",
  ),
  ...each(["spot GET /api/v3/myAllocations", "spot myAllocations"], noParts),
  ...each(
    ["spot GET /api/v3/executionRules", "spot executionRules"],
    "no market has a rule, so `rules` is empty",
  ),
  ...each(
    [
      "spot GET /api/v3/referencePrice",
      "spot GET /api/v3/referencePrice/calculation",
      "spot referencePrice",
      "spot referencePrice.calculation",
    ],
    "always 400 -2043: no market has a reference price",
  ),
  ...each(
    ["spot GET /api/v3/exchangeInfo", "spot exchangeInfo"],
    "RAW_REQUESTS is the limit on signed requests, 24,000 a minute and address",
  ),
  "spot session.logon": "HMAC keys log on too",
  ...lists,
  ...olderDifferences,
  ...fixDifferences,
  ...each(
    ["spot GET /api/v3/myTrades", "spot myTrades"],
    "rows also show `settlementStatus` and `cantonUpdateId`",
  ),
  ...each(
    ["spot userDataStream.subscribe", "spot userDataStream.subscribe.signature"],
    "also answers `seq`, and takes `resume` (STR-28)",
  ),
  "spot executionReport": "without `A` (STR-54)",
  "spot <symbol>@depth@<updateSpeed>":
    "the speed has no effect; the first frame is the book, marked `snapshot` (STR-17)",
  "spot <symbol>@depth<levels>@<updateSpeed>": "every 250 ms at any speed",
  "usdm <symbol>@depth@<updateSpeed>":
    "the speed has no effect; the first frame is the book, marked `snapshot` (STR-17)",
  "usdm <symbol>@depth<levels>@<updateSpeed>": "every 250 ms at any speed",
  ...each(of(perpOrders, "positionSide"), bothOnly),
  ...each(of(perpOrders, "priceMatch"), noPrice),
  ...each(
    ["usdm POST /fapi/v1/algoOrder", "usdm algoOrder.place"].map((row) => `${row} priceMatch`),
    "NONE only: conditional orders have a price of their own",
  ),
  ...each(
    of(
      ["usdm POST /fapi/v1/order/test", "usdm POST /fapi/v1/algoOrder", "usdm algoOrder.place"],
      "priceProtect",
    ),
    falseOnly,
  ),
  ...each(
    ["usdm GET /fapi/v1/klines"],
    "a query that cannot be read answers 400 as plain text (ERR-4)",
  ),
  ...each(
    [
      "usdm POST /fapi/v1/marginType",
      "usdm POST /fapi/v1/multiAssetsMargin",
      "usdm POST /fapi/v1/positionSide/dual",
    ],
    oneMode,
  ),
  "usdm POST /fapi/v1/leverage": "1 to 100",
  "usdm GET /fapi/v1/fundingRate": "without `rateType`",
  "usdm GET /fapi/v1/orderAmendment": "without `modifyId`",
  "usdm GET /fapi/v1/income":
    "only the types that the venue books; any other answers an empty list",
  "usdm GET /fapi/v1/premiumIndex":
    "a market without mark or index is left out, or shows the mark (CMP-11)",
  "usdm GET /fapi/v1/forceOrders": "also positions that were taken over, with `orderId` 0",
  "usdm ALGO_UPDATE":
    "TRIGGERING and REJECTED are not sent; follows its ORDER_TRADE_UPDATE under the same number",
};
