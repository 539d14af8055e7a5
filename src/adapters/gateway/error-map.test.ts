// Error maps: every surface has a message for every refusal of clearing, exactly as docs/spec/errors.md says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RejectReason } from "../../core/reject-reason.ts";
import { fapiErrors } from "./fapi/error-map.ts";
import { authErrors, errorBody, transportErrors } from "./requests/surface-error.ts";
import { spotErrors } from "./spot/error-map.ts";

type Row = readonly [status: number, code: number, msg: string | RegExp];

const filter = (name: string): Row => [400, -1013, `Filter failure: ${name}`];
const balance: Row = [422, -2010, "Account has insufficient balance for requested action."];
const notExecuted: Row = [
  503,
  -1008,
  "Request was not executed; resend with the same client order id.",
];
const disabled: Row = [422, -2010, "This action is disabled on this account."];
const badKey: Row = [401, -2015, "Invalid API-key, IP, or permissions for action."];

/** Each row: refusal reason, expected spot error, and expected FAPI error where it differs. */
const table: readonly (readonly [keyof typeof RejectReason, Row, Row?])[] = [
  ["unknownMarket", [400, -1100, /'symbol'/]],
  ["marketNotTrading", [422, -2010, "Market is closed."]],
  ["priceNotPositive", filter("PRICE_FILTER"), [400, -4013, /min price/]],
  ["priceOffTick", filter("PRICE_FILTER"), [400, -1111, /^Precision/]],
  ["priceTooHigh", filter("PRICE_FILTER"), [400, -4002, /max price/]],
  ["priceOutsideBand", filter("PERCENT_PRICE")],
  ["qtyNotPositive", filter("LOT_SIZE"), [400, -4003, /^Quantity/]],
  ["qtyOffLot", filter("LOT_SIZE"), [400, -1111, /^Precision/]],
  ["qtyTooLarge", filter("LOT_SIZE"), [400, -4005, /max quantity/]],
  ["notionalTooSmall", filter("NOTIONAL")],
  ["unsupportedCombination", [400, -1014, "Unsupported order combination."]],
  ["trailingOutOfRange", filter("TRAILING_DELTA"), [400, -2007, /callBack/]],
  ["goodTillOutOfRange", [400, -1100, /'goodTillDate'/], [400, -5040, /goodTillDate/]],
  ["takeProfitWrongSide", [400, -1014, "Unsupported order combination."]],
  ["stopLossWrongSide", [400, -1014, "Unsupported order combination."]],
  ["unknownAccount", badKey],
  ["accountFrozen", [422, -2010, /^Account is frozen/]],
  ["notEnrolled", [422, -2012, /^Complete wallet enrollment \(MemberAuth\) before trading/]],
  ["insufficientBalance", balance],
  ["tooManyOpenOrders", filter("MAX_NUM_ORDERS")],
  ["leverageOutOfRange", [400, -1100, /'leverage'/], [400, -4028, /^Leverage/]],
  ["amountNotPositive", [400, -1100, /'amount'/]],
  ["walletNotAllowed", disabled],
  ["tooManyAccounts", disabled],
  [
    "duplicateClientId",
    [422, -2010, "Duplicate order sent."],
    [400, -4116, "ClientOrderId is duplicated."],
  ],
  ["nothingToReduce", disabled, [422, -2022, "ReduceOnly Order is rejected."]],
  ["positionBeyondLeverage", disabled, [400, -2027, /^Exceeded the maximum allowable position/]],
  ["tooManyConditionalOrders", filter("MAX_NUM_ALGO_ORDERS"), [400, -4045, /stop order/]],
  [
    "wouldTrigger",
    [422, -2010, "Order would trigger immediately."],
    [422, -2021, "Order would immediately trigger."],
  ],
  ["amendsNothing", [422, -2038, /change no state/], [400, -5027, /No need to modify/]],
  ["notAmendable", [422, -2038, /cannot be amended/], [400, -5028, /cannot be modified/]],
  [
    "accountInLiquidation",
    [422, -2010, "Account is being liquidated."],
    [400, -2023, "User in liquidation mode now."],
  ],
  ["tradingPaused", [422, -2010, "Trading is paused."]],
  [
    "marketReduceOnly",
    [422, -2010, "Only reduceOnly orders are allowed."],
    [400, -4400, /only reduceOnly order is allowed/],
  ],
  ["marketWithoutIndex", [422, -2010, "The market has no index price yet."]],
  ["marketPaused", [422, -2010, "Trading is paused in this market."]],
  ["indexStale", [422, -2010, /^Transfers are paused while a market/]],
  ["openInterestFull", [422, -2010, "The order would exceed the market's open interest limit."]],
  [
    "depthTooThin",
    [422, -2010, "The order would exceed the open interest that the market's depth allows."],
  ],
  ["unknownOrder", [422, -2011, "Order does not exist."]],
  ["wouldTake", [422, -2010, "Order would immediately match and take."], [400, -5022, /maker/]],
  ["clientIdReserved", [400, -1100, /'newClientOrderId'/], [400, -4015, /^Client order id/]],
  ["unknownKey", badKey],
  ["keyExists", disabled],
  ["keyChanged", disabled],
  ["tooManyKeys", disabled],
  ["unknownSession", badKey],
  ["tooManySessions", disabled],
  ["tooManyKeysOfAccount", disabled],
  ["requestInFlight", [422, -2010, "The last mass quote of this market is still in flight."]],
  ["tooManyRequestKeys", disabled],
  ["spotWalletInUse", disabled],
  ["withdrawalNotPermitted", disabled],
  ["tooManyWithdrawals", disabled],
  ["accountInUse", disabled],
  ["accountInFamily", disabled],
  ["tooManySubAccounts", disabled],
  ["subAccountLabel", [400, -1100, /'subAccountString'/]],
  ["unknownWithdrawal", disabled],
  ["listPricesWrong", [422, -2010, /relationship of the prices/]],
  ["tooManyOrderLists", filter("MAX_NUM_ORDER_LISTS")],
  ["icebergNotBelowQty", [422, -2010, "IcebergQty exceeds QTY."]],
  ["tooManyIcebergParts", filter("ICEBERG_PARTS")],
  ["groupTriggered", [422, -2010, /^Market maker protection has triggered/]],
  ["groupTermsInvalid", [400, -1100, /'symbols'/]],
  ["marketInGroup", [422, -2010, "A market is in another group of the account."]],
  ["tooManyGroups", [422, -2010, /^The accounts of this owner have as many groups/]],
  ["unknownGroup", [400, -1100, /'group'/]],
  ["cancelRestricted", [422, -2011, "Order was not canceled due to cancel restrictions."]],
  ["amendGrows", [422, -2038, "Order amend (quantity increase) is not supported."]],
  ["amendWrongSide", [400, -1100, /'side'/]],
  ["swapMoveKnown", disabled],
  ["connectionEnded", [422, -2010, /connection .* counts as lost/]],
  ["tooManyConnections", [400, -1034, /limit is 256 per account/]],
  ["deadlinePassed", notExecuted],
  ["windowPassed", [401, -1021, /recvWindow/]],
  ["tooManyOrdersIn10s", [429, -1003, /50 orders per 10 SECOND/]],
  ["tooManyOrdersInMinute", [429, -1003, /200 orders per 1 MINUTE/]],
  ["venueFull", notExecuted],
  ["stopping", notExecuted],
  ["unknownOrigin", notExecuted],
  ["commandConfirmed", [500, -1000, /unknown/]],
  ["originWindowFull", notExecuted],
  ["tooManyOrigins", notExecuted],
];

