// The form of the ticket: the order, its estimated cost, and the answer of the venue. It is loaded once somebody is logged
// in, because the first visit does not need it.

import { effect, type Signal, untracked } from "@preact/signals";
import type { Ref, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { book } from "../../../markets/book.ts";
import { orderGuards } from "../../../markets/guard-settings.ts";
import type { Market } from "../../../markets/market.ts";
import { day, mark, restriction, tradedDay } from "../../../markets/market-figures.ts";
import { estimateOf } from "../../../markets/order-estimate.ts";
import { guardedPrices, guardFault } from "../../../markets/order-guards.ts";
import type { Means, Ticket } from "../../../markets/order-ticket.ts";
import { depthNote } from "../../../markets/ticket/depth-notes.ts";
import { type Entered, ticketNote } from "../../../markets/ticket/ticket-notes.ts";
import { ticketSide } from "../../../markets/ticket-requests.ts";
import { balances, readFigures, refreshAccount } from "../../../member/account.ts";
import { feeRatesIn, readFeeRates } from "../../../member/fees.ts";
import { holdingIn, tiersIn } from "../../../member/risk/margin.ts";
import { session } from "../../../member/session.ts";
import { unreachableText } from "../../../member/venue-api.ts";
import { ActionForm, type FormAction, useFormAction } from "../../form/action-form.tsx";
import { Choice } from "../../form/choice.tsx";
import { whenOutdated } from "../account-fault.ts";
import { bandReference, PartlyPlaced, payerOf, send } from "../ticket-sending.ts";
import { meansOf } from "./means.ts";
import { OrderNotes } from "./order-notes.tsx";
import { EstimateList } from "./ticket-estimate.tsx";
import { change, KindChoice, PriceFields, QuantityFields, TermFields } from "./ticket-fields.tsx";

/** Why the order as it stands would not be placed: as far as the page knows the venue's reasons, and the user's own. */
function noteOf(entered: Entered): string {
  const { ticket, market, means, estimate } = entered;
  // Other orders need not follow each change of the book.
  const isKnown =
    means.crossing !== undefined || (means.reach !== null && book.whole.value.isKnown);
  const note = ticketNote(entered) || (isKnown ? depthNote(ticket, market, means, estimate) : "");
  if (note !== "" || estimate === null) return note;
  const reference = market.isPerpetual ? mark.value?.price : tradedDay(day.value)?.last;
  const order = { value: estimate.fullValue, prices: guardedPrices(ticket, means.best), reference };
  return guardFault(order, orderGuards.value, market) ?? "";
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

/** Takes the side that another part of the page asks for, and puts the focus into the quantity. */
function useSideRequest(ticket: Signal<Ticket>): Ref<HTMLInputElement> {
  const quantityInput = useRef<HTMLInputElement>(null);
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
  return quantityInput;
}

interface OrderFormProps {
  readonly ticket: Signal<Ticket>;
  readonly market: Market;
  /** The picked price that made the order a limit order; empty for none. */
  readonly turnedAt: string;
}

export function OrderForm({ ticket, market, turnedAt }: OrderFormProps): VNode {
  const quantityInput = useSideRequest(ticket);
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
