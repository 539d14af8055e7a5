// Sends what the ticket means: checks, the user's own limits and confirmation first, then one order, the orders of a
// scale, or the first order of a TWAP. Returns the message for the user; throws one if nothing was sent.

import { shown, shownAverage } from "../../decimal-text.ts";
import { statusText } from "../../history/past-order.ts";
import { book } from "../../markets/book.ts";
import { cutTo, exact } from "../../markets/exact.ts";
import { orderGuards } from "../../markets/guard-settings.ts";
import type { Market } from "../../markets/market.ts";
import { day, mark, restriction } from "../../markets/market-figures.ts";
import { isRestriction } from "../../markets/market-notice.ts";
import type { Estimate } from "../../markets/order-estimate.ts";
import { guardedPrices } from "../../markets/order-guards.ts";
import {
  boundedPrice,
  marketBody,
  orderRequest,
  rungBody,
  rungParameters,
  rungsOf,
  splitQuantity,
} from "../../markets/order-requests.ts";
import { limitHint, type Means, type Ticket, ticketFault } from "../../markets/order-ticket.ts";
import { marketReach, type Reach } from "../../markets/ticket/book-fill.ts";
import { reduceFault } from "../../markets/ticket/order-warnings.ts";
import { attachedFaultOf, sideFault } from "../../markets/ticket/price-order.ts";
import { shortfallOf } from "../../markets/ticket/ticket-notes.ts";
import type { Side } from "../../markets/ticket-requests.ts";
import { startTwap } from "../../markets/twap.ts";
import { positions, refreshAccount } from "../../member/account.ts";
import { readBest } from "../../member/best-price.ts";
import { feeRatesIn } from "../../member/fees.ts";
import {
  type BatchOutcome,
  type Placed,
  placeBatches,
  placeOrder,
} from "../../member/order-actions.ts";
import { reportsText } from "../../member/order-lists.ts";
import { guardPrices } from "../../member/position-guards.ts";
import { faultMessage } from "../../member/venue-api.ts";
import { timeOfDay } from "../../moment.ts";
import { expiryText } from "../../notices/notice-list.ts";
import { orderNumber } from "../../proof-reference.ts";
import { confirmed } from "./confirmation.tsx";
import { readOwnFault } from "./own-limits.ts";

/** What the ticket knows when its button is pressed. */
export interface Sending {
  readonly ticket: Ticket;
  readonly market: Market;
  readonly means: Means;
  readonly estimate: Estimate | null;
  /** Reads the account again and returns the means then. */
  readonly readMeans: () => Promise<Means>;
}

/** Best price of the side against which an order of `side` trades; undefined if that side is empty. */
export function bestAgainst(side: Side): string | undefined {
  return (side === "BUY" ? book.bestAsk : book.bestBid).value;
}

/** The side of the book that a market order of `side` can trade with, within the user's own slippage limit. */
export function reachOf(side: Side): Reach {
  const { bids, asks } = book.whole.value;
  return reachIn(side === "BUY" ? asks : bids);
}

/** The levels of any book, best first, with the limit that the user has set, else with the venue's own. */
export function reachIn(levels: Reach["levels"]): Reach {
  const own = orderGuards.value.slippageMax;
  const isOwn = own !== "";
  return { levels, percent: isOwn ? own : marketReach, isOwn };
}

/** The price that bounds limit prices: the mark; on spot, the mean of last trade and middle of the book. */
export function bandReference(market: Market): string | undefined {
  if (market.isPerpetual) return mark.value?.price;
  const [bid, ask] = [exact(book.bestBid.value) ?? 0n, exact(book.bestAsk.value) ?? 0n];
  const middle = bid === 0n || ask === 0n ? 0n : (bid + ask) / 2n;
  const last = exact(day.value?.last) ?? 0n;
  if (middle === 0n || last === 0n) return cutTo(middle + last, market.pricePlaces);
  return cutTo((middle + last) / 2n, market.pricePlaces);
}

