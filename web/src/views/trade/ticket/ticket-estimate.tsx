// What an order is expected to cost, before it is sent: value, average price, fees, margin and liquidation price.

import { Fragment, type VNode } from "preact";
import { bare, rounded, shown, shownAverage } from "../../../decimal-text.ts";
import { cutTo, exact, exactPlaces } from "../../../markets/exact.ts";
import type { Market } from "../../../markets/market.ts";
import type { Estimate } from "../../../markets/order-estimate.ts";
import { isWaiting } from "../../../markets/order-kinds.ts";
import { type Means, needFor, type Ticket } from "../../../markets/order-ticket.ts";
import { type ExpectedFill, type Reach, unfilledText } from "../../../markets/ticket/book-fill.ts";
import { type FeeRates, feesOf } from "../../../markets/ticket/fees.ts";
import { addressOf } from "../../../route.ts";

interface EstimateProps {
  readonly ticket: Ticket;
  readonly estimate: Estimate | null;
  readonly market: Market;
  readonly means: Means;
  readonly asset: string;
  /** Undefined until read. */
  readonly rates: FeeRates | undefined;
}

/** From here on, in percent, the ticket warns of slippage. */
const slippageWarned = exact("0.5") ?? 0n;

function isSlippery({ slippage }: ExpectedFill): boolean {
  return (exact(slippage) ?? 0n) >= slippageWarned;
}

function FillRows({ fill, market }: { fill: ExpectedFill; market: Market }): VNode {
  return (
    <>
      <dt>Est. average price</dt>
      <dd>{shownAverage(fill.average, market.pricePlaces)}</dd>
      <dt title="How much worse the average is than the best price of the book">Slippage</dt>
      <dd class={isSlippery(fill) ? "loss" : ""}>{shown(rounded(fill.slippage, 2), 2)} %</dd>
    </>
  );
}

/** The part of the quantity that the book fills. */
function filledOf({ quantity, fill }: Estimate): string {
  return cutTo((exact(quantity) ?? 0n) - (exact(fill?.unfilled) ?? 0n), exactPlaces);
}

/** A fee in the asset that it is taken from. */
function feeText(amount: string | null, asset: string, places: number): string {
  const near = rounded(amount, places);
  return near === null ? "–" : `${places > 2 ? bare(near) : shown(near, places)} ${asset}`;
}

function FeeRows({ ticket, estimate, rates, market }: EstimateProps): VNode | null {
  if (rates === undefined) return null;
  const { isPerpetual, base, quote } = market;
  const receives = isPerpetual ? "" : ", taken from what you receive";
  const isOfBase = !isPerpetual && ticket.side === "BUY";
  const traded = estimate?.fill == null ? estimate?.quantity : filledOf(estimate);
  return (
    <>
      {feesOf(ticket, isOfBase ? traded : estimate?.value, rates).map(
        ({ role, percent, amount }) => (
          <Fragment key={role}>
            <dt
              title={`If the order ${role === "maker" ? "rests first" : "trades at once"}${receives}`}
            >
              {role} fee {percent} %
            </dt>
            <dd>{feeText(amount, isOfBase ? base : quote, isOfBase ? 8 : 2)}</dd>
          </Fragment>
        ),
      )}
    </>
  );
}

/** The row stays in its place whatever the need, so that nothing moves while the mark does. */
function NeedRow({ ticket, means, estimate }: EstimateProps): VNode {
  const need = needFor(ticket, means, estimate?.quantity);
  const beyond = estimate === null ? undefined : cutTo((need?.floor ?? 0n) + (need?.loss ?? 0n), 2);
  return (
    <>
      <dt title="Loss reserve: what the order would lose at the mark. Margin floor: without an outside price, opening needs a least margin for all your positions and orders.">
        Floor and reserve
      </dt>
      <dd>{shown(beyond, 2)}</dd>
    </>
  );
}

export function EstimateList(props: EstimateProps): VNode {
  const { ticket, estimate, market, means, asset } = props;
  const { pricePlaces, quantityPlaces, isPerpetual, base, quote } = market;
  const none = estimate === null || estimate.whyNone === "" ? "–" : `None: ${estimate.whyNone}`;
  return (
    <dl class="estimate">
      <dt>Available {asset}</dt>
      <dd>
        {(exact(means.free) ?? 0n) === 0n && (
          <>
            <a href={addressOf("wallet", isPerpetual ? "perp" : "spot")}>Add funds</a>{" "}
          </>
        )}
        {shown(means.free, asset === base ? quantityPlaces : 2)}
      </dd>
      {ticket.unit !== "base" && (
        <>
          <dt>Quantity {base}</dt>
          <dd>{shown(estimate?.quantity, quantityPlaces)}</dd>
        </>
      )}
      {estimate?.fill != null && <FillRows fill={estimate.fill} market={market} />}
      <dt>Order value {quote}</dt>
      <dd>{shown(estimate?.fullValue, 2)}</dd>
      {estimate !== null && exact(estimate.value) !== exact(estimate.fullValue) && (
        <>
          <dt>Fills at once {quote}</dt>
          <dd>{shown(estimate.value, 2)}</dd>
        </>
      )}
      <FeeRows {...props} />
      {isPerpetual && (
        <>
          <dt title="Locked for what the order opens: closing a position needs none">
            {isWaiting(ticket.kind) ? "Margin when triggered" : "Margin"}
          </dt>
          <dd>{shown(estimate?.margin, 2)}</dd>
          <NeedRow {...props} />
          <dt title="Of the whole position after this order, with all your other positions at their marks">
            Est. liq. price
          </dt>
          <dd>{estimate?.liquidation == null ? none : shown(estimate.liquidation, pricePlaces)}</dd>
        </>
      )}
    </dl>
  );
}

interface FillNoteProps {
  readonly fill: ExpectedFill | null;
  readonly reach: Reach | null;
  readonly market: Market;
}

/** Warns that the book cannot fill an order at the market, or only at much worse prices than the best one. */
export function FillNote({ fill, reach, market }: FillNoteProps): VNode | null {
  if (fill === null || reach === null) return null;
  const unfilled = unfilledText(fill, reach.percent, market);
  if (unfilled !== "") return <small class="loss">{unfilled}</small>;
  if (!isSlippery(fill)) return null;
  return (
    <small class="loss">
      The order takes several levels of the book, at worse and worse prices.
    </small>
  );
}
