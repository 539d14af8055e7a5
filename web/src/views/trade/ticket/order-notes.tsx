// What happens to an order that its fields do not say.

import type { VNode } from "preact";
import type { Market } from "../../../markets/market.ts";
import type { Estimate } from "../../../markets/order-estimate.ts";
import type { Means, Ticket } from "../../../markets/order-ticket.ts";
import { farPriceNote, lateStopNote, shrinkNote } from "../../../markets/ticket/order-warnings.ts";
import { positions } from "../../../member/account.ts";
import { FillNote } from "./ticket-estimate.tsx";

interface OrderNotesProps {
  readonly ticket: Ticket;
  readonly market: Market;
  readonly means: Means;
  readonly estimate: Estimate | null;
}

/** What happens to the order that its fields do not say. */
export function OrderNotes({ ticket, market, means, estimate }: OrderNotesProps): VNode {
  const position = positions.value.find(({ symbol }) => symbol === market.symbol);
  const shrinks = shrinkNote(ticket, market, means, estimate?.quantity);
  const warnings = [farPriceNote(ticket, means), lateStopNote(ticket, market, position)];
  return (
    <>
      {shrinks !== "" && <small class="soft">{shrinks}</small>}
      {warnings.map((text) => text !== "" && <small class="loss">{text}</small>)}
      <FillNote fill={estimate?.fill ?? null} reach={means.reach} market={market} />
      {ticket.kind === "TWAP" && (
        <small class="soft">
          This page sends the orders. Closing, reloading or logging out stops the rest.
        </small>
      )}
    </>
  );
}
