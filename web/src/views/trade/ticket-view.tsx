// The order ticket: the order, its estimated cost, and the answer of the venue.

import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { nowMs } from "../../clock.ts";
import { shown } from "../../decimal-text.ts";
import type { Market } from "../../markets/market.ts";
import { closedText } from "../../markets/market-notice.ts";
import { orderKinds } from "../../markets/order-kinds.ts";
import { blankTicket, type Ticket, turnedTo } from "../../markets/order-ticket.ts";
import { pickedPrice } from "../../markets/ticket-requests.ts";
import { dismissTwap, plannedOf, stopTwap, type TwapState, twap } from "../../markets/twap.ts";
import { session } from "../../member/session.ts";
import { lazyView } from "../form/lazy-view.tsx";
import { LogIn } from "../form/session-gate.tsx";
import { SettingsButton } from "./order-settings.tsx";

/** The progress of a TWAP, which goes on while this page is open. */
function TwapCard({ state }: { state: TwapState }): VNode {
  const { plan, sent, filled, nextMs, ended } = state;
  const seconds = nextMs === null ? 0 : Math.max(0, Math.ceil((nextMs - nowMs.value) / 1000));
  return (
    <section class="notice twap" aria-label="TWAP">
      <p>
        <b>
          TWAP {plan.side === "BUY" ? "buys" : "sells"} {plan.symbol}
        </b>
        : {sent} of {plan.parts.length} orders sent, {shown(filled, plan.quantityPlaces)} of{" "}
        {shown(plannedOf(plan), plan.quantityPlaces)} {plan.base} traded.
      </p>
      <p class="soft">
        {ended === "" ? `Next order in ${seconds} s. Closing this page stops it.` : ended}
      </p>
      {ended === "" ? (
        <button type="button" onClick={() => stopTwap("Stopped by you.")}>
          Stop TWAP
        </button>
      ) : (
        <button type="button" class="quiet" onClick={dismissTwap}>
          Dismiss
        </button>
      )}
    </section>
  );
}

interface OrderFormProps {
  readonly ticket: Signal<Ticket>;
  readonly market: Market;
  readonly turnedAt: string;
}

const OrderForm = lazyView<OrderFormProps>(null, async () => {
  return (await import("./ticket/order-form.tsx")).OrderForm;
});

/**
 * Takes the price that was picked in the book or the chart into the field that the kind of the order has. A kind without
 * any becomes a limit order; `turnedAt` is then the price, so that the ticket says so.
 */
function takePickedPrice(ticket: Signal<Ticket>, market: Market, turnedAt: Signal<string>): void {
  if (pickedPrice.value === "") return;
  const { hasPrice, hasTrigger } = orderKinds[ticket.peek().kind];
  const price = pickedPrice.value;
  const target = hasPrice ? { price } : hasTrigger ? { trigger: price } : null;
  turnedAt.value = target === null ? price : "";
  const part = target ?? { ...turnedTo("LIMIT", ticket.peek(), market), price };
  ticket.value = { ...ticket.peek(), ...part };
  pickedPrice.value = "";
}

export function TicketView({ market }: { market: Market }): VNode {
  const ticket = useSignal(blankTicket);
  const turnedAt = useSignal("");
  useSignalEffect(() => takePickedPrice(ticket, market, turnedAt));
  const running = twap.value !== null && <TwapCard state={twap.value} />;
  if (!market.isTrading) {
    return (
      <>
        <p class="empty">{closedText(market)}</p>
        {running}
      </>
    );
  }
  if (session.value === null) {
    return (
      <>
        <LogIn why="trade" />
        {running}
      </>
    );
  }
  return (
    <>
      <OrderForm ticket={ticket} market={market} turnedAt={turnedAt.value} />
      {running}
      <SettingsButton market={market} />
    </>
  );
}
