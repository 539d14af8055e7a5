// Turns a position around: one order at the market that closes it and opens one of the same size on the other side.

import type { VNode } from "preact";
import { closingSide } from "../../../markets/positions/guards.ts";
import { ActionForm } from "../../form/action-form.tsx";
import { Dialog } from "../../form/dialog.tsx";
import type { PositionProps } from "../position-dialogs.tsx";
import { orderMessage } from "../ticket-sending.ts";
import { reverse, turningQuantity } from "./closing.ts";
import { ClosingFigures } from "./closing-figures.tsx";

export function ReverseDialog({ position, market, onClose }: PositionProps): VNode {
  const side = closingSide(position);
  const [verb, next] = side === "BUY" ? ["Buy", "LONG"] : ["Sell", "SHORT"];
  const quantity = turningQuantity(position, market);
  const act = async (): Promise<string> => {
    const placed = await reverse(position, market);
    if (placed.status === "FILLED") onClose();
    return orderMessage(placed, market);
  };
  return (
    <Dialog title={`Reverse ${market.symbol}`} onClose={onClose}>
      <ActionForm submit={`${verb} ${quantity} at market`} tone={side.toLowerCase()} act={act}>
        <p>
          {position.side} {position.qty} {market.base} → {next} {position.qty} {market.base}
        </p>
        <p class="soft">
          The order needs margin like any other, and the position's take profit and stop loss end.
        </p>
        <ClosingFigures
          position={position}
          market={market}
          quantity={position.qty}
          ordered={quantity}
          limit={null}
        />
      </ActionForm>
    </Dialog>
  );
}
