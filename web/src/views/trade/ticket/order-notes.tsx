// What happens to an order that its fields do not say.

import type { VNode } from "preact";
import type { Market } from "../../../markets/market.ts";
import type { Estimate } from "../../../markets/order-estimate.ts";
import type { Means, Ticket } from "../../../markets/order-ticket.ts";
import { attachedNotes } from "../../../markets/ticket/attached-notes.ts";
import { closedByOrdersNote } from "../../../markets/ticket/opening-notes.ts";
import {
  activationNote,
  farPriceNote,
  lateStopNote,
  shrinkNote,
} from "../../../markets/ticket/order-warnings.ts";
import { positions } from "../../../member/account.ts";
import { guardPrices } from "../../../member/position-guards.ts";
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
  const held = guardPrices(position);
  const attached = attachedNotes({ ticket, market, means, estimate, held });
  const warnings = [
    farPriceNote(ticket, means),
    lateStopNote(ticket, market, position),
    activationNote(ticket, market, means),
    closedByOrdersNote(ticket, means, estimate?.traded),
    attached.late,
  ];
  return (
    <>
      {shrinks !== "" && <small class="soft">{shrinks}</small>}
      {attached.lines.length > 0 && (
        <small class="soft lines">
          {attached.lines.map((text) => (
            <span key={text}>{text}</span>
          ))}
        </small>
      )}
      {warnings.map((text) => text !== "" && <small class="loss">{text}</small>)}
      <FillNote estimate={estimate} means={means} ticket={ticket} market={market} />
      {ticket.kind === "TWAP" && (
        <small class="soft">
          This page sends the orders. Closing, reloading or logging out stops the rest.
        </small>
      )}
    </>
  );
}
