// What an order is expected to cost, before it is sent: value, average price, fees, margin and liquidation price.

import { useSignal } from "@preact/signals";
import { Fragment, type VNode } from "preact";
import { bare, rounded, shown, shownAverage } from "../../../decimal-text.ts";
import { cutTo, exact } from "../../../markets/exact.ts";
import type { Market } from "../../../markets/market.ts";
import type { Estimate } from "../../../markets/order-estimate.ts";
import { isWaiting } from "../../../markets/order-kinds.ts";
import { type Means, needFor, type Ticket } from "../../../markets/order-ticket.ts";
import {
  atLimit,
  type ExpectedFill,
  unfilledText,
  withinPercent,
} from "../../../markets/ticket/book-fill.ts";
import { type FeeRates, feesOf } from "../../../markets/ticket/fees.ts";
import { closedByOrdersNote } from "../../../markets/ticket/opening-notes.ts";
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
  return (
    <>
      {feesOf(ticket, isOfBase ? estimate?.traded : estimate?.value, rates).map(
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

const needTitle =
  "Loss reserve: what the order would lose at the mark. Margin floor: without an outside price, opening needs a least margin for all your positions and orders.";

/**
 * The row stays in its place whatever the need, so that nothing moves while the mark does. A press explains it where nothing
 * hovers.
 */
function NeedRow({ ticket, means, estimate }: EstimateProps): VNode {
  const isExplained = useSignal(false);
  const need = needFor(ticket, means, estimate?.traded);
  const beyond = estimate === null ? undefined : cutTo((need?.floor ?? 0n) + (need?.loss ?? 0n), 2);
  return (
    <>
      <dt title={needTitle}>
        <button
          type="button"
          class="link term"
          aria-expanded={isExplained.value}
          onClick={() => {
            isExplained.value = !isExplained.value;
          }}
        >
          Floor and reserve
        </button>
      </dt>
      <dd>{shown(beyond, 2)}</dd>
      {isExplained.value && <dd class="explains">{needTitle}</dd>}
    </>
  );
}

const marginTitle = "Locked for what the order opens: closing a position needs none";
const countedTitle =
  "Locked for what the order opens: your open orders close the position, so this one counts as opening";

export function EstimateList(props: EstimateProps): VNode {
  const { ticket, estimate, market, means, asset } = props;
  const { pricePlaces, quantityPlaces, isPerpetual, base, quote } = market;
  // The note says what happens; that no position is left would contradict the margin.
  const isCounted = closedByOrdersNote(ticket, means, estimate?.traded) !== "";
  const isNone = estimate === null || estimate.whyNone === "" || isCounted;
  const none = isNone ? "–" : `None: ${estimate.whyNone}`;
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
          <dt title={isCounted ? countedTitle : marginTitle}>
            {isWaiting(ticket.kind) ? "Margin when triggered" : "Margin"}
          </dt>
          <dd>{shown(estimate?.margin, 2)}</dd>
          <NeedRow {...props} />
          <dt title="Of the whole position after this order, with all your other positions at their marks">
            Est. liq. price
          </dt>
          <dd class={none.length > 1 ? "sentence" : ""}>
            {estimate?.liquidation == null ? none : shown(estimate.liquidation, pricePlaces)}
          </dd>
        </>
      )}
    </dl>
  );
}

type FillNoteProps = Pick<EstimateProps, "estimate" | "means" | "ticket" | "market">;

/** Warns that the book cannot fill an order that may not rest, or only at much worse prices than the best one. */
export function FillNote({ estimate, means, ticket, market }: FillNoteProps): VNode | null {
  const fill = estimate?.fill ?? null;
  if (fill === null) return null;
  const { reach } = means;
  const where = reach === null ? atLimit(ticket.price, market) : withinPercent(reach.percent);
  const unfilled = unfilledText(fill, where, market);
  if (unfilled !== "") return <small class="loss">{unfilled}</small>;
  if (!isSlippery(fill)) return null;
  return (
    <small class="loss">
      The order takes several levels of the book, at worse and worse prices.
    </small>
  );
}
