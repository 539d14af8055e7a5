// Valid parameter values of the routes of order lists, and the names of those that the orders of a list need although no
// schema requires them. The orders are far from the usual price of CC-USDC, so that they stay open.

interface ListValues {
  readonly needed: readonly string[];
  readonly values: Readonly<Record<string, string>>;
}

function valuesOf(
  needed: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>>,
) {
  return { needed: Object.keys(needed), values: { ...needed, ...more } };
}

/** The names of both orders of a pair, with the prefixes of their parameters. */
function namesOf(...prefixes: readonly string[]): Record<string, string> {
  return Object.fromEntries(prefixes.map((prefix) => [`${prefix}ClientOrderId`, `of-${prefix}`]));
}

const buying = {
  ...{ workingType: "LIMIT", workingSide: "BUY", workingPrice: "0.1000" },
  ...{ workingQuantity: "100.0", workingTimeInForce: "GTC", pendingSide: "SELL" },
};
const working = { ...buying, pendingQuantity: "100.0" };
const pair = {
  ...{ pendingAboveType: "LIMIT_MAKER", pendingAbovePrice: "0.3000" },
  ...{ pendingBelowType: "STOP_LOSS", pendingBelowStopPrice: "0.0500" },
};
const list = { listClientOrderId: "of-lists" };

/** By path. */
export const listValues: Readonly<Record<string, ListValues>> = {
  "/api/v3/orderList/oco": valuesOf(
    {
      ...{ aboveType: "STOP_LOSS", aboveStopPrice: "0.3000" },
      ...{ belowType: "LIMIT_MAKER", belowPrice: "0.1000" },
    },
    {
      ...{ ...list, ...namesOf("above", "below"), aboveStrategyId: "7", belowIcebergQty: "0" },
      ...{ aboveTrailingDelta: "0", belowTimeInForce: "GTC", belowStrategyType: "1000001" },
    },
  ),
  "/api/v3/orderList/oto": valuesOf(
    { ...working, pendingType: "LIMIT_MAKER", pendingPrice: "0.3000" },
    { ...list, ...namesOf("working", "pending"), pendingIcebergQty: "0" },
  ),
  "/api/v3/orderList/otoco": valuesOf(
    { ...working, ...pair },
    { ...list, ...namesOf("working", "pendingAbove", "pendingBelow") },
  ),
  "/api/v3/orderList/opo": valuesOf(
    { ...buying, pendingType: "LIMIT_MAKER", pendingPrice: "0.3000" },
    { ...list, ...namesOf("working", "pending"), pendingIcebergQty: "0" },
  ),
  "/api/v3/orderList/opoco": valuesOf(
    { ...buying, ...pair },
    { ...list, ...namesOf("working", "pendingAbove", "pendingBelow") },
  ),
  "/api/v3/order/oco": valuesOf(
    { price: "0.1000", stopPrice: "0.3000" },
    {
      ...{ ...list, ...namesOf("limit", "stop"), stopLimitPrice: "0.3100" },
      ...{ stopLimitTimeInForce: "GTC", limitIcebergQty: "0", trailingDelta: "0" },
    },
  ),
  "/api/v3/orderList": valuesOf({}, { ...list, origClientOrderId: "of-lists", orderListId: "1" }),
};
