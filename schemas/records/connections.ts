// Order connections that cancel on disconnect: which connection placed an order, who serves the connection, and when it
// was lost. Commands are requests, events are their results.

import { anyNumber, bit, flag, long, named, number16, number32, orderId } from "./fields.ts";
import type { CommandRows, EventRows } from "./rows.ts";

export const connectionEvents = {
  connectionOpened: {
    code: 53,
    description:
      "An order connection declared that its orders are cancelled when it is lost. The account is the owner of its orders.",
    fields: {
      connectionId: long("Rises by one per declaration; never reused."),
      origin: number32(
        "The gateway that serves the connection; 0 for one of the venue's own fronts.",
      ),
      front: number16("Command source of the venue's own front that serves it; 0 for a gateway."),
      keyId: long("The key that logged on."),
    },
  },
  connectionEnded: {
    code: 54,
    description:
      "The connection was lost, or its client ended the declaration. No order of it is accepted from here on.",
    fields: {
      connectionId: long(),
      keepsOrders: named(
        "keeps_orders",
        flag(
          "True if the client ended the declaration: the orders stay. Otherwise they are cancelled.",
        ),
      ),
    },
  },
  orderBound: {
    code: 55,
    description:
      "Follows the acceptance of an order in its transaction: the order is cancelled when the connection is lost.",
    fields: { orderId: orderId(), connectionId: long() },
  },
} as const satisfies EventRows;

export const connectionCommands: CommandRows = {
  openConnection: {
    code: 35,
    description:
      "Declares an order connection of the account, whose orders are cancelled when it is lost. The reply's subject is " +
      "its number.",
    fields: { keyId: anyNumber("The key that logged on.") },
  },
  endConnection: {
    code: 36,
    description: "Ends a connection that is lost, or whose client withdraws the declaration.",
    fields: {
      connectionId: anyNumber(),
      keepsOrders: bit("flags", 1, "True if the orders stay; otherwise they are cancelled."),
    },
  },
  signOfLife: {
    code: 37,
    description:
      "Says that those who serve connections are alive. Gets no reply. Who is silent for too long has lost its connections.",
    fields: {
      origin: anyNumber("The gateway; 0 for one of the venue's own fronts."),
      front: number16("The front's number among the command sources; 0 for a gateway."),
    },
  },
};