function assertRow(error: { status: number; code: number; msg: string }, row: Row): void {
  const [status, code, msg] = row;
  assert.deepEqual([error.status, error.code], [status, code]);
  if (typeof msg === "string") assert.equal(error.msg, msg);
  else assert.match(error.msg, msg);
}

test("ERR-9 ERR-18 ERR-21 ERR-43 the error map lists every refusal", () => {
  const named = new Set(table.map(([name]) => name));
  const missing = Object.keys(RejectReason).filter(
    (name) => name !== "none" && !named.has(name as keyof typeof RejectReason),
  );
  assert.deepEqual(missing, []);
});

for (const [name, spot, fapi] of table) {
  test(`${name} is reported on both surfaces with the documented message`, () => {
    assertRow(spotErrors[RejectReason[name]], spot);
    assertRow(fapiErrors[RejectReason[name]], fapi ?? spot);
  });
}

test("authentication and transport faults have the specified statuses and codes", () => {
  assertRow(authErrors.keyFormat, [400, -2014, "API-key format invalid."]);
  assertRow(authErrors.keyUnknown, badKey);
  assertRow(authErrors.signatureMissing, [400, -1102, /'signature'/]);
  assertRow(authErrors.timestampMissing, [400, -1102, /'timestamp'/]);
  assertRow(authErrors.outsideWindow, [
    401,
    -1021,
    "Timestamp for this request is outside of the recvWindow.",
  ]);
  assertRow(authErrors.signatureWrong, [401, -1022, "Signature for this request is not valid."]);
  assertRow(transportErrors.bodyTooLarge, [413, -1101, /1 MiB/]);
  assertRow(transportErrors.deadline, [
    408,
    -1007,
    "Timeout waiting for response from backend server. Send status unknown; execution status unknown.",
  ]);
});

test("an error body has exactly code and msg, whatever text the message contains", () => {
  const body = errorBody({ status: 404, code: -5000, msg: 'Path /"\\\u0000é, Method X' });
  assert.deepEqual(JSON.parse(body), { code: -5000, msg: 'Path /"\\\u0000é, Method X' });
});
