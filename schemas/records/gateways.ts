// Gateways: their incarnations, and the results of their commands, which make it safe to send a command again. Commands
// are requests, events are their results.

import { code, flag, long, named, number32, text } from "./fields.ts";
import type { CommandRows, EventRows } from "./rows.ts";

export const gatewayEvents = {
  originRegistered: {
    code: 50,
    description: "A gateway started and received a number for its commands.",
    fields: {
      origin: number32("Rises by one per registration; never reused."),
      name: text("Name of the gateway, by which an earlier incarnation is recognised."),
    },
  },
  commandDone: {
    code: 51,
    description:
      "The transaction is the result of a gateway's command, or one step of it. A command that is sent again gets this " +
      "result.",
    fields: {
      origin: number32(),
      lane: code("OriginLane"),
      number: long("Number of the command among those of its origin and lane."),
      confirmedUpTo: long("The origin needs no result of this lane up to this number any more."),
      subject: long(
        "The subject of the reply; of an unfinished command, the number of orders cancelled so far.",
      ),
      isFinished: named(
        "finished",
        flag("False for a step of a command with several transactions."),
      ),
    },
    layout: ["number", "confirmedUpTo", "subject", "origin", "lane", "isFinished"],
  },
} as const satisfies EventRows;

export const gatewayCommands: CommandRows = {
  registerOrigin: {
    code: 33,
    description:
      "Gives a gateway that starts a number for its commands, which is the reply's subject. It has no identity itself.",
    fields: { name: text("1–36 characters: the gateway's name.") },
  },
};