export function orderMessage(placed: Placed, market: Market): string {
  const { status, price, avg_price: average, filled_qty: filled } = placed;
  const qty = shown(placed.qty, market.quantityPlaces);
  if (status === "WAITING") return `Order waiting for its trigger: ${qty} ${market.base}`;
  if (status === "LISTED") {
    const orders = reportsText(placed.reports ?? [], market);
    return `Orders placed as a list: ${market.symbol}${orders === "" ? "" : `, ${orders}`}`;
  }
  const of = `${filled} of ${qty} ${market.base}`;
  if (status === "FILLED")
    return `Order filled: ${qty} ${market.base} at ${shownAverage(average, market.pricePlaces)}`;
  if (status === "NEW")
    return `Order open: ${qty} ${market.base} at ${shown(price, market.pricePlaces)}`;
  if (status === "PARTIALLY_FILLED") return `Order partially filled: ${of}`;
  return `Order ${statusText(status).toLowerCase()}: ${of} filled`;
}

/** The wallet and the asset that pay for an order. */
export function payerOf({ isPerpetual, base, quote }: Market, side: Side) {
  if (isPerpetual) return { wallet: "perp", asset: "USDC" };
  return { wallet: "spot", asset: side === "BUY" ? quote : base };
}

/** What the page knows of why an order was refused; empty texts for nothing. */
interface Reasons {
  /** What the order needs and what there is. */
  readonly funds: string;
  /** Which price is on the wrong side of which other one. */
  readonly side: string;
}

/** A refusal because prices are on the wrong side of each other, or of the market. */
const sideRefusal =
  /relationship of the prices|trigger immediately|immediately (trigger|match)|post.only/i;

/** Adds to the message of a refusal the limit that was violated, or what is missing and where to get funds. */
export function explained(
  thrown: unknown,
  market: Market,
  side: Side,
  reasons: Reasons = { funds: "", side: "" },
): Error {
  const message = faultMessage(thrown);
  const { symbol } = market;
  if (isRestriction(message)) restriction.value = { symbol, message, atMs: Date.now() };
  if (!/insufficient (available )?balance|Margin is insufficient/i.test(message)) {
    if (reasons.side !== "" && sideRefusal.test(message)) return new Error(reasons.side);
    const limit = limitHint(message, market, bandReference(market));
    // A spot market has no mark: the venue compares with its last trade and the middle of its book.
    const said = market.isPerpetual ? message : message.replace("mark price", "market price");
    return new Error(limit === "" ? said : `${said}: ${limit}`);
  }
  const { wallet, asset } = payerOf(market, side);
  if (reasons.funds !== "") return new Error(`Insufficient available balance. ${reasons.funds}`);
  return new Error(
    `Insufficient available balance: this order needs ${asset} in your ${wallet} wallet. Go to Wallet to` +
      ` transfer or deposit ${asset}, or to get test funds on a development venue.`,
  );
}

/**
 * The worst price of an order that trades at once; null if the user has set no slippage limit. Throws if there is a
 * limit and the book has no price to start from.
 */
export async function ownBound(side: Side, market: Market): Promise<string | null> {
  const { slippageMax } = orderGuards.value;
  if (slippageMax === "") return null;
  const bound = boundedPrice(side, await readBest(market, side), slippageMax, market);
  if (bound !== null) return bound;
  const orders = side === "BUY" ? "sells" : "buys";
  throw new Error(`Your own slippage limit: nobody ${orders} on ${market.symbol} now. Not sent.`);
}

/** Thrown if only some orders of a scale were placed. */
export class PartlyPlaced extends Error {}

async function sendScale({ ticket, market, means }: Sending): Promise<string> {
  const rungs = rungsOf(ticket, market, means);
  const outcome = market.isPerpetual
    ? await placeBatches(rungs.map((rung) => rungParameters(ticket, market, rung)))
    : await sendEach(rungs.map((rung) => rungBody(ticket, market, rung)));
  const count = `${outcome.placed} of ${rungs.length} orders placed`;
  if (outcome.refusal !== null) {
    const Fault = outcome.placed > 0 ? PartlyPlaced : Error;
    throw new Fault(`${count}: ${outcome.refusal}`);
  }
  return `${count}.`;
}

/** Places orders one after another, and stops at the first refusal. */
async function sendEach(
  bodies: readonly Readonly<Record<string, unknown>>[],
): Promise<BatchOutcome> {
  let placed = 0;
  for (const body of bodies) {
    try {
      await placeOrder({ route: "native", body });
      placed++;
    } catch (thrown) {
      return { placed, refusal: faultMessage(thrown) };
    }
  }
  return { placed, refusal: null };
}

