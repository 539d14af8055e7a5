// Reads the positions that the venue closed for an account, by liquidation orders or by moving the position to another
// account without an order. Liquidation orders are recognised by reserved client ids; moves are read from events.

import { EventKind, type VenueEvent } from "../../../../core/generated/events.ts";
import { autoclosePrefix, MoveCause } from "../../../../core/liquidation.ts";
import type {
  LiquidationQuery,
  MoveQuery,
  MoveRecord,
} from "../../../../ports/journal/history-store.ts";
import { positionMovedLayout } from "../../../../wire/generated/event-layout.ts";
import { type BoundStatement, Values } from "./bound-statement.ts";

/**
 * Selects the liquidation orders of an account in one market: oldest first if the query has a start time, otherwise
 * newest first.
 */
export function liquidationOrdersStatement(
  query: LiquidationQuery,
  market: number,
): BoundStatement {
  const { account, startUs, endUs, limit } = query;
  const values = new Values();
  // The pattern is in the text instead of a bound value, so that the planner can use the index of these orders.
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

/** SQL for the account that received a position, from the three bytes of the account's number. */
const counterpartyText = [1, 256, 65_536]
  .map((weight, index) => {
    const byte = `get_byte(body, ${positionMovedLayout.counterparty + index})`;
    return weight === 1 ? byte : `${byte} * ${weight}`;
  })
  .join(" + ");

/**
 * Returns the conditions for the events that closed the account's positions by force or, with `isTaken`, that moved
 * positions of other accounts to it. They are written so that the index of each event kind applies.
 */
export function ofAccount(account: string, isTaken: boolean): string[] {
  return isTaken
    ? [`kind = ${EventKind.positionMoved}`, `(${counterpartyText}) = ${account}`]
    : [
        `kind in (${EventKind.insuranceSettled}, ${EventKind.positionMoved})`,
        `account = ${account}`,
      ];
}

/**
 * Selects events that moved positions of an account in one market: positions moved away, or with `isTaken` positions
 * received by deleveraging. They are sorted oldest first if the query has a start time, otherwise newest first.
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

/**
 * Returns the move of an event, as seen by the account that lost the position or, with `isTaken`, by the one that
 * received it; empty for other events.
 */
export function moveOf(event: VenueEvent, isTaken: boolean): MoveRecord[] {
  if (event.kind !== EventKind.positionMoved) return [];
  const { seq, tsUs, market, qty, value, price, cause } = event;
  const account = isTaken ? event.counterparty : event.account;
  return [{ seq, tsUs, account, market, qty, value, price, cause, isTaken }];
}
