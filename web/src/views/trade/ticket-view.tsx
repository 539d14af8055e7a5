// The order ticket: the order, its estimated cost, and the answer of the venue.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { nowMs } from "../../clock.ts";
import { shown } from "../../decimal-text.ts";
import { exact, sizeOf } from "../../markets/exact.ts";
import type { Market } from "../../markets/market.ts";
import { restriction } from "../../markets/market-figures.ts";
import { closedText } from "../../markets/market-notice.ts";
import { type Estimate, estimateOf } from "../../markets/order-estimate.ts";
import { orderKinds } from "../../markets/order-kinds.ts";
import { blankTicket, type Means, type Ticket } from "../../markets/order-ticket.ts";
import { pickedPrice, ticketSide } from "../../markets/ticket-requests.ts";
import { dismissTwap, stopTwap, type TwapState, twap } from "../../markets/twap.ts";
import { balances, positions, refreshAccount } from "../../member/account.ts";
import { holdingIn, leverageIn, tiersIn } from "../../member/margin.ts";
import { session } from "../../member/session.ts";
import { ActionForm } from "../form/action-form.tsx";
import { Choice } from "../form/choice.tsx";
import { LogIn } from "../form/session-gate.tsx";
import { SettingsButton } from "./order-settings.tsx";
import { change, KindChoice, PriceFields, QuantityFields, TermFields } from "./ticket-fields.tsx";
import { bestAgainst, PartlyPlaced, payerOf, send } from "./ticket-sending.ts";

interface EstimateProps {
  readonly ticket: Ticket;
  readonly estimate: Estimate | null;
  readonly market: Market;
  readonly available: string | undefined;
  readonly asset: string;
}

function EstimateList({ ticket, estimate, market, available, asset }: EstimateProps): VNode {
  const { pricePlaces, quantityPlaces, isPerpetual, base, quote } = market;
  const none = estimate === null || estimate.whyNone === "" ? "–" : `None: ${estimate.whyNone}`;
  return (
    <dl class="estimate">
      <dt>Available {asset}</dt>
      <dd>{shown(available, asset === base ? quantityPlaces : 2)}</dd>
      {ticket.unit !== "base" && (
        <>
          <dt>Quantity {base}</dt>
          <dd>{shown(estimate?.quantity, quantityPlaces)}</dd>
        </>
      )}
      <dt>Order value {quote}</dt>
      <dd>{shown(estimate?.value, 2)}</dd>
      {isPerpetual && (
        <>
          <dt>Margin</dt>
          <dd>{shown(estimate?.margin, 2)}</dd>
          <dt title="Of the whole position after this order, with all your other positions at their marks">
            Est. liq. price
          </dt>
          <dd>{estimate?.liquidation == null ? none : shown(estimate.liquidation, pricePlaces)}</dd>
        </>
      )}
    </dl>
  );
}

/** Says that a reduce-only order is larger than the position: the venue trades no more than that. */
function ShrinkNote({ estimate, held }: { estimate: Estimate | null; held: string }): VNode | null {
  const [wanted, size] = [exact(estimate?.quantity) ?? 0n, sizeOf(exact(held) ?? 0n)];
  if (wanted <= size) return null;
  return <small class="soft">Reduce only: at most your position of {held} will trade.</small>;
}

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
        : {sent} of {plan.parts.length} orders sent, {shown(filled, plan.quantityPlaces)}{" "}
        {plan.base} traded.
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

function meansOf(market: Market, side: Ticket["side"]): Means {
  const { wallet, asset } = payerOf(market, side);
  const held = balances.value.find((one) => one.wallet === wallet && one.asset === asset);
  const position = positions.value.find(({ symbol }) => symbol === market.symbol);
  return {
    free: held?.free,
    positionQuantity: position?.qty,
    best: bestAgainst(side),
    leverage: market.isPerpetual ? leverageIn(market.listed) : 1,
  };
}

export function TicketView({ market }: { market: Market }): VNode {
  const ticket = useSignal(blankTicket);
  const quantityInput = useRef<HTMLInputElement>(null);
  useSignalEffect(() => {
    if (pickedPrice.value === "") return;
    const { hasPrice, hasTrigger } = orderKinds[ticket.peek().kind];
    const price = pickedPrice.value;
    const target = hasPrice ? { price } : hasTrigger ? { trigger: price } : null;
    change(ticket, target ?? { price, kind: "LIMIT" });
    pickedPrice.value = "";
  });
  useSignalEffect(() => {
    if (ticketSide.value === null) return;
    change(ticket, { side: ticketSide.value });
    ticketSide.value = null;
    quantityInput.current?.focus();
  });
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
  const { value } = ticket;
  const means = meansOf(market, value.side);
  const collateral = balances.value.find(({ wallet }) => wallet === "perp")?.total;
  const holding = holdingIn(market.listed, collateral);
  const estimate = estimateOf(value, market, means, holding, tiersIn(market.listed));
  // What was placed leaves the form, so that pressing again does not place it twice.
  const empty = (): void =>
    change(ticket, { quantity: "", visible: "", takeProfit: "", stopLoss: "" });
  const act = async (): Promise<string> => {
    try {
      const message = await send({ ticket: value, market, means, estimate });
      if (message === "Not sent.") return message;
      if (!value.isReduceOnly) restriction.value = null;
      empty();
      return message;
    } catch (thrown) {
      if (thrown instanceof PartlyPlaced) empty();
      throw thrown;
    } finally {
      refreshAccount();
    }
  };
  return (
    <>
      <ActionForm
        layout="order"
        submit={`${value.side === "BUY" ? "Buy" : "Sell"} ${market.base}`}
        tone={value.side.toLowerCase()}
        act={act}
      >
        <Choice
          label="Side"
          options={[
            ["BUY", "Buy"],
            ["SELL", "Sell"],
          ]}
          value={value.side}
          onChoose={(side) => change(ticket, { side })}
        />
        <KindChoice ticket={ticket} market={market} />
        <PriceFields
          ticket={ticket}
          market={market}
          {...(means.best !== undefined && { best: means.best })}
        />
        <QuantityFields ticket={ticket} market={market} means={means} input={quantityInput} />
        <TermFields ticket={ticket} market={market} />
        {value.isReduceOnly && market.isPerpetual && (
          <ShrinkNote estimate={estimate} held={means.positionQuantity ?? "0"} />
        )}
        {value.kind === "TWAP" && (
          <small class="soft">
            This page sends the orders. Closing, reloading or logging out stops the rest.
          </small>
        )}
        <EstimateList
          ticket={value}
          estimate={estimate}
          market={market}
          available={means.free}
          asset={payerOf(market, value.side).asset}
        />
      </ActionForm>
      {running}
      <SettingsButton market={market} />
    </>
  );
}
