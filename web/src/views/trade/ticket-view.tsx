// The order ticket: the order, its estimated cost, and the answer of the venue.

import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { shown } from "../../decimal-text.ts";
import { book } from "../../markets/book.ts";
import type { Market } from "../../markets/market.ts";
import { mark, restriction } from "../../markets/market-figures.ts";
import { isRestriction } from "../../markets/market-notice.ts";
import {
  type Estimate,
  estimateOf,
  leverageIn,
  lifetimes,
  limitHint,
  type Means,
  orderBody,
  shareOf,
  type Ticket,
  ticketFault,
} from "../../markets/order-ticket.ts";
import { pickedPrice } from "../../markets/ticket-requests.ts";
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
        label={`Price (${market.quote})`}
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
          <small>Applies to your whole position and all orders in {market.symbol}.</small>
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

/** Fills in the quantity that uses a percentage of the available balance or position. */
function Shares({
  ticket,
  market,
  means,
  leverage,
}: TicketProps & { means: Means; leverage: number }): VNode {
  return (
    <fieldset class="shares" aria-label="Percentage of the available balance">
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
      <dt>Order value {quote}</dt>
      <dd>{shown(estimate?.value, 2)}</dd>
      {isPerpetual && (
        <>
          <dt>Margin</dt>
          <dd>{shown(estimate?.margin, 2)}</dd>
          <dt title="Estimated as if this were your only position">Est. liq. price</dt>
          <dd>{shown(estimate?.liquidation, pricePlaces)}</dd>
        </>
      )}
    </dl>
  );
}

interface Placed {
  readonly status: string;
  readonly price: string | null;
  readonly filled_qty: string;
  readonly avg_price: string | null;
  readonly qty: string;
}

function orderMessage(placed: Placed, market: Market): string {
  const { status, price, avg_price: average, filled_qty: filled, qty } = placed;
  const at = (ticks: string | null) => `at ${shown(ticks, market.pricePlaces)}`;
  const of = `${filled} of ${qty} ${market.base}`;
  if (status === "FILLED") return `Order filled: ${qty} ${market.base} ${at(average)}`;
  if (status === "NEW") return `Order open: ${qty} ${market.base} ${at(price)}`;
  if (status === "PARTIALLY_FILLED") return `Order partially filled: ${of}`;
  const end = status.replace(/_/g, " ").toLowerCase();
  return `Order ${end}: ${of} filled`;
}

/** Returns the wallet and the asset that pay for an order. */
function payerOf({ isPerpetual, base, quote }: Market, side: Ticket["side"]) {
  if (isPerpetual) return { wallet: "perp", asset: "USDC" };
  return { wallet: "spot", asset: side === "BUY" ? quote : base };
}

/** Sends the order. Adds to the message of a refusal the limit that was violated, or where to get funds. */
async function place(ticket: Ticket, market: Market): Promise<Placed> {
  try {
    return await requestOnce<Placed>("/v1/orders", orderBody(ticket, market));
  } catch (thrown) {
    const message = faultMessage(thrown);
    const { symbol } = market;
    if (isRestriction(message)) restriction.value = { symbol, message: message, atMs: Date.now() };
    if (message !== "insufficient available balance") {
      const limit = limitHint(message, market, mark.value?.price);
      throw limit === "" ? thrown : new Error(`${message}: ${limit}`);
    }
    const { wallet, asset } = payerOf(market, ticket.side);
    throw new Error(
      `Insufficient available balance: this order needs ${asset} in your ${wallet} wallet. Go to Wallet to` +
        ` transfer or deposit ${asset}, or to get test funds on a development venue.`,
    );
  }
}

/** Replaces the ticket of a market that accepts no orders. */
function Closed({ market }: { market: Market }): VNode {
  return (
    <p class="empty">
      {market.isDelisted
        ? `${market.symbol} is delisted. It no longer accepts orders.`
        : `${market.symbol} is halted. It accepts no orders for now.`}
    </p>
  );
}

export function TicketView({ market }: { market: Market }): VNode {
  const ticket = useSignal(blank);
  useSignalEffect(() => {
    if (pickedPrice.value === "") return;
    change(ticket, { price: pickedPrice.value, type: "LIMIT" });
    pickedPrice.value = "";
  });
  if (!market.isTrading) return <Closed market={market} />;
  if (session.value === null) return <LogIn why="trade" />;
  const known = [...positions.value, ...openOrders.value, ...closedOrders.value];
  const own = leverageIn(market.symbol, known);
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
    if (!value.isReduceOnly) restriction.value = null;
    change(ticket, { quantity: "", setsLeverage: false });
    refreshAccount();
    return orderMessage(placed, market);
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
        label={`Quantity (${market.base})`}
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
