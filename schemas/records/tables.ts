// All events and commands, in the order of their codes. To add one, add a row to the table of its subject, its
// `apply` and the code that decides it; types, codecs, empty records, bodies, event.fbs and test generators are built
// from the row. Events are a storage format: never renumber a code and never change the fields of a row that is in
// journals; to record something new, add a new event with the next code. Commands exist in a ring for microseconds,
// so their layouts may change. Gateways exchange both with the leader: test/wire/record-versions.test.ts says which
// number a change must raise.

import { accountCommands, accountEvents } from "./accounts.ts";
import { connectionCommands, connectionEvents } from "./connections.ts";
import { gatewayCommands, gatewayEvents } from "./gateways.ts";
import { liabilityCommands, liabilityEvents } from "./liabilities.ts";
import { makerGroupCommands, makerGroupEvents } from "./maker-groups.ts";
import { marketCommands, marketEvents } from "./markets.ts";
import { orderCommands, orderEvents } from "./orders.ts";
import type { CommandRow, CommandRows, EventRow, EventRows } from "./rows.ts";
import { subAccountCommands, subAccountEvents } from "./sub-accounts.ts";

function byCode<Row extends { readonly code: number }>(
  ...tables: readonly Readonly<Record<string, Row>>[]
): Readonly<Record<string, Row>> {
  const rows = tables.flatMap((table) => Object.entries(table));
  if (new Set(rows.map(([, { code }]) => code)).size !== rows.length)
    throw new Error("schemas/records: two kinds must not have the same code");
  return Object.fromEntries(rows.sort(([, one], [, other]) => one.code - other.code));
}

export const events: EventRows = byCode<EventRow>(
  accountEvents,
  orderEvents,
  makerGroupEvents,
  marketEvents,
  gatewayEvents,
  connectionEvents,
  subAccountEvents,
  liabilityEvents,
);

export const commands: CommandRows = byCode<CommandRow>(
  accountCommands,
  orderCommands,
  makerGroupCommands,
  marketCommands,
  gatewayCommands,
  connectionCommands,
  subAccountCommands,
  liabilityCommands,
);
