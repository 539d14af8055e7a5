// Positions that the venue closed for an account: its liquidation orders, and positions moved without orders.
// The orders are recognised by reserved client ids; the moves are events.

import { EventKind, type VenueEvent } from "../../../../core/generated/events.ts";
import { autoclosePrefix, MoveCause } from "../../../../core/liquidation.ts";
import type {
  LiquidationQuery,
  MoveQuery,
  MoveRecord,
} from "../../../../ports/journal/history-store.ts";
import { positionMovedLayout } from "../../../../wire/generated/event-layout.ts";
import { type BoundStatement, Values } from "./bound-statement.ts";

/** The liquidation orders of an account in one market; without a start newest first. */
export function liquidationOrdersStatement(
  query: LiquidationQuery,
  market: number,
): BoundStatement {
  const { account, startUs, endUs, limit } = query;
  const values = new Values();
  // Not bound, so that the planner can use the index of these orders.
  const conditions = [`client_id like '${autoclosePrefix}%'`];
  conditions.push(`account = ${values.bind(account)}`, `market = ${values.bind(market)}`);
  if (startUs !== null) conditions.push(`order_id >= first_order_since(${values.bind(startUs)})`);
  if (endUs !== null) conditions.push(`order_id < first_order_since(${values.bind(endUs)})`);
  return {
    text: `select * from orders where ${conditions.join(" and ")}
      order by order_id ${startUs === null ? "desc" : "asc"} limit ${values.bind(limit)}`,
    values: values.bound,
  };
}

/** The account that received a position: the three bytes of its number. */
const counterpartyText = [1, 256, 65_536]
  .map((weight, index) => {
    const byte = `get_byte(body, ${positionMovedLayout.counterparty + index})`;
    return weight === 1 ? byte : `${byte} * ${weight}`;
  })
  .join(" + ");

/** The conditions for an account's moves, matching the index of each kind. */
export function ofAccount(account: string, isTaken: boolean): string[] {
  return isTaken
    ? [`kind = ${EventKind.positionMoved}`, `(${counterpartyText}) = ${account}`]
    : [
        `kind in (${EventKind.insuranceSettled}, ${EventKind.positionMoved})`,
        `account = ${account}`,
      ];
}

/**
 * Events of an account's positions moved in one market, without a start newest first: those moved away, or
 * with `isTaken` those received by deleveraging.
 */
export function movesStatement(query: MoveQuery, market: number): BoundStatement {
  const { account, isTaken, startUs, endUs, limit } = query;
  const values = new Values();
  const conditions = ofAccount(values.bind(account), isTaken);
  const { market: marketOffset, cause } = positionMovedLayout;
  conditions.push(
    `kind = ${EventKind.positionMoved}`,
    `get_byte(body, ${marketOffset}) = ${values.bind(market)}`,
  );
  if (isTaken) conditions.push(`get_byte(body, ${cause}) = ${MoveCause.deleveraging}`);
  if (startUs !== null) conditions.push(`ts_us >= ${values.bind(startUs)}`);
  if (endUs !== null) conditions.push(`ts_us < ${values.bind(endUs)}`);
  return {
    text: `select body from journal where ${conditions.join(" and ")}
      order by ts_us ${startUs === null ? "desc" : "asc"} limit ${values.bind(limit)}`,
    values: values.bound,
  };
}

/** The move of an event, as seen by one of the two accounts; empty for other events. */
export function moveOf(event: VenueEvent, isTaken: boolean): MoveRecord[] {
  if (event.kind !== EventKind.positionMoved) return [];
  const { seq, tsUs, market, qty, value, price, cause } = event;
  const account = isTaken ? event.counterparty : event.account;
  return [{ seq, tsUs, account, market, qty, value, price, cause, isTaken }];
}
