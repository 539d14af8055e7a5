// SBE templates of spot: answers about order lists.

import { code, type Fields, group, message, text, time, whole } from "./fields.ts";
import {
  acknowledged,
  cancelled,
  exponents,
  fills,
  listed,
  placed,
  preventedMatches,
} from "./order-blocks.ts";

const head: Fields = {
  orderListId: whole("int64"),
  contingencyType: code("contingencyType"),
  listStatusType: code("listStatusType"),
  listOrderStatus: code("listOrderStatus"),
  transactionTime: time(),
};

const names: Fields = { listClientOrderId: text(8), symbol: text(8) };

/** Answers about order lists. */
export const listAnswers = {
  NewOrderListAckResponse: message(309, {
    ...head,
    orders: group(16, listed),
    orderReports: group(16, {
      ...acknowledged,
      symbol: text(8),
      clientOrderId: text(8),
    }),
    ...names,
  }),
  NewOrderListResultResponse: message(310, {
    ...head,
    ...exponents,
    orders: group(16, listed),
    orderReports: group(16, {
      ...placed,
      symbol: text(8),
      clientOrderId: text(8),
    }),
    ...names,
  }),
  NewOrderListFullResponse: message(311, {
    ...head,
    ...exponents,
    orders: group(16, listed),
    orderReports: group(16, {
      ...placed,
      fills,
      preventedMatches,
      symbol: text(8),
      clientOrderId: text(8),
    }),
    ...names,
  }),
  CancelOrderListResponse: message(312, {
    ...head,
    ...exponents,
    orders: group(16, listed),
    orderReports: group(16, {
      ...cancelled,
      symbol: text(8),
      origClientOrderId: text(8),
      clientOrderId: text(8),
    }),
    ...names,
  }),
  OrderListResponse: message(313, {
    ...head,
    orders: group(16, listed),
    ...names,
  }),
  OrderListsResponse: message(314, {
    orderLists: group(
      32,
      {
        ...head,
        orders: group(32, listed),
        ...names,
      },
      { path: ".." },
    ),
  }),
} as const;
