// Turns FIX messages into the requests that REST and order sessions have: the name of the method and a query. So the same
// code checks them. Only what has no counterpart there is checked here: codes, required fields, unknown tags. Spec FIX-14.

import type { FieldFault } from "./field-set.ts";
import type { FixMessage } from "./fix-codec.ts";
import { fixErrors } from "./fix-error-codes.ts";
import { MsgType, RejectCode, Tag } from "./fix-fields.ts";
import {
  type Field,
  type FixRequest,
  Form,
  optional,
  parametersOf,
  queryOf,
  required,
} from "./fix-form.ts";
import { listOf, tagInList } from "./fix-lists.ts";
import { acknowledged, cancelsWithConnection, newOrder, typeOf } from "./fix-order-fields.ts";

const restrictions: Field = {
  parameter: "cancelRestrictions",
  codes: { "1": "ONLY_NEW", "2": "ONLY_PARTIALLY_FILLED" },
};

/** What a type of message asks for. */
interface Request {
  readonly method: FixRequest["method"];
  readonly form: Form;
  /** Set if it places an order, whose type has several fields. */
  readonly isOrder?: true;
}

const orderReference: ReadonlyArray<readonly [number, Field]> = [
  [Tag.symbol, required("symbol")],
  [Tag.origClOrdId, optional("origClientOrderId")],
  [Tag.orderId, optional("orderId")],
];

const requests: ReadonlyMap<string, Request> = new Map<string, Request>([
  [
    MsgType.newOrderSingle,
    {
      method: "api order.place",
      form: new Form([
        ...newOrder,
        cancelsWithConnection,
        [Tag.sor, { codes: { N: "" } }] as const,
      ]),
      isOrder: true,
    },
  ],
  [
    MsgType.orderCancelRequest,
    {
      method: "api order.cancel",
      form: new Form([
        ...orderReference,
        [Tag.clOrdId, required("newClientOrderId")],
        [Tag.cancelRestrictions, restrictions],
      ]),
    },
  ],
  [
    MsgType.cancelReplace,
    {
      method: "api order.cancelReplace",
      form: new Form([
        ...newOrder,
        cancelsWithConnection,
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
      isOrder: true,
    },
  ],
  [
    // The order keeps its client id, so the ClOrdID of an amend names the request only.
    MsgType.orderAmendRequest,
    {
      method: "api order.amend.keepPriority",
      form: new Form([
        ...orderReference,
        [Tag.clOrdId, { isRequired: true }],
        [Tag.orderQty, required("newQty")],
      ]),
    },
  ],
  [
    MsgType.orderMassCancelRequest,
    {
      method: "api openOrders.cancelAll",
      form: new Form([
        [Tag.symbol, required("symbol")],
        [Tag.clOrdId, { isRequired: true }],
        [Tag.massCancelRequestType, { isRequired: true, codes: { "1": "" } }],
      ]),
    },
  ],
  [
    MsgType.limitQuery,
    {
      method: "api account.rateLimits.orders",
      form: new Form([[Tag.reqId, { isRequired: true }]]),
    },
  ],
]);

/** A cancel that names a list instead of an order. */
const listCancel: Request = {
  method: "api orderList.cancel",
  form: new Form([
    [Tag.symbol, required("symbol")],
    [Tag.clOrdId, required("newClientOrderId")],
    [Tag.origClListId, optional("listClientOrderId")],
    [Tag.listId, optional("orderListId")],
  ]),
};

/** The request that a message means; undefined if it means none. */
function requestFor(message: FixMessage): Request | undefined {
  const names = (...tags: readonly number[]) => tags.some((tag) => message.get(tag) !== undefined);
  const isOfList =
    message.type === MsgType.orderCancelRequest &&
    names(Tag.origClListId, Tag.listId) &&
    !names(Tag.orderId, Tag.origClOrdId);
  return isOfList ? listCancel : requests.get(message.type);
}

/** The request that a message asks for, or what is wrong with the message. */
export function requestOf(message: FixMessage): FixRequest | FieldFault {
  const { type } = message;
  if (type === MsgType.newOrderList) return listOf(message);
  const request = requestFor(message);
  if (request === undefined) return faultOfType(type);
  const parameters = parametersOf(message, request.form, type);
  if ("reason" in parameters) return parameters;
  const { method, isOrder } = request;
  if (isOrder === undefined) return { method, query: queryOf(parameters) };
  const orderType = typeOf(message);
  if (typeof orderType !== "string") return orderType;
  return { method, query: queryOf([...parameters, ["type", orderType], acknowledged]) };
}

/** The fault of a type of which there are no requests here. */
function faultOfType(type: string): FieldFault {
  const { code, meaning } = marketTypes.has(type)
    ? fixErrors.ofOrderEntry
    : {
        code: fixErrors.incorrectValue.code,
        meaning: `Messages of type ${type} are not taken here.`,
      };
  return { reason: RejectCode.other, tag: Tag.msgType, text: meaning, code };
}

const marketTypes: ReadonlySet<string> = new Set([
  MsgType.marketDataRequest,
  MsgType.instrumentListRequest,
]);

/** The tag of the message that became the parameter `name`; 0 if there is none. */
export function tagOf(message: FixMessage, name: string): number {
  if (message.type === MsgType.newOrderList) return tagInList(name);
  for (const [tag, { parameter }] of requestFor(message)?.form.fields ?? []) {
    if (parameter === name) return tag;
  }
  return 0;
}
