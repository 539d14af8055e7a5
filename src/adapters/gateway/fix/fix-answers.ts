// Turns the answer to a request, as REST has it, into the FIX messages that say the same. An order that was accepted,
// cancelled or amended is not among them: its ExecutionReport has been sent with the event. Spec FIX-15, FIX-19.

import type { FixMessage } from "./fix-codec.ts";
import { field, maybe, rejectFields } from "./fix-codec.ts";
import { MsgType, RejectCode, Tag } from "./fix-fields.ts";
import { rejectedList, rejectedReport, repeated } from "./fix-reports.ts";
import { tagOf } from "./fix-requests.ts";

/** A message to send: its type and fields. */
export interface Outgoing {
  readonly type: string;
  readonly fields: string;
}

/** A refusal in the form of the compat view. */
interface Refused {
  readonly code: number;
  readonly msg: string;
}

/** The body of a refused cancelReplace. */
interface RefusedReplace extends Refused {
  readonly data?: {
    readonly cancelResult: string;
    readonly newOrderResult: string;
    readonly cancelResponse: Refused | null;
    readonly newOrderResponse: Refused | null;
  };
}

/** The messages that refuse a request. `body` is the answer's JSON. */
export function refusalOf(message: FixMessage, body: string): Outgoing[] {
  const { code, msg, data } = JSON.parse(body) as RefusedReplace;
  if (isMessageFault(code)) return [rejectOf(message, code, msg)];
  switch (message.type) {
    case MsgType.orderCancelRequest:
      return [cancelReject(message, code, msg)];
    case MsgType.orderAmendRequest:
      return [amendReject(message, code, msg)];
    case MsgType.orderMassCancelRequest:
      return [massReport(message, { response: "0", code, msg })];
    case MsgType.newOrderList:
      return [{ type: MsgType.listStatus, fields: rejectedList(message, code, msg) }];
    case MsgType.newOrderSingle:
      return [orderReject(message, code, msg)];
    case MsgType.cancelReplace:
      return data === undefined
        ? [orderReject(message, code, msg)]
        : replaceRefusals(message, { code, msg }, data);
    default:
      return [rejectOf(message, code, msg)];
  }
}

/**
 * Whether a refusal is about the message, not about what it asks for: syntax, parameters, time, key. So is an answer that
 * does not know what became of the request, because the order may have been accepted.
 */
function isMessageFault(code: number): boolean {
  return (code <= -1100 && code > -1200) || otherFaults.has(code);
}

const unknownStatus = -1007;
const otherFaults: ReadonlySet<number> = new Set([unknownStatus, -1021, -1022, -2014, -2015]);

const reasons: ReadonlyMap<number, number> = new Map([
  [-1021, RejectCode.sendingTime],
  [-1022, RejectCode.signature],
  [-2014, RejectCode.signature],
  [-2015, RejectCode.signature],
  [-1101, RejectCode.repeated],
  [-1102, RejectCode.required],
  [-1103, RejectCode.notDefinedForMessage],
  [-1106, RejectCode.notDefinedForMessage],
  [unknownStatus, RejectCode.other],
]);

/** A Reject, which names the tag if the message of the refusal names its parameter. */
function rejectOf(message: FixMessage, code: number, msg: string): Outgoing {
  const name = /'(\w+)'/.exec(msg)?.[1];
  const tag = name === undefined ? 0 : tagOf(message, name);
  const text = tag === 0 ? msg : msg.replace(`'${name}'`, `'${name}' (tag ${tag})`);
  const reason = reasons.get(code) ?? RejectCode.incorrectValue;
  return { type: MsgType.reject, fields: rejectFields(message, { reason, tag, text, code }) };
}

function orderReject(message: FixMessage, code: number, msg: string): Outgoing {
  return { type: MsgType.executionReport, fields: rejectedReport(message, code, msg) };
}

function cancelReject(message: FixMessage, code: number, msg: string): Outgoing {
  const clOrdId = message.get(Tag.cancelClOrdId) ?? message.get(Tag.clOrdId) ?? "";
  const fields =
    field(Tag.clOrdId, clOrdId) +
    repeated(message, cancelTags) +
    field(Tag.cxlRejResponseTo, "1") +
    field(Tag.errorCode, code) +
    field(Tag.text, msg);
  return { type: MsgType.orderCancelReject, fields };
}

