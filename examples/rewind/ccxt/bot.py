"""Quotes both sides of BTCUSDT with ccxt. After a lost answer it asks by the client order id what became of the order."""

import os
import time
from decimal import Decimal

import ccxt
from rewind_bot import is_over, moved, tell

SYMBOL = "BTC/USDT:USDT"
SIZE, MOST = Decimal("0.01"), Decimal("0.05")
AWAY = 0.0005


class Quoter:
    def __init__(self, client):
        self.client = client
        self.open = {}
        """What is filled of each order, by client order id, and counted in the position."""
        self.position = Decimal(0)
        self.placed = 0

    def place(self, side, price):
        self.placed += 1
        name = f"{side}-{self.placed}"
        # It is remembered before it is sent: whatever happens to the answer, `settle` asks for it.
        self.open[name] = Decimal(0)
        self.try_once(lambda: self.client.create_order(SYMBOL, "limit", side, SIZE, price, {"newClientOrderId": name}))

    def cancel(self, name):
        self.try_once(lambda: self.client.cancel_order(None, SYMBOL, {"origClientOrderId": name}))

    def settle(self, name):
        order = self.ask(lambda: self.client.fetch_order(None, SYMBOL, {"origClientOrderId": name}))
        filled = self.open.pop(name)
        if order is None:
            return
        now = Decimal(order["info"]["executedQty"])
        self.position += (now - filled) * (1 if order["side"] == "buy" else -1)
        if order["status"] == "open":
            self.open[name] = now

    def try_once(self, change):
        """Neither an error nor a missing answer says what is true: `settle` finds out."""
        try:
            change()
        except (ccxt.OperationFailed, ccxt.ExchangeError):
            pass

    def ask(self, question):
        """Asks until there is an answer, since questions change nothing; None if the venue knows no such order."""
        while True:
            try:
                return question()
            except ccxt.OrderNotFound:
                return None
            except ccxt.OperationFailed:
                pass
            except ccxt.ExchangeError as error:
                # "Busy" is an OperationFailed only at Binance's own addresses.
                if "-1008" not in str(error):
                    raise
            time.sleep(0.2)

    def turn(self):
        for name in list(self.open):
            self.cancel(name)
        for name in list(self.open):
            self.settle(name)
        book = self.ask(lambda: self.client.fetch_order_book(SYMBOL, 5))
        if not book["bids"] or not book["asks"]:
            return
        middle = (book["bids"][0][0] + book["asks"][0][0]) / 2
        if self.position < MOST:
            self.place("buy", self.client.price_to_precision(SYMBOL, middle * (1 - AWAY)))
        if self.position > -MOST:
            self.place("sell", self.client.price_to_precision(SYMBOL, middle * (1 + AWAY)))


def main():
    client = ccxt.binanceusdm({"apiKey": os.environ["KEY"], "secret": os.environ["SECRET"], "rateLimit": 20})
    client.urls["api"] = moved(client.urls["api"])
    quoter = Quoter(client)
    quoter.ask(client.load_markets)
    while not is_over.wait(0.5):
        quoter.turn()
    for name in list(quoter.open):
        quoter.settle(name)
    tell(quoter.open, quoter.position)


main()
