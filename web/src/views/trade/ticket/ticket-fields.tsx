// The fields of the ticket: which of them there are follows from the kind of order and the market.

import { type Signal, useSignal } from "@preact/signals";
import type { Ref, VNode } from "preact";
import { shown } from "../../../decimal-text.ts";
import { exact } from "../../../markets/exact.ts";
import type { Market } from "../../../markets/market.ts";
import {
  furtherKinds,
  isWaiting,
  lifetimes,
  lifetimesOf,
  type OrderKind,
  orderKinds,
  usualKinds,
} from "../../../markets/order-kinds.ts";
import {
  filledShare,
  type Means,
  type Ticket,
  takesTpSl,
  takesVisible,
  turnedTo,
} from "../../../markets/order-ticket.ts";
import { pegNames } from "../../../markets/ticket/pegs.ts";
import { Choice } from "../../form/choice.tsx";
import { Field, NumberInput } from "../../form/field.tsx";
import { ShareButtons } from "../share-buttons.tsx";

export interface TicketProps {
  readonly ticket: Signal<Ticket>;
  readonly market: Market;
}

export function change(ticket: Signal<Ticket>, part: Partial<Ticket>): void {
  ticket.value = { ...ticket.value, ...part };
}

/** A text field of the ticket. */
function TicketField(props: {
  readonly ticket: Signal<Ticket>;
  readonly name:
    | "price"
    | "trigger"
    | "stopPrice"
    | "visible"
    | "pegLevels"
    | "callback"
    | "lastPrice"
    | "parts"
    | "minutes";
  readonly label: string;
  readonly hint?: string;
}): VNode {
  const { ticket, name, label, hint = "" } = props;
  return (
    <Field
      label={label}
      value={ticket.value[name]}
      hint={hint}
      onValue={(text) => change(ticket, { [name]: text })}
    />
  );
}