const cancelTags = [
  Tag.origClOrdId,
  Tag.orderId,
  Tag.origClListId,
  Tag.listId,
  Tag.symbol,
  Tag.cancelRestrictions,
] as const;

function amendReject(message: FixMessage, code: number, msg: string): Outgoing {
  const tags = [Tag.clOrdId, Tag.origClOrdId, Tag.orderId, Tag.symbol, Tag.orderQty];
  const fields = repeated(message, tags) + field(Tag.errorCode, code) + field(Tag.text, msg);
  return { type: MsgType.orderAmendReject, fields };
}

/** Each half of a replacement that failed; a new order that was not attempted is rejected too. */
function replaceRefusals(
  message: FixMessage,
  { code, msg }: Refused,
  {
    cancelResult,
    newOrderResult,
    cancelResponse,
    newOrderResponse,
  }: NonNullable<RefusedReplace["data"]>,
): Outgoing[] {
  const refusals: Outgoing[] = [];
  if (cancelResult === "FAILURE")
    refusals.push(cancelReject(message, cancelResponse?.code ?? code, cancelResponse?.msg ?? msg));
  if (newOrderResult !== "SUCCESS")
    refusals.push(
      orderReject(message, newOrderResponse?.code ?? code, newOrderResponse?.msg ?? msg),
    );
  return refusals;
}

function massReport(
  message: FixMessage,
  result: ({ response: "0" } & Refused) | { response: "1"; count: number },
): Outgoing {
  const fields =
    repeated(message, [Tag.symbol, Tag.clOrdId, Tag.massCancelRequestType]) +
    field(Tag.massCancelResponse, result.response) +
    (result.response === "1"
      ? field(Tag.totalAffectedOrders, result.count)
      : field(Tag.massCancelRejectReason, 99) +
        field(Tag.errorCode, result.code) +
        field(Tag.text, result.msg));
  return { type: MsgType.orderMassCancelReport, fields };
}

/** The report of a mass cancel that was carried out. `body` lists what it cancelled; a list counts by its orders. */
export function massCancelled(message: FixMessage, body: string): Outgoing {
  const rows = JSON.parse(body) as readonly { readonly orderReports?: readonly unknown[] }[];
  const count = rows.reduce((sum, { orderReports }) => sum + (orderReports?.length ?? 1), 0);
  return massReport(message, { response: "1", count });
}

interface LimitRow {
  readonly interval: "SECOND" | "MINUTE" | "DAY";
  readonly intervalNum: number;
  readonly limit: number;
  readonly count: number;
}

const resolutions = { SECOND: "s", MINUTE: "m", DAY: "d" } as const;

/** How far a limit is used. `every` is absent if it has no interval. */
export interface LimitUse {
  readonly count: number;
  readonly max: number;
  readonly every?: { readonly count: number; readonly unit: "s" | "m" | "d" };
}

/** Types of limits, LimitType (25004). */
const LimitType = { orders: "1", messages: "2", streams: "3" } as const;

/** The uses of limits, by type. */
export type LimitUses = readonly (readonly [keyof typeof LimitType, LimitUse])[];

/** The limits of the account's orders, as the JSON of REST lists them. */
export function orderLimits(body: string): LimitUses {
  return (JSON.parse(body) as readonly LimitRow[]).map(
    ({ interval, intervalNum, limit: max, count }) => [
      "orders",
      { count, max, every: { count: intervalNum, unit: resolutions[interval] } },
    ],
  );
}

/** A LimitResponse. */
export function limitsAnswer(message: FixMessage, uses: LimitUses): Outgoing {
  const rows = uses.map(
    ([type, { count, max, every }]) =>
      field(Tag.limitType, LimitType[type]) +
      field(Tag.limitCount, count) +
      field(Tag.limitMax, max) +
      maybe(Tag.limitResetInterval, every?.count) +
      maybe(Tag.limitResetIntervalResolution, every?.unit),
  );
  const fields =
    field(Tag.reqId, message.get(Tag.reqId) ?? "") +
    field(Tag.noLimitIndicators, rows.length) +
    rows.join("");
  return { type: MsgType.limitResponse, fields };
}
