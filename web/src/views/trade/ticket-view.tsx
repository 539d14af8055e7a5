// The order ticket: the order, its estimated cost, and the answer of the venue.

import { effect, type Signal, untracked, useSignal, useSignalEffect } from "@preact/signals";
import type { Ref, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { nowMs } from "../../clock.ts";
import { shown } from "../../decimal-text.ts";
import { book } from "../../markets/book.ts";
import { orderGuards } from "../../markets/guard-settings.ts";
import type { Market } from "../../markets/market.ts";
import { day, lastPrice, mark, restriction, tradedDay } from "../../markets/market-figures.ts";
import { closedText } from "../../markets/market-notice.ts";
import { type Estimate, estimateOf } from "../../markets/order-estimate.ts";
import { guardedPrices, guardFault } from "../../markets/order-guards.ts";
import { orderKinds, tradesAtMarket } from "../../markets/order-kinds.ts";
import { boundedPrice } from "../../markets/order-requests.ts";
import { blankTicket, type Means, type Ticket, turnedTo } from "../../markets/order-ticket.ts";
import { farPriceNote, lateStopNote, shrinkNote } from "../../markets/ticket/order-warnings.ts";
import { pegPrice } from "../../markets/ticket/pegs.ts";
import { type Entered, ticketNote } from "../../markets/ticket/ticket-notes.ts";
import { pickedPrice, ticketSide } from "../../markets/ticket-requests.ts";
import { dismissTwap, stopTwap, type TwapState, twap } from "../../markets/twap.ts";
import { balances, positions, readFigures, refreshAccount } from "../../member/account.ts";
import { feeRatesIn, readFeeRates } from "../../member/fees.ts";
import { holdingIn, leverageIn, tiersIn } from "../../member/risk/margin.ts";
import { openingTerms } from "../../member/risk/opening-terms.ts";
import { session } from "../../member/session.ts";
import { unreachableText } from "../../member/venue-api.ts";
import { ActionForm, type FormAction, useFormAction } from "../form/action-form.tsx";
import { Choice } from "../form/choice.tsx";
import { LogIn } from "../form/session-gate.tsx";
import { whenOutdated } from "./account-fault.ts";
import { SettingsButton } from "./order-settings.tsx";
import { EstimateList, FillNote } from "./ticket-estimate.tsx";
import { change, KindChoice, PriceFields, QuantityFields, TermFields } from "./ticket-fields.tsx";
import {
  bandReference,
  bestAgainst,
  PartlyPlaced,
  payerOf,
  reachOf,
  send,
} from "./ticket-sending.ts";

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

function meansOf(market: Market, ticket: Ticket): Means {
  const { side, kind, triggeredBy } = ticket;
  const { wallet, asset } = payerOf(market, side);
  const best = kind === "PEGGED" ? pegPrice(ticket, book.whole.value) : bestAgainst(side);
  const { slippageMax } = orderGuards.value;
  const bound = tradesAtMarket(kind) ? boundedPrice(side, best, slippageMax, market) : null;
  const held = balances.value.find((one) => one.wallet === wallet && one.asset === asset);
  const isMark = market.isPerpetual && triggeredBy === "MARK_PRICE";
  const watched = isMark ? mark.value?.price : lastPrice.value;
  const position = positions.value.find(({ symbol }) => symbol === market.symbol);
  return {
    free: held?.free,
    positionQuantity: position?.qty,
    best,
    // Other orders do not depend on the levels, and so need not follow each change of the book.
    reach: kind === "MARKET" ? reachOf(side) : null,
    leverage: market.isPerpetual ? leverageIn(market.listed) : 1,
    ...(market.isPerpetual && { opening: openingTerms(market, side, kind) }),
    ...(bound !== null && { bound }),
    ...(watched != null && { watched }),
  };
}

/** Why the order as it stands would not be placed: as far as the page knows the venue's reasons, and the user's own. */
function noteOf(entered: Entered): string {
  const { ticket, market, means, estimate } = entered;
  const note = ticketNote(entered);
  if (note !== "" || estimate === null) return note;
  const reference = market.isPerpetual ? mark.value?.price : tradedDay(day.value)?.last;
  const order = { value: estimate.fullValue, prices: guardedPrices(ticket, means.best), reference };
  return guardFault(order, orderGuards.value, market) ?? "";
}

interface OrderNotesProps {
  readonly ticket: Ticket;
  readonly market: Market;
  readonly means: Means;
  readonly estimate: Estimate | null;
}

/** What happens to the order that its fields do not say. */
function OrderNotes({ ticket, market, means, estimate }: OrderNotesProps): VNode {
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

/** Takes the answer of an order away once it is no longer true. */
function useCurrentAnswer(ticket: Signal<Ticket>, { message, isFault }: FormAction): void {
  useEffect(
    () =>
      // The answer was about the order as it was.
      ticket.subscribe(() => {
        message.value = "";
        isFault.value = false;
      }),
    [],
  );
  useEffect(
    () =>
      whenOutdated((isUnreachable) => {
        const isOutdated = isUnreachable ? message.value === unreachableText : isFault.value;
        if (!isOutdated) return;
        message.value = "";
        isFault.value = false;
      }),
    [],
  );
}

interface OrderFormProps {
  readonly ticket: Signal<Ticket>;
  readonly market: Market;
  readonly quantityInput: Ref<HTMLInputElement>;
  /** The picked price that made the order a limit order; empty for none. */
  readonly turnedAt: string;
}

function OrderForm({ ticket, market, quantityInput, turnedAt }: OrderFormProps): VNode {
  const action = useFormAction();
  useCurrentAnswer(ticket, action);
  useEffect(() => {
    // Without them, the ticket names no fees.
    readFeeRates(market).catch(() => undefined);
  }, [market.symbol, session.value?.userId]);
  const { value } = ticket;
  const means = meansOf(market, value);
  const collateral = balances.value.find(({ wallet }) => wallet === "perp")?.total;
  const holding = holdingIn(market.listed, collateral);
  const tiers = tiersIn(market.listed);
  const rates = feeRatesIn(market);
  const estimate = estimateOf(value, market, means, holding, tiers, rates);
  const reference = bandReference(market);
  const entered = { ticket: value, market, means, estimate, reference };
  // What was placed leaves the form, so that pressing again does not place it twice.
  const empty = (): void =>
    change(ticket, { quantity: "", visible: "", takeProfit: "", stopLoss: "" });
  const readMeans = async (): Promise<Means> => {
    await readFigures();
    return meansOf(market, value);
  };
  const act = async (): Promise<string> => {
    try {
      const message = await send({ ticket: value, market, means, estimate, readMeans });
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
    <ActionForm
      layout="order"
      submit={`${value.side === "BUY" ? "Buy" : "Sell"} ${market.base}`}
      tone={value.side.toLowerCase()}
      action={action}
      note={noteOf({ ...entered, nowMs: Date.now() })}
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
      {turnedAt !== "" && value.kind === "LIMIT" && value.price === turnedAt && (
        <small class="soft" role="status">
          Now a limit order, because you chose a price.
        </small>
      )}
      <QuantityFields ticket={ticket} market={market} means={means} input={quantityInput} />
      <TermFields ticket={ticket} market={market} />
      <OrderNotes ticket={value} market={market} means={means} estimate={estimate} />
      <EstimateList
        ticket={value}
        estimate={estimate}
        market={market}
        means={means}
        asset={payerOf(market, value.side).asset}
        rates={rates}
      />
    </ActionForm>
  );
}

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
  change(ticket, target ?? { ...turnedTo("LIMIT", ticket.peek(), market), price });
  pickedPrice.value = "";
}

export function TicketView({ market }: { market: Market }): VNode {
  const ticket = useSignal(blankTicket);
  const quantityInput = useRef<HTMLInputElement>(null);
  const turnedAt = useSignal("");
  useSignalEffect(() => takePickedPrice(ticket, market, turnedAt));
  // Not with `useSignalEffect`, which waits for a frame: the very next key is meant for the quantity.
  useEffect(
    () =>
      effect(() => {
        const side = ticketSide.value;
        if (side === null) return;
        ticketSide.value = null;
        untracked(() => change(ticket, { side }));
        quantityInput.current?.focus();
        // What is left of an earlier order is replaced by the next key, not continued.
        quantityInput.current?.select();
      }),
    [],
  );
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
      <OrderForm
        ticket={ticket}
        market={market}
        quantityInput={quantityInput}
        turnedAt={turnedAt.value}
      />
      {running}
      <SettingsButton market={market} />
    </>
  );
}
