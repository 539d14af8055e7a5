// Mass quotes of both Binance-style surfaces: one request sets up to 15 two-sided quotes in a market. A figure that
// cannot be read refuses the whole request; clearing refuses sides one by one, and the answer says which.

import { type MassQuoteParameters, massQuote } from "../../../../schemas/http/makers.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import type { Reply } from "../../../core/generated/messages.ts";
import { quoteSidesMax, quotesMax } from "../../../core/limits.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { Side } from "../../../core/orders.ts";
import { quoteRefusal } from "../../../core/quotes.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { answerCommand } from "../orders/answered-command.ts";
import { checkDeclared } from "../orders/cancel-on-disconnect.ts";
import { OrderFlow } from "../orders/order-flow.ts";
import { priceText, qtyText, type ShownMarket, shownIn } from "../orders/order-format.ts";
import type { ReadModel } from "../read-model.ts";
import { marketOf } from "../requests/read-request.ts";
import { routeGroup, tradeRoute } from "../requests/route.ts";
import {
  badList,
  errorBody,
  illegalParameter,
  ledgerStale,
  quotesCrossed,
  refused,
} from "../requests/surface-error.ts";
import type { SurfaceView } from "../requests/surface-view.ts";
import { lotsIn, type MakerSurface, perpMakers, spotMakers, ticksIn } from "./maker-surface.ts";

/** The figures of one quote as its client wrote them; undefined for those that it left out. */
type QuoteTexts = Record<"id" | "bidPrice" | "bidQty" | "askPrice" | "askQty", string | undefined>;

interface SentQuote {
  readonly id: number;
  readonly texts: Readonly<QuoteTexts>;
}

const noTexts: Readonly<QuoteTexts> = {
  id: undefined,
  bidPrice: undefined,
  bidQty: undefined,
  askPrice: undefined,
  askQty: undefined,
};

function isFigure(name: string): name is keyof QuoteTexts {
  return Object.hasOwn(noTexts, name);
}

const decimal = /^\d{1,20}(\.\d{1,20})?$/;

function listOf(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.length > 0 && value.length <= quotesMax) return value;
  } catch {
    // Refused below, like a text that is no list.
  }
  return refused(badList("quotes"));
}

/** Reads one quote; refuses what is not a flat object of known decimals with a number from 1 to 15. */
function sentQuote(element: unknown): SentQuote {
  if (typeof element !== "object" || element === null || Array.isArray(element)) {
    return refused(badList("quotes"));
  }
  const texts: QuoteTexts = { ...noTexts };
  for (const [name, value] of Object.entries(element)) {
    if (!isFigure(name)) return refused(illegalParameter("quotes"));
    const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
    if (!decimal.test(text)) refused(illegalParameter(name === "id" ? "quotes" : name));
    texts[name] = text;
  }
  const id = Number(texts.id);
  const isNumbered = Number.isInteger(id) && id >= 1 && id <= quotesMax;
  return isNumbered ? { id, texts } : refused(illegalParameter("id"));
}

/** The quotes of a request; each number occurs once. */
function sentQuotes({ quotes }: MassQuoteParameters): SentQuote[] {
  const sent = listOf(quotes).map(sentQuote);
  const isRepeated = new Set(sent.map(({ id }) => id)).size < sent.length;
  return isRepeated ? refused(illegalParameter("id")) : sent;
}

interface At {
  readonly market: Market;
  readonly view: SurfaceView;
}

/**
 * Writes ticks and lots of one side of a quote to `quotes`, and returns the bit of the side; 0 if the quote does not name
 * it. A side needs a price unless it is removed.
 */
function writeSide(
  surface: MakerSurface,
  quotes: Uint32Array,
  { id, texts }: SentQuote,
  side: Side,
  at: At,
): number {
  const name = side === Side.buy ? "bid" : "ask";
  const [price, qty] =
    side === Side.buy ? [texts.bidPrice, texts.bidQty] : [texts.askPrice, texts.askQty];
  if (qty === undefined) return price === undefined ? 0 : refused(illegalParameter(`${name}Qty`));
  const index = 2 * (id - 1) + side;
  const lots = lotsIn(surface, qty, at.market);
  if (lots > 0) {
    if (price === undefined) return refused(illegalParameter(`${name}Price`));
    quotes[2 * index] = ticksIn(surface, price, at);
    quotes[2 * index + 1] = lots;
  }
  return 1 << index;
}

