// Turns FIX messages into the requests that REST and order sessions have: the name of the method and a query. So the same
// code checks them. Only what has no counterpart there is checked here: codes, required fields, unknown tags. Spec FIX-14.

import type { FieldFault, FixMessage } from "./fix-codec.ts";
import { frameTags, MsgType, RejectCode, Tag } from "./fix-fields.ts";

/** A request in the terms of an order session. */
export interface FixRequest {
  /** Method of spot order sessions. */
  readonly method: string;
  readonly query: string;
}

/** How a tag becomes a parameter: its name, or the values that a code stands for. */
interface Field {
  readonly parameter?: string;
  readonly codes?: Readonly<Record<string, string>>;
  readonly isRequired?: true;
}

type Fields = ReadonlyMap<number, Field>;

const required = (parameter: string): Field => ({ parameter, isRequired: true });
const optional = (parameter: string): Field => ({ parameter });
/** Read by `typeOf`. */
const read: Field = {};

const restrictions: Field = {
  parameter: "cancelRestrictions",
  codes: { "1": "ONLY_NEW", "2": "ONLY_PARTIALLY_FILLED" },
};

const newOrder: ReadonlyArray<readonly [number, Field]> = [
  [Tag.clOrdId, required("newClientOrderId")],
  [Tag.symbol, required("symbol")],
  [Tag.side, { ...required("side"), codes: { "1": "BUY", "2": "SELL" } }],
  [Tag.ordType, { isRequired: true }],
  [Tag.execInst, read],
  [Tag.orderQty, optional("quantity")],
  [Tag.price, optional("price")],
  [Tag.timeInForce, { parameter: "timeInForce", codes: { "1": "GTC", "3": "IOC", "4": "FOK" } }],
  [Tag.maxFloor, optional("icebergQty")],
  [Tag.cashOrderQty, optional("quoteOrderQty")],
  [Tag.targetStrategy, optional("strategyType")],
  [Tag.strategyId, optional("strategyId")],
  [
    Tag.selfTradePreventionMode,
    {
      parameter: "selfTradePreventionMode",
      codes: {
        "1": "NONE",
        "2": "EXPIRE_TAKER",
        "3": "EXPIRE_MAKER",
        "4": "EXPIRE_BOTH",
        "5": "DECREMENT",
        "6": "TRANSFER",
      },
    },
  ],
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
  [Tag.cancelOnDisconnect, { parameter: "cancelOnDisconnect", codes: { Y: "true", N: "false" } }],
];

interface Form {
  readonly method: string;
  readonly fields: Fields;
  /** Parameters that every request of this form has. */
  readonly more: string;
  readonly isOrder: boolean;
}

const orderReference: ReadonlyArray<readonly [number, Field]> = [
  [Tag.symbol, required("symbol")],
  [Tag.origClOrdId, optional("origClientOrderId")],
  [Tag.orderId, optional("orderId")],
];

const forms: ReadonlyMap<string, Form> = new Map([
  [
    MsgType.newOrderSingle,
    {
      method: "order.place",
      fields: new Map([...newOrder, [Tag.sor, { codes: { N: "" } }] as const]),
      more: "&newOrderRespType=ACK",
      isOrder: true,
    },
  ],
  [
    MsgType.orderCancelRequest,
    {
      method: "order.cancel",
      fields: new Map([
        ...orderReference,
        [Tag.clOrdId, required("newClientOrderId")],
        [Tag.cancelRestrictions, restrictions],
      ]),
      more: "",
      isOrder: false,
    },
  ],
  [
    MsgType.cancelReplace,
    {
      method: "order.cancelReplace",
      fields: new Map([
        ...newOrder,
        [
          Tag.cancelReplaceMode,
          {
            ...required("cancelReplaceMode"),
            codes: { "1": "STOP_ON_FAILURE", "2": "ALLOW_FAILURE" },
          },
        ],
        [
          Tag.orderRateLimitExceededMode,
          {
            parameter: "orderRateLimitExceededMode",
            codes: { "1": "DO_NOTHING", "2": "CANCEL_ONLY" },
          },
        ],
        [Tag.orderId, optional("cancelOrderId")],
        [Tag.origClOrdId, optional("cancelOrigClientOrderId")],
        [Tag.cancelClOrdId, optional("cancelNewClientOrderId")],
        [Tag.cancelRestrictions, restrictions],
      ]),
      more: "&newOrderRespType=ACK",
      isOrder: true,
    },
  ],
  [
    // The order keeps its client id, so the ClOrdID of an amend names the request only.
    MsgType.orderAmendRequest,
    {
      method: "order.amend.keepPriority",
      fields: new Map([
        ...orderReference,
        [Tag.clOrdId, { isRequired: true }],
        [Tag.orderQty, required("newQty")],
      ]),
      more: "",
      isOrder: false,
    },
  ],
  [
    MsgType.orderMassCancelRequest,
    {
      method: "openOrders.cancelAll",
      fields: new Map<number, Field>([
        [Tag.symbol, required("symbol")],
        [Tag.clOrdId, { isRequired: true }],
        [Tag.massCancelRequestType, { isRequired: true, codes: { "1": "" } }],
      ]),
      more: "",
      isOrder: false,
    },
  ],
  [
    MsgType.limitQuery,
    {
      method: "account.rateLimits.orders",
      fields: new Map<number, Field>([[Tag.reqId, { isRequired: true }]]),
      more: "",
      isOrder: false,
    },
  ],
]);

