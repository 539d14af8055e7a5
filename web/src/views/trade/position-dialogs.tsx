// What the user does with a position: close it or a part of it, at the market or at a limit, and set its take profit
// and stop loss.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { shown, shownAverage } from "../../decimal-text.ts";
import type { Market } from "../../markets/market.ts";
import { blankTicket, numberFault, shareOf } from "../../markets/order-ticket.ts";
import { closingSide } from "../../markets/positions/guards.ts";
import { type Position, refreshAccount } from "../../member/account.ts";
import { guardPrice, setGuard } from "../../member/position-guards.ts";
import { ActionForm } from "../form/action-form.tsx";
import { Choice } from "../form/choice.tsx";
import { Dialog } from "../form/dialog.tsx";
import { Field } from "../form/field.tsx";
import { close } from "./positions/closing.ts";
import { ClosingFigures } from "./positions/closing-figures.tsx";
import { ShareButtons } from "./share-buttons.tsx";
import { orderMessage } from "./ticket-sending.ts";

interface PositionProps {
  readonly position: Position;
  readonly market: Market;
  onClose(): void;
}

/** The part of a position, rounded down to the market's step. */
function partOf({ qty }: Position, market: Market, percent: string): string {
  const means = {
    free: undefined,
    positionQuantity: qty,
    best: undefined,
    reach: null,
    leverage: 1,
  };
  return shareOf({ ...blankTicket, isReduceOnly: true }, market, percent, means) ?? "";
}

export function CloseDialog({ position, market, onClose }: PositionProps): VNode {
  const kind = useSignal<"MARKET" | "LIMIT">("MARKET");
  const quantity = useSignal(partOf(position, market, "100"));
  const price = useSignal("");
  const side = closingSide(position);
  const isLimit = kind.value === "LIMIT";
  const act = async (): Promise<string> => {
    const terms = { quantity: quantity.value, price: isLimit ? price.value : null };
    const placed = await close({ position, market, ...terms });
    if (placed === null) return "Not sent.";
    if (placed.status === "FILLED" || placed.status === "NEW") onClose();
    return orderMessage(placed, market);
  };
  return (
    <Dialog title={`Close ${market.symbol}`} onClose={onClose}>
      <ActionForm
        submit={isLimit ? "Close at limit" : "Close at market"}
        tone={side.toLowerCase()}
        act={act}
      >
        <p class="soft">
          {position.side} {position.qty} {market.base}, entry{" "}
          {shownAverage(position.entry_price, market.pricePlaces)}, mark{" "}
          {shown(position.mark_price, market.pricePlaces)}
        </p>
        <Choice
          label="Close with"
          options={[
            ["MARKET", "Market"],
            ["LIMIT", "Limit"],
          ]}
          value={kind.value}
          onChoose={(next) => {
            kind.value = next;
          }}
        />
        {isLimit && (
          <Field
            label={`Closing price (${market.quote})`}
            hint={shown(position.mark_price, market.pricePlaces)}
            value={price.value}
            onValue={(text) => {
              price.value = text;
            }}
          />
        )}
        <Field
          label={`Quantity to close (${market.base})`}
          value={quantity.value}
          onValue={(text) => {
            quantity.value = text;
          }}
        />
        <ShareButtons
          label="Percentage of the position"
          onChoose={(percent) => {
            quantity.value = partOf(position, market, percent);
          }}
        />
        <ClosingFigures
          position={position}
          market={market}
          quantity={quantity.value}
          limit={isLimit ? price.value : null}
        />
      </ActionForm>
    </Dialog>
  );
}

export function TpSlDialog({ position, market, onClose }: PositionProps): VNode {
  // What the user has typed; null for a field that was not changed, which then is left as it is.
  const takeProfit = useSignal<string | null>(null);
  const stopLoss = useSignal<string | null>(null);
  const fields = [
    ["Take profit of the position", takeProfit, "TAKE_PROFIT_MARKET"],
    ["Stop loss of the position", stopLoss, "STOP_MARKET"],
  ] as const;
  const set = async (): Promise<string> => {
    for (const [label, { value }] of fields) {
      if (value === null || value === "") continue;
      const fault = numberFault(label, value, market.tick, market.priceMax);
      if (fault !== null) throw new Error(fault);
    }
    try {
      for (const [, { value }, type] of fields) {
        if (value !== null) await setGuard(position, market, type, value);
      }
    } finally {
      refreshAccount();
    }
    onClose();
    return "";
  };
  return (
    <Dialog title={`TP/SL of ${market.symbol}`} onClose={onClose}>
      <ActionForm submit="Set TP/SL" act={set}>
        <p class="soft">
          {position.side} {position.qty} {market.base}, entry{" "}
          {shownAverage(position.entry_price, market.pricePlaces)}, mark{" "}
          {shown(position.mark_price, market.pricePlaces)}. When the mark reaches a price, the whole
          position is closed at the market. Both end with the position. Empty removes one.
        </p>
        {fields.map(([label, text, type]) => (
          <Field
            key={label}
            label={label}
            value={text.value ?? guardPrice(position, type)}
            onValue={(value) => {
              text.value = value;
            }}
          />
        ))}
      </ActionForm>
    </Dialog>
  );
}