/** The sides that the quotes name, and their terms, as the command has them. */
function sidesOf(surface: MakerSurface, sent: readonly SentQuote[], at: At) {
  const quotes = new Uint32Array(2 * quoteSidesMax);
  let sides = 0;
  for (const quote of sent) {
    sides |= writeSide(surface, quotes, quote, Side.buy, at);
    sides |= writeSide(surface, quotes, quote, Side.sell, at);
  }
  if (sides === 0) refused(badList("quotes"));
  if (areCrossed(quotes)) refused(quotesCrossed);
  return { sides, quotes };
}

/** Whether a bid of the request is as high as one of its asks: the two would lock or cross. */
function areCrossed(quotes: Uint32Array): boolean {
  let [bid, ask] = [0, Number.POSITIVE_INFINITY];
  for (let at = 0; at < quoteSidesMax; at++) {
    const [price, qty] = [quotes[2 * at] ?? 0, quotes[2 * at + 1] ?? 0];
    if (qty === 0) continue;
    if (at % 2 === Side.buy) bid = Math.max(bid, price);
    else ask = Math.min(ask, price);
  }
  return bid >= ask;
}

/** The slots of the account's quotes in the market, by the number of their side. */
function quoteSlots({ state: { orders } }: ReadModel, account: number, market: number): number[] {
  const slots = new Array<number>(quoteSidesMax).fill(-1);
  for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
    if (orders.market[slot] !== market) continue;
    const side = orders.quoteSide(slot);
    if (side >= 0) slots[side] = slot;
  }
  return slots;
}

/** The order of a side after the request: its terms, or null for none. */
function orderText({ state: { orders } }: ReadModel, slot: number, market: ShownMarket): string {
  if (slot < 0) return "null";
  const price = priceText(market, orders.price[slot] ?? 0);
  const qty = qtyText(market, orders.remaining(slot));
  return `{"orderId":${orders.orderId[slot]},"price":"${price}","qty":"${qty}"}`;
}

function massQuoteRoutes(surface: MakerSurface) {
  const { kind, path, errors, symbol: example } = surface;
  const quote =
    kind === MarketKind.spot
      ? '{"id":1,"bidPrice":"0.14","bidQty":"100"}'
      : '{"id":1,"bidPrice":"49000","bidQty":"0.01","askPrice":"70000","askQty":"0.01"}';
  return routeGroup((context) => ({ ...context, flow: new OrderFlow(context, errors) }))([
    tradeRoute(`POST ${path}/massQuote`, {
      summary: "Sets up to 15 two-sided quotes in a market, each side a post-only order.",
      reads: massQuote,
      session: "order.massQuote",
      example: `symbol=${example}&quotes=$(encoded '[${quote}]')`,
      orders: 1,
      // Fifteen two-sided quotes may take the processor time of five orders; see row M2.
      weight: 5,
      isStrict: true,
      handle: ({ table, model, bridge, flow }, call, params, { account }) => {
        const market = marketOf(table, kind, params.symbol);
        const sent = sentQuotes(params);
        if (params.cancelOnDisconnect === true) checkDeclared(call, account);
        const named = sidesOf(surface, sent, { market, view: call.view });
        if (flow.isStale({ account, market: market.id })) refused(ledgerStale);
        const command = { kind: CommandKind.massQuote, account, market: market.id, ...named };
        const answer = ({ subject }: Reply) => {
          const slots = quoteSlots(model, account, market.id);
          const shown = shownIn(call.view, market);
          const sideText = (at: number) => {
            const refusal = quoteRefusal(subject, at);
            if (refusal !== RejectReason.none) return errorBody(errors[refusal], call.view);
            return orderText(model, slots[at] ?? -1, shown);
          };
          const texts = sent.map(({ id }) => {
            const at = 2 * (id - 1);
            return `{"id":${id},"bid":${sideText(at)},"ask":${sideText(at + 1)}}`;
          });
          return `[${texts.join(",")}]`;
        };
        answerCommand(bridge, call, command, { errors, answer });
      },
    }),
  ]);
}

export const spotMassQuoteRoutes = massQuoteRoutes(spotMakers);
export const perpMassQuoteRoutes = massQuoteRoutes(perpMakers);
