// Reads from the venue's control socket what it knows about an account, page by page.

import { sameMarket } from "./beliefs.js";

const pageRows = 1_000;
const openStates = new Set(["NEW", "PARTIALLY_FILLED", "PENDING_NEW"]);

/** The orders and fills are read after the balances: let the program be idle, or the market's time and it paused. */
export async function truthOf(venue, account) {
  const { markets, ...known } = await venue.call("truth/account", { account });
  const read = async (call, id) => {
    const all = [];
    for (const { market } of markets) {
      for (let after = 0; ; ) {
        const page = { account, market, after, limit: pageRows };
        const rows = await venue.call(call, page);
        all.push(...rows);
        if (rows.length < pageRows) break;
        after = rows.at(-1)[id];
      }
    }
    return all.sort((one, other) => one[id] - other[id]);
  };
  return new Truth(known, {
    orders: await read("truth/orders", "order_id"),
    fills: await read("truth/fills", "trade_id"),
  });
}

export class Truth {
  constructor({ account, balances, positions }, { orders, fills }) {
    this.account = account;
    this.balances = balances;
    this.positions = positions;
    this.orders = orders;
    this.fills = fills;
  }

  get openOrders() {
    return this.orders.filter(({ status }) => openStates.has(status));
  }

  /** The order with this id, or with this client order id; the newest if a client order id was used again. */
  order(id) {
    return this.orders.findLast((order) => {
      return order.order_id === id || order.client_order_id === id;
    });
  }

  /** The signed quantity of the position in a market; "0" without one. */
  position(symbol) {
    return this.positions.find((row) => sameMarket(row, symbol))?.qty ?? "0";
  }

  /** The total of an asset in a wallet; "0" without any. */
  balance(asset, wallet = "spot") {
    const row = this.balances.find((one) => one.asset === asset && one.wallet === wallet);
    return row?.total ?? "0";
  }
}
