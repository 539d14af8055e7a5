// The order books of a first start with development tools: a few orders of the demo's house account on both sides
// of every market, so that prices, marks and quotes exist from the start. They are also the only depth from which the
// index of a development venue is measured, so a market in which the account has none left gets them again.

import { readAccount } from "../../adapters/postgres/queries/access/accounts.ts";
import { marketsWithOrders, readMarkets } from "../../adapters/postgres/queries/journal/risk.ts";
import { AccountFlag } from "../../core/accounts.ts";
import { assert, present } from "../../core/assert.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { type Market, MarketStatus } from "../../core/markets.ts";
import { parseScaled } from "../../core/money/amounts.ts";
import { noOptions, OrderType, Side, TimeInForce } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { OperatorRefusal } from "../operator/operator-commands.ts";
import type { Venue } from "../venue.ts";

/** One market's orders, best first, symmetric on both sides. */
interface DemoLadder {
  readonly symbol: string;
  readonly bid: string;
  readonly ask: string;
  /** Price distance between two levels. */
  readonly step: string;
  /** Number of steps by which both sides are farther away if a fleet quotes between them. */
  readonly room: number;
  readonly quantities: readonly string[];
}

/** The market of the demo's example order. */
export const demoSymbol = "CC-USDC";

/**
 * The quantities are small at the best prices. Beyond them there is enough depth for the index and for the open
 * interest of a busy day: about five million USDC per side, which allows an open interest of ten times as much
 * (RSK-37).
 */
const coins = ["0.05", "0.5", "1", "2", "3", "4", "5", "10", "15", "20", "30"];
const ethers = ["0.5", "10", "20", "40", "60", "80", "100", "200", "300", "400", "600"];

const ladders: readonly DemoLadder[] = [
  {
    ...{ symbol: demoSymbol, bid: "0.1490", ask: "0.1500", step: "0.0005", room: 0 },
    quantities: ["10000", "100000", "500000", "1000000", "2000000", "2500000"],
  },
  { symbol: "CBTC-USDC", bid: "59990", ask: "60010", step: "10", room: 40, quantities: coins },
  { symbol: "CETH-USDC", bid: "2999", ask: "3001", step: "1", room: 20, quantities: ethers },
  { symbol: "BTC-PERP", bid: "59990", ask: "60010", step: "10", room: 40, quantities: coins },
  { symbol: "ETH-PERP", bid: "2999", ask: "3001", step: "1", room: 20, quantities: ethers },
  {
    ...{ symbol: "CC-PERP", bid: "0.1495", ask: "0.1496", step: "0.0005", room: 3 },
    quantities: ["1000", "50000", "90000"],
  },
];

/**
 * Places the ladders for `account`, which must be able to pay for them; with a fleet farther from the middle, because its
 * prices would otherwise be held between them. Throws if an order is refused.
 */
export async function restDemoBooks(
  venue: Venue,
  account: number,
  hasFleet: boolean,
): Promise<void> {
  for (const ladder of ladders)
    for (const order of ordersOf(ladder, { venue, account, hasFleet }))
      if ((await rest(venue, order)) !== RejectReason.none)
        throw new OperatorRefusal("a demo order was refused");
}

/**
 * Places the ladder again in each market that trades and in which `account` has no open order, as after a halt; returns
 * the markets' names. An order that would trade, or that the account can no longer pay for, is left out. A frozen
 * account gets nothing. Spec OPS-103.
 */
export async function restoreDemoBooks(
  venue: Venue,
  account: number,
  hasFleet: boolean,
): Promise<string[]> {
  const { sql } = venue.database;
  const house = await readAccount(sql, account);
  if (house === null || (house.flags & AccountFlag.frozen) !== 0) return [];
  const quoted = await marketsWithOrders(sql, account);
  const listed = await readMarkets(sql);
  const empty = ladders.filter(({ symbol }) => {
    const market = listed.find((one) => one.symbol === symbol);
    return market?.status === MarketStatus.trading && !quoted.has(market.market);
  });
  for (const ladder of empty)
    for (const order of ordersOf(ladder, { venue, account, hasFleet })) await rest(venue, order);
  return empty.map(({ symbol }) => symbol);
}

interface DemoOrder {
  readonly account: number;
  readonly market: Market;
  readonly side: Side;
  readonly price: number;
  readonly quantity: string;
}

interface LadderParts {
  readonly venue: Venue;
  readonly account: number;
  readonly hasFleet: boolean;
}

/** The orders of a ladder, best prices first. */
function ordersOf(ladder: DemoLadder, { venue, account, hasFleet }: LadderParts): DemoOrder[] {
  const market = present(venue.table.find(ladder.symbol), "the market of a demo order must exist");
  const ticks = (text: string): number => parseScaled(text, market.tickDecimals);
  const [bid, ask, step] = [ticks(ladder.bid), ticks(ladder.ask), ticks(ladder.step)];
  return ladder.quantities.flatMap((quantity, level) => {
    const away = (level + (hasFleet ? ladder.room : 0)) * step;
    return [
      { account, market, side: Side.buy, price: bid - away, quantity },
      { account, market, side: Side.sell, price: ask + away, quantity },
    ];
  });
}

/** Places a post-only order; returns why it was refused. */
async function rest({ clearing }: Venue, order: DemoOrder): Promise<RejectReason> {
  const { account, market, side, price, quantity } = order;
  const qty = parseScaled(quantity, market.lotDecimals);
  assert(price > 0 && qty > 0, "the demo's orders must have a positive price and quantity");
  const { reason } = await clearing.send({
    kind: CommandKind.placeOrder,
    account,
    market: market.id,
    side,
    type: OrderType.limit,
    timeInForce: TimeInForce.gtx,
    price,
    qty,
    ...noOptions,
    reusesClientId: false,
    clientId: "",
    attached: null,
  });
  return reason;
}
