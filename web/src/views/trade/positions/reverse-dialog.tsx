// Turns a position around: one order at the market that closes it and opens one of the same size on the other side.

import type { VNode } from "preact";
import { shown } from "../../../decimal-text.ts";
import { closingSide } from "../../../markets/positions/guards.ts";
import { risk } from "../../../member/risk/margin.ts";
import { ActionForm } from "../../form/action-form.tsx";
import { Dialog } from "../../form/dialog.tsx";
import type { PositionProps } from "../position-dialogs.tsx";
import { orderMessage, reachIn } from "../ticket-sending.ts";
import { reverse, turningQuantity } from "./closing.ts";
import { ClosingFigures, levelsOf } from "./closing-figures.tsx";
import { needOfReversing } from "./reverse-need.ts";

export function ReverseDialog({ position, market, onClose }: PositionProps): VNode {
  const side = closingSide(position);
  const [verb, next] = side === "BUY" ? ["Buy", "LONG"] : ["Sell", "SHORT"];
  const quantity = turningQuantity(position, market);
  const reach = reachIn(levelsOf(market, side === "SELL" ? "bids" : "asks"));
  const need = needOfReversing(position, market, reach);
  const shortfall = need?.shortfall ?? "";
  const act = async (): Promise<string> => {
    const placed = await reverse(position, market, shortfall);
    if (placed.status === "FILLED") onClose();
    return orderMessage(placed, market);
  };
  return (
    <Dialog title={`Reverse ${market.symbol}`} onClose={onClose}>
      <ActionForm
        submit={`${verb} ${quantity} at market`}
        tone={side.toLowerCase()}
        isDisabled={shortfall !== ""}
        act={act}
      >
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
        <dl class="estimate" aria-label="What reversing needs">
          <dt>Margin of the new position (USDC)</dt>
          <dd>{shown(need?.margin, 2)}</dd>
          <dt>Available (USDC)</dt>
          <dd>{shown(risk.value?.available, 2)}</dd>
        </dl>
        {shortfall !== "" && <p role="alert">Available balance too low: {shortfall}</p>}
      </ActionForm>
    </Dialog>
  );
}
