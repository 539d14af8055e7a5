// Market data as FIX fields: what all sessions with a stream get. MDReqID, which differs from session to session, is not in
// these texts. Figures have eight decimals, as in Binance's messages. Spec FIX-36 to FIX-40.

import { Side } from "../../../../core/orders.ts";
import type { DepthChanges } from "../../../../engine/market-data/depth-book.ts";
import type { TapeTrade } from "../../../../engine/market-data/trade-tape.ts";
import { priceText, qtyText, type ShownMarket } from "../../orders/order-format.ts";
import type { MarketView } from "../../read-model.ts";
import type { BestPrices, ChangedLevels } from "../../streams/markets/spot-feed.ts";
import { utcTime } from "../field-writer.ts";
import { plain } from "../fix-codec.ts";
import { Tag } from "../fix-fields.ts";

/** MDEntryType (269). */
export const EntryType = { bid: "0", offer: "1", trade: "2" } as const;

/** MDUpdateAction (279). */
const Action = { new: "0", change: "1", delete: "2" } as const;

const sides = [
  [Side.buy, EntryType.bid],
  [Side.sell, EntryType.offer],
] as const;

/** The best levels of a book: the fields of a MarketDataSnapshot. */
export function snapshotText(market: ShownMarket, view: MarketView, levels: number): string {
  const rows: string[] = [];
  for (const [side, type] of sides)
    view.depth.visit(side, levels, (price, qty) => {
      rows.push(
        plain(Tag.mdEntryType, type) +
          plain(Tag.mdEntryPx, priceText(market, price)) +
          plain(Tag.mdEntrySize, qtyText(market, qty)),
      );
    });
  const head = plain(Tag.symbol, market.symbol) + plain(Tag.lastBookUpdateId, view.depthSeq);
  return head + plain(Tag.noMdEntries, rows.length) + rows.join("");
}

interface Entry {
  readonly type: string;
  readonly price: number;
  readonly qty: number;
  readonly before: number;
}

/** A level that changed from `before` to `qty` lots; 0 is none. */
function levelText(market: ShownMarket, { type, price, qty, before }: Entry): string {
  const kept = before === 0 ? Action.new : Action.change;
  return (
    plain(Tag.mdUpdateAction, qty === 0 ? Action.delete : kept) +
    plain(Tag.mdEntryType, type) +
    plain(Tag.mdEntryPx, priceText(market, price)) +
    (qty === 0 ? "" : plain(Tag.mdEntrySize, qtyText(market, qty)))
  );
}

/** The fields of a refresh. `common` is in its first entry and holds for all. */
function refreshText(entries: readonly string[], common: string): string {
  const [first = "", ...others] = entries;
  return plain(Tag.noMdEntries, entries.length) + first + common + others.join("");
}

/** The levels that changed. */
export function changesText(market: ShownMarket, { first, last, changes }: ChangedLevels): string {
  const entries = sides.flatMap(([side, type]) => sideText(market, changes, { side, type }));
  const common =
    plain(Tag.symbol, market.symbol) +
    plain(Tag.firstBookUpdateId, first) +
    plain(Tag.lastBookUpdateId, last);
  return refreshText(entries, common);
}

function sideText(
  market: ShownMarket,
  changes: DepthChanges,
  { side, type }: { readonly side: Side; readonly type: string },
): string[] {
  const texts: string[] = [];
  changes.take(side, (price, qty, before) =>
    texts.push(levelText(market, { type, price, qty, before })),
  );
  return texts;
}

/** The best prices that changed: a new one replaces the one before; a side without orders loses its price. */
export function bestText(
  market: ShownMarket,
  { best, before, seq }: { readonly best: BestPrices; readonly before: BestPrices; seq: number },
): string {
  const entries: string[] = [];
  const add = (type: string, now: readonly number[], then: readonly number[]) => {
    const [price = 0, qty = 0] = now;
    const [priceBefore = 0, qtyBefore = 0] = then;
    if (price === priceBefore && qty === qtyBefore) return;
    entries.push(levelText(market, { type, price: price || priceBefore, qty, before: qtyBefore }));
  };
  add(EntryType.bid, [best.bidPrice, best.bidQty], [before.bidPrice, before.bidQty]);
  add(EntryType.offer, [best.askPrice, best.askQty], [before.askPrice, before.askQty]);
  return refreshText(entries, plain(Tag.symbol, market.symbol) + plain(Tag.lastBookUpdateId, seq));
}

/** Trades of one incoming order. */
export function tradesText(market: ShownMarket, trades: readonly TapeTrade[]): string {
  const rows = trades.map(
    ({ tradeId, tsUs, price, qty, takerSide }, at) =>
      plain(Tag.mdUpdateAction, Action.new) +
      plain(Tag.mdEntryType, EntryType.trade) +
      plain(Tag.mdEntryPx, priceText(market, price)) +
      plain(Tag.mdEntrySize, qtyText(market, qty)) +
      (at === 0 ? plain(Tag.symbol, market.symbol) : "") +
      plain(Tag.tradeId, tradeId) +
      plain(Tag.transactTime, utcTime(tsUs)) +
      plain(Tag.aggressorSide, takerSide === Side.buy ? "1" : "2"),
  );
  return plain(Tag.noMdEntries, rows.length) + rows.join("");
}

/** An entry of an InstrumentList: the market with its filters. */
export function instrumentText(market: ShownMarket): string {
  const price = (ticks: number) => priceText(market, ticks);
  const qty = (lots: number) => qtyText(market, lots);
  return (
    plain(Tag.symbol, market.symbol) +
    plain(Tag.currency, market.quoteCode) +
    plain(Tag.minTradeVol, qty(1)) +
    plain(Tag.maxTradeVol, qty(market.qtyLotsMax)) +
    plain(Tag.minQtyIncrement, qty(1)) +
    plain(Tag.minPriceIncrement, price(1)) +
    plain(Tag.startPriceRange, price(1)) +
    plain(Tag.endPriceRange, price(market.priceTicksMax))
  );
}
