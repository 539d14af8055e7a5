// The order ticket: what to buy or sell, what it would cost, and what the venue said to it.

import { type Signal, signal, useSignal, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { shown } from "../../decimal-text.ts";
import { book } from "../../markets/book.ts";
import type { Market } from "../../markets/market.ts";
import {
  type Estimate,
  estimateOf,
  leverageIn,
  lifetimes,
  type Means,
  orderBody,
  shareOf,
  type Ticket,
  ticketFault,
} from "../../markets/order-ticket.ts";
import {
  balances,
  closedOrders,
  openOrders,
  positions,
  refreshAccount,
} from "../../member/account.ts";
import { requestOnce, session } from "../../member/session.ts";
import { faultMessage } from "../../member/venue-api.ts";
import { ActionForm } from "../form/action-form.tsx";
import { Choice } from "../form/choice.tsx";
import { Field } from "../form/field.tsx";
import { LogIn } from "../form/session-gate.tsx";

/** A price somebody took from the book; empty once taken over. */
export const askedPrice = signal("");

const blank: Ticket = {
  side: "BUY",
  type: "LIMIT",
  price: "",
  quantity: "",
  leverage: 10,
  setsLeverage: false,
  timeInForce: "GTC",
  isReduceOnly: false,
  takeProfit: "",
  stopLoss: "",
};

interface TicketProps {
  readonly ticket: Signal<Ticket>;
  readonly market: Market;
}

function change(ticket: Signal<Ticket>, part: Partial<Ticket>): void {
  ticket.value = { ...ticket.value, ...part };
}

function LimitFields({ ticket, market, best }: TicketProps & { best: string | undefined }): VNode {
  const { value } = ticket;
  return (
    <>
      <Field
        label={`Price ${market.quote}`}
        value={value.price}
        hint={best === undefined ? "" : shown(best, market.pricePlaces)}
        onValue={(price) => change(ticket, { price })}
      />
      <label>
        Time in force
        <select
          value={value.timeInForce}
          onChange={({ currentTarget }) => {
            change(ticket, { timeInForce: currentTarget.value as Ticket["timeInForce"] });
          }}
        >
          {lifetimes.map(([name, message]) => (
            <option key={name} value={name}>
              {message}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

function PerpetualFields({ ticket, market, leverage }: TicketProps & { leverage: number }): VNode {
  const { setsLeverage, isReduceOnly, takeProfit, stopLoss } = ticket.value;
  return (
    <>
      <label class="leverage">
        <span>
          Leverage <b>{leverage}×</b>
        </span>
        {setsLeverage && !isReduceOnly && (
          <small>
            The order sets it for your whole position and all orders in {market.symbol}.
          </small>
        )}
        <input
          type="range"
          min="1"
          max={market.leverageMax}
          value={leverage}
          disabled={isReduceOnly}
          onInput={({ currentTarget }) => {
            change(ticket, { leverage: Number(currentTarget.value), setsLeverage: true });
          }}
        />
      </label>
      {!isReduceOnly && (
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
      <label class="check">
        <input
          type="checkbox"
          checked={isReduceOnly}
          onChange={({ currentTarget }) => {
            change(ticket, { isReduceOnly: currentTarget.checked, takeProfit: "", stopLoss: "" });
          }}
        />
        Reduce only
      </label>
    </>
  );
}

const shares = [25, 50, 75, 100] as const;

/** Quantities by what part of one's means they take. */
function Shares({
  ticket,
  market,
  means,
  leverage,
}: TicketProps & { means: Means; leverage: number }): VNode {
  return (
    <fieldset class="shares" aria-label="Part of what is available">
      {shares.map((percent) => (
        <button
          key={percent}
          type="button"
          onClick={() => {
            const quantity = shareOf({ ...ticket.value, leverage }, market, percent, means);
            if (quantity !== null) change(ticket, { quantity });
          }}
        >
          {percent} %
        </button>
      ))}
    </fieldset>
  );
}

interface EstimateProps {
  readonly estimate: Estimate | null;
  readonly market: Market;
  readonly available: string | undefined;
  readonly asset: string;
}

function EstimateList({ estimate, market, available, asset }: EstimateProps): VNode {
  const { pricePlaces, quantityPlaces, isPerpetual, base, quote } = market;
  return (
    <dl class="estimate">
      <dt>Available {asset}</dt>
      <dd>{shown(available, asset === base ? quantityPlaces : 2)}</dd>
      <dt>Value {quote}</dt>
      <dd>{shown(estimate?.value, 2)}</dd>
      {isPerpetual && (
        <>
          <dt>Margin</dt>
          <dd>{shown(estimate?.margin, 2)}</dd>
          <dt title="Were this the account's only position">Est. liquidation</dt>
          <dd>{shown(estimate?.liquidation, pricePlaces)}</dd>
        </>
      )}
    </dl>
  );
}

interface Placed {
  readonly status: string;
  readonly filled_qty: string;
  readonly qty: string;
}

function placedWords({ status, filled_qty: filled, qty }: Placed): string {
  if (status === "FILLED") return "Filled.";
  if (status === "NEW") return "Resting in the book.";
  return `${status.replace(/_/g, " ").toLowerCase()}: ${filled} of ${qty} filled.`;
}

/** Which wallet and asset pay for an order. */
function payerOf({ isPerpetual, base, quote }: Market, side: Ticket["side"]) {
  if (isPerpetual) return { wallet: "perp", asset: "USDC" };
  return { wallet: "spot", asset: side === "BUY" ? quote : base };
}

/** Sends the order; a refusal for want of money says where money comes from. */
async function place(ticket: Ticket, market: Market): Promise<Placed> {
  try {
    return await requestOnce<Placed>("/v1/orders", orderBody(ticket, market));
  } catch (thrown) {
    const message = faultMessage(thrown);
    if (message !== "insufficient available balance") throw thrown;
    const { wallet, asset } = payerOf(market, ticket.side);
    throw new Error(
      `${message}: the order is paid in ${asset} from your ${wallet} wallet. Under Wallet you move or deposit` +
        " some, or take it from the faucet of a venue with development tools.",
    );
  }
}

/** In place of the ticket where orders are refused. */
function Closed({ market }: { market: Market }): VNode {
  return (
    <p class="empty">
      {market.isDelisted
        ? `${market.symbol} is delisted: it takes no orders any more.`
        : `${market.symbol} is halted: it takes no orders for now.`}
    </p>
  );
}

export function TicketView({ market }: { market: Market }): VNode {
  const ticket = useSignal(blank);
  useSignalEffect(() => {
    if (askedPrice.value === "") return;
    change(ticket, { price: askedPrice.value, type: "LIMIT" });
    askedPrice.value = "";
  });
  if (!market.isTrading) return <Closed market={market} />;
  if (session.value === null) return <LogIn why="trade" />;
  const told = [...positions.value, ...openOrders.value, ...closedOrders.value];
  const own = leverageIn(market.symbol, told);
  const value = ticket.value.setsLeverage ? ticket.value : { ...ticket.value, leverage: own };
  const { bids, asks } = book.ladder.value;
  const opposite = (value.side === "BUY" ? asks : bids)[0]?.price;
  const { wallet, asset } = payerOf(market, value.side);
  const held = balances.value.find((one) => one.wallet === wallet && one.asset === asset);
  const position = positions.value.find(({ symbol }) => symbol === market.symbol);
  const means = { free: held?.free, positionQuantity: position?.qty, best: opposite };
  const send = async (): Promise<string> => {
    const fault = ticketFault(value, market);
    if (fault !== null) throw new Error(fault);
    const placed = await place(value, market);
    change(ticket, { quantity: "", setsLeverage: false });
    refreshAccount();
    return placedWords(placed);
  };
  return (
    <ActionForm
      layout="order"
      submit={`${value.side === "BUY" ? "Buy" : "Sell"} ${market.base}`}
      tone={value.side.toLowerCase()}
      act={send}
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
      <Choice
        label="Type"
        options={[
          ["LIMIT", "Limit"],
          ["MARKET", "Market"],
        ]}
        value={value.type}
        onChoose={(type) => change(ticket, { type })}
      />
      {value.type === "LIMIT" && <LimitFields ticket={ticket} market={market} best={opposite} />}
      <Field
        label={`Quantity ${market.base}`}
        value={value.quantity}
        onValue={(quantity) => change(ticket, { quantity })}
      />
      <Shares ticket={ticket} market={market} means={means} leverage={value.leverage} />
      {market.isPerpetual && (
        <PerpetualFields ticket={ticket} market={market} leverage={value.leverage} />
      )}
      <EstimateList
        estimate={estimateOf(value, market, opposite, held?.total)}
        market={market}
        available={held?.free}
        asset={asset}
      />
    </ActionForm>
  );
}
