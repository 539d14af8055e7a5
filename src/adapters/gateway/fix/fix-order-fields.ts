// The fields of an order in FIX, and how they become the parameters of REST: names, codes and the type. Spec FIX-14.

import type { FieldFault } from "./field-set.ts";
import { sides, stpModes, Tag, timesInForce } from "./fix-fields.ts";
import { type Field, type Fields, incorrect, missing, optional, required } from "./fix-form.ts";

/** Read by `typeOf`. */
const read: Field = {};

/** The fields of a new order, alone or in a list. */
export const newOrder: ReadonlyArray<readonly [number, Field]> = [
  [Tag.clOrdId, required("newClientOrderId")],
  [Tag.symbol, required("symbol")],
  [Tag.side, { ...required("side"), codes: sides }],
  [Tag.ordType, { isRequired: true }],
  [Tag.execInst, read],
  [Tag.orderQty, optional("quantity")],
  [Tag.price, optional("price")],
  [Tag.timeInForce, { parameter: "timeInForce", codes: timesInForce }],
  [Tag.maxFloor, optional("icebergQty")],
  [Tag.cashOrderQty, optional("quoteOrderQty")],
  [Tag.targetStrategy, optional("strategyType")],
  [Tag.strategyId, optional("strategyId")],
  [Tag.selfTradePreventionMode, { parameter: "selfTradePreventionMode", codes: stpModes }],
  [Tag.pegOffsetValue, optional("pegOffsetValue")],
  [
    Tag.pegPriceType,
    { parameter: "pegPriceType", codes: { "4": "MARKET_PEG", "5": "PRIMARY_PEG" } },
  ],
  [Tag.pegMoveType, { codes: { "1": "" } }],
  [Tag.pegOffsetType, { parameter: "pegOffsetType", codes: { "3": "PRICE_LEVEL" } }],
  [Tag.triggerType, { codes: { "4": "" } }],
  [Tag.triggerAction, { codes: { "1": "" } }],
  [Tag.triggerPrice, optional("stopPrice")],
  [Tag.triggerPriceType, { codes: { "2": "" } }],
  [Tag.triggerPriceDirection, { codes: { U: "", D: "" } }],
  [Tag.triggerTrailingDeltaBips, optional("trailingDelta")],
];

/** Whether an order is cancelled when its connection is lost. */
export const cancelsWithConnection: readonly [number, Field] = [
  Tag.cancelOnDisconnect,
  { parameter: "cancelOnDisconnect", codes: { Y: "true", N: "false" } },
];

/** A parameter of all requests that place orders: what becomes of them is told by reports. */
export const acknowledged = ["newOrderRespType", "ACK"] as const;

/** The type of an order in Binance's names. */
export function typeOf(fields: Fields): string | FieldFault {
  const inst = fields.get(Tag.execInst);
  if (inst !== undefined && inst !== "6") return incorrect(Tag.execInst);
  const code = fields.get(Tag.ordType);
  const isMaker = inst === "6";
  if (isMaker && code !== "2" && code !== "P") return incorrect(Tag.execInst);
  switch (code) {
    case "1":
      return "MARKET";
    case "2":
      return isMaker ? "LIMIT_MAKER" : "LIMIT";
    case "3":
      return stopOf(fields, "");
    case "4":
      return stopOf(fields, "_LIMIT");
    case "P": {
      if (fields.get(Tag.pegPriceType) === undefined) return needs(Tag.pegPriceType);
      if (fields.get(Tag.pegMoveType) === undefined) return needs(Tag.pegMoveType);
      return isMaker ? "LIMIT_MAKER" : "LIMIT";
    }
    default:
      return incorrect(Tag.ordType);
  }
}

/** A stop loss is triggered by a price that gets worse for its side, a take profit by one that gets better. */
function stopOf(fields: Fields, ending: "" | "_LIMIT"): string | FieldFault {
  const needed = [
    Tag.triggerType,
    Tag.triggerAction,
    Tag.triggerPriceType,
    Tag.triggerPriceDirection,
  ];
  for (const tag of needed) if (fields.get(tag) === undefined) return needs(tag);
  const isUp = fields.get(Tag.triggerPriceDirection) === "U";
  const isBuy = fields.get(Tag.side) === "1";
  return `${isUp === isBuy ? "STOP_LOSS" : "TAKE_PROFIT"}${ending}`;
}

function needs(tag: number): FieldFault {
  return missing(tag, `Tag ${tag} is required for this order type.`);
}
