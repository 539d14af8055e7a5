// What the user does with a position: close it or a part of it, at the market or at a limit, and set its take profit
// and stop loss.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { shown, shownAverage } from "../../decimal-text.ts";
import { exact, valueAt } from "../../markets/exact.ts";
import type { Market } from "../../markets/market.ts";
import { marketBody } from "../../markets/order-requests.ts";
import { blankTicket, numberFault, shareOf } from "../../markets/order-ticket.ts";
import type { Side } from "../../markets/ticket-requests.ts";
import { type Order, openOrders, type Position, refreshAccount } from "../../member/account.ts";
import { amendOrder, cancelOrder, type Placed, placeOrder } from "../../member/order-actions.ts";
import { termsOf } from "../../member/order-terms.ts";
import { ActionForm } from "../form/action-form.tsx";
import { Choice } from "../form/choice.tsx";
import { Dialog } from "../form/dialog.tsx";
import { Field } from "../form/field.tsx";
import { confirmed } from "./confirmation.tsx";
import { ShareButtons } from "./share-buttons.tsx";
import { explained, orderMessage, ownBound, readOwnFault } from "./ticket-sending.ts";

interface PositionProps {
  readonly position: Position;
  readonly market: Market;
  onClose(): void;
}

function closingSide({ side }: Position): Side {
  return side === "LONG" ? "SELL" : "BUY";
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

interface Closing {
  readonly position: Position;
  readonly market: Market;
  readonly quantity: string;
  /** Null to close at the market. */
  readonly price: string | null;
}

/** Sends the order that closes a position or a part of it. Returns null if the user went back. */
async function close(closing: Closing): Promise<Placed | null> {
  const { position, market, quantity, price } = closing;
  const fault =
    numberFault("Quantity", quantity, market.step, market.quantityMax) ??
    (price === null
      ? null
      : (numberFault("Price", price, market.tick, market.priceMax) ??
        (await readOwnFault(market, { value: valueAt(price, quantity), prices: [price] }))));
  if (fault !== null) throw new Error(fault);
  const side = closingSide(position);
  const at = price === null ? "at the market" : `at ${shown(price, market.pricePlaces)}`;
  const verb = side === "BUY" ? "Buy" : "Sell";
  const line = `${verb} ${quantity} ${market.base} ${at}, reduce only`;
  if (!(await confirmed("Confirm close", [line]))) return null;
  const bound = price === null ? await ownBound(side, market) : null;
  const atMarket = marketBody(market, side, quantity, { bound, isReduceOnly: true });
  const limit = price === null ? {} : { type: "LIMIT", price, time_in_force: "GTC" };
  try {
    return await placeOrder({ route: "native", body: { ...atMarket, ...limit } });
  } catch (thrown) {
    throw explained(thrown, market, side);
  } finally {
    refreshAccount();
  }
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
      </ActionForm>
    </Dialog>
  );
}

type Guard = "TAKE_PROFIT_MARKET" | "STOP_MARKET";

/** The order that closes the whole position at a profit or at a loss; undefined without one. */
function guardOf({ symbol }: Position, type: Guard): Order | undefined {
  return openOrders.value.find(
    (order) => order.symbol === symbol && order.type === type && termsOf(order)?.closePosition,
  );
}

export function guardPrice(position: Position, type: Guard): string {
  const order = guardOf(position, type);
  return (order === undefined ? undefined : termsOf(order)?.stopPrice) ?? "";
}

/** Whether the venue's answer is still missing that says which of the market's open orders close the position. */
function isGuardUnknown({ symbol }: Position, type: Guard): boolean {
  return openOrders.value.some(
    (order) => order.symbol === symbol && order.type === type && termsOf(order) === undefined,
  );
}

/** Places, changes or removes one of the two orders, so that it has that price. */
async function setGuard(
  position: Position,
  market: Market,
  type: Guard,
  price: string,
): Promise<void> {
  if (isGuardUnknown(position, type)) {
    throw new Error("Your open orders are still being read. Try again in a moment.");
  }
  const order = guardOf(position, type);
  const known = guardPrice(position, type);
  if (price === "" && order !== undefined) await cancelOrder(order);
  if (price === "" || exact(price) === exact(known)) return;
  if (order !== undefined) {
    await amendOrder(order, { price, quantity: order.qty });
    return;
  }
  const parameters = {
    symbol: market.listed,
    side: closingSide(position),
    type,
    closePosition: "true",
    triggerPrice: price,
    workingType: "MARK_PRICE",
  };
  await placeOrder({ route: "conditional", parameters });
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
          position is closed at the market. Empty removes it.
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
