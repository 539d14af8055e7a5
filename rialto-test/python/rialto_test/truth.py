"""Reads from the venue's control socket what it knows about an account, page by page."""

from .beliefs import same_market

PAGE_ROWS = 1_000
OPEN_STATES = ("NEW", "PARTIALLY_FILLED", "PENDING_NEW")


def truth_of(venue, account):
    """The orders and fills are read after the balances: let the program be idle, or the market's time and it paused."""
    known = venue.call("truth/account", {"account": account})

    def read(call, id_name):
        rows = []
        for market in known["markets"]:
            after = 0
            while True:
                page = {"account": account, "market": market["market"], "after": after, "limit": PAGE_ROWS}
                found = venue.call(call, page)
                rows += found
                if len(found) < PAGE_ROWS:
                    break
                after = found[-1][id_name]
        return sorted(rows, key=lambda row: row[id_name])

    return Truth(known, read("truth/orders", "order_id"), read("truth/fills", "trade_id"))


class Truth:
    """What the venue knows about an account: `balances`, `positions`, all `orders` with state and reason, `fills`."""

    def __init__(self, known, orders, fills):
        self.account = known["account"]
        self.balances = known["balances"]
        self.positions = known["positions"]
        self.orders = orders
        self.fills = fills

    @property
    def open_orders(self):
        return [order for order in self.orders if order["status"] in OPEN_STATES]

    def order(self, id):
        """The order with this id or client order id, the newest if the latter was used again; None if there is none."""
        for order in reversed(self.orders):
            if id in (order["order_id"], order["client_order_id"]):
                return order
        return None

    def position(self, symbol):
        """The signed quantity of the position in a market; "0" without one."""
        rows = [row for row in self.positions if same_market(row, symbol)]
        return rows[0]["qty"] if rows else "0"

    def balance(self, asset, wallet="spot"):
        """The total of an asset in a wallet; "0" without any."""
        rows = [row for row in self.balances if (row["asset"], row["wallet"]) == (asset, wallet)]
        return rows[0]["total"] if rows else "0"
