// The dialog that changes or removes the take profit and the stop loss which an open order brings.

import { type Signal, signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { shown } from "../../../decimal-text.ts";
import { cutTo, exact, valueAt } from "../../../markets/exact.ts";
import type { Market } from "../../../markets/market.ts";
import { markets } from "../../../markets/markets.ts";
import { type AttachedPrices, attachedFault } from "../../../markets/ticket/attached-guards.ts";
import { type Order, refreshAccount } from "../../../member/account.ts";
import { ActionForm } from "../../form/action-form.tsx";
import { Dialog } from "../../form/dialog.tsx";
import { Field } from "../../form/field.tsx";
import { readOwnFault } from "../own-limits.ts";
import { type Attached, attachedOf, changeAttached } from "./attached-replacing.ts";

/** The order whose dialog is open, as it was then: the order itself ends while it is replaced. Null for none. */
const opened = signal<Attached | null>(null);

export function AttachedButton({ order }: { readonly order: Order }): VNode | null {
  const attached = attachedOf(order);
  if (attached === null) return null;
  const { side, symbol } = attached.order;
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`TP/SL of ${side} ${symbol}`}
      onClick={() => {
        opened.value = attached;
      }}
    >
      TP/SL
    </button>
  );
}

/** What has traded of the order already, and what that means; null for nothing. */
function Traded({ order, market }: { order: Order; market: Market }): VNode | null {
  if (Number(order.filled_qty) === 0) return null;
  const filled = `${shown(order.filled_qty, market.quantityPlaces)} ${market.base}`;
  return market.isPerpetual ? (
    <p class="soft">{filled} of it have traded and keep the TP/SL of the position.</p>
  ) : (
    <p role="status">
      {filled} of it were bought already. They would lose their take profit and stop loss, so the
      order can only be cancelled.
    </p>
  );
}

/** Why the rest of the order may not be sent again: the user's own limits. */
async function ownFault({ price, qty, filled_qty: filled }: Order, market: Market) {
  const rest = cutTo((exact(qty) ?? 0n) - (exact(filled) ?? 0n), market.quantityPlaces);
  return readOwnFault(market, { value: valueAt(price ?? "0", rest), prices: [price ?? "0"] });
}

interface AttachedFormProps {
  readonly attached: Attached;
  readonly market: Market;
  close(): void;
}

/** A price with the decimals of the tick; an empty text stays one. */
function onTick(price: string, { pricePlaces }: Market): string {
  const units = exact(price);
  return units === null ? "" : cutTo(units, pricePlaces);
}

function AttachedForm({ attached: { order, prices }, market, close }: AttachedFormProps): VNode {
  const texts: Readonly<Record<keyof AttachedPrices, Signal<string>>> = {
    takeProfit: useSignal(onTick(prices.takeProfit, market)),
    stopLoss: useSignal(onTick(prices.stopLoss, market)),
  };
  const [takeProfit, stopLoss] = [texts.takeProfit.value, texts.stopLoss.value];
  const next = { takeProfit, stopLoss };
  const fault = attachedFault(order, next, market);
  const isSame =
    exact(takeProfit) === exact(prices.takeProfit) && exact(stopLoss) === exact(prices.stopLoss);
  const isBought = !market.isPerpetual && Number(order.filled_qty) > 0;
  const replace = async (): Promise<string> => {
    const own = await ownFault(order, market);
    if (own !== null) throw new Error(`${own} Nothing was changed.`);
    try {
      await changeAttached(order, market, next);
    } finally {
      refreshAccount();
    }
    close();
    return "";
  };
  const field = (name: keyof AttachedPrices, label: string): VNode => (
    <Field
      label={`${label} of the order (${market.quote})`}
      isFirst={name === "takeProfit"}
      value={texts[name].value}
      onValue={(text) => {
        texts[name].value = text;
      }}
    />
  );
  return (
    <ActionForm
      submit="Replace order"
      note={fault ?? ""}
      isDisabled={fault !== null || isSame || isBought}
      act={replace}
    >
      <p class="soft">
        {order.side} {shown(order.qty, market.quantityPlaces)} {market.base} at{" "}
        {shown(order.price, market.pricePlaces)}. The venue cannot change the take profit or stop
        loss of a waiting order. So the order is cancelled and then placed again with the new ones,
        behind the other orders at its price. If the new one is refused, the old one is gone.
      </p>
      <Traded order={order} market={market} />
      {field("takeProfit", "Take profit")}
      {field("stopLoss", "Stop loss")}
      <p class="soft">An empty field removes one.</p>
    </ActionForm>
  );
}

export function AttachedDialog(): VNode | null {
  const { value } = opened;
  const market = markets.value.find(({ symbol }) => symbol === value?.order.symbol);
  if (value === null || market === undefined) return null;
  const { order } = value;
  const close = (): void => {
    if (opened.peek()?.order === order) opened.value = null;
  };
  return (
    <Dialog key={order.order_id} title={`TP/SL of ${order.side} ${order.symbol}`} onClose={close}>
      <AttachedForm attached={value} market={market} close={close} />
    </Dialog>
  );
}
