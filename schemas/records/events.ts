// All events, in the order of their codes. Adding one is a row in the table of its subject, its `apply` and what
// decides it; types, bytes, empty records, bodies, event.fbs and what tests draw are built from the row. A storage
// format: never renumber a code and never change the fields of a row that is in journals; a new need is a new
// event, with the next code.

import { accountEvents } from "./account-events.ts";
import type { EventRow, EventRows } from "./event-rows.ts";
import { marketEvents } from "./market-events.ts";
import { orderEvents } from "./order-events.ts";

const rows: readonly (readonly [string, EventRow])[] = [
  ...Object.entries(accountEvents),
  ...Object.entries(orderEvents),
  ...Object.entries(marketEvents),
];

export const events: EventRows = Object.fromEntries(
  [...rows].sort(([, one], [, other]) => one.code - other.code),
);