const clOrdIdForm = /^[a-zA-Z0-9-_]{1,36}$/;
const plain = /^[\w.-]*$/;

/** The request that a message asks for, or what is wrong with the message. */
export function requestOf(message: FixMessage): FixRequest | FieldFault {
  const form = forms.get(message.type);
  if (form === undefined) {
    const text = `Messages of type ${message.type} are not taken here.`;
    return { reason: RejectCode.other, tag: Tag.msgType, text };
  }
  const fault = missingOf(message, form.fields) ?? strangeOf(message, form.fields);
  if (fault !== undefined) return fault;
  let query = "";
  for (const [tag, { parameter, codes }] of form.fields) {
    const value = message.get(tag);
    if (value === undefined) continue;
    const text = codes === undefined ? value : codes[value];
    if (text === undefined) return incorrect(tag);
    if (parameter !== undefined) query += pair(parameter, text);
  }
  if (form.isOrder) {
    const type = typeOf(message);
    if (typeof type !== "string") return type;
    query += pair("type", type);
  }
  return { method: form.method, query: query.slice(1) + form.more };
}

function pair(name: string, value: string): string {
  return `&${name}=${plain.test(value) ? value : encodeURIComponent(value)}`;
}

function missingOf(message: FixMessage, fields: Fields): FieldFault | undefined {
  for (const [tag, { isRequired }] of fields) {
    if (isRequired !== true || message.get(tag) !== undefined) continue;
    return { reason: RejectCode.required, tag, text: `Tag ${tag} is required.` };
  }
  const id = message.get(Tag.clOrdId);
  return id === undefined || clOrdIdForm.test(id) ? undefined : incorrect(Tag.clOrdId);
}

/** A tag that the message does not have: ignoring it could place another order than intended. */
function strangeOf(message: FixMessage, fields: Fields): FieldFault | undefined {
  for (const tag of message.fields.keys()) {
    if (fields.has(tag) || frameTags.has(tag)) continue;
    const text = `Tag ${tag} is not defined for messages of type ${message.type}.`;
    return { reason: RejectCode.notDefinedForMessage, tag, text };
  }
  return undefined;
}

function incorrect(tag: number): FieldFault {
  return { reason: RejectCode.incorrectValue, tag, text: `The value of tag ${tag} is incorrect.` };
}

/** The type of an order in Binance's names. */
function typeOf(message: FixMessage): string | FieldFault {
  const inst = message.get(Tag.execInst);
  if (inst !== undefined && inst !== "6") return incorrect(Tag.execInst);
  const code = message.get(Tag.ordType);
  const isMaker = inst === "6";
  if (isMaker && code !== "2" && code !== "P") return incorrect(Tag.execInst);
  switch (code) {
    case "1":
      return "MARKET";
    case "2":
      return isMaker ? "LIMIT_MAKER" : "LIMIT";
    case "3":
      return stopOf(message, "");
    case "4":
      return stopOf(message, "_LIMIT");
    case "P": {
      if (message.get(Tag.pegPriceType) === undefined) return needs(Tag.pegPriceType);
      if (message.get(Tag.pegMoveType) === undefined) return needs(Tag.pegMoveType);
      return isMaker ? "LIMIT_MAKER" : "LIMIT";
    }
    default:
      return incorrect(Tag.ordType);
  }
}

/** A stop loss is triggered by a price that gets worse for its side, a take profit by one that gets better. */
function stopOf(message: FixMessage, ending: "" | "_LIMIT"): string | FieldFault {
  const needed = [
    Tag.triggerType,
    Tag.triggerAction,
    Tag.triggerPriceType,
    Tag.triggerPriceDirection,
  ];
  for (const tag of needed) if (message.get(tag) === undefined) return needs(tag);
  const isUp = message.get(Tag.triggerPriceDirection) === "U";
  const isBuy = message.get(Tag.side) === "1";
  return `${isUp === isBuy ? "STOP_LOSS" : "TAKE_PROFIT"}${ending}`;
}

function needs(tag: number): FieldFault {
  return { reason: RejectCode.required, tag, text: `Tag ${tag} is required for this order type.` };
}

/** The tag of the message that became the parameter `name`; 0 if there is none. */
export function tagOf(message: FixMessage, name: string): number {
  for (const [tag, { parameter }] of forms.get(message.type)?.fields ?? []) {
    if (parameter === name) return tag;
  }
  return 0;
}