function sendTwap({ ticket, market, estimate }: Sending): string {
  const { side, isReduceOnly } = ticket;
  const parts = splitQuantity(estimate?.quantity ?? "0", Number(ticket.parts), market.step);
  const everyMs = Math.round((Number(ticket.minutes) * 60_000) / Math.max(parts.length - 1, 1));
  const { symbol, base, quantityPlaces } = market;
  startTwap({ symbol, base, quantityPlaces, side, parts, everyMs }, async (quantity) => {
    const options = { bound: await ownBound(side, market), isReduceOnly };
    const body = marketBody(market, side, quantity, options);
    const placed = await placeOrder({ route: "native", body });
    refreshAccount();
    return placed.filled_qty;
  });
  return `TWAP started: ${parts.length} orders. Keep this page open.`;
}

/** Why an order ended at once, as what follows its message; empty for one that did not, and while the reason is unknown. */
async function endText({ status, order_id: id }: Placed, { symbol }: Market): Promise<string> {
  if (status !== "EXPIRED" || id === undefined) return "";
  const why = await expiryText(symbol, orderNumber(id) ?? 0).catch(() => "");
  return why === "" ? "" : `, ${why}`;
}

async function sendOrder({ ticket, market, means, estimate }: Sending): Promise<string> {
  const isAtMarket = ticket.kind === "MARKET";
  const bound = isAtMarket ? await ownBound(ticket.side, market) : null;
  const request = orderRequest(ticket, market, means, bound);
  try {
    const placed = await placeOrder(request);
    return orderMessage(placed, market) + (await endText(placed, market));
  } catch (thrown) {
    const funds = shortfallOf({ ticket, market, means, estimate });
    const side = sideFault(ticket, market, means);
    throw explained(thrown, market, ticket.side, { funds, side });
  }
}

/**
 * Why an order at the market is not sent that the account does not cover: the venue would trade the part that is covered
 * and let the rest expire (spec ORD-8). It refuses all of any other order, so that needs no check here.
 */
function partFault(sending: Sending): string {
  const { ticket, market } = sending;
  const missing = ticket.kind === "MARKET" && market.isPerpetual ? shortfallOf(sending) : "";
  if (missing === "") return "";
  return `Not sent: only a part would trade. Available balance too low. ${missing}`;
}

/**
 * Why the account as it stands does not take the order. The page may not have read a deposit or another position yet, so a
 * fault counts only after another look.
 */
async function accountFault(sending: Sending): Promise<string | null> {
  const faultOf = (one: Sending) =>
    reduceFault(one.ticket, one.market, one.means) || partFault(one);
  if (faultOf(sending) === "") return null;
  return faultOf({ ...sending, means: await sending.readMeans() }) || null;
}

/** Resolves to whether to send the order. What the question says is loaded only for a user who wants to be asked. */
async function isConfirmed({ ticket, market, means, estimate }: Sending): Promise<boolean> {
  const { confirms, slippageMax } = orderGuards.value;
  if (!confirms) return true;
  const { costLines, noteLines, summaryOf } = await import("./order-summary.ts");
  const held = guardPrices(positions.value.find(({ symbol }) => symbol === market.symbol));
  return confirmed("Confirm order", [
    ...summaryOf(ticket, market, estimate, slippageMax),
    ...costLines(ticket, market, estimate, feeRatesIn(market)),
    ...noteLines({ ticket, market, means, estimate, held }),
    `Figures as of ${timeOfDay(Date.now())}`,
  ]);
}

export async function send(sending: Sending): Promise<string> {
  const { ticket, market, means, estimate } = sending;
  const fault =
    ticketFault(ticket, market, means, Date.now()) ??
    (await accountFault(sending)) ??
    // A spot market takes it, and drops the protection when the order is filled.
    attachedFaultOf(ticket, market, means) ??
    (await readOwnFault(market, {
      value: estimate?.fullValue,
      prices: guardedPrices(ticket, means.best),
    }));
  if (fault !== null) throw new Error(fault);
  if (!(await isConfirmed(sending))) return "Not sent.";
  if (ticket.kind === "SCALE") return sendScale(sending);
  if (ticket.kind === "TWAP") return sendTwap(sending);
  return sendOrder(sending);
}
