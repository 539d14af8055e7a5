// The order books of a first start with development tools: a few orders of the demo's house account on both sides
// of every market, so that prices, marks and quotes exist from the start.

import { assert, present } from "../../core/assert.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import type { Market } from "../../core/markets.ts";
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

/** The ask price at which the demo's example order buys. */
export const demoOffer = { symbol: "CC-USDC", price: "0.1500" } as const;

/**
 * The quantities are small at the best prices. Beyond them there is enough depth for the index and for the open
 * interest of a busy day: about five million USDC per side, which allows an open interest of ten times as much
 * (RSK-37).
 */
const coins = ["0.05", "0.5", "1", "2", "3", "4", "5", "10", "15", "20", "30"];
const ethers = ["0.5", "10", "20", "40", "60", "80", "100", "200", "300", "400", "600"];

const ladders: readonly DemoLadder[] = [
  {
    ...{ symbol: demoOffer.symbol, bid: "0.1490", ask: demoOffer.price, step: "0.0005", room: 0 },
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
  for (const ladder of ladders) {
    const market = present(
      venue.table.find(ladder.symbol),
      "the market of a demo order must exist",
    );
    const ticks = (text: string): number => parseScaled(text, market.tickDecimals);
    const step = ticks(ladder.step);
    for (const [level, quantity] of ladder.quantities.entries()) {
      const away = (level + (hasFleet ? ladder.room : 0)) * step;
      await rest(venue, {
        account,
        market,
        side: Side.buy,
        price: ticks(ladder.bid) - away,
        quantity,
      });
      await rest(venue, {
        account,
        market,
        side: Side.sell,
        price: ticks(ladder.ask) + away,
        quantity,
      });
    }
  }
}

interface DemoOrder {
  readonly account: number;
  readonly market: Market;
  readonly side: Side;
  readonly price: number;
  readonly quantity: string;
}

async function rest({ clearing }: Venue, order: DemoOrder): Promise<void> {
  const { account, market, side, price, quantity } = order;
  const qty = parseScaled(quantity, market.lotDecimals);
  assert(price > 0 && qty > 0, "the demo's orders must have a positive price and quantity");
  const reply = await clearing.send({
    kind: CommandKind.placeOrder,
    account,
    market: market.id,
    side,
    type: OrderType.limit,
    timeInForce: TimeInForce.gtc,
    price,
    qty,
    ...noOptions,
    reusesClientId: false,
    clientId: "",
    attached: null,
  });
  if (reply.reason !== RejectReason.none) throw new OperatorRefusal("a demo order was refused");
}