/** Limit and Market, and a list of the other kinds. */
export function KindChoice({ ticket, market }: TicketProps): VNode {
  const { kind } = ticket.value;
  const further = furtherKinds(market);
  const choose = (next: OrderKind): void => {
    change(ticket, turnedTo(next, ticket.value, market));
  };
  return (
    <div class="kinds">
      <Choice
        label="Type"
        options={usualKinds.map((name) => [name, orderKinds[name].label] as const)}
        value={kind}
        onChoose={choose}
      />
      <select
        aria-label="More order types"
        class={further.includes(kind) ? "chosen" : ""}
        value={further.includes(kind) ? kind : ""}
        onChange={({ currentTarget }) => {
          if (currentTarget.value !== "") choose(currentTarget.value as OrderKind);
        }}
      >
        <option value="">More…</option>
        {further.map((name) => (
          <option key={name} value={name}>
            {orderKinds[name].label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Which level of the book a pegged order takes its price from. `hint` is the price that it would get now. */
function PegFields({ ticket, market, hint }: TicketProps & { hint: string }): VNode {
  const { side, peg } = ticket.value;
  const bound = side === "BUY" ? "Highest" : "Lowest";
  return (
    <>
      <label>
        Price from the book
        <select
          value={peg}
          onChange={({ currentTarget }) => {
            change(ticket, { peg: currentTarget.value as Ticket["peg"] });
          }}
        >
          {Object.entries(pegNames).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <div class="pair">
        <TicketField ticket={ticket} name="pegLevels" label="Levels behind" hint="0" />
        <TicketField ticket={ticket} name="price" label={`${bound} (${market.quote})`} hint="any" />
      </div>
      <small class="soft">
        A limit order whose price is taken from the book once, when it arrives
        {hint === "" ? "" : `: now ${hint}`}. Afterwards it stays there and does not follow the
        book.
      </small>
    </>
  );
}

export function PriceFields({ ticket, market, best }: TicketProps & { best?: string }): VNode {
  const { kind } = ticket.value;
  const { hasPrice, hasTrigger } = orderKinds[kind];
  const { quote, pricePlaces } = market;
  const hint = best === undefined ? "" : shown(best, pricePlaces);
  return (
    <>
      {hasTrigger && (
        <TicketField
          ticket={ticket}
          name="trigger"
          label={kind === "OCO" ? `Stop (${quote})` : `Trigger price (${quote})`}
        />
      )}
      {kind === "OCO" && (
        <TicketField
          ticket={ticket}
          name="stopPrice"
          label={`Stop limit (${quote})`}
          hint="at the market"
        />
      )}
      {kind === "TRAILING" && (
        <div class="pair">
          <TicketField ticket={ticket} name="callback" label="Distance (%)" />
          <TicketField ticket={ticket} name="trigger" label="Activation price" hint="now" />
        </div>
      )}
      {hasPrice && (
        <TicketField
          ticket={ticket}
          name="price"
          label={kind === "SCALE" ? `First price (${quote})` : `Price (${quote})`}
          hint={hint}
        />
      )}
      {kind === "PEGGED" && <PegFields ticket={ticket} market={market} hint={hint} />}
      {kind === "SCALE" && (
        <div class="pair">
          <TicketField ticket={ticket} name="lastPrice" label={`Last price (${quote})`} />
          <TicketField ticket={ticket} name="parts" label="Number of orders" />
        </div>
      )}
      {kind === "TWAP" && (
        <div class="pair">
          <TicketField ticket={ticket} name="minutes" label="Minutes" />
          <TicketField ticket={ticket} name="parts" label="Number of orders" />
        </div>
      )}
      {isWaiting(kind) && market.isPerpetual && (
        <label>
          Triggered by
          <select
            value={ticket.value.triggeredBy}
            onChange={({ currentTarget }) => {
              change(ticket, { triggeredBy: currentTarget.value as Ticket["triggeredBy"] });
            }}
          >
            <option value="MARK_PRICE">Mark price</option>
            <option value="CONTRACT_PRICE">Last price</option>
          </select>
        </label>
      )}
    </>
  );
}

interface QuantityProps extends TicketProps {
  readonly means: Means;
  readonly input: Ref<HTMLInputElement>;
}

/** Why a share of what is available fills in nothing. */
function nothingText({ free, best }: Means, { step, base }: Market): string {
  if ((exact(free) ?? 0n) <= 0n) return "Nothing is available. Add funds first.";
  if (best === undefined) return "The book has no price to compute the quantity with.";
  return `What is available is less than ${step} ${base}, the smallest quantity.`;
}

/** The quantity, what it is entered in, and buttons for a percentage of the available balance or position. */
export function QuantityFields({ ticket, market, means, input }: QuantityProps): VNode {
  const { unit, quantity } = ticket.value;
  // The ticket whose share was nothing; once it is changed, that is no longer said.
  const lacking = useSignal<Ticket | null>(null);
  const units = { base: market.base, quote: market.quote, percent: "%" } as const;
  return (
    <>
      <div class="quantity">
        <label>
          Quantity ({units[unit]})
          <NumberInput
            input={input}
            value={quantity}
            onValue={(typed) => change(ticket, { quantity: typed })}
          />
        </label>
        <select
          aria-label="Quantity in"
          value={unit}
          onChange={({ currentTarget }) => {
            change(ticket, { unit: currentTarget.value as Ticket["unit"], quantity: "" });
          }}
        >
          {Object.entries(units).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <ShareButtons
        label="Percentage of the available balance"
        onChoose={(percent) => {
          const share = filledShare(ticket.value, market, percent, means);
          if (share !== null) change(ticket, share);
          else lacking.value = ticket.value;
        }}
      />
      {lacking.value === ticket.value && (
        <small class="loss" role="status">
          {nothingText(means, market)}
        </small>
      )}
    </>
  );
}

/** Time in force, take profit and stop loss, reduce-only. */
export function TermFields({ ticket, market }: TicketProps): VNode {
  const { kind, lifetime, goodTill, takeProfit, stopLoss, isReduceOnly } = ticket.value;
  const allowed = lifetimesOf(kind, market);
  return (
    <>
      {allowed.length > 0 && (
        <label>
          Time in force
          <select
            value={lifetime}
            onChange={({ currentTarget }) => {
              change(ticket, { lifetime: currentTarget.value as Ticket["lifetime"] });
            }}
          >
            {lifetimes
              .filter(([name]) => allowed.includes(name))
              .map(([name, label]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
          </select>
        </label>
      )}
      {allowed.includes("GTD") && lifetime === "GTD" && (
        <label>
          Good till (your local time)
          <input
            type="datetime-local"
            value={goodTill}
            onInput={({ currentTarget }) => change(ticket, { goodTill: currentTarget.value })}
          />
        </label>
      )}
      {takesVisible(ticket.value, market) && (
        <TicketField
          ticket={ticket}
          name="visible"
          label={`Visible quantity (${market.base})`}
          hint="all"
        />
      )}
      {takesTpSl(ticket.value, market) && (
        <div class="pair">
          <Field
            label="Take profit"
            value={takeProfit}
            onValue={(price) => change(ticket, { takeProfit: price })}
          />
          <Field
            label="Stop loss"
            value={stopLoss}
            onValue={(price) => change(ticket, { stopLoss: price })}
          />
        </div>
      )}
      {market.isPerpetual && (
        <label class="check">
          <input
            type="checkbox"
            checked={isReduceOnly}
            onChange={({ currentTarget }) => {
              const cleared = { takeProfit: "", stopLoss: "" };
              change(ticket, { isReduceOnly: currentTarget.checked, ...cleared });
            }}
          />
          Reduce only
        </label>
      )}
    </>
  );
}
